"""Where paths fork, wait, and merge."""
