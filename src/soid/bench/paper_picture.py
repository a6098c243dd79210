"""The measured tables as an SVG picture: the seconds of each question as bars on a logarithmic scale."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Final, final

from msgspec import Struct

from soid.bench.paper import PaperMeasurement
from soid.scene.vector.elements import chart, number, tag, written

_TITLE: Final = "Seconds for one question, on a logarithmic scale"
_WIDTH: Final = 860
_LEFT: Final = 110  # for the models' names before the bars
_RIGHT: Final = 90  # for the figure after the longest bar
_BAR: Final = 9
_GAP: Final = 6  # between two rows
_HEADING: Final = 24
_TOP: Final = 92

#: the axis, in powers of ten seconds
_LEAST: Final = -3
_MOST: Final = 3
_TICKS: Final = {-3: "1 ms", -2: "10 ms", -1: "0.1 s", 0: "1 s", 1: "10 s", 2: "100 s", 3: "1000 s"}

SOID: Final = "#1f6feb"
BASELINE: Final = "#bf8700"
PAPER: Final = "#8c959f"


@final
class Bar(Struct, frozen=True):
    """One bar."""

    seconds: float
    colour: str
    least: bool = False  # a lower bound, because the run was stopped


def bars(row: PaperMeasurement) -> list[Bar]:
    """The bars of a row: soid, the paper's recipe in the same run, the paper's own figure."""
    drawn = [Bar(row.soid.median.total, SOID)]
    if row.baseline is not None:
        drawn.append(Bar(row.baseline.median.total, BASELINE, row.baseline.ended))
    return [*drawn, Bar(row.paper.total, PAPER)]


def draw(rows: Sequence[PaperMeasurement]) -> str:
    body: list[str] = []
    y = _TOP
    for heading, group in _groups(rows):
        body.append(written(heading, 8, y + 15, font_weight="bold"))
        y += _HEADING
        for row in group:
            drawn = bars(row)
            middle = y + _BAR * len(drawn) / 2 + 4
            body.append(written(row.paper.model, _LEFT - 8, middle, text_anchor="end"))
            for bar in drawn:
                body.append(_bar(bar, y))
                y += _BAR
            y += _GAP
    return chart(_WIDTH, y + 12, _TITLE, *_legend(rows), *_axis(y), *body)


def _groups(rows: Sequence[PaperMeasurement]) -> Iterator[tuple[str, list[PaperMeasurement]]]:
    found: dict[tuple[int, str], list[PaperMeasurement]] = {}
    for row in rows:
        found.setdefault((row.table.number, row.question.heading), []).append(row)
    for (table, heading), group in found.items():
        yield f"Table {table}: {heading}", group


def place(seconds: float) -> float:
    """The coordinate of a time; times beyond an end of the axis are drawn at that end.

    >>> place(0.001), place(1000.0), place(1.0) == (place(0.001) + place(1000.0)) / 2, place(0.0)
    (110.0, 770.0, True, 110.0)
    """
    power = math.log10(seconds) if seconds > 0 else _LEAST
    share = (min(_MOST, max(_LEAST, power)) - _LEAST) / (_MOST - _LEAST)
    return _LEFT + share * (_WIDTH - _LEFT - _RIGHT)


def _bar(bar: Bar, y: float) -> str:
    end = place(bar.seconds)
    figure = f"{'at least ' if bar.least else ''}{shown(bar.seconds)} s"
    length = tag("rect", x=_LEFT, y=y, width=max(end - _LEFT, 1), height=_BAR - 1, fill=bar.colour)
    return length + written(figure, end + 4, y + _BAR - 1.5, font_size=9, fill="#57606a")


def shown(seconds: float) -> str:
    """Seconds in three digits at most.

    >>> shown(0.04321), shown(0.2), shown(5.068), shown(46.2), shown(279.5)
    ('0.043', '0.200', '5.07', '46.2', '280')
    """
    digits = 3 if seconds < 1 else 2 if seconds < 10 else 1 if seconds < 100 else 0
    return f"{seconds:.{digits}f}"


def _axis(bottom: float) -> Iterator[str]:
    for power, words in _TICKS.items():
        x = place(10.0**power)
        yield tag("path", d=f"M{number(x)},{_TOP - 8}V{number(bottom)}", stroke="#d0d7de")
        yield written(words, x, _TOP - 14, text_anchor="middle", fill="#57606a")


def _legend(rows: Sequence[PaperMeasurement]) -> Iterator[str]:
    yield written(_TITLE, _LEFT, 22, font_size=14)
    entries = [(SOID, "soid")]
    if any(row.baseline is not None for row in rows):
        entries.append((BASELINE, "the paper's recipe, in the same run"))
    entries.append((PAPER, "as published, on the paper's machine"))
    x = _LEFT
    for colour, words in entries:
        yield tag("rect", x=x, y=36, width=12, height=12, fill=colour) + written(words, x + 18, 46)
        x += 40 + 7 * len(words)
