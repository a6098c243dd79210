"""`python -m soid.examples.microwave`: the same as `soid demo microwave`."""

from __future__ import annotations

from soid.cli import main

if __name__ == "__main__":
    raise SystemExit(main(["demo", "microwave"]))
