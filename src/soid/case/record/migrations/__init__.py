"""The migrations of a case file's tables, one revision a module."""
