"""Why an answer is what it is: what mattered, where it flips, what a proof needed, where paths part."""
