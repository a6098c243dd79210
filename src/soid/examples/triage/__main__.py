"""`python -m soid.examples.triage`: the same as `soid demo triage`."""

from soid.cli import main

if __name__ == "__main__":
    raise SystemExit(main(["demo", "triage"]))
