"""Evidence about learned models: their numbers evaluated once more, by code that the engine does not use."""
