"""A piece of a log column by column, as the log has it: some variables of many rows are read without making records."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, final

from msgspec import Struct

from soid.formula.sorts import Float
from soid.scenario.log_formats import Literal


@final
class CellColumn(Struct, frozen=True):
    """The cells of one column. A cell is what is quickest to get of the log; equal cells mean the same."""

    cells: Sequence[Any]
    literal: Callable[[Any], Literal | None]  # the value of a cell; None: not logged
    stored: Float | None = None  # the cells are the bits of such floats, and none is missing

    @property
    def is_written(self) -> bool:
        """Whether the cells are what the log writes, as text or as whole numbers, and not what that is stored as."""
        return self.literal is str or isinstance(self.cells[0], str)


@final
class CellColumns(Struct, frozen=True):
    """The columns of a piece; each is made when it is asked for."""

    keys: tuple[str, ...]  # the paths as the log writes them
    count: int  # of rows
    column: Callable[[str], CellColumn | None]  # of a key; None: it can be read record by record only


def of_texts(columns: Mapping[str, Sequence[str]]) -> CellColumns:
    """The columns of a table of text."""
    count = len(next(iter(columns.values())))
    return CellColumns(tuple(columns), count, lambda key: CellColumn(columns[key], _stripped))


def of_objects(objects: Sequence[Mapping[str, Any]], ignore: frozenset[str]) -> CellColumns:
    """The columns of flat objects of JSON, whose numbers are text."""
    orders = set(map(tuple, objects))
    keys = dict.fromkeys(key for order in orders for key in order)
    columns: Mapping[str, Sequence[Any]] = {}
    if len(orders) == 1:
        columns = dict(zip(keys, zip(*(each.values() for each in objects), strict=True), strict=True))

    def column(key: str) -> CellColumn:
        return CellColumn(columns.get(key) or [each.get(key) for each in objects], _same)

    return CellColumns(tuple(key for key in keys if key not in ignore), len(objects), column)


def _stripped(cell: str) -> Literal | None:
    return cell.strip() or None


def _same(cell: Literal | None) -> Literal | None:
    return cell
