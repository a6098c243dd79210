"""The report of a case: one self-contained page for people who do not read code. `document.py` has its parts' order."""
