"""Readers of model files, one a format: each makes a `LearnedModel` of a file's bytes, or refuses it by name."""
