"""A proposal for a `soid.toml`: found in a folder with a program and a log, tried out, and written with its reasons."""
