"""The marks on a log's slider: changes of decisions, and named moments.

>>> from soid.program.interface import Role
>>> from soid.program.types import BoolType
>>> move = Variable("move", Role.DECISION, BoolType())
>>> log = [Step(time, {}, {"move": int(time > 1)}) for time in range(4)]
>>> marks(log, (move,), {3: "the crash"})
[Mark(at=2, label='step 2: move = true', kind='change'), Mark(at=3, label='step 3: “the crash”', kind='named')]
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, final

from msgspec import Struct

from soid.program.interface import Variable
from soid.program.types import show
from soid.scenario.trace import Step

#: the most marks that a slider can show apart; of changes that are closer together, the first is marked
_MOST: Final = 300


@final
class Mark(Struct, frozen=True):
    """A mark on the slider."""

    at: int  # index of the step
    label: str
    kind: str  # "change" or "named"


def marks(steps: Sequence[Step], decisions: tuple[Variable, ...], names: Mapping[int, str]) -> list[Mark]:
    """The marks, from left to right."""
    found: list[Mark] = []
    least = len(steps) / _MOST
    for mark in _all(steps, decisions, names):
        if mark.kind == "named" or not found or mark.at - found[-1].at >= least:
            found.append(mark)
    return found


def _all(steps: Sequence[Step], decisions: tuple[Variable, ...], names: Mapping[int, str]) -> Iterator[Mark]:
    for at, step in enumerate(steps):
        before = steps[at - 1].decisions if at else step.decisions
        new = [each for each in decisions if step.decisions.get(each.path) != before.get(each.path)]
        told = [_told(each, step) for each in new]
        if step.time in names:
            yield Mark(at, f"step {step.time}: {', '.join([f'“{names[step.time]}”', *told])}", "named")
        elif new:
            yield Mark(at, f"step {step.time}: {', '.join(told)}", "change")


def _told(variable: Variable, step: Step) -> str:
    bits = step.decisions.get(variable.path)
    return f"{variable.path} is not logged" if bits is None else f"{variable.path} = {show(variable.type, bits)}"
