"""A panel of characters, and the mapping of points of the world to its cells."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import Self, final

from msgspec import Struct

from soid.program.scenery import Ground
from soid.scene.viewport import Viewport


@final
class CellSpan(Struct, frozen=True):
    """A piece of a line; its role may select a colour."""

    text: str
    role: str = ""


@final
@dataclass(slots=True)
class Canvas:
    """Rows of cells; a cell is twice as high as wide."""

    frame: Viewport
    columns: int
    rows: int
    ascii_only: bool
    _cells: list[list[CellSpan]] = field(init=False)

    def __post_init__(self) -> None:
        self._cells = [[CellSpan(" ")] * self.columns for _ in range(self.rows)]

    @classmethod
    def within(cls, frame: Viewport, ground: tuple[Ground, ...], most: tuple[int, int], *, ascii_only: bool) -> Self:
        """The largest canvas with at most `most` columns and rows; a bit smaller if that makes tiles whole cells."""
        columns = most[0]
        while columns > 1 and _rows(frame, columns) > most[1]:
            columns -= 1
        tiles = {each.tile for each in ground if each.tile is not None}
        smaller = range(columns, columns * 3 // 4, -1)
        fitting = (n for n in smaller if all(_is_whole(tile * n / frame.width / 2) for tile in tiles))
        chosen = next(fitting, columns) if tiles else columns
        return cls(frame, chosen, max(_rows(frame, chosen), 3), ascii_only)

    def copy(self) -> Self:
        other = type(self)(self.frame, self.columns, self.rows, self.ascii_only)
        other._cells = [list(row) for row in self._cells]
        return other

    def cell(self, x: float, y: float) -> tuple[int, int] | None:
        """Column and row of a point; None outside."""
        if not self.frame.contains(x, y):
            return None
        column, row = int(self.frame.across(x) * self.columns), int(self.frame.down(y) * self.rows)
        return min(column, self.columns - 1), min(row, self.rows - 1)

    def centre(self, column: int, row: int) -> tuple[float, float]:
        """The point of the world in the middle of a cell."""
        return self.frame.point((column + 0.5) / self.columns, (row + 0.5) / self.rows)

    def put(self, column: int, row: int, sign: str, role: str) -> None:
        """Overwrites a cell; outside the canvas it does nothing."""
        if 0 <= column < self.columns and 0 <= row < self.rows:
            self._cells[row][column] = CellSpan(sign, role)

    def either(self, sign: str, ascii_sign: str) -> str:
        return ascii_sign if self.ascii_only else sign

    def lines(self) -> tuple[tuple[CellSpan, ...], ...]:
        """The rows; adjacent cells of one role are joined."""
        return tuple(
            tuple(
                CellSpan("".join(cell.text for cell in cells), role)
                for role, cells in itertools.groupby(row, key=lambda cell: cell.role)
            )
            for row in self._cells
        )


def _rows(frame: Viewport, columns: int) -> int:
    return round(columns * frame.height / frame.width / 2)


def _is_whole(number: float) -> bool:
    return abs(number - round(number)) < 1e-6 and round(number) > 0
