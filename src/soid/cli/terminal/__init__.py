"""What is written to a terminal, or to a pipe, for people."""
