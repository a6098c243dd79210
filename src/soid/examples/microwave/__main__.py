"""`python -m soid.examples.microwave`: the same as `soid demo microwave`."""

from __future__ import annotations

import sys

from soid.cli import main

if __name__ == "__main__":
    sys.exit(main(["demo", "microwave"]))
