"""A timeline as SVG: for each question its verdicts along each log, and beside them how many there are of each.

A verdict has a height and a pattern of its own beside its colour: yes is as high as the strip, no a third of it,
vacuous an outline, unknown hatched, error crossed. What is where is also said by titles. Where there are more moments
than can be told apart, a stretch of them is filled by the share of each verdict.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Final, final

from msgspec import Struct

from soid.oracle.answer import Verdict
from soid.query.words import counted
from soid.scene.vector.elements import label, number, sheet, shortened, tag, title, wrapped
from soid.scene.vector.style import SIZE, SMALL, Theme, fonts, themed
from soid.sweep.sweep_row import SweepRow
from soid.sweep.verdict_timeline import VerdictLane, told_verdicts

_FAMILY: Final = "soid-sweep"
_MARGIN: Final = 16.0  # px
_STRIP: Final = 640.0  # the width of a strip,
_HIGH: Final = 26.0  # and its height
_BESIDE: Final = 240.0  # the room for the distribution
_BAR: Final = 80.0  # its bar
_GAP: Final = 10.0
_LINE: Final = 17.0
_LOGS: Final = 24  # logs of a question that are drawn
_CELLS: Final = 320  # of a strip, at most

_PARTS: Final = {
    Verdict.YES: 1.0,
    Verdict.NO: 0.34,
    Verdict.VACUOUS: 0.34,
    Verdict.UNKNOWN: 1.0,
    Verdict.ERROR: 1.0,
}

_SHAPES: Final = f"""
{fonts(_FAMILY)}
.{_FAMILY}-outline {{ fill: none; stroke-width: 1 }}
.{_FAMILY}-hatch {{ stroke-width: 1.6; fill: none }}
.{_FAMILY}-tick {{ stroke-width: .8; fill: none }}
"""
_COLOURS: Final = (
    (f".{_FAMILY}-paper", "fill", "#ffffff", "#15181c"),
    (f".{_FAMILY}-text", "fill", "#1b1f24", "#e9ebee"),
    (f".{_FAMILY}-dim", "fill", "#565d66", "#a5adb7"),
    (f".{_FAMILY}-card", "fill", "#f3f3ef", "#1d2126"),
    (f".{_FAMILY}-tick", "stroke", "#8b9199", "#6d757f"),
    (f".{_FAMILY}-yes", "fill", "#1e6b3a", "#7fd39a"),
    (f".{_FAMILY}-no", "fill", "#1d4f8c", "#8fc1ff"),
    (f".{_FAMILY}-vacuous", "stroke", "#7a5600", "#e6bf5c"),
    (f".{_FAMILY}-unknown", "stroke", "#6f3a9e", "#d3a9ff"),
    (f".{_FAMILY}-error", "stroke", "#b3261e", "#ff9b91"),
)
_PATTERNS: Final = {
    Verdict.VACUOUS: "",
    Verdict.UNKNOWN: "M-1 5L5 -1M-1 9L9 -1M3 9L9 3",
    Verdict.ERROR: "M-1 -1L9 9M-1 9L9 -1",
}


def timeline_svg(
    lanes: Sequence[VerdictLane], sentences: Mapping[str, str], *, heading: str, theme: Theme = "auto"
) -> str:
    """The drawing. `sentences` are the questions in words, by their texts."""
    parts: list[str] = [label(heading, _MARGIN, _MARGIN + SIZE, f"{_FAMILY}-bold", family=_FAMILY)]
    y = _MARGIN + SIZE + _GAP
    for question, group in groupby(lanes, key=lambda lane: lane.question):
        along = list(group)
        for line in wrapped(sentences.get(question, question), _STRIP + _BESIDE, SIZE):
            y += _LINE
            parts.append(label(line, _MARGIN, y, family=_FAMILY))
        y += _GAP / 2
        for lane in along[:_LOGS]:
            placed = _Strip(lane, y, named=len(along) > 1)
            parts.append(placed.written())
            y = placed.bottom + _GAP
        if len(along) > _LOGS:
            y += _LINE
            parts.append(_small(f"and {counted(len(along) - _LOGS, 'more log')}", _MARGIN, y))
        y += _GAP
    verdicts = {row.verdict for lane in lanes for row in lane.rows}
    parts += _legend([each for each in Verdict if each in verdicts], y)
    said = "; ".join(f"{lane.name}, {lane.question}: {told_verdicts(lane.rows)}" for lane in lanes[:_LOGS])
    wide, high = _MARGIN * 2 + _STRIP + _GAP + _BESIDE, y + _LINE + _MARGIN
    return sheet(wide, high, heading, said, _FAMILY, themed(_SHAPES, _COLOURS, theme) + _defined(), *parts)


@final
class _Strip(Struct, frozen=True):
    """One lane, with its distribution beside it."""

    lane: VerdictLane
    y: float
    named: bool

    @property
    def top(self) -> float:
        return self.y + (_LINE if self.named else 0.0)

    @property
    def bottom(self) -> float:
        return self.top + _HIGH + _LINE

    def written(self) -> str:
        rows = self.lane.rows
        name = shortened(self.lane.name, _STRIP, SMALL)
        ends = _small(f"step {rows[0].step}", _MARGIN, self.bottom - 4)
        if len(rows) > 1:
            ends += _small(f"step {rows[-1].step}", _MARGIN + _STRIP, self.bottom - 4, anchor="end")
        card = tag("rect", x=_MARGIN, y=self.top, width=_STRIP, height=_HIGH, class_=f"{_FAMILY}-card")
        above = _small(name, _MARGIN, self.y + SMALL) if self.named else ""
        return tag("g", above, card, *self._cells(), ends, *self._distribution())

    def _cells(self) -> list[str]:
        """The stretches; those beside each other with one and the same verdict are one."""
        cells = self.lane.cells(_CELLS)
        wide = _STRIP / len(cells)
        drawn, at = [], 0
        for alike, group in groupby(cells, key=_alike):
            stretch = list(group)
            for cell in [tuple(row for each in stretch for row in each)] if alike is not None else stretch:
                span = wide * len(stretch) if alike is not None else wide
                drawn.append(self._cell(cell, _MARGIN + at * wide, span))
                at += len(stretch) if alike is not None else 1
        return drawn

    def _cell(self, rows: tuple[SweepRow, ...], x: float, wide: float) -> str:
        steps = f"step {rows[0].step}" if len(rows) == 1 else f"steps {rows[0].step} to {rows[-1].step}"
        counts = Counter(row.verdict for row in rows)
        if len(counts) == 1:
            (verdict,) = counts
            part = 1.0 if len(self.lane.rows) > _CELLS else None
            return tag("g", title(f"{steps}: {verdict.value}"), *_block(verdict, x, self.top, wide, _HIGH, part))
        drawn, bottom = [], self.top + _HIGH
        for verdict in Verdict:
            if share := counts[verdict] / len(rows) * _HIGH:
                bottom -= share
                drawn += _block(verdict, x, bottom, wide, share, part=1.0)
        return tag("g", title(f"{steps}: {told_verdicts(rows)}"), *drawn)

    def _distribution(self) -> list[str]:
        counts, x = Counter(row.verdict for row in self.lane.rows), _MARGIN + _STRIP + _GAP
        drawn = []
        for verdict in Verdict:
            if counts[verdict]:
                wide = counts[verdict] / len(self.lane.rows) * _BAR
                drawn += _block(verdict, x, self.top + _HIGH / 4, wide, _HIGH / 2, part=1.0)
                x += wide
        lines = wrapped(told_verdicts(self.lane.rows), _BESIDE - _BAR - _GAP, SMALL)
        left, middle = _MARGIN + _STRIP + 2 * _GAP + _BAR, self.top + _HIGH / 2
        top = middle + SMALL / 3 - (len(lines) - 1) * SMALL * 0.6
        return [*drawn, *(_small(line, left, top + at * SMALL * 1.2) for at, line in enumerate(lines))]


def _alike(cell: tuple[SweepRow, ...]) -> Verdict | None:
    """The one verdict of a stretch; None if it has several."""
    return cell[0].verdict if all(row.verdict is cell[0].verdict for row in cell) else None


def _block(verdict: Verdict, x: float, y: float, wide: float, high: float, part: float | None = None) -> list[str]:
    """A verdict in a rectangle, in its colour, height and pattern."""
    tall = high * (_PARTS[verdict] if part is None else part)
    place = {"x": x, "y": y + high - tall, "width": max(wide, 0.6), "height": tall}
    if verdict not in _PATTERNS:
        return [tag("rect", **place, class_=f"{_FAMILY}-{verdict.value}")]
    filled = [tag("rect", **place, fill=f"url(#{_FAMILY}-{verdict.value})")] if _PATTERNS[verdict] else []
    return [*filled, tag("rect", **place, class_=f"{_FAMILY}-outline {_FAMILY}-{verdict.value}")]


def _defined() -> str:
    """The patterns."""
    box: dict[str, str | float] = {"width": 8, "height": 8, "patternUnits": "userSpaceOnUse"}
    return tag(
        "defs",
        *(_pattern(verdict, drawn, box) for verdict, drawn in _PATTERNS.items() if drawn),
    )


def _pattern(verdict: Verdict, drawn: str, box: Mapping[str, str | float]) -> str:
    line = tag("path", d=drawn, class_=f"{_FAMILY}-hatch {_FAMILY}-{verdict.value}")
    places = "".join(f' {name}="{value if isinstance(value, str) else number(value)}"' for name, value in box.items())
    return f'<pattern id="{_FAMILY}-{verdict.value}"{places}>{line}</pattern>'


def _legend(verdicts: Sequence[Verdict], y: float) -> list[str]:
    drawn, x = [], _MARGIN
    for verdict in verdicts:
        drawn += [*_block(verdict, x, y, 14.0, 14.0), _small(verdict.value, x + 20, y + 11)]
        x += 30 + 7.0 * len(verdict.value)
    return drawn


def _small(text: str, x: float, y: float, anchor: str = "start") -> str:
    return label(text, x, y, f"{_FAMILY}-small {_FAMILY}-dim", anchor=anchor, family=_FAMILY)
