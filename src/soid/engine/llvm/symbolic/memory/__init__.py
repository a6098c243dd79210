"""The memory of a path: objects, addresses, and blocks that are copied."""
