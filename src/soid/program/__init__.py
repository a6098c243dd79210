"""The decision program under investigation: Program, its Interface of Variables, and the `soid.toml` manifest."""
