"""Models of functions that a program calls and does not define."""
