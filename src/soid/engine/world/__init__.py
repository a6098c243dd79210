"""A world around programs: what they perceive next, given what they have decided."""
