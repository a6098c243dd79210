"""`python -m soid.examples.diabetes`: the same as `soid demo diabetes`."""

from soid.cli import main

if __name__ == "__main__":
    raise SystemExit(main(["demo", "diabetes"]))
