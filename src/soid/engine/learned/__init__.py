"""The engine for learned models: trees, forests, boosting and scores, reproduced to the bit."""
