"""The record of a case: entries, each linked to the one before by its hash, and the files of the project."""
