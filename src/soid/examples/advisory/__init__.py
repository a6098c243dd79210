"""A learned collision-avoidance adviser for an aircraft: a network that stands in for tables."""
