"""The API: what the page does, for programs. `rest_api.py` assembles it; `docs/api.md` says how to use it."""
