"""The protocol that turns a Program under a precondition into a PathSummary, and the engines that speak it."""
