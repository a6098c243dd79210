"""`python -m soid.examples.pedestrian`: the same as `soid demo pedestrian`."""

from soid.cli import main

if __name__ == "__main__":
    raise SystemExit(main(["demo", "pedestrian"]))
