"""When the rows of a log were logged: seconds of its clock, and what is strange about their distances.

>>> from soid.program.trace_table import LogClock
>>> seconds_of(LogClock("t", "ms"), "1500"), seconds_of(LogClock("t", "iso"), "1970-01-01T00:00:02.5Z")
(Fraction(3, 2), Fraction(5, 2))
"""

from __future__ import annotations

import math
import re
import struct
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from fractions import Fraction
from typing import Final, NoReturn, final

from soid.formula.decimals import number_literal
from soid.program.trace_table import ISO, LogClock
from soid.program.units import unit
from soid.scenario.log_formats import Literal, LogRecord, fail, quoted
from soid.scenario.logs.logged_value import written

_MAX_EXPONENT: Final = 100  # of a time; the age of the universe has fewer digits in nanoseconds
_DATE: Final = re.compile(r"(\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d)(?:[.,](\d{1,18}))?(Z|[+-]\d\d:?\d\d)?", re.ASCII)
_COUNT: Final = re.compile(r"-?[0-9]{1,30}", re.ASCII)
_GAP: Final = 1.5  # of the usual distance; what is longer is a gap
_IRREGULAR: Final = 0.1  # of the usual distance, by which another may differ
_ROUNDING: Final = 1e-9  # of a distance, by which one that was computed may differ


def seconds_of(clock: LogClock, literal: Literal) -> Fraction:
    """A time in seconds; those of dates are since 1970. A ValueError says what was expected."""
    text = written(literal)
    if clock.unit == ISO:
        return _date(text)
    if _COUNT.fullmatch(text):  # as most clocks tick, read several times as fast
        factor = unit(clock.unit).factor
        return Fraction(int(text) * factor.numerator, factor.denominator)
    number = number_literal(text)
    if number is None or abs(number.exponent) > _MAX_EXPONENT:
        raise ValueError(f"expected a time in {clock.unit}, found {quoted(text)}")
    return number.value * unit(clock.unit).factor


def _date(text: str) -> Fraction:
    found = _DATE.fullmatch(text)
    try:
        if found is None:
            raise ValueError
        # Without a zone, all times of the log are of the same one; only their distances count.
        zoned = datetime.fromisoformat(found[1] + (found[3] or "Z")).astimezone(UTC)
    except (ValueError, OverflowError):
        raise ValueError(f"expected a date such as 2026-05-01T12:00:00.25Z, found {quoted(text)}") from None
    since = zoned - datetime(1970, 1, 1, tzinfo=UTC)
    return since.days * 86400 + since.seconds + Fraction(int(found[2] or "0"), 10 ** len(found[2] or ""))


def is_local(clock: LogClock, record: LogRecord) -> bool:
    """Whether a record has a date without a zone: it says nothing about clocks other than its own."""
    found = _DATE.fullmatch(written(record.cells[clock.column])) if clock.unit == ISO else None
    return found is not None and found[3] is None


def refuse_zones(file: str, record: LogRecord, other: str) -> NoReturn:
    problem = f"of this time and that of {other} one alone is a date without a zone"
    fail(file, record.line, problem, "Give all dates a zone, such as +01:00, or none.")


def time_of(file: str, clock: LogClock, record: LogRecord) -> Fraction:
    """The time of a record; a TraceError if it has none."""
    if clock.column not in record.cells:
        problem = f"the column {quoted(clock.column)}, which [trace] time names, has no value"
        fail(file, record.line, problem, "Give every row a time, or leave time out to count the rows.")
    try:
        return seconds_of(clock, record.cells[clock.column])
    except ValueError as error:
        fail(file, record.line, f"{quoted(clock.column)}: {error}", "Correct the log, or [trace] time.")


def refuse_backwards(file: str, record: LogRecord, before: Fraction, now: Fraction) -> None:
    if now < before:
        problem = f"the clock runs back, from {shown(before)} to {shown(now)}"
        fail(file, record.line, problem, "Cut the log here into two, or leave time out if it means something else.")


def shown(seconds: Fraction) -> str:
    """A time in words, exact to the nanosecond."""
    whole, rest = divmod(round(abs(seconds) * 10**9), 10**9)
    digits = f"{whole}.{rest:09}".rstrip("0").rstrip(".")
    return f"{'-' if seconds < 0 else ''}{digits} s"


@final
class Distances:
    """The times from each row to the next. They are floats: of a large log there are many."""

    def __init__(self) -> None:
        self.seconds = array("d")
        self.longest = 0.0, ""  # and where the row after it is
        self.same, self.first_same = 0, ""  # rows at the same time as the row before, and where the first is

    def add(self, before: Fraction, now: Fraction, place: str) -> None:
        distance = float(now - before)
        self.seconds.append(distance)
        if not distance and now == before:
            self.same, self.first_same = self.same + 1, self.first_same or place
        if distance > self.longest[0]:
            self.longest = distance, place

    def close(self) -> None:
        """Sort them: all have been added."""
        self.seconds = array("d", sorted(self.seconds))


def time_lapses(parts: Sequence[Distances]) -> Iterator[str]:
    """Rows that may be missing in the parts of a log, or be there twice, in sentences."""
    count, usual = _usual(parts)
    same, gaps = sum(part.same for part in parts), count - _at_most(parts, usual * (1 + _ROUNDING) * _GAP)
    if same:
        first = next(part.first_same for part in parts if part.same)
        yield f"{_times(same, 'row')} at the same time as the row before, first at {first}"
    if gaps:
        longest, place = max((part.longest for part in parts), key=lambda found: found[0])
        far = f"the longest is {shown(Fraction(longest))} before {place}, and {shown(Fraction(usual))} is usual"
        yield f"{_times(gaps, 'gap')} in the log's times: {far}"


def time_warnings(parts: Sequence[Distances]) -> Iterator[str]:
    """What is strange about the distances in the parts of a log, in sentences."""
    yield from time_lapses(parts)
    count, usual = _usual(parts)
    more, less = usual * (1 + _ROUNDING), usual * (1 - _ROUNDING)
    uneven = _at_most(parts, more * _GAP) - _at_most(parts, more * (1 + _IRREGULAR))
    uneven += _less(parts, less * (1 - _IRREGULAR)) - _less(parts, less * (2 - _GAP))
    if uneven:
        share = f"{uneven:,} of {count:,} distances"
        yield f"the log's times are irregular: {share} differ from {shown(Fraction(usual))} by more than a tenth"


def _usual(parts: Sequence[Distances]) -> tuple[int, float]:
    """How many distances there are, and their median: the least float that half of them do not exceed."""
    count = sum(len(part.seconds) for part in parts)
    half = (count + 1) // 2
    return count, _float(bisect_left(range(_bits(math.inf)), half, key=lambda bits: _at_most(parts, _float(bits))))


def _at_most(parts: Sequence[Distances], seconds: float) -> int:
    return sum(bisect_right(part.seconds, seconds) for part in parts)


def _less(parts: Sequence[Distances], seconds: float) -> int:
    return sum(bisect_left(part.seconds, seconds) for part in parts)


def _bits(number: float) -> int:
    """The place of a float among all that are not negative."""
    return int(struct.unpack("<q", struct.pack("<d", number))[0])


def _float(bits: int) -> float:
    return float(struct.unpack("<d", struct.pack("<q", bits))[0])


def _times(count: int, thing: str) -> str:
    return f"{count:,} {thing}{'s' if count > 1 else ''}"
