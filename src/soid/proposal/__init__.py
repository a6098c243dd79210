"""A proposal for a `soid.toml`: found in a folder with sources and a log, tried out, and written with its reasons."""
