"""`python -m soid.examples.microwave`: the same as `soid demo microwave`."""

from soid.cli import main

if __name__ == "__main__":
    raise SystemExit(main(["demo", "microwave"]))
