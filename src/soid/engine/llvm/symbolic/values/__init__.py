"""What registers and memory cells hold, and operations on it."""
