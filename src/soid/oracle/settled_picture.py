"""What is settled of an open question as a picture: a bar where one input varies, a grid where two do.

speed    ..........####.......    a cell is open if anything in it is; positions are by measure, labels have one each
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from fractions import Fraction
from typing import Final

from soid.formula.interval_program import Box
from soid.oracle.settled_share import OPEN, OUTSIDE, SETTLED, PictureAxis, SettledPicture
from soid.program.interface import Variable
from soid.program.types import show
from soid.solver.box_cutter import BoxCutter
from soid.solver.paving import Paving

_BAR: Final = 64  # cells of a bar
_GRID: Final = (48, 24)  # of a grid, across and down

_Side = tuple[int, int]


def drawn(
    paving: Paving, cutter: BoxCutter, variables: Sequence[Variable], names: Sequence[str]
) -> SettledPicture | None:
    """The picture; None if more than two inputs vary."""
    whole = cutter.whole()
    if whole is None or len(variables) > len(_GRID):
        return None
    most = (_BAR,) if len(variables) == 1 else _GRID
    sides = [_cells(cutter, number, whole.box[number], count) for number, count in enumerate(most)]
    rows = [[_empty(cutter, box) for box in line] for line in _lines(sides)]
    for piece in paving.open:
        spans = [_touched(side, *ends) for side, ends in zip(sides, piece.box, strict=True)]
        for row in spans[1] if len(spans) > 1 else range(1):
            for column in spans[0]:
                if rows[row][column] != OUTSIDE:
                    rows[row][column] = OPEN
    axes = tuple(
        _axis(cutter, number, variable, name, sides[number], whole.box[number])
        for number, (variable, name) in enumerate(zip(variables, names, strict=True))
    )
    return SettledPicture(axes, tuple("".join(row) for row in rows))


def _cells(cutter: BoxCutter, number: int, ends: _Side, most: int) -> list[_Side]:
    """Ranges of places that cover a side: single values if they are few, else parts of the same size."""
    low, high = ends
    if high - low < most:
        return [(place, place) for place in range(low, high + 1)]
    ruler, cells = cutter.rulers[number], []
    for part in range(1, most + 1):
        last = high if part == most else ruler.part(Fraction(part, most), *ends)
        if low <= last:
            cells.append((low, last))
            low = last + 1
    return cells


def _lines(sides: Sequence[Sequence[_Side]]) -> list[list[Box]]:
    """The boxes of all cells, row by row."""
    if len(sides) == 1:
        return [[(across,) for across in sides[0]]]
    return [[(across, down) for across in sides[0]] for down in sides[1]]


def _empty(cutter: BoxCutter, box: Box) -> str:
    return OUTSIDE if cutter.is_outside(box) else SETTLED


def _touched(cells: Sequence[_Side], low: int, high: int) -> range:
    starts = [first for first, _ in cells]
    return range(max(bisect_right(starts, low) - 1, 0), bisect_right(starts, high))


def _axis(
    cutter: BoxCutter, number: int, variable: Variable, name: str, cells: Sequence[_Side], ends: _Side
) -> PictureAxis:
    order = cutter.variables[number].order

    def text(place: int) -> str:
        found = show(variable.type, int(order.value_at(place)))
        return "0.0" if found == "-0.0" else found

    values = tuple(text(low) for low, _ in cells) if all(low == high for low, high in cells) else ()
    return PictureAxis(variable.path, name, text(ends[0]), text(ends[1]), variable.unit, values)
