"""`python -m soid.examples.crash`: the same as `soid demo crash`."""

from soid.cli import main

if __name__ == "__main__":
    raise SystemExit(main(["demo", "crash"]))
