"""Functions whose results no formula gives (`pow`, `sin`, `exp`): asked of the library, or enclosed between bounds."""
