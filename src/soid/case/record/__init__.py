"""What is kept of an investigation: entries, each bound to the one before by its hash, and the files of the project."""
