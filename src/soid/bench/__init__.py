"""Repeatable measurements: `soid bench`."""
