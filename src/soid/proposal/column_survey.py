"""What the columns of a log hold: numbers, dates or texts, how many digits, from where to where.

All rows of a small log are looked at; of a longer one some from everywhere, because what is found here is proposed, not
proved.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from decimal import Decimal
from itertools import islice, pairwise
from pathlib import Path
from typing import Final, final

from msgspec import Struct

from soid.allowance import paced
from soid.errors import EmptyTraceError
from soid.program.trace_table import ISO, LogClock
from soid.scenario.log_formats import Literal, LogRecord, StoredFloat
from soid.scenario.logs.log_pieces import LogSource
from soid.scenario.logs.log_source import clock_of, open_log
from soid.scenario.logs.logged_value import written
from soid.scenario.logs.row_times import seconds_of

MOST_TEXTS: Final = 64  # different values of a column that are kept
_MOST_ROWS: Final = 20_000
FEW: Final = 4  # different values that a float may have that was written whole with few digits
_PIECES: Final = 20  # of a large log
_NUMBER: Final = re.compile(r"[+-]?(?:\d+(?:\.(?P<after>\d*))?|\.(?P<only>\d+))(?P<power>[eE][+-]?\d{1,3})?", re.ASCII)
_COMMA: Final = re.compile(r"[+-]?\d+,\d+", re.ASCII)
_DATES: Final = LogClock("", ISO)
_NO_VALUE: Final = frozenset(("na", "n/a", "#n/a", "-", "--", "null", "none", "nil", "?", "invalid", "missing"))
_NO_NUMBERS: Final = frozenset(("nan", "+nan", "-nan", "inf", "+inf", "-inf", "infinity", "+infinity", "-infinity"))


@final
class SurveyedColumn(Struct, frozen=True):
    """What the rows that were looked at have in one column."""

    name: str
    rows: int  # that have a value
    texts: tuple[str, ...]  # the different values, in the order of their first rows; not all, if they are many
    is_number: bool  # every value is one
    is_whole: bool  # every value is a whole number, written without a point
    is_integral: bool  # every value is a whole number, written in any way: 3132.0
    is_date: bool
    decimals: int | None  # the most digits after the point; None: no text, or powers of ten
    significant: int  # the most digits of a number, without leading zeros; those of stored floats do not count
    low: Decimal | None  # of the finite numbers
    high: Decimal | None
    is_rising: bool  # no value is less than the one before
    is_strict: bool  # each is greater than the one before
    blanks: tuple[str, ...]  # what stands among numbers where there is none: NA, -
    has_commas: bool  # numbers with a decimal comma, which soid does not read

    @property
    def is_flags(self) -> bool:
        """Whether every value is true or false."""
        return bool(self.texts) and {text.lower() for text in self.texts} <= {"true", "false"}

    @property
    def is_constant(self) -> bool:
        return len(self.texts) == 1

    @property
    def is_flag(self) -> bool:
        """Whether it has the numbers 0 and 1 alone."""
        return self.is_whole and self.low in (0, 1) and self.high in (0, 1)

    @property
    def has_few(self) -> bool:
        """Whether `texts` has all values that were seen."""
        return len(self.texts) < MOST_TEXTS


@final
class LogSurvey(Struct, frozen=True):
    """What a log holds."""

    file: Path
    rows: int  # that were looked at
    is_whole: bool  # those are all
    columns: tuple[SurveyedColumn, ...]
    clock: LogClock | None  # the one that its format has

    @property
    def writes_all_digits(self) -> bool:
        """Whether numbers are written with as many digits as a float needs: 17, or 9 of a short one.

        A column of coordinates may have nine digits too, but all columns with nine then have as many decimals.
        """
        most = {column.significant for column in self.columns}
        nines = {column.decimals for column in self.columns if column.significant == 9}
        return max(most, default=0) >= 16 or len(nines) > 1


def survey_log(file: Path, topic: str | None = None) -> LogSurvey:
    """Look at a log; a TraceError if it cannot be read."""
    source = open_log(file, frozenset(), topic)
    if source.is_large:
        rows, is_whole = list(_scattered(source)), False
    else:
        every = list(source.records(0))
        apart = -(-len(every) // _MOST_ROWS) or 1
        rows, is_whole = every[::apart], apart == 1
    names = dict.fromkeys(name for row in rows for name in (row.columns or row.cells))
    if not names:
        raise EmptyTraceError(f"{file}: there is no step in it", "Give a log with one or more.")
    columns = tuple(_surveyed(name, rows) for name in paced(names, "looking at the log"))
    return LogSurvey(file, len(rows), is_whole, columns, clock_of(source, None))


def _scattered(source: LogSource) -> Iterator[LogRecord]:
    """Rows from the first piece of a large log to the last."""
    count = len(source.sizes)
    chosen = sorted({at * (count - 1) // max(_PIECES - 1, 1) for at in range(min(_PIECES, count))} | {count - 1})
    for piece in paced(chosen, "looking at the log"):
        yield from islice(source.records(piece), _MOST_ROWS // _PIECES)


def _surveyed(name: str, rows: Iterable[LogRecord]) -> SurveyedColumn:
    values = [row.cells[name] for row in rows if name in row.cells]
    blanks = _blanks(values)
    values = [value for value in values if written(value) not in blanks]
    texts = [written(value) for value in values]
    different = tuple(islice(dict.fromkeys(texts), MOST_TEXTS))
    numbers = _numbers(texts)
    finite = [number for number in numbers or () if number is not None]
    is_date = bool(texts) and _are_dates(different)
    times = [Decimal(float(seconds_of(_DATES, text))) for text in texts] if is_date and _are_dates(texts) else []
    order = [*pairwise(finite)] or [*pairwise(times)]
    return SurveyedColumn(
        name=name,
        rows=len(values),
        texts=different,
        is_number=bool(texts) and numbers is not None,
        is_whole=numbers is not None and all(map(_is_whole, values, texts)),
        is_integral=len(finite) == len(numbers or ()) and all(each == each.to_integral_value() for each in finite),
        is_date=is_date,
        decimals=_decimals(values, texts) if numbers is not None else None,
        significant=max((_significant(text) for text in texts), default=0) if numbers is not None else 0,
        low=min(finite, default=None),
        high=max(finite, default=None),
        is_rising=bool(order) and all(a <= b for a, b in order),
        is_strict=bool(order) and all(a < b for a, b in order),
        blanks=blanks,
        has_commas=bool(texts) and numbers is None and any(map(_COMMA.fullmatch, texts)) and _but_commas(texts),
    )


def _blanks(values: Iterable[Literal]) -> tuple[str, ...]:
    """Words for "no value" in a column that has numbers otherwise."""
    texts = dict.fromkeys(map(written, values))
    found = tuple(text for text in texts if text.lower() in _NO_VALUE)
    others = [text for text in texts if text not in found]
    return found if found and others and _numbers(others) is not None else ()


def _numbers(texts: Iterable[str]) -> list[Decimal | None] | None:
    """The numbers, None for each that is not finite; None if a text is no number."""
    found: list[Decimal | None] = []
    for text in texts:
        if _NUMBER.fullmatch(text):
            found.append(Decimal(text))
        elif text.lower() in _NO_NUMBERS:
            found.append(None)
        else:
            return None
    return found


def _decimals(values: Iterable[Literal], texts: Iterable[str]) -> int | None:
    most = 0
    for value, text in zip(values, texts, strict=True):
        found = _NUMBER.fullmatch(text)
        if isinstance(value, StoredFloat) or (found is not None and found["power"]):
            return None
        most = max(most, len((found["after"] or found["only"] or "") if found is not None else ""))
    return most


def _significant(text: str) -> int:
    """
    >>> _significant("-0.0120"), _significant("13.5e3")
    (3, 3)
    """
    return len(text.lower().partition("e")[0].replace(".", "").strip("+-").lstrip("0"))


def _is_whole(value: Literal, text: str) -> bool:
    """Whether it can be a value of an integer; tables store whole numbers as floats too."""
    return (text.removesuffix(".0") if isinstance(value, StoredFloat) else text).lstrip("+-").isdigit()


def _but_commas(texts: Iterable[str]) -> bool:
    """Whether all are numbers, once commas are points."""
    return _numbers([text.replace(",", ".") for text in texts]) is not None


def _are_dates(texts: Iterable[str]) -> bool:
    try:
        for text in texts:
            seconds_of(_DATES, text)
    except ValueError:
        return False
    return True
