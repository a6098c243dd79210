"""From a model to a Witness: a concrete scenario, how it differs from the fact, and its replay."""
