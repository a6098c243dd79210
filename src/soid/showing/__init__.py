"""What `soid.shown` shows of a result: as the terminal does, and as the report does."""
