"""Hash-consed terms over booleans, bit-vectors and IEEE-754 floats: to build, evaluate, print and read them."""
