"""Growth as a picture: for each series seconds and memory against size, both axes logarithmic, drawn by hand as SVG."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from html import escape
from typing import Final, final

from msgspec import Struct

from soid.bench.growth import Grown, Growth
from soid.bench.paper_picture import shown

_WIDTH: Final = 860
_PANEL: Final = 190  # its height
_LEFT: Final = 70
_RIGHT: Final = 70
_TOP: Final = 64
_ABOVE: Final = 34  # of a panel: its title
_BELOW: Final = 26  # its sizes

SECONDS: Final = "#1f6feb"
MEMORY: Final = "#8c959f"
OPEN: Final = "#bf3989"

#: of the seconds' axis and of the memory's, in powers of ten
_SECONDS: Final = (-2, 2)
_MEGABYTES: Final = (1, 4)


@final
class _Panel(Struct, frozen=True):
    """One series, and where it is drawn."""

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
        """Where a value is drawn; what lies beyond the ends of the axis is drawn at them."""
        power = min(powers[1], max(powers[0], math.log10(value))) if value > 0 else powers[0]
        return self.bottom - (power - powers[0]) / (powers[1] - powers[0]) * (self.bottom - self.top)


def draw(found: Sequence[Growth]) -> str:
    """All series, one below the other."""
    panels = [_Panel(growth, _TOP + _ABOVE + number * _PANEL) for number, growth in enumerate(found)]
    height = _TOP + len(panels) * _PANEL + 8
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" '
        f'font-family="sans-serif" font-size="12">\n<rect width="{_WIDTH}" height="{height}" fill="white"/>'
    )
    body = [line for panel in panels for line in _panel(panel)]
    return "\n".join([head, *_legend(), *body, "</svg>\n"])


def _legend() -> Iterator[str]:
    words = "How time and memory grow with the size of a question"
    yield f'<title>{words}</title><text x="{_LEFT}" y="22" font-size="14">{words}</text>'
    entries = (
        (SECONDS, "seconds of the question (left)"),
        (MEMORY, "megabytes (right)"),
        (OPEN, "not settled in time"),
    )
    x = _LEFT
    for colour, text in entries:
        yield f'<circle cx="{x + 5}" cy="42" r="5" fill="{colour}"/><text x="{x + 16}" y="46">{text}</text>'
        x += 40 + 7 * len(text)


def _panel(panel: _Panel) -> Iterator[str]:
    series = panel.growth.series
    yield f'<text x="{_LEFT}" y="{panel.top - 14}" font-weight="bold">{escape(series.title)}</text>'
    yield from _axes(panel)
    measured = [point for point in panel.growth.points if point.seconds is not None]
    yield _line(panel, [(p.point.size, p.megabytes or 0.0) for p in measured], _MEGABYTES, MEMORY)
    yield _line(panel, [(p.point.size, p.seconds or 0.0) for p in measured], _SECONDS, SECONDS)
    for point in measured:
        yield from _dots(panel, point)


def _axes(panel: _Panel) -> Iterator[str]:
    for power in range(_SECONDS[0], _SECONDS[1] + 1):
        y = panel.y(10.0**power, _SECONDS)
        yield f'<path d="M{_LEFT},{y:.1f}H{_WIDTH - _RIGHT}" stroke="#d0d7de"/>'
        yield f'<text x="{_LEFT - 6}" y="{y + 4:.1f}" text-anchor="end" fill="#57606a">{10.0**power:g} s</text>'
    for power in range(_MEGABYTES[0], _MEGABYTES[1] + 1):
        y = panel.y(10.0**power, _MEGABYTES)
        yield f'<text x="{_WIDTH - _RIGHT + 6}" y="{y + 4:.1f}" fill="#57606a">{10**power:,} MB</text>'
    for point in panel.growth.series.points:
        x = panel.x(point.size)
        words = f"{point.label} {panel.growth.series.unit}"
        yield f'<text x="{x:.1f}" y="{panel.bottom + 18:.1f}" text-anchor="middle" fill="#57606a">{words}</text>'


def _line(panel: _Panel, values: Sequence[tuple[float, float]], powers: tuple[int, int], colour: str) -> str:
    points = " ".join(f"{panel.x(size):.1f},{panel.y(value, powers):.1f}" for size, value in values)
    return f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>'


def _dots(panel: _Panel, grown: Grown) -> Iterator[str]:
    x, seconds = panel.x(grown.point.size), grown.seconds or 0.0
    y = panel.y(seconds, _SECONDS)
    if grown.megabytes is not None:
        yield f'<circle cx="{x:.1f}" cy="{panel.y(grown.megabytes, _MEGABYTES):.1f}" r="3" fill="{MEMORY}"/>'
    colour = OPEN if grown.verdict == "unknown" else SECONDS
    yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{colour}"/>'
    around = 'stroke="white" stroke-width="4" paint-order="stroke"'  # legible where a line passes
    words = f'font-size="10" fill="#24292f" text-anchor="middle" {around}'
    yield f'<text x="{x:.1f}" y="{y - 9:.1f}" {words}>{shown(seconds)} s</text>'
