"""The investigator's page."""
