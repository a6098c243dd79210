"""The one text form of a query: its grammar, parser and printer."""
