"""The columns that are about a row as a whole: when it was logged, and which step it is."""

from __future__ import annotations

from collections.abc import Collection
from decimal import Decimal
from typing import Final, final

from msgspec import Struct

from soid.program.identifier import words_of
from soid.program.manifest import STEP_COLUMN
from soid.program.trace_table import ISO, LogClock
from soid.program.units import unit
from soid.proposal.column_survey import LogSurvey, SurveyedColumn
from soid.proposal.name_words import named_words

_TIMES: Final = frozenset(words_of("time ts timestamp t stamp date datetime clock utc epoch when logged at"))
_STEPS: Final = frozenset(words_of("step steps frame tick cycle seq sequence iteration index idx sample row"))
#: numbers from here on are times since 1970 in this unit
_EPOCHS: Final = ((Decimal(10) ** 17, "ns"), (Decimal(10) ** 14, "us"), (Decimal(10) ** 11, "ms"))


@final
class RowMeaning(Struct, frozen=True):
    """What says when a row was logged, and which step it is."""

    clock: LogClock | None = None
    step_column: str | None = None  # unless it is called as soid expects it
    backwards: str | None = None  # a column that seems to be a clock, and runs back
    guessed_unit: bool = False  # nothing says in which unit the clock counts
    own_clock: str | None = None  # the column with the time that the log's format has by itself

    @property
    def used(self) -> frozenset[str]:
        named = (self.clock.column if self.clock else None, self.own_clock, self.step_column, STEP_COLUMN)
        return frozenset(name for name in named if name is not None)


def row_meaning(survey: LogSurvey, taken: Collection[str]) -> RowMeaning:
    """The clock and the number of a row, by the names and the order of columns that no variable has."""
    free = [column for column in survey.columns if column.name not in taken]
    numbered = next((column.name for column in free if _numbers_steps(column)), None)
    clock = next((column for column in free if _is_time(column) and column.is_rising), None)
    runs_back = next((column.name for column in free if _is_time(column) and not column.is_rising), None)
    step = None if numbered in (None, STEP_COLUMN) else numbered
    if survey.clock is not None:
        return RowMeaning(None, step, own_clock=survey.clock.column)
    if clock is None:
        return RowMeaning(None, step, runs_back)
    counted, is_guess = _unit(clock)
    return RowMeaning(LogClock(clock.name, counted), step, guessed_unit=is_guess)


def _numbers_steps(column: SurveyedColumn) -> bool:
    words = named_words(column.name).words
    return column.is_whole and column.is_strict and bool(words) and set(words) <= _STEPS | {"number", "no", "nr", "id"}


def _is_time(column: SurveyedColumn) -> bool:
    """Whether it is a time by its name and its values; a duration would not be as large, or not rise."""
    words = named_words(column.name)
    return (column.is_date or column.is_number) and bool(set(words.words) & _TIMES) and not column.is_constant


def _unit(column: SurveyedColumn) -> tuple[str, bool]:
    """The unit of a clock, and whether it is guessed."""
    if column.is_date:
        return ISO, False
    named = named_words(column.name).unit
    if named is not None and unit(named).measures == "time":
        return named, False
    known = next((name for least, name in _EPOCHS if column.low is not None and column.low >= least), None)
    return (known, False) if known is not None else ("s", True)
