"""Chain of custody: who signed which entry, until when entries existed, and where logs come from."""
