"""A drone that landed in a canal: its return-to-home program in C, and the log that its recorder wrote."""
