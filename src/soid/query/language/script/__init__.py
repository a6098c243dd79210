"""The counterfactual language of `.soid` files: its grammar, nodes, parser, printer, and what its names stand for."""
