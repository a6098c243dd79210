"""The ways that the fact and a scenario take through a program: branches of its source, paths, trees of a model."""
