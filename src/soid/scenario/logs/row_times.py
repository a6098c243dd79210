"""When the rows of a log were logged: seconds of its clock, and what is strange about their distances.

>>> from soid.program.trace_table import LogClock
>>> seconds_of(LogClock("t", "ms"), "1500"), seconds_of(LogClock("t", "iso"), "1970-01-01T00:00:02.5Z")
(Fraction(3, 2), Fraction(5, 2))
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from fractions import Fraction
from typing import Final, NoReturn, Self, final

from msgspec import Struct

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
        return date_seconds(text)
    if _COUNT.fullmatch(text):  # as most clocks tick, read several times as fast
        factor = unit(clock.unit).factor
        return Fraction(int(text) * factor.numerator, factor.denominator)
    number = number_literal(text)
    if number is None or abs(number.exponent) > _MAX_EXPONENT:
        raise ValueError(f"expected a time in {clock.unit}, found {quoted(text)}")
    return number.value * unit(clock.unit).factor


def date_seconds(text: str) -> Fraction:
    """A date as seconds since 1970. A ValueError says what was expected."""
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
    return clock.unit == ISO and lacks_zone(written(record.cells[clock.column]))


def is_date(text: str) -> bool:
    """Whether a text is written as a date is."""
    return _DATE.fullmatch(text) is not None


def lacks_zone(text: str) -> bool:
    """Whether a text is a date without a zone."""
    found = _DATE.fullmatch(text)
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
class Rhythm(Struct, frozen=True):
    """How far apart rows of a log usually are, in seconds."""

    usual: float  # the median; 0: the clock is too coarse to tell one row from the next
    most: float  # what is longer is a gap

    @classmethod
    def of(cls, distances: Sequence[float]) -> Self:
        ordered = sorted(distances)
        usual = _median(ordered)
        apart = usual or _median([each for each in ordered if each > 0])
        return cls(usual, apart * (1 + _ROUNDING) * _GAP if apart else math.inf)

    def within(self, log: Rhythm, *, certain: bool) -> Rhythm:
        """That of a piece of a log: rows that are much farther apart than in the rest of it may be all those left.

        `certain`: the piece has enough rows to tell that the clock is too coarse for them.
        """
        if not log.usual or (certain and not self.usual):
            return self
        return log if not self.usual or self.usual > log.usual * (1 + _IRREGULAR) else self

    def is_lapse(self, distance: float) -> bool:
        """Whether two rows so far apart may be other than one call and the next: one is missing, or there twice."""
        return distance > self.most or (distance == 0 and self.usual > 0)

    def is_uneven(self, distance: float) -> bool:
        """Whether a distance differs from the usual one, and is neither a gap nor much too short."""
        more, less = self.usual * (1 + _ROUNDING), self.usual * (1 - _ROUNDING)
        longer = more * (1 + _IRREGULAR) < distance <= self.most
        return longer or less * (2 - _GAP) <= distance < less * (1 - _IRREGULAR)


def _median(ordered: Sequence[float]) -> float:
    """The least number that half of them do not exceed; 0 if there is none."""
    return ordered[(len(ordered) - 1) // 2] if ordered else 0.0


@final
class RowTimes(Struct, frozen=True):
    """What is strange about the distances between the rows of a piece; small, for a large log has many pieces."""

    count: int = 0  # of distances
    usual: float = 0.0  # seconds
    same: tuple[int, str] = (0, "")  # rows at the same time as the row before, and where the first is
    gaps: tuple[int, str] = (0, "")  # rows after a gap, and where the first is
    longest: tuple[float, str] = (0.0, "")  # distance, and where the row after it is
    uneven: int = 0

    @classmethod
    def of(cls, distances: Sequence[float], places: Sequence[str], rhythm: Rhythm) -> Self:
        """Each distance has the place of the row after it."""
        pairs = list(zip(distances, places, strict=True))
        same = [place for distance, place in pairs if distance == 0]
        gaps = [place for distance, place in pairs if distance > rhythm.most]
        return cls(
            len(pairs),
            rhythm.usual,
            (len(same), same[0] if same else ""),
            (len(gaps), gaps[0] if gaps else ""),
            max(pairs, key=lambda pair: pair[0], default=(0.0, "")),
            sum(map(rhythm.is_uneven, distances)),
        )


def time_warnings(parts: Sequence[RowTimes]) -> Iterator[str]:
    """What is strange about the times in the parts of a log, in sentences."""
    same, gaps = (sum(count for count, _ in found) for found in ([p.same for p in parts], [p.gaps for p in parts]))
    if same:
        first = next(part.same[1] for part in parts if part.same[0])
        yield f"{_times(same, 'row')} at the same time as the row before, first at {first}"
    if gaps:
        first = next(part.gaps[1] for part in parts if part.gaps[0])
        part = max((part for part in parts if part.gaps[0]), key=lambda part: part.longest[0])
        longest, place = part.longest
        far = f"the longest is {shown(Fraction(longest))} before {place}, and {shown(Fraction(part.usual))} is usual"
        yield f"{_times(gaps, 'gap')} in the log's times{f', first before {first}' if gaps > 1 else ''}: {far}"
    if uneven := sum(part.uneven for part in parts):
        usual = next(part.usual for part in parts if part.uneven)
        share = f"{uneven:,} of {sum(part.count for part in parts):,} distances"
        yield f"the log's times are irregular: {share} differ from {shown(Fraction(usual))} by more than a tenth"


def _times(count: int, thing: str) -> str:
    return f"{count:,} {thing}{'s' if count > 1 else ''}"
