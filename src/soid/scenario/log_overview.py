"""An overview of a log: what variables did over many steps, in a form that a drawing of any width can show.

Cells and bands are over the numbers of the steps, so a gap in the log is a gap in a curve; a band goes on through it if
the value is the same after it. No spike is lost, however many steps a cell holds: it has the least and the greatest
value of them.

>>> from soid.program.interface import Interface
>>> from soid.program.types import BoolType, IntType
>>> from soid.scenario.trace import Step
>>> interface = Interface((
...     Variable("x", Role.ENVIRONMENT, IntType(8, signed=True)),
...     Variable("stop", Role.DECISION, BoolType()),
... ))
>>> steps = tuple(Step(at, {"x": x}, {"stop": int(x > 8)}) for at, x in enumerate((1, 2, 9, 2, 1, 0)))
>>> stop, x = overview(Trace(interface, steps), cells=2).tracks
>>> [(cell.least, cell.greatest) for cell in x.cells], [(band.first, band.last) for band in stop.bands]
([(1, 9), (0, 2)], [(0, 1), (2, 2), (3, 5)])
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import count
from typing import final

from msgspec import Struct
from msgspec.structs import replace

from soid.program.interface import Role, Variable
from soid.scenario.log_series import LogSeries, read_series
from soid.scenario.log_tracks import Band, BandTrack, LogStretch, Track, track
from soid.scenario.step_times import TimedSteps
from soid.scenario.trace import Trace


@final
class DecisionChange(Struct, frozen=True):
    """A step at which a decision is another than at the step before."""

    step: int
    name: str
    variable: Variable
    before: Band
    after: Band


@final
class LogOverview(Struct, frozen=True):
    """What variables did from one step of the log to another."""

    first: int
    last: int
    steps: int  # how many of the log's steps are among these numbers
    cells: int
    tracks: tuple[Track, ...]  # decisions first
    absent: tuple[str, ...]  # variables that were logged at none of the steps
    times: TimedSteps = TimedSteps()  # of the log's steps, if it has a clock

    def cell_of(self, step: int) -> int:
        """The cell that holds a step's number."""
        return (step - self.first) * self.cells // (self.last - self.first + 1)

    def numbers_of(self, cell: int) -> tuple[int, int]:
        """The first and the last number of a cell; the log need not have a step for every number between them."""
        span = self.last - self.first + 1
        return self.first - (-cell * span // self.cells), self.first - (-(cell + 1) * span // self.cells) - 1

    def round_numbers(self, most: int) -> tuple[int, ...]:
        """The first step, and round numbers up to the last one: about so many at most."""
        span = self.last - self.first + 1
        apart = next(size * 10**power for power in count() for size in (1, 2, 5) if size * 10**power * most >= span)
        return (self.first, *range((self.first // apart + 1) * apart, self.last + 1, apart))

    def constant(self, track: Track) -> int | None:
        """The bits that it has at every step; None: they are not always the same, or not always logged."""
        if isinstance(track, BandTrack):
            return track.bands[0].bits if len(track.bands) == 1 else None
        low, high = track.least, track.greatest
        if low is None or high is None or low.bits != high.bits or track.not_finite is not None:
            return None
        return low.bits if sum(cell.steps for cell in track.cells) == self.steps else None

    @property
    def changes(self) -> tuple[DecisionChange, ...]:
        """Where a decision changed, in the order of the steps. A decision that is a Curve has none here."""
        found = [
            DecisionChange(after.first, track.name, track.variable, before, after)
            for track in self.tracks
            if isinstance(track, BandTrack) and track.variable.role is Role.DECISION
            for before, after in zip(track.bands, track.bands[1:], strict=False)
        ]
        return tuple(sorted(found, key=lambda change: change.step))


def overview(
    trace: Trace, names: Sequence[str] = (), *, first: int | None = None, last: int | None = None, cells: int
) -> LogOverview:
    """What variables did, all or those that are named (`s.gps`: all that are in it), from a step to a step."""
    return overview_of(read_series(trace, names, first=first, last=last), cells=cells)


def overview_of(
    log: LogSeries, names: Sequence[str] = (), *, first: int | None = None, last: int | None = None, cells: int
) -> LogOverview:
    """What variables did in a part of a log that was read."""
    begin, end = log.between(first, last)
    start, stop = log.numbers[begin], log.numbers[end - 1]
    frame = LogOverview(start, stop, end - begin, max(1, min(cells, stop - start + 1)), (), (), log.times)
    borders = [bisect_left(log.numbers, frame.numbers_of(cell)[0], begin, end) for cell in range(frame.cells)]
    stretch = LogStretch(log.numbers, (*borders, end))
    tracks = tuple(track(each.name, each.variable, each.values, stretch, each.derived) for each in log.chosen(names))
    return replace(frame, tracks=tracks, absent=log.missing(names))
