"""Sorts and hash-consed terms over booleans, bit-vectors and IEEE-754 floats: built, evaluated, printed, read."""
