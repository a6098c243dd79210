"""The protocol for checking formulas, the back ends bitwuzla, z3 and cvc5, and the chain that wraps them."""
