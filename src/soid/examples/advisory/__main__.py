"""`python -m soid.examples.advisory`: the same as `soid demo advisory`."""

from soid.cli import main

if __name__ == "__main__":
    raise SystemExit(main(["demo", "advisory"]))
