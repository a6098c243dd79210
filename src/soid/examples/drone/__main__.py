"""`python -m soid.examples.drone`: the same as `soid demo drone`."""

from soid.cli import main

if __name__ == "__main__":
    raise SystemExit(main(["demo", "drone"]))
