"""The investigator's page and its API: `desk.py` does the work, `api/` and `page/` show it to programs and people."""
