"""The investigator's page and its API: `desk.py` does the work, `api/` serves programs, `page/` serves people."""
