"""Symbolic execution: concrete numbers stay numbers, free inputs become terms, branches fork paths."""
