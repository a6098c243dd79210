"""The counterfactual language of `.soid` files: grammar, nodes, parser, printer, and resolution of names."""
