"""What the source calls things: C types, functions and variables, read from the debug info."""
