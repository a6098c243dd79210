"""What the log says of the steps that a `did` asks about, and whether the program agrees.

The program is run on the logged environment of each step, its own state fed back. So the log is checked twice at each
step: the state that it says the program had, against the one that the step before has left; and the decisions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import final

from soid.engine.summary import Decided, Run, Unexplored
from soid.program.interface import Interface, Role
from soid.program.types import constant, show
from soid.scenario.trace import Keyframe, Step


@final
@dataclass(frozen=True, slots=True)
class Log:
    """The keyframe, and the steps that follow it as far as they are asked about."""

    keyframe: Keyframe
    following: tuple[Step, ...] = ()

    @property
    def environments(self) -> tuple[Mapping[str, int], ...]:
        """Bits of what was perceived from the second step on."""
        paths = [v.path for v in self.keyframe.interface.inputs if v.role is Role.ENVIRONMENT]
        return tuple({path: step.inputs[path] for path in paths} for step in self.following)

    def assumed(self) -> tuple[str, ...]:
        """The inputs that are not logged, and what was taken for them."""
        variable = self.keyframe.interface.variable
        first = [(variable(path), self.keyframe.inputs[path], "") for path in self.keyframe.assumed]
        later = [
            (variable(path), step.inputs[path], f" at step {step.time}")
            for step in self.following
            for path in step.assumed
        ]
        shown = [
            f"{v.path} = {show(v.type, bits)}{there}"
            for v, bits, there in (*first, *later)
            if not there or v.role is Role.ENVIRONMENT  # a later step's state is what the one before has left
        ]
        return (f"not logged, and taken to be as the program starts: {', '.join(shown)}",) if shown else ()

    def mismatch(self, run: Run) -> str:
        """How log and program differ, in words; empty where they agree, as far as anyone has looked."""
        interface = self.keyframe.interface
        given = (*run.earlier, run.outputs)
        found = list(_differences(self.keyframe.decisions, run, 0, interface))
        for number, step in enumerate(self.following, start=1):
            there = f"at step {step.time} "
            if number < len(given):
                found += [there + text for text in _state_differences(step, given[number - 1], interface)]
            found += [there + text for text in _differences(step.decisions, run, number, interface)]
        return "; ".join(found)


def _differences(logged: Mapping[str, int], run: Run, number: int, interface: Interface) -> Iterator[str]:
    """The logged outputs that the program does not give in a step."""
    ending = run.path.ending if number >= len(run.earlier) else Decided()
    if isinstance(ending, Unexplored):
        return
    outputs = (*run.earlier, run.outputs)[min(number, len(run.earlier))]
    for name, bits in logged.items():
        kind = interface.variable(name.removesuffix("'")).type
        says = f"the log says {name} = {show(kind, bits)}, the program"
        if not isinstance(ending, Decided):
            yield f"{says} {ending}" + (" before" if number > len(run.earlier) else "")
        elif constant(kind, bits).value != outputs.get(name):
            yield f"{says} gives {show(kind, int(outputs[name])) if name in outputs else 'nothing'}"


def _state_differences(step: Step, left: Mapping[str, int], interface: Interface) -> Iterator[str]:
    """The logged state that the program does not have after the step before."""
    for variable in interface.inputs:
        bits, name = step.inputs[variable.path], f"{variable.path}'"
        if variable.role is Role.STATE and variable.path not in step.assumed:
            if name in left and constant(variable.type, bits).value != left[name]:
                says = f"the log says {variable.path} = {show(variable.type, bits)} before the call"
                yield f"{says}, the program has left {show(variable.type, int(left[name]))}"
