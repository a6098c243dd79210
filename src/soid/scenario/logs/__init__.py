"""Logs as they come: files and tables of several formats, read in pieces, with their columns mapped to variables."""
