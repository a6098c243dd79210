"""A learned triage that fills in what was not measured, and so takes the unmeasured for the usual."""
