"""`python -m soid.examples.lending`: the same as `soid demo lending`."""

from soid.cli import main

if __name__ == "__main__":
    raise SystemExit(main(["demo", "lending"]))
