"""A stretch of a log, variable by variable: read once, then drawn and searched as often as one likes.

A large log is read in pieces, and what is kept of a step is its values alone. A value that is only assumed is left out:
it was not logged.

>>> from soid.program.types import BoolType
>>> interface = Interface((Variable("stop", Role.DECISION, BoolType()),))
>>> log = read_series(Trace(interface, tuple(Step(at, {}, {"stop": int(at > 1)}) for at in range(4))))
>>> log.numbers, log.series[0].values, log.changes(["stop"])
([0, 1, 2, 3], [0, 0, 1, 1], [2])
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Final, final

from msgspec import Struct
from msgspec.structs import replace

from soid.errors import KeyframeError, UnknownVariableError
from soid.program.interface import Interface, Role, Variable, normal_path
from soid.program.manifest import below
from soid.scenario.logs.series_part import SeriesPart
from soid.scenario.step_times import TimedSteps
from soid.scenario.trace import Step, Trace

_PART: Final = 1000  # steps of a small log that are looked at at once


@final
class LoggedSeries(Struct, frozen=True):
    """The values of one variable."""

    name: str  # the variable's path, with a prime for state after the call
    variable: Variable
    values: Sequence[int | None]  # bits, step by step; None: not logged there
    derived: Sequence[int] = b""  # step by step, whether the value was not logged and follows; empty: none of them


@final
class LogSeries(Struct, frozen=True):
    """The steps of a log from one number to another, by variable."""

    source: str  # the file
    numbers: Sequence[int]  # of the steps
    series: tuple[LoggedSeries, ...]  # decisions first
    absent: tuple[str, ...]  # variables that were logged at none of the steps
    times: TimedSteps = TimedSteps()  # of these steps, if the log has a clock

    def between(self, first: int | None, last: int | None) -> tuple[int, int]:
        """The places of the steps from a number to a number: the first one, and the one after the last."""
        begin = 0 if first is None else bisect_left(self.numbers, first)
        end = len(self.numbers) if last is None else bisect_right(self.numbers, last)
        if begin >= end:
            raise _nothing(self.source, first, last, self.numbers[0], self.numbers[-1])
        return begin, end

    def count(self, first: int, last: int) -> int:
        """How many steps there are from a number to a number."""
        return bisect_right(self.numbers, last) - bisect_left(self.numbers, first)

    def chosen(self, names: Sequence[str]) -> tuple[LoggedSeries, ...]:
        """Those of the variables that are named; without names all of them."""
        return tuple(each for each in self.series if not names or _is_among(each.variable.path, names))

    def missing(self, names: Sequence[str]) -> tuple[str, ...]:
        """Those of the variables that are named and were not logged."""
        return tuple(path for path in self.absent if not names or _is_among(path, names))

    def with_series(self, others: Mapping[str, LoggedSeries], interface: Interface) -> LogSeries:
        """The same with other values of some variables, in the order of the program."""
        known = {each.variable.path: each for each in self.series} | dict(others)
        paths = [variable.path for variable in (*interface.decisions, *interface.inputs)]
        absent = tuple(path for path in self.absent if path not in others)
        return replace(self, series=tuple(known[path] for path in paths if path in known), absent=absent)

    def changes(self, names: Sequence[str]) -> list[int]:
        """The numbers of the steps at which one of these (`LoggedSeries.name`) is another than at the step before."""
        found: set[int] = set()
        for each in self.series:
            if each.name in names:
                pairs = enumerate(pairwise(each.values), start=1)
                found.update(self.numbers[at] for at, (before, after) in pairs if before != after)
        return sorted(found)


def read_series(
    trace: Trace,
    names: Sequence[str] = (),
    *,
    first: int | None = None,
    last: int | None = None,
    progress: Callable[[float], None] = lambda _: None,
) -> LogSeries:
    """Reads all variables, or those that are named (`s.gps`: all that are in it), from a step to a step.

    `progress` is told the share that is read.
    """
    begin, end = places_between(trace, first, last)
    columns = series_columns(trace.interface, names)
    values: dict[str, list[int | None]] = {column.name: [] for column in columns}
    numbers: list[int] = []
    seconds = array("d")
    shared: dict[int, int] = {}  # the values of a log repeat: equal ones are one object
    for part in parts_between(trace, columns, begin, end):
        numbers.extend(part.numbers)
        if part.seconds is not None:
            seconds.extend(map(part.seconds, range(len(part.numbers))))
        for name, found in part.values.items():
            values[name].extend([None if bits is None else shared.setdefault(bits, bits) for bits in found])
        progress(len(numbers) / (end - begin))
    logged = {
        column.variable.path: column
        for column in reversed(columns)
        if any(bits is not None for bits in values[column.name])
    }
    paths = list(dict.fromkeys(column.variable.path for column in columns))
    known = [logged[path] for path in paths if path in logged]
    series = tuple(LoggedSeries(each.name, each.variable, values[each.name]) for each in known)
    absent = tuple(path for path in paths if path not in logged)
    return LogSeries(trace.source, numbers, series, absent, TimedSteps(numbers, seconds))


def places_between(trace: Trace, first: int | None, last: int | None) -> tuple[int, int]:
    """The places of the steps of a log from a number to a number: the first one, and the one after the last."""
    begin = 0 if first is None else trace.place(first)
    end = len(trace) if last is None else trace.place(last + 1)
    if begin >= end:
        raise _nothing(trace.source, first, last, trace.steps[0].time, trace.steps[-1].time)
    return begin, end


def parts_between(trace: Trace, columns: Sequence[SeriesColumn], begin: int, end: int) -> Iterator[SeriesPart]:
    """The values of these variables from a place of the log to the one before another, part by part."""
    if trace.columns is None:
        for start in range(begin, end, _PART):
            yield _of_steps(trace.steps[start : min(end, start + _PART)], columns)
        return
    read, sizes = trace.columns
    names, start = [column.name for column in columns], 0
    for number, size in enumerate(sizes):
        if start < end and begin < start + size:
            yield read(number, names).between(begin - start, end - start)
        start += size


def _of_steps(steps: Sequence[Step], columns: Sequence[SeriesColumn]) -> SeriesPart:
    times = [step.when.seconds for step in steps if step.when is not None]
    values = {column.name: [column.of(step) for step in steps] for column in columns}
    return SeriesPart([step.time for step in steps], values, times.__getitem__ if times else None)


@final
class SeriesColumn:
    """A variable that is read: of state, its values before the call, or those after it."""

    def __init__(self, name: str, variable: Variable) -> None:
        self.name, self.variable = name, variable
        self._is_input = name == variable.path and variable.is_input

    def of(self, step: Step) -> int | None:
        if step.unlogged and self.name in step.unlogged:
            return None
        return (step.inputs if self._is_input else step.decisions).get(self.name)


def series_columns(interface: Interface, names: Sequence[str]) -> list[SeriesColumn]:
    """The variables that a log may have, decisions first; of state, the values before the call are preferred."""
    check_names(interface, names)
    return [
        SeriesColumn(name, variable)
        for variable in (*interface.decisions, *interface.inputs)
        if not names or _is_among(variable.path, names)
        for name in ((variable.path, f"{variable.path}'") if variable.role is Role.STATE else (variable.path,))
    ]


def check_names(interface: Interface, names: Sequence[str]) -> None:
    """Refuse a name that is neither a variable of the log nor what variables of it are in."""
    known = [variable.path for variable in (*interface.decisions, *interface.inputs)]
    for name in names:
        if not any(_is_among(path, [name]) for path in known):
            path = normal_path(name)
            raise UnknownVariableError(f"no input and no decision is called {path}", interface.suggestion(path))


def _is_among(path: str, names: Sequence[str]) -> bool:
    return any(below(path, normal_path(name)) for name in names)


def _nothing(source: str, first: int | None, last: int | None, start: int, end: int) -> KeyframeError:
    asked = " ".join([f"from {first}"] * (first is not None) + [f"to {last}"] * (last is not None))
    return KeyframeError(f"{source or 'the log'} has no step {asked}", f"Its steps go from {start} to {end}.")
