"""Flies the advisory example's encounter, and writes its logs: `python -m soid.examples.advisory.logs`.

A row is a second as the recorder keeps it: what the application perceived, the advisory before, and the one that the
network gave, which the pilot heeds. The other aircraft flies in both logs as it flew.
"""

from __future__ import annotations

import sys
from typing import Final

import numpy as np

from soid.examples.advisory.encounter import ADVISORIES, CLEAR, advised_rate, gap_after
from soid.examples.advisory.train import FOLDER, SEEDS, given, scores

FIRST: Final = (-173.0, 21.0)  # the gap and our rate of climb at the beginning
OTHER_RATES: Final = (
    *(21, 24, 24, 21, 21, 18, 21, 21, 18, 21),
    *(24, 24, 27, 30, 30, 30, 27, 30, 30, 27, 27),
)
COLUMNS: Final = ("second", "gap", "own_rate", "other_rate", "seconds", "last", "advisory")


def flown(content: bytes) -> list[tuple[object, ...]]:
    """The encounter with a network on board, second by second, until the aircraft pass."""
    (gap, own), last = map(np.float64, FIRST), CLEAR
    found: list[tuple[object, ...]] = []
    for second, other in enumerate(map(float, OTHER_RATES)):
        left = len(OTHER_RATES) - 1 - second
        if not left:
            return [*found, (second, gap, own, other)]
        perceived = (gap, own, np.float64(other), np.float64(left), np.float64(last))
        advisory = int(scores(content, given(*map(np.atleast_1d, perceived))).argmax())
        found.append((second, gap, own, other, float(left), ADVISORIES[last], ADVISORIES[advisory]))
        after = advised_rate(own, advisory)
        gap = gap_after(gap, own, after, other, float(OTHER_RATES[second + 1]))
        own, last = after, advisory
    return found


def record(content: bytes) -> str:
    """The log of an encounter; its last moment, when the aircraft pass, has no advisory."""
    rows = [COLUMNS, *flown(content)[:-1]]
    return "".join(",".join(map(str, row)) + "\n" for row in rows)


def passed_at(content: bytes) -> float:
    """How much higher the other aircraft was when they passed."""
    return float(str(flown(content)[-1][1]))


def main() -> int:
    for name in SEEDS:
        content = (FOLDER / name).read_bytes()
        file = (FOLDER / name).with_name("encounter.csv")
        file.write_text(record(content))
        print(f"{file}: they pass at {passed_at(content):g} ft")
    return 0


if __name__ == "__main__":
    sys.exit(main())
