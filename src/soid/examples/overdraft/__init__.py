"""A bank's program in C that does not look at the sex of an applicant, and at something that stands in for it."""
