"""Native replay: runs the compiled program in a confined process."""
