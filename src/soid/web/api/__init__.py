"""The API: what the page does, for programs. `routes.py` puts it together; `docs/api.md` says how to use it."""
