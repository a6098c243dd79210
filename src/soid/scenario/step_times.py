"""When steps were logged, by the log's own clock: seconds since its first row, and the time as the log writes it.

>>> begin, later = (Fraction(n, 1000) for n in (1778338800000, 1778338844000))
>>> StepTime(later - begin, "1778338844000", "ms").words
'44 s (1778338844000 ms)'
>>> TimedSteps([3, 4, 6], [0.0, 0.25, 1.0]).words(4), TimedSteps([3, 4, 6], [0.0, 0.25, 1.0]).words(5)
('0.25 s', '')
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from fractions import Fraction
from typing import Final, final

from msgspec import Struct

from soid.program.trace_table import ISO
from soid.scenario.log_formats import quoted
from soid.scenario.logs.row_times import shown

_MOST: Final = Fraction(10) ** 300  # seconds; a double has no more


@final
class StepTimeDocument(Struct, frozen=True):
    """The time of a step, as JSON."""

    seconds: float
    logged: str
    unit: str


@final
class StepTime(Struct, frozen=True):
    """The time of one step."""

    since: Fraction  # seconds since the log's first row
    written: str  # as the log writes it
    unit: str  # in which it writes it, or ISO

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
        """The seconds, as near as a double is."""
        return float(min(self.since, _MOST))

    @property
    def document(self) -> StepTimeDocument:
        return StepTimeDocument(self.seconds, self.written, self.unit)


@final
class TimedSteps(Struct, frozen=True):
    """The times of many steps, as near as doubles are: for drawings, which have one for each of 100,000 steps."""

    numbers: Sequence[int] = ()  # of the steps
    seconds: Sequence[float] = ()  # since the log's first row; empty: the log has no times

    def of(self, number: int) -> float | None:
        """The seconds of the step of this number; None if there is no such step, or no time."""
        at = bisect_left(self.numbers, number)
        return self.seconds[at] if at < len(self.seconds) and self.numbers[at] == number else None

    def words(self, number: int) -> str:
        """The same in words; empty if there is none."""
        seconds = self.of(number)
        return "" if seconds is None else shown(Fraction(repr(seconds)))

    def called(self, number: int) -> str:
        """A step of the log in words: its number, and its time if there is one."""
        return ", ".join(filter(None, (f"step {number}", self.words(number))))
