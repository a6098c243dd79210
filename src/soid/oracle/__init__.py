"""Query in, Answer out: the encodings, the pipeline of stages, and the Answer with what supports it."""
