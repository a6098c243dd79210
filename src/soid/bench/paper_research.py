"""The paper's three research questions, answered from our figures, the baseline's, and the paper's own.

Each compares rows that differ in one respect, driver by driver, by their ratios.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Final, final

from msgspec import Struct

from soid.bench.paper import PaperMeasurement

#: a ratio between these counts as no difference
SAME: Final = (2 / 3, 3 / 2)

#: where the figures of a Ratios stand in a Measured, and in a PaperRow
_MEASURED: Final = ("median.total", "median.explore", "median.solve", "paths")
_PUBLISHED: Final = ("total", "symbolic", "solving", "paths")


@final
class Spread(Struct, frozen=True):
    """The lowest, the median and the highest of several ratios."""

    low: float
    median: float
    high: float

    @classmethod
    def of(cls, ratios: Sequence[float]) -> Spread | None:
        return cls(min(ratios), statistics.median(ratios), max(ratios)) if ratios else None

    def __str__(self) -> str:
        low, median, high = (times(ratio) for ratio in (self.low, self.median, self.high))
        return median if low == high else f"{median} ({low} to {high})"


def times(ratio: float) -> str:
    """A ratio with its significant digits.

    >>> times(0.0512), times(1.04), times(26.4), times(1234.5)
    ('0.051', '1.0', '26', '1,234')
    """
    return f"{ratio:,.0f}" if ratio >= 10 else f"{ratio:.1f}" if ratio >= 0.1 else f"{ratio:.2g}"


@final
class Ratios(Struct, frozen=True):
    """How much more expensive one kind of row is than the other, for one source of figures."""

    total: Spread | None
    explore: Spread | None
    solve: Spread | None
    paths: Spread | None


@final
class Research(Struct, frozen=True):
    """One of the three questions."""

    number: int
    question: str
    soid: Ratios
    baseline: Ratios | None
    paper: Ratios
    answer: str


@final
class _Comparison(Struct, frozen=True):
    number: int
    question: str
    pairs: tuple[tuple[int, int], ...]  # numbers of questions of Table 1: the first is compared with the second
    answer: Callable[[Ratios], str]


def _verification(ratios: Ratios) -> str:
    if ratios.total is None:
        return "not measured"
    if SAME[0] <= ratios.total.median <= SAME[1]:
        return f"no: it takes {ratios.total} times as long"
    return f"it takes {ratios.total} times as long"


def _ranges(ratios: Ratios) -> str:
    if ratios.total is None:
        return "not measured"
    parts = f"{ratios.paths} times the paths, {ratios.explore} times the exploring, {ratios.solve} times the solving"
    return f"{ratios.total} times the seconds: {parts}"


def _irrelevance(ratios: Ratios) -> str:
    if ratios.total is None or ratios.paths is None:
        return "not measured"
    paths = "no path" if ratios.paths.high <= 1 else f"paths: {ratios.paths} times as many"
    return f"it adds {paths}, and takes {ratios.total} times the seconds"


_COMPARISONS: Final = (
    _Comparison(
        1,
        "Is proving that it always happens dearer than finding a scenario in which it does not?",
        ((1, 2), (3, 4), (5, 6)),
        _verification,
    ),
    _Comparison(2, "What does the range of a float cost?", ((3, 1), (4, 2)), _ranges),
    _Comparison(3, "What does a car cost that does not matter?", ((5, 1), (6, 2)), _irrelevance),
)


def research(rows: Sequence[PaperMeasurement]) -> list[Research]:
    """The three research questions, answered from the rows that there are."""
    cars = [row for row in rows if row.table.number == 1]
    found = []
    for each in _COMPARISONS:
        pairs = [
            (one, other)
            for dear, cheap in each.pairs
            for one in cars
            for other in cars
            if (one.question.number, other.question.number) == (dear, cheap) and one.paper.model == other.paper.model
        ]
        soid = _ratios([(one.soid, other.soid) for one, other in pairs], _MEASURED)
        limited = [(one.baseline, other.baseline) for one, other in pairs if one.baseline and other.baseline]
        baseline = _ratios(limited, _MEASURED) if limited else None
        paper = _ratios([(one.paper, other.paper) for one, other in pairs], _PUBLISHED)
        found.append(Research(each.number, each.question, soid, baseline, paper, each.answer(soid)))
    return found


def _ratios(pairs: Sequence[tuple[object, object]], figures: Sequence[str]) -> Ratios:
    spreads = (Spread.of([get(one) / get(other) for one, other in pairs]) for get in map(attrgetter, figures))
    return Ratios(*spreads)
