"""The decision map: which scenarios of a family lead to which decision, as exact regions."""
