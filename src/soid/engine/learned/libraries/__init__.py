"""The libraries that learned models run in, as an application calls them; `library_worker.py` alone imports them."""
