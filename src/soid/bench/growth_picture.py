"""Growth as an SVG picture: for each series, seconds and memory against size, on logarithmic axes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Final, final

from msgspec import Struct

from soid.bench.growth import Grown, Growth
from soid.bench.growth_series import label
from soid.bench.paper_picture import shown
from soid.scene.vector.elements import chart, number, tag, written

_TITLE: Final = "How time and memory grow with the size of a question"
_WIDTH: Final = 860
_PANEL: Final = 190  # the height of a panel
_LEFT: Final = 70
_RIGHT: Final = 70
_TOP: Final = 64
_ABOVE: Final = 34  # for the title of a panel
_BELOW: Final = 26  # for the sizes along its axis

SECONDS: Final = "#1f6feb"
MEMORY: Final = "#8c959f"
OPEN: Final = "#bf3989"

#: the ends of the two axes, in powers of ten
_SECONDS: Final = (-2, 2)
_MEGABYTES: Final = (1, 4)


@final
class _Panel(Struct, frozen=True):
    """One series and its place in the picture."""

    growth: Growth
    top: float

    @property
    def bottom(self) -> float:
        return self.top + _PANEL - _ABOVE - _BELOW

    def x(self, size: float) -> float:
        sizes = [point.size for point in self.growth.series.points]
        low, high = math.log10(min(sizes)), math.log10(max(sizes))
        return _LEFT + 30 + (math.log10(size) - low) / (high - low) * (_WIDTH - _LEFT - _RIGHT - 60)

    def y(self, value: float, powers: tuple[int, int]) -> float:
        """The coordinate of a value; values beyond an end of the axis are drawn at that end."""
        power = min(powers[1], max(powers[0], math.log10(value))) if value > 0 else powers[0]
        return self.bottom - (power - powers[0]) / (powers[1] - powers[0]) * (self.bottom - self.top)


def draw(found: Sequence[Growth]) -> str:
    panels = [_Panel(growth, _TOP + _ABOVE + row * _PANEL) for row, growth in enumerate(found)]
    height = _TOP + len(panels) * _PANEL + 8
    return chart(_WIDTH, height, _TITLE, *_legend(), *(line for panel in panels for line in _panel(panel)))


def _legend() -> Iterator[str]:
    yield written(_TITLE, _LEFT, 22, font_size=14)
    entries = (
        (SECONDS, "seconds of the question (left)"),
        (MEMORY, "megabytes (right)"),
        (OPEN, "not settled in time"),
    )
    x = _LEFT
    for colour, text in entries:
        yield tag("circle", cx=x + 5, cy=42, r=5, fill=colour) + written(text, x + 16, 46)
        x += 40 + 7 * len(text)


def _panel(panel: _Panel) -> Iterator[str]:
    series = panel.growth.series
    yield written(series.title, _LEFT, panel.top - 14, font_weight="bold")
    yield from _axes(panel)
    measured = [point for point in panel.growth.points if point.seconds is not None]
    yield _line(panel, [(p.size, p.megabytes or 0.0) for p in measured], _MEGABYTES, MEMORY)
    yield _line(panel, [(p.size, p.seconds or 0.0) for p in measured], _SECONDS, SECONDS)
    for point in measured:
        yield from _dots(panel, point)


def _axes(panel: _Panel) -> Iterator[str]:
    for power in range(_SECONDS[0], _SECONDS[1] + 1):
        y = panel.y(10.0**power, _SECONDS)
        yield tag("path", d=f"M{_LEFT},{number(y)}H{_WIDTH - _RIGHT}", stroke="#d0d7de")
        yield written(f"{10.0**power:g} s", _LEFT - 6, y + 4, text_anchor="end", fill="#57606a")
    for power in range(_MEGABYTES[0], _MEGABYTES[1] + 1):
        y = panel.y(10.0**power, _MEGABYTES)
        yield written(f"{10**power:,} MB", _WIDTH - _RIGHT + 6, y + 4, fill="#57606a")
    for point in panel.growth.series.points:
        x = panel.x(point.size)
        words = f"{label(point.size)} {panel.growth.series.unit}"
        yield written(words, x, panel.bottom + 18, text_anchor="middle", fill="#57606a")


def _line(panel: _Panel, values: Sequence[tuple[float, float]], powers: tuple[int, int], colour: str) -> str:
    points = " ".join(f"{number(panel.x(size))},{number(panel.y(value, powers))}" for size, value in values)
    return tag("polyline", points=points, fill="none", stroke=colour, stroke_width=2)


def _dots(panel: _Panel, grown: Grown) -> Iterator[str]:
    x, seconds = panel.x(grown.size), grown.seconds or 0.0
    y = panel.y(seconds, _SECONDS)
    if grown.megabytes is not None:
        yield tag("circle", cx=x, cy=panel.y(grown.megabytes, _MEGABYTES), r=3, fill=MEMORY)
    colour = OPEN if grown.verdict == "unknown" else SECONDS
    yield tag("circle", cx=x, cy=y, r=4, fill=colour)
    yield tag(
        "text",
        f"{shown(seconds)} s",
        x=x,
        y=y - 9,
        font_size=10,
        fill="#24292f",
        text_anchor="middle",
        stroke="white",
        stroke_width=4,
        paint_order="stroke",  # a white outline below the text keeps it legible where a line passes
    )
