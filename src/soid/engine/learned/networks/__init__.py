"""Neural networks over boxes of their columns: bounds of what a runtime computes in floats, and functions for terms."""
