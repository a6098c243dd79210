"""What is answered when: each question's verdicts along each log, and the moments that stand out.

A moment stands out for one of three reasons. The verdict of a question turns there: it is another one than at the
moment before, of those that were asked in its log. Or it is neither yes nor no. Or the scenario that its answer shows
changes the fewest inputs, where those of other moments change more.

>>> from soid.sweep.sweep_row import SweepRow
>>> def row(step, verdict, *changed):
...     return SweepRow("a.csv", step, "might move", verdict, "", changed, {}, 0.0)
>>> rows = [row(1, Verdict.NO), row(2, Verdict.YES, "x", "y"), row(3, Verdict.YES, "y"), row(4, Verdict.UNKNOWN)]
>>> [(each.step, each.why.value, each.told) for each in standing_out(rows)]  # doctest: +NORMALIZE_WHITESPACE
[(2, 'turn', 'no before, yes here'), (3, 'nearest', 'a change of y alone shows it'),
 (4, 'turn', 'yes before, unknown here'), (4, 'open', 'unknown')]
"""

from __future__ import annotations

import enum
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, pairwise
from pathlib import Path
from typing import Final, final

from msgspec import Struct

from soid.oracle.answer import Verdict
from soid.sweep.sweep_row import SweepRow


@final
class OutstandingFor(enum.Enum):
    """Why a moment stands out."""

    TURN = "turn"  # the verdict is another one than at the moment before
    OPEN = "open"  # it is neither yes nor no
    NEAREST = "nearest"  # its scenario changes the fewest inputs


@final
class OutstandingMoment(Struct, frozen=True):
    """A moment that stands out, for one question. It is its own document."""

    log: str
    step: int
    question: str
    why: OutstandingFor
    told: str


@final
class VerdictLane(Struct, frozen=True):
    """One question along one log: its rows in the order of the log."""

    question: str
    log: str
    name: str  # the log's in pictures: as much of the end of its path as tells it from the others
    rows: tuple[SweepRow, ...]

    def cells(self, most: int) -> list[tuple[SweepRow, ...]]:
        """The rows in at most so many stretches of about the same length."""
        count = min(most, len(self.rows))
        ends = [len(self.rows) * at // count for at in range(count + 1)]
        return [self.rows[first:last] for first, last in pairwise(ends)]


def lanes(rows: Iterable[SweepRow]) -> tuple[VerdictLane, ...]:
    """The lanes in the order of questions, then of logs, as these come in the rows."""
    found: dict[str, dict[str, list[SweepRow]]] = {}
    for row in rows:
        if row.step is not None:
            found.setdefault(row.question, {}).setdefault(row.log, []).append(row)
    names = _names({log for logs in found.values() for log in logs})
    return tuple(
        VerdictLane(asked, log, names[log], tuple(each)) for asked, logs in found.items() for log, each in logs.items()
    )


def _names(logs: Iterable[str]) -> dict[str, str]:
    """
    >>> sorted(_names({"fleet/a/log.csv", "fleet/b/log.csv"}).values()), _names({"x/y.csv"})
    (['a/log.csv', 'b/log.csv'], {'x/y.csv': 'y.csv'})
    """
    parts = {log: Path(log).parts for log in logs}
    for kept in range(1, max(map(len, parts.values()), default=0) + 1):
        names = {log: "/".join(each[-kept:]) for log, each in parts.items()}
        if len(set(names.values())) == len(names):
            return names
    return {log: log for log in logs}


def standing_out(rows: Sequence[SweepRow]) -> tuple[OutstandingMoment, ...]:
    """The moments that stand out, in the order of questions, logs and steps."""
    found: list[OutstandingMoment] = []
    few = _fewest(rows)
    for lane in lanes(rows):
        before: SweepRow | None = None
        for row in lane.rows:
            found += _reasons(row, before, few.get(row.question, 0))
            before = row
    return tuple(found)


def _reasons(row: SweepRow, before: SweepRow | None, few: int) -> Iterator[OutstandingMoment]:
    assert row.step is not None, "a lane has moments alone"
    if before is not None and row.verdict is not before.verdict:
        turned = f"{before.verdict.value} before, {row.verdict.value} here"
        yield OutstandingMoment(row.log, row.step, row.question, OutstandingFor.TURN, turned)
    if not row.verdict.is_definite:
        yield OutstandingMoment(row.log, row.step, row.question, OutstandingFor.OPEN, row.verdict.value)
    if few and len(row.changed) == few:
        alone = f"a change of {' and '.join(row.changed)} alone shows it"
        yield OutstandingMoment(row.log, row.step, row.question, OutstandingFor.NEAREST, alone)


def _fewest(rows: Iterable[SweepRow]) -> dict[str, int]:
    """By question, the fewest inputs that a scenario changes; only where others change more."""
    counts: dict[str, set[int]] = {}
    for row in rows:
        if row.changed and row.verdict.is_definite:
            counts.setdefault(row.question, set()).add(len(row.changed))
    return {question: min(found) for question, found in counts.items() if len(found) > 1}


def told_verdicts(rows: Sequence[SweepRow]) -> str:
    """How many of the rows have which verdict.

    >>> told_verdicts([])
    ''
    """
    counts = Counter(row.verdict for row in rows)
    return ", ".join(f"{count:,} {verdict.value}" for verdict in Verdict if (count := counts[verdict]))


#: stretches of a lane that can be told apart, and chosen from, in a row of buttons
_CHOICES: Final = 120


@final
class LaneStretch(Struct, frozen=True):
    """Moments beside each other in a lane. It is its own document."""

    first: int  # step
    last: int
    verdicts: dict[str, int]  # how many moments have which


def stretches(lane: VerdictLane) -> list[LaneStretch]:
    """The lane as stretches with one verdict each; where these are too many, some have several.

    >>> from soid.sweep.sweep_row import SweepRow
    >>> verdicts = [Verdict.NO] * 3 + [Verdict.YES] * 2
    >>> rows = [SweepRow("a.csv", at, "q", each, "", (), {}, 0.0) for at, each in enumerate(verdicts)]
    >>> stretches(lanes(rows)[0])
    [LaneStretch(first=0, last=2, verdicts={'no': 3}), LaneStretch(first=3, last=4, verdicts={'yes': 2})]
    """
    alike = [tuple(group) for _, group in groupby(lane.rows, key=lambda row: row.verdict)]
    found = alike if len(alike) <= _CHOICES else lane.cells(_CHOICES)
    return [_stretch(each) for each in found]


def _stretch(rows: tuple[SweepRow, ...]) -> LaneStretch:
    first, last, counts = rows[0].step, rows[-1].step, Counter(row.verdict.value for row in rows)
    assert first is not None and last is not None, "a lane has moments alone"
    return LaneStretch(first, last, dict(counts))
