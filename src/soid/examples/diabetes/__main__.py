"""`python -m soid.examples.diabetes`: the same as `soid demo diabetes`."""

from __future__ import annotations

from soid.cli import main

if __name__ == "__main__":
    raise SystemExit(main(["demo", "diabetes"]))
