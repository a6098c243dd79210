"""Packaged investigations, each runnable as `python -m soid.examples.<name>`."""
