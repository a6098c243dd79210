"""The steps of a log, read in another way: by another line of the manifest, or with the decisions of another step.

Each reading gives a step of the log as it would be if the log had been written so. Reading nothing differently is no
reading: what a reading explains is judged by comparing the program with the log so read. Here is also which steps of a
log are in a row.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import final, overload

from soid.program.domain import Range
from soid.scenario.trace import Step


def is_beside(steps: Sequence[Step], place: int, by: int) -> bool:
    """Whether the log has the call right after that at a place (`by` is 1), or right before it (-1)."""
    other = place + by
    if not 0 <= other < len(steps):
        return False
    before, after = (place, other) if by > 0 else (other, place)
    return steps[before].precedes(steps[after])


def run_begin(steps: Sequence[Step], place: int) -> int:
    """The first of the steps in a row that lead to a place: before it the log begins, or calls may be missing."""
    while is_beside(steps, place, -1):
        place -= 1
    return place


def run_end(steps: Sequence[Step], place: int, most: int) -> int:
    """The place after the last of the steps in a row from a place on, at most so many of them."""
    end = place + 1
    while end < place + most and is_beside(steps, end - 1, 1):
        end += 1
    return end


@final
class ReadSteps(Sequence[Step]):
    """The steps of a log, each read in another way when it is asked for."""

    def __init__(self, steps: Sequence[Step], read: Callable[[int], Step], places: range | None = None) -> None:
        self._steps = steps
        self._read = read
        self._places = range(len(steps)) if places is None else places

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, place: int) -> Step: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Step]: ...
    def __getitem__(self, place: int | slice) -> Step | Sequence[Step]:
        if isinstance(place, slice):
            return ReadSteps(self._steps, self._read, self._places[place])
        return self._read(self._places[place])


def shifted(steps: Sequence[Step], by: int) -> ReadSteps:
    """The steps with the decisions of another one, `by` steps later."""

    def read(place: int) -> Step:
        step, other = steps[place], place + by
        inputs: Mapping[str, Range] = {name: each for name, each in step.rounded.items() if name in step.inputs}
        if not is_beside(steps, place, by):
            return dataclasses.replace(step, decisions={}, rounded=inputs)
        theirs = steps[other]
        ranges = {name: each for name, each in theirs.rounded.items() if name in theirs.decisions}
        return dataclasses.replace(step, decisions=theirs.decisions, rounded={**inputs, **ranges})

    return ReadSteps(steps, read)
