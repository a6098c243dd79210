"""A log's overview in characters, for terminals; in ASCII only, if needed.

A number is two rows of Braille dots, eight dots high: a column of dots goes from the least to the greatest value of its
steps. In ASCII the two rows have digits, 9 at the greatest value: above for the greatest of the steps, below for the
least. A band begins with a bar and has its value in it, where there is room; a double bar means several changes.
"""

from __future__ import annotations

from itertools import groupby, pairwise
from typing import Final, final

from msgspec import Struct

from soid.program.types import show
from soid.scenario.log_overview import LogOverview
from soid.scenario.log_tracks import BandTrack, Curve, CurveExtreme, Track, band_label, band_values
from soid.scene.characters.canvas import CellSpan
from soid.scene.scene_text import Line

#: roles of spans, which may select a colour; a value has the role "value 0", "value 1" ...
NAME: Final = "name"
CURVE: Final = "curve"
SEVERAL: Final = "several"
FIGURE: Final = "figure"
AXIS: Final = "axis"
MOMENT: Final = "moment"
COLOURS: Final = 6  # values with different roles

DERIVED_MARK: Final = "*"  # after the name of what was not logged and follows

_DOTS: Final = ((0x40, 0x80), (0x04, 0x20), (0x02, 0x10), (0x01, 0x08))  # of a Braille character, the lowest first
_LEVELS: Final = 8  # of two rows
_GUTTER: Final = 26  # columns for names, at most; a longer one has a line of its own
_LEAST: Final = 16  # columns of a drawing, at least
_APART: Final = 12  # columns between two numbers of the axis, at least


@final
class LogDrawing(Struct, frozen=True):
    """How wide the parts of a drawing are."""

    gutter: int  # for the names
    columns: int
    ascii_only: bool = False

    @property
    def places(self) -> int:
        """How many cells an overview may have here."""
        return self.columns * (1 if self.ascii_only else 2)


def layout(names: list[str], width: int, *, ascii_only: bool = False) -> LogDrawing:
    """The layout for tracks of these names; a quarter of the width is for the figures at the right."""
    gutter = min(max(map(len, names), default=0), _GUTTER) + 2
    return LogDrawing(gutter, max(width - gutter - max(width // 4, 18), _LEAST), ascii_only)


def log_lines(view: LogOverview, drawing: LogDrawing, moment: int | None = None) -> tuple[Line, ...]:
    """The tracks that are not constant, if any; the numbers of the steps, and the moment that is asked about."""
    lines: list[Line] = []
    for track in view.tracks:
        if view.constant(track) is None:
            drawn = _bands(view, track, drawing) if isinstance(track, BandTrack) else _curve(view, track, drawing)
            lines += _beside(track, drawn, drawing)
    if not lines:
        return ()
    lines += _axis(view, drawing)
    if moment is not None and view.first <= moment <= view.last:
        sign = f"{'^' if drawing.ascii_only else '▲'} {moment}"
        lines.append((CellSpan(" " * (drawing.gutter + _column(view, moment, drawing))), CellSpan(sign, MOMENT)))
    return tuple(lines)


def _beside(track: Track, drawn: list[list[CellSpan]], drawing: LogDrawing) -> list[Line]:
    """The rows of a track with its name, and below it the unit of its numbers."""
    width, unit = drawing.gutter, track.variable.measure
    name = f"{track.name}{DERIVED_MARK if track.derived else ''}"
    titles = [name, unit if len(unit) <= width - 2 else "", ""]
    above: list[Line] = [(CellSpan(name, NAME),)] if len(name) > width - 1 else []
    if above:
        titles[0] = ""
    pairs = zip(titles, drawn, strict=False)
    return [*above, *((CellSpan(title.ljust(width), NAME), *row) for title, row in pairs)]


def _curve(view: LogOverview, curve: Curve, drawing: LogDrawing) -> list[list[CellSpan]]:
    heights = [
        None if cell.least is None or cell.greatest is None else (curve.height(cell.least), curve.height(cell.greatest))
        for cell in curve.cells
    ]
    places = [heights[place * view.cells // drawing.places] for place in range(drawing.places)]
    upper, lower = _digits(places) if drawing.ascii_only else _braille(places)
    above, below = _figure(curve, curve.greatest), _figure(curve, curve.least)
    pairs = (upper, above), (lower, below)
    rows = [[CellSpan(dots, CURVE), CellSpan(f"  {figure}", FIGURE)] for dots, figure in pairs]
    if curve.not_finite is not None:
        times, first = curve.not_finite
        rows.append([CellSpan(f"not finite at {times} of the steps, first at {first}", SEVERAL)])
    return rows


def _figure(curve: Curve, extreme: CurveExtreme | None) -> str:
    return "no number" if extreme is None else f"{show(curve.variable.type, extreme.bits)} at {extreme.step}"


def _braille(places: list[tuple[float, float] | None]) -> tuple[str, str]:
    """Two rows, from pairs of columns of dots."""
    rows = [[0] * (len(places) // 2) for _ in range(2)]
    for place, span in enumerate(places):
        if span is not None:
            low, high = (round(height * (_LEVELS - 1)) for height in span)
            for level in range(low, high + 1):
                rows[1 - level // 4][place // 2] |= _DOTS[level % 4][place % 2]
    upper, lower = ("".join(chr(0x2800 + dots) if dots else " " for dots in row) for row in rows)
    return upper, lower


def _digits(places: list[tuple[float, float] | None]) -> tuple[str, str]:
    """The greatest values above the least ones."""
    upper, lower = ("".join(" " if span is None else str(round(span[end] * 9)) for span in places) for end in (1, 0))
    return upper, lower


def _column(view: LogOverview, step: int, drawing: LogDrawing) -> int:
    """The column in which a step is drawn first."""
    first = -(-view.cell_of(step) * drawing.places // view.cells)
    return first * drawing.columns // drawing.places


def _bands(view: LogOverview, track: BandTrack, drawing: LogDrawing) -> list[list[CellSpan]]:
    bar, several, fill = ("|", "#", "-") if drawing.ascii_only else ("│", "╫", "─")
    begun = [(column, list(bands)) for column, bands in groupby(track.bands, lambda b: _column(view, b.first, drawing))]
    values = band_values(track)
    row: list[CellSpan] = []
    for (column, bands), (end, _) in pairwise([*begun, (drawing.columns, [])]):
        last, room = bands[-1], end - column - 1
        label, role, filled = band_label(track, last), "", " "
        if last.bits is not None:
            role, filled = f"value {values.index(last.bits) % COLOURS}", fill
        row.append(CellSpan(several, SEVERAL) if len(bands) > 1 else CellSpan(bar, AXIS))
        row.append(CellSpan((label if len(label) <= room else "").ljust(room, filled), role))
    return [row]


def _axis(view: LogOverview, drawing: LogDrawing) -> list[Line]:
    """Round numbers of steps, each below the column that it begins at; below these their times, if the log has them."""
    numbers = times = ""
    for step in view.round_numbers(max(drawing.columns // _APART, 1)):
        column, time = _column(view, step, drawing), view.times.words(step)
        if not numbers or column > len(numbers) + 1:
            numbers = numbers.ljust(column) + str(step)
            if time and (not times or column > len(times) + 1):
                times = times.ljust(column) + time
    return [(CellSpan(" " * drawing.gutter), CellSpan(text, AXIS)) for text in (numbers, times) if text]
