"""Native replay: the program as compiled, run in a process that may do nothing else."""
