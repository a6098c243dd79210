"""`python -m soid.examples.proper_response`: the same as `soid demo proper_response`."""

from soid.cli import main

if __name__ == "__main__":
    raise SystemExit(main(["demo", "proper_response"]))
