"""Static analysis of what a program may read and write: points-to sets first, then accesses in order."""
