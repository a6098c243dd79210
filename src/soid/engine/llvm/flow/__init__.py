"""What a program may read and write, found without running it: where pointers may point, and in which order."""
