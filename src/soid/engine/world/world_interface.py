"""The interface of programs in a world.

    program     reads world.cars[0].x, memory      decides move            the same names
    world       state cars[0].x, gap               reads go                `cars` is called world.cars
                                                   go is what move says

What the world remembers is what the programs perceive: inputs, which the world gives anew after each step in a closed
loop (`Interface.produced`), and which the log gives where it is asked as logged. What the world computes beside its
state, and events, are values that questions may speak of.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from typing import final

from msgspec import Struct
from msgspec.structs import replace

from soid.errors import ManifestError, did_you_mean
from soid.program.interface import Interface, Role, Variable
from soid.program.product_interface import NamedInterface, alike
from soid.program.types import BoolType, EnumType, VariableType
from soid.scenario.expression import Expression


@final
class WorldEvent(Struct, frozen=True):
    """Something that may happen in the world."""

    name: str  # as questions call it
    when: Expression  # over the variables of programs and world, in one step
    says: str = ""  # a sentence: the two cars collide
    is_harm: bool = False


@final
class WorldNames(Struct, frozen=True):
    """How the names of a world's own program are those of questions."""

    named: NamedInterface
    acts: Mapping[str, str]  # its inputs that are decisions -> the decisions, as questions call them

    @property
    def state(self) -> tuple[Variable, ...]:
        """What it remembers, by its own names."""
        return tuple(v for v in self.named.interface.inputs if v.role is Role.STATE)

    def labelled(self, programs: Interface) -> Iterator[tuple[Variable, EnumType]]:
        """What of its state programs perceive as labels of their own, so that no other number means anything."""
        seen = {v.path: v.type for v in programs.inputs}
        for each in self.state:
            kind = seen.get(self.named.called(each.path))
            if isinstance(kind, EnumType) and not alike(each.type, kind):
                yield each, kind

    @property
    def given(self) -> tuple[Variable, ...]:
        """What it is given that is no decision of a program, by its own names."""
        return tuple(v for v in self.named.interface.inputs if v.role is Role.ENVIRONMENT and v.path not in self.acts)

    @property
    def computed(self) -> tuple[Variable, ...]:
        """What it computes beside its state."""
        return tuple(v for v in self.named.interface if not v.is_input)


def world_interface(programs: Interface, world: WorldNames, events: Sequence[WorldEvent]) -> Interface:
    """The variables of programs and world together."""
    _check_acts(programs, world)
    known = {variable.path: variable for variable in programs.variables}
    variables = list(programs.variables)
    for each in (*world.state, *world.given):
        path = world.named.called(each.path)
        before = known.get(path)
        if before is None:
            variables.append(replace(each, path=path, role=Role.ENVIRONMENT))
        elif before.role is not Role.ENVIRONMENT or not _may_become(each.type, before.type):
            raise ManifestError(
                f"{path} is {before.type} ({before.role.value}) to the programs, and {each.type} to the world",
                f'Call it otherwise: [world] names = {{ "{each.path}" = "..." }}.',
            )
    taken = {variable.path for variable in variables}
    for each in world.computed:
        if each.path in taken:
            raise ManifestError(f"{each.path} is a variable of a program and of the world", "Rename it in the world.")
        variables.append(replace(each, role=Role.INTERNAL))
    for event in events:
        variables.append(Variable(event.name, Role.INTERNAL, BoolType(), label=event.says))
    produced = frozenset(world.named.called(each.path) for each in world.state)
    return dataclasses.replace(
        programs,
        variables=tuple(variables),
        produced=produced,
        events=frozenset(each.name for each in events),
        harms=frozenset(each.name for each in events if each.is_harm),
    )


def _check_acts(programs: Interface, world: WorldNames) -> None:
    inputs = {v.path: v for v in world.named.interface.inputs if v.role is Role.ENVIRONMENT}
    for path, decision in world.acts.items():
        if path not in inputs:
            remedy = did_you_mean(path, inputs, f"It reads: {', '.join(inputs) or 'nothing'}.")
            raise ManifestError(f"[world] acts: the world does not read {path}", remedy)
        decided = programs.variable(decision)
        if decided.role is not Role.DECISION or not _may_become(decided.type, inputs[path].type):
            raise ManifestError(
                f"[world] acts: {decision} is no decision of the type of {path} ({_told(inputs[path].type)})",
                f"Give the world an input of the decision's own type: {_told(decided.type)}.",
            )


def _may_become(one: VariableType, other: VariableType) -> bool:
    """Whether the bits of one type mean the same in another: of labels, all that the one has."""
    if isinstance(one, EnumType) and isinstance(other, EnumType):
        return one.width == other.width and set(one.labels) <= set(other.labels)
    return alike(one, other)


def _told(kind: VariableType) -> str:
    if not isinstance(kind, EnumType):
        return str(kind)
    labels = ", ".join(f"{label} = {number}" for label, number in kind.labels)
    return f"{kind} of {kind.width} bits, {labels}"
