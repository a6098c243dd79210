"""How the tables of a case file came to be what they are, one revision a module."""
