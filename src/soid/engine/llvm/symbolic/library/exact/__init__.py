"""Functions whose results IEEE 754 and C define to the bit."""
