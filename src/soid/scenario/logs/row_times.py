"""When the rows of a log were logged: seconds of its clock, and what is strange about their distances.

>>> from soid.program.trace_table import LogClock
>>> seconds_of(LogClock("t", "ms"), "1500"), seconds_of(LogClock("t", "iso"), "1970-01-01T00:00:02.5Z")
(Fraction(3, 2), Fraction(5, 2))
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from fractions import Fraction
from statistics import median_low
from typing import Final, NoReturn, final

from soid.formula.decimals import number_literal
from soid.program.trace_table import ISO, LogClock
from soid.program.units import unit
from soid.scenario.log_formats import Literal, LogRecord, fail, quoted
from soid.scenario.logs.logged_value import written

_MAX_EXPONENT: Final = 100  # of a time; the age of the universe has fewer digits in nanoseconds
_DATE: Final = re.compile(r"(\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d)(?:[.,](\d{1,18}))?(Z|[+-]\d\d:?\d\d)?", re.ASCII)
_GAP: Final = Fraction(3, 2)  # of the usual distance; from here on a distance is a gap
_IRREGULAR: Final = Fraction(1, 10)  # of the usual distance, by which another may differ


def seconds_of(clock: LogClock, literal: Literal) -> Fraction:
    """A time in seconds; those of dates are since 1970. A ValueError says what was expected."""
    text = written(literal)
    if clock.unit == ISO:
        return _date(text)
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
    """A time in words; exact, unless it has very many digits."""
    digits = f"{float(seconds):.9f}".rstrip("0").rstrip(".") if seconds.denominator != 1 else str(seconds)
    return f"{digits} s"


@final
class Distances:
    """The times from each row to the next."""

    def __init__(self) -> None:
        self._found: list[tuple[Fraction, str]] = []  # the time from a row to the next, and where the next row is

    def add(self, before: Fraction, now: Fraction, place: str) -> None:
        self._found.append((now - before, place))

    def lapses(self) -> Iterator[str]:
        """Rows that may be missing, or be there twice, in sentences."""
        if not self._found:
            return
        usual = self._usual
        same = [place for distance, place in self._found if distance == 0]
        gaps = [(distance, place) for distance, place in self._found if distance > usual * _GAP]
        if same:
            yield f"{_times(len(same), 'row')} at the same time as the row before, first at {same[0]}"
        if gaps:
            longest, place = max(gaps, key=lambda gap: gap[0])
            far = f"the longest is {shown(longest)} before {place}, and {shown(usual)} is usual"
            yield f"{_times(len(gaps), 'gap')} in the log's times: {far}"

    @property
    def _usual(self) -> Fraction:
        return median_low(distance for distance, _ in self._found)

    def warnings(self) -> Iterator[str]:
        """What is strange about them, in sentences."""
        yield from self.lapses()
        usual = self._usual if self._found else Fraction(0)
        uneven = [d for d, _ in self._found if d and usual * _IRREGULAR < abs(d - usual) <= usual * (_GAP - 1)]
        if uneven:
            share = f"{len(uneven)} of {len(self._found)} distances"
            yield f"the log's times are irregular: {share} differ from {shown(usual)} by more than a tenth"


def _times(count: int, thing: str) -> str:
    return f"{count:,} {thing}{'s' if count > 1 else ''}"
