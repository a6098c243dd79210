"""Functions without an exact formula (`pow`, `sin`, `exp`): the library computes them, or bounds enclose them."""
