"""The marks on a log's slider: changes of decisions, and named moments.

>>> from soid.program.interface import Interface, Role
>>> from soid.program.types import BoolType
>>> from soid.scenario.log_series import read_series
>>> from soid.scenario.trace import Step
>>> move = Variable("move", Role.DECISION, BoolType())
>>> log = Trace(Interface((move,)), tuple(Step(time, {}, {"move": int(time > 1)}) for time in range(4)))
>>> marks(log, {3: "the crash"}, read_series(log))  # doctest: +NORMALIZE_WHITESPACE
[Mark(at=2, label='step 2: it decides for "move"', kind='change'),
 Mark(at=3, label='step 3: “the crash”', kind='named')]
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Final, final

from msgspec import Struct

from soid.program.interface import Role, Variable
from soid.query.words import Words
from soid.scenario.log_series import LogSeries
from soid.scenario.step_times import TimedSteps
from soid.scenario.trace import Trace

#: the most marks that a slider can show apart; of changes that are closer together, the first is marked
_MOST: Final = 300


@final
class Mark(Struct, frozen=True):
    """A mark on the slider."""

    at: int  # index of the step
    label: str
    kind: str  # "change" or "named"


def marks(trace: Trace, names: Mapping[int, str], read: LogSeries | None) -> list[Mark]:
    """The marks, from left to right; changes as far as the log was read. `names` are those of moments, by step."""
    found: list[Mark] = []
    least = len(trace) / _MOST
    times = TimedSteps() if read is None else read.times
    for at, step, told, kind in sorted(_all(trace, names, read)):
        if kind == "named" or not found or at - found[-1].at >= least:
            found.append(Mark(at, f"{times.called(step)}: {', '.join(told)}", kind))
    return found


def _all(trace: Trace, names: Mapping[int, str], read: LogSeries | None) -> Iterator[tuple[int, int, list[str], str]]:
    """The index of each, its step, what there is, and the kind."""
    changes = _changes(read, trace.place(read.numbers[0]), Words(trace.interface)) if read is not None else {}
    for step, name in names.items():
        at = trace.place(step)
        _, told = changes.pop(at, (step, []))
        yield at, step, [f"“{name}”", *told], "named"
    for at, (step, told) in changes.items():
        yield at, step, told, "change"


def _changes(read: LogSeries, start: int, words: Words) -> dict[int, tuple[int, list[str]]]:
    """The steps at which decisions changed, by index: the number, and which decisions there are from then on."""
    found: dict[int, tuple[int, list[str]]] = {}
    for each in read.series:
        if each.variable.role is Role.DECISION:
            for at, (before, after) in enumerate(pairwise(each.values), start=1):
                if before != after:
                    found.setdefault(start + at, (read.numbers[at], []))[1].append(_told(each.variable, after, words))
    return found


def _told(variable: Variable, bits: int | None, words: Words) -> str:
    if bits is None:
        return f"{words.called(variable.path)} is not logged"
    return words.decided({variable.path: bits})
