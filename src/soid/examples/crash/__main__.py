"""`python -m soid.examples.crash`: the same as `soid demo crash`."""

from __future__ import annotations

import sys

from soid.cli import main

if __name__ == "__main__":
    sys.exit(main(["demo", "crash"]))
