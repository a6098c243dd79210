"""The variables of a program: where they lie, and what the program does with them."""
