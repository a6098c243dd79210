"""The engine for paths that another symbolic executor wrote as SMT-LIB files."""
