"""Explanations of answers: which changes mattered, where the outcome flips, where paths part, what a proof needed."""
