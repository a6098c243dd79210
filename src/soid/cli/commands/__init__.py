"""One module a command: what it does, given its options."""
