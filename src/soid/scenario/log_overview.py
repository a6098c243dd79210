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

import heapq
from collections.abc import Callable, Iterator, Sequence
from itertools import count, pairwise
from typing import final

from msgspec import Struct
from msgspec.structs import replace

from soid.program.interface import Role, Variable
from soid.scenario.log_series import LogSeries, SeriesColumn, parts_between, places_between, series_columns
from soid.scenario.log_tracks import Band, BandTrack, Track, TrackMaker
from soid.scenario.logs.series_part import SeriesPart
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

    @property
    def cell_numbers(self) -> list[int]:
        """The numbers at which the cells begin, and the one after the last."""
        return [self.numbers_of(cell)[0] for cell in range(self.cells + 1)]

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
    def change_count(self) -> int:
        """How often a decision changed that is no Curve."""
        return sum(len(track.bands) - 1 for track in self._decided)

    def changes(self) -> Iterator[DecisionChange]:
        """Where a decision changed, in the order of the steps. A decision that is a Curve has none here."""
        return heapq.merge(*map(_changes, self._decided), key=lambda change: change.step)

    @property
    def _decided(self) -> list[BandTrack]:
        found = (track for track in self.tracks if isinstance(track, BandTrack))
        return [track for track in found if track.variable.role is Role.DECISION]


def _changes(track: BandTrack) -> Iterator[DecisionChange]:
    for before, after in pairwise(track.bands):
        yield DecisionChange(after.first, track.name, track.variable, before, after)


def overview(
    trace: Trace,
    names: Sequence[str] = (),
    *,
    first: int | None = None,
    last: int | None = None,
    cells: int,
    progress: Callable[[float], None] = lambda _: None,
) -> LogOverview:
    """What variables did, all or those that are named (`s.gps`: all that are in it), from a step to a step.

    No step is kept, so a log of any length takes the same memory, but for its bands. `progress` is told the share that
    is read.
    """
    columns = series_columns(trace.interface, names)
    begin, end = places_between(trace, first, last)
    frame = _frame(trace.steps[begin].time, trace.steps[end - 1].time, end - begin, cells)
    making = _OverviewMaker(frame, columns)
    for part in parts_between(trace, columns, begin, end):
        making.add(part)
        progress(making.read / frame.steps)
    return making.overview(trace)


def _frame(first: int, last: int, steps: int, cells: int) -> LogOverview:
    return LogOverview(first, last, steps, max(1, min(cells, last - first + 1)), (), ())


@final
class _OverviewMaker:
    """The tracks of a log while it is read."""

    def __init__(self, frame: LogOverview, columns: Sequence[SeriesColumn]) -> None:
        self._frame, self._columns = frame, columns
        begins = frame.cell_numbers
        self._makers = {column.name: TrackMaker(column.name, column.variable, begins) for column in columns}
        self._times: dict[int, float] = {}  # of steps at which a decision changes, and of the first and the last
        self.read = 0  # steps

    def add(self, part: SeriesPart) -> None:
        told = {0, len(part.numbers) - 1} if self.read == 0 else {len(part.numbers) - 1}
        for column in self._columns:
            begun = self._makers[column.name].add(part.numbers, part.values[column.name])
            if column.variable.role is Role.DECISION:
                told.update(begun)
        if part.seconds is not None:
            self._times.update((part.numbers[at], part.seconds(at)) for at in told)
        self.read += len(part.numbers)

    def overview(self, trace: Trace) -> LogOverview:
        logged = {each.variable.path: each for each in reversed(self._makers.values()) if each.is_logged}
        paths = list(dict.fromkeys(column.variable.path for column in self._columns))
        tracks = tuple(logged[path].track for path in paths if path in logged)
        absent = tuple(path for path in paths if path not in logged)
        steps = sorted(self._times)
        times = TimedSteps(steps, [self._times[step] for step in steps], _looked_up(trace) if steps else None)
        return replace(self._frame, tracks=tracks, absent=absent, times=times)


def _looked_up(trace: Trace) -> Callable[[int], float | None]:
    """The time of any step of a log; of a large one a piece is read for it."""

    def seconds(number: int) -> float | None:
        step = trace.step(number)
        return None if step is None or step.when is None else step.when.seconds

    return seconds


def overview_of(
    log: LogSeries, names: Sequence[str] = (), *, first: int | None = None, last: int | None = None, cells: int
) -> LogOverview:
    """What variables did in a part of a log that was read."""
    begin, end = log.between(first, last)
    numbers = log.numbers[begin:end]
    frame = _frame(numbers[0], numbers[-1], end - begin, cells)
    tracks = []
    for each in log.chosen(names):
        maker = TrackMaker(each.name, each.variable, frame.cell_numbers)
        maker.add(numbers, each.values[begin:end], each.derived[begin:end])
        tracks.append(maker.track)
    return replace(frame, tracks=tuple(tracks), absent=log.missing(names), times=log.times)
