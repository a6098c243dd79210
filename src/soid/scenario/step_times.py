"""When steps were logged, by the log's own clock: seconds since its first row, and the time as the log writes it.

>>> StepTime("1778338844000", RunningClock(LogClock("time_ms", "ms"), Fraction(1778338800))).words
'44 s (1778338844000 ms)'
>>> TimedSteps([3, 4, 6], [0.0, 0.25, 1.0]).words(4), TimedSteps([3, 4, 6], [0.0, 0.25, 1.0]).words(5)
('0.25 s', '')
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from contextlib import suppress
from decimal import Decimal, DecimalException
from fractions import Fraction
from typing import Final, final

from msgspec import Struct

from soid.program.trace_table import ISO, LogClock
from soid.program.units import unit
from soid.scenario.log_formats import quoted
from soid.scenario.logs.row_times import seconds_of, shown

_MOST: Final = Fraction(10) ** 300  # seconds; a double has no more


@final
class StepTimeDocument(Struct, frozen=True):
    """The time of a step, as JSON."""

    seconds: float
    logged: str
    unit: str


@final
class RunningClock(Struct, frozen=True):
    """The clock of a log, and what it said at the first row."""

    clock: LogClock
    start: Fraction  # seconds

    def since(self, written: str) -> Fraction:
        """The seconds from the log's first row to a time as the log writes it. A ValueError says what was expected."""
        return seconds_of(self.clock, written) - self.start

    def seconds(self, written: str) -> float:
        """The same as a double. Decimals are ten times as fast as fractions; a plot asks for 100,000 of them."""
        if self.clock.unit != ISO:
            factor = unit(self.clock.unit).factor
            with suppress(DecimalException):  # a hex float, or too many digits
                now = Decimal(written) * factor.numerator / factor.denominator
                return float(now - Decimal(self.start.numerator) / self.start.denominator)
        return float(min(self.since(written), _MOST))


@final
class StepTime(Struct, frozen=True, gc=False):
    """The time of one step; small, because a log may have a million of them."""

    written: str  # as the log writes it
    clock: RunningClock

    @property
    def since(self) -> Fraction:
        """The seconds since the log's first row."""
        return self.clock.since(self.written)

    @property
    def unit(self) -> str:
        """In which the log writes it, or ISO."""
        return self.clock.clock.unit

    @property
    def short(self) -> str:
        """The seconds, in words."""
        return shown(self.since)

    @property
    def words(self) -> str:
        """The seconds, and what the log writes unless it is the same."""
        logged = self.logged
        return self.short if logged == self.short else f"{self.short} ({logged})"

    @property
    def logged(self) -> str:
        """What the log writes, with its unit."""
        return quoted(self.written) if self.unit == ISO else f"{quoted(self.written)} {self.unit}"

    @property
    def seconds(self) -> float:
        """The seconds as a double."""
        return self.clock.seconds(self.written)

    @property
    def document(self) -> StepTimeDocument:
        return StepTimeDocument(self.seconds, self.written, self.unit)


@final
class TimedSteps(Struct, frozen=True):
    """The times of many steps, as near as doubles are: for drawings, which have one for each of 100,000 steps."""

    numbers: Sequence[int] = ()  # of the steps
    seconds: Sequence[float] = ()  # since the log's first row; empty: the log has no times
    others: Callable[[int], float | None] | None = None  # of a step that is not among these, which takes longer

    def of(self, number: int) -> float | None:
        """The seconds of the step of this number; None if there is no such step, or no time."""
        at = bisect_left(self.numbers, number)
        if at < len(self.seconds) and self.numbers[at] == number:
            return self.seconds[at]
        return None if self.others is None else self.others(number)

    def words(self, number: int) -> str:
        """The same in words; empty if there is none."""
        seconds = self.of(number)
        return "" if seconds is None else shown(Fraction(repr(seconds)))

    def called(self, number: int) -> str:
        """A step of the log in words: its number, and its time if there is one."""
        return ", ".join(filter(None, (f"step {number}", self.words(number))))
