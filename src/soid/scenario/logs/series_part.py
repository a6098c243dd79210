"""Some variables of a part of a log, as sequences of values: what a drawing of many steps needs, and no more of a row.

A plain piece of a large log is read column by column, and only the columns that are asked for are converted. What is
not plain (a column that was not met before, a wrong value, a step out of order) is not read here: the rows are then
read one by one, which tells what is wrong with them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import islice
from operator import le, lt
from typing import Any, Final, final

from msgspec import Struct

from soid.program.trace_table import ISO, LogClock
from soid.scenario.columns import Columns, LoggedColumn
from soid.scenario.log_formats import Literal
from soid.scenario.logs.cell_columns import CellColumn, CellColumns
from soid.scenario.logs.logged_value import written
from soid.scenario.logs.row_times import seconds_of
from soid.scenario.step_times import RunningClock

_KNOWN: Final = 1 << 16  # cells of a column whose values are remembered: the values of a log repeat
_WHOLE: Final = re.compile(r"(?:[+-]?[0-9]{1,18}\n)*")
_ZONE: Final = re.compile(r"(?:Z|[+-]\d\d:?\d\d)$", re.ASCII)
_DECIMAL: Final = re.compile(r"(?:-?[0-9]{1,30}(?:\.[0-9]{1,30})?\n)*")


@final
class SeriesPart(Struct, frozen=True):
    """Steps in a row, by variable."""

    numbers: Sequence[int]  # of the steps
    values: Mapping[str, Sequence[int | None]]  # by input or output: bits, step by step; None: not logged there
    seconds: Callable[[int], float] | None = None  # by place: since the log's first row; None: it has no clock

    def between(self, begin: int, end: int) -> SeriesPart:
        """The steps from a place to the one before another."""
        if begin <= 0 and end >= len(self.numbers):
            return self
        seconds, start = self.seconds, max(begin, 0)
        values = {name: values[start:end] for name, values in self.values.items()}
        return SeriesPart(self.numbers[start:end], values, seconds and (lambda at: seconds(at + start)))


@final
class RowsBeside(Struct, frozen=True):
    """What is known of the rows around a piece."""

    place: int  # of its first row in the log
    is_numbered: bool  # whether the log has a number for each step
    following: tuple[int, Fraction | None] | None  # the number and the time of the first row after it, if there is one


@final
class PartReader:
    """Reads plain pieces of one log."""

    def __init__(self, columns: Columns, clock: RunningClock | None) -> None:
        self._columns, self._clock = columns, clock
        self._known: dict[str, _KnownCells] = {}  # by variable

    def part(self, piece: CellColumns, names: Sequence[str], beside: RowsBeside) -> SeriesPart | None:
        """Some variables of a piece; None: it is not plain."""
        keys = self._columns.keys_of(piece.keys)
        times = None if self._clock is None else piece.column(self._clock.clock.column)
        if keys is None or not piece.count or (self._clock is not None and times is None):
            return None
        numbers = self._numbers(piece, times, beside)
        if numbers is None or not self._in_order(numbers, times, beside):
            return None
        values = {name: self._values(piece, *keys[name]) if name in keys else None for name in names}
        if any(found is None for name, found in values.items() if name in keys):
            return None
        absent = [None] * piece.count
        return SeriesPart(numbers, {name: found or absent for name, found in values.items()}, self._seconds(times))

    def _values(self, piece: CellColumns, key: str, column: LoggedColumn) -> Sequence[int | None] | None:
        found = piece.column(key)
        if found is None:
            return None
        if found.stored is not None and found.stored == column.stored and not self._columns.missing:
            cells: Sequence[int] = found.cells
            return cells
        known = self._known.get(column.name)
        if known is None:
            known = self._known[column.name] = _KnownCells(column, self._columns.missing)
        known.literal = found.literal
        try:
            return [known[cell] for cell in found.cells]
        except (ValueError, TypeError):  # the row says what is wrong with it
            return None

    def _numbers(self, piece: CellColumns, times: CellColumn | None, beside: RowsBeside) -> Sequence[int] | None:
        clock = self._clock
        if clock is not None and clock.clock.period is not None and times is not None:
            seconds = _fractions(times, clock.clock) or []
            return [round((each - clock.start) / clock.clock.period) for each in seconds] or None
        step = self._columns.step_key
        if (step in piece.keys) != beside.is_numbered:
            return None
        if step is None or not beside.is_numbered:
            return range(beside.place, beside.place + piece.count)
        column = piece.column(step)
        if column is None or not column.is_written or not _WHOLE.fullmatch(_lines(column)):
            return None
        return list(map(int, column.cells))

    def _in_order(self, numbers: Sequence[int], times: CellColumn | None, beside: RowsBeside) -> bool:
        after = beside.following
        if not (isinstance(numbers, range) or all(map(lt, numbers, islice(numbers, 1, None)))):
            return False
        if after is not None and after[0] <= numbers[-1]:
            return False
        if times is None or self._clock is None:
            return True
        clock = self._clock.clock
        seconds = _comparable(times, clock)
        if seconds is None or not all(map(le, seconds, islice(seconds, 1, None))):
            return False
        last = _literal(times, -1)
        return after is None or after[1] is None or (last is not None and seconds_of(clock, last) <= after[1])

    def _seconds(self, times: CellColumn | None) -> Callable[[int], float] | None:
        clock = self._clock
        if clock is None or times is None:
            return None
        return lambda at: clock.seconds(written(_literal(times, at) or ""))


@final
class _KnownCells(dict[Any, int | None]):
    """The values of the cells of a column, as far as they were met."""

    literal: Callable[[Any], Literal | None]

    def __init__(self, column: LoggedColumn, missing: frozenset[str]) -> None:
        super().__init__()
        self._read, self._missing, self._empty = column.read, missing, column.empty

    def __missing__(self, cell: Any) -> int | None:
        if len(self) >= _KNOWN:
            self.clear()
        literal = self.literal(cell)
        if literal is None or (self._missing and written(literal) in self._missing):
            bits = self._empty
        else:
            bits = self._read(literal).bits
        self[cell] = bits
        return bits


def _literal(column: CellColumn, at: int) -> Literal | None:
    return column.literal(column.cells[at])


def _lines(column: CellColumn) -> str:
    """Its cells, a line for each, as far as they are text or numbers."""
    return "\n".join(map(str, column.cells)) + "\n"


def _comparable(times: CellColumn, clock: LogClock) -> Sequence[Any] | None:
    """Numbers that are ordered as the times are; None: they cannot be read so."""
    if isinstance(times.cells[0], int) and times.stored is None:
        return times.cells
    if clock.unit != ISO and times.stored is None and _DECIMAL.fullmatch(_lines(times)):
        return list(map(Decimal, times.cells))
    return _fractions(times, clock)


def _fractions(times: CellColumn, clock: LogClock) -> list[Fraction] | None:
    try:
        literals = [times.literal(cell) for cell in times.cells]
        zones = {bool(_ZONE.search(str(each))) for each in literals} if clock.unit == ISO else ()
        if None in literals or len(zones) > 1:
            return None
        return [seconds_of(clock, each) for each in literals if each is not None]
    except ValueError:
        return None
