"""`python -m soid.examples.overdraft`: the same as `soid demo overdraft`."""

from soid.cli import main

if __name__ == "__main__":
    raise SystemExit(main(["demo", "overdraft"]))
