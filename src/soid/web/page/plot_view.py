"""The PlotView: which variables a plot of the log shows, from which step to which, and where changes are.

It knows no pages. It draws from what was read of the log, and reads nothing itself.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, final

from msgspec.structs import replace

from soid.program.interface import Role
from soid.scenario.log_overview import LogOverview, overview_of
from soid.scenario.log_series import LoggedSeries, LogSeries
from soid.scene.log_svg import Called, log_figure

_FIRST_SHOWN: Final = 6  # tracks, until the user chooses
_LEAST: Final = 8  # steps of the closest view
_PX: Final = 2.0  # of a cell


@final
class PlotView:
    """What is shown of a log that was read."""

    def __init__(self, log: LogSeries, names: Iterable[str] = ()) -> None:
        """`names` are those of the variables that the user chose before; names that the log has not are left out."""
        self.log = log
        self.first, self.last = log.numbers[0], log.numbers[-1]
        self.names = _interesting(log)
        self.take(names)

    @property
    def is_whole(self) -> bool:
        """Whether everything that was read is shown."""
        return (self.first, self.last) == (self.log.numbers[0], self.log.numbers[-1])

    def take(self, names: Iterable[str]) -> None:
        """Show these variables, if the log has one of them."""
        wanted = set(names)
        self.names = tuple(each.name for each in self.log.series if each.name in wanted) or self.names

    def has(self, step: int) -> bool:
        """Whether a step lies in what was read."""
        return self.log.numbers[0] <= step <= self.log.numbers[-1]

    def choose(self, name: str, *, shown: bool) -> None:
        chosen = {*self.names, name} if shown else {*self.names} - {name}
        self.names = tuple(each.name for each in self.log.series if each.name in chosen)

    # --- from step to step

    def show(self, first: int, last: int) -> None:
        """Show the steps from a number to a number, as far as the log was read, and never too few of them."""
        low, high = (min(max(end, self.log.numbers[0]), self.log.numbers[-1]) for end in sorted((first, last)))
        missing = max(_LEAST - (high - low + 1), 0)
        self._put(low - missing // 2, high - low + 1 + missing)

    def _put(self, start: int, span: int) -> None:
        """Show so many steps; where the log ends, they begin earlier or later."""
        begin, end = self.log.numbers[0], self.log.numbers[-1]
        self.first = max(begin, min(start, end - span + 1))
        self.last = min(self.first + span - 1, end)

    def zoom(self, factor: float, around: int) -> None:
        """Show `factor` times as many steps, with one of them at its place."""
        span = self.last - self.first + 1
        inside = min(max(around, self.first), self.last)
        wanted = max(round(span * factor), _LEAST)
        self._put(inside - (inside - self.first) * wanted // span, wanted)

    def follow(self, step: int) -> bool:
        """Bring a step into view, and say whether the view has changed; False too if the step was not read."""
        if self.first <= step <= self.last or not self.has(step):
            return False
        half = (self.last - self.first) // 2
        self._put(step - half, self.last - self.first + 1)
        return True

    def change(self, names: Iterable[str], step: int, *, forward: bool) -> int | None:
        """The next step, or the one before, at which one of these changed."""
        return self.next_of(self.log.changes(tuple(names)), step, forward=forward)

    def next_of(self, steps: Sequence[int], step: int, *, forward: bool) -> int | None:
        """Of steps in order the next one, or the one before."""
        at = bisect_right(steps, step) if forward else bisect_left(steps, step) - 1
        return steps[at] if 0 <= at < len(steps) else None

    @property
    def decisions(self) -> tuple[LoggedSeries, ...]:
        return tuple(each for each in self.log.series if each.variable.role is Role.DECISION)

    # --- the drawing

    def figure(self, moments: Mapping[int, str], room: float, called: Called = str) -> str:
        """The drawing, so many px wide, with what the variables are called."""
        heading = f"The log from step {self.first} to step {self.last}"
        return log_figure(self._overview(room), moments, heading=heading, room=room, called=called)

    def _overview(self, room: float) -> LogOverview:
        chosen = tuple(each for each in self.log.series if each.name in self.names)
        log = replace(self.log, series=chosen, absent=())
        return overview_of(log, first=self.first, last=self.last, cells=max(int(room / _PX), 1))


def _interesting(log: LogSeries) -> tuple[str, ...]:
    """Decisions first, and what changes at all; then the others."""
    changing = [each.name for each in log.series if any(bits != each.values[0] for bits in each.values)]
    return tuple(changing[:_FIRST_SHOWN]) or tuple(each.name for each in log.series[:1])
