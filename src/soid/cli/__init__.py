"""The `soid` command: a thin shell over the Python API."""
