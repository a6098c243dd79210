"""Drawing with characters."""
