"""The inputs of a moment as bars, for programs whose project declares no scene."""
