"""The steps of a log, read in another way: by another line of the manifest, or with the decisions of another step.

Each reading gives a step of the log as it would be if the log had been written so. Reading nothing differently is no
reading: what a reading explains is judged by comparing the program with the log so read. Here is also which steps of a
log are in a row.
"""

from __future__ import annotations

import bisect
import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import final, overload

from soid.program.domain import Range
from soid.scenario.trace import Step


def follows(step: Step, other: Step, by: int = 1) -> bool:
    """Whether one step of the log is so many calls after another: no call is missing in between."""
    return step.time == other.time + by


def run_begin(steps: Sequence[Step], place: int) -> int:
    """The first of the steps in a row that lead to a place: before it the log begins, or calls are missing."""
    # numbers grow from step to step, so that no call is missing where they grow as the places do
    return bisect.bisect_left(range(place), steps[place].time - place, key=lambda at: steps[at].time - at)


def run_end(steps: Sequence[Step], place: int, most: int) -> int:
    """The place after the last of the steps in a row from a place on, at most so many of them."""
    end = place + 1
    while end < len(steps) and end < place + most and follows(steps[end], steps[end - 1]):
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
        if not 0 <= other < len(steps) or not follows(steps[other], step, by):
            return dataclasses.replace(step, decisions={}, rounded=inputs)
        theirs = steps[other]
        ranges = {name: each for name, each in theirs.rounded.items() if name in theirs.decisions}
        return dataclasses.replace(step, decisions=theirs.decisions, rounded={**inputs, **ranges})

    return ReadSteps(steps, read)
