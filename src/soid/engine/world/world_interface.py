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
    sensed: frozenset[str] = frozenset()  # what it computes anew for programs to perceive, by its own names

    def left(self, name: str) -> str:
        """How questions call what the world leaves, by its own name for it."""
        path = name.removesuffix("'")
        return f"{self.named.called(path)}'" if path != name or path in self.sensed else name

    @property
    def state(self) -> tuple[Variable, ...]:
        """What it remembers, by its own names."""
        return tuple(v for v in self.named.interface.inputs if v.role is Role.STATE)

    def labelled(self, programs: Interface) -> Iterator[tuple[str, EnumType]]:
        """What it leaves that programs perceive as labels of their own, so that no other number means anything."""
        seen = {v.path: v.type for v in programs.inputs}
        for each in (*self.state, *map(self.named.interface.variable, self.sensed)):
            kind = seen.get(self.named.called(each.path))
            if isinstance(kind, EnumType) and not alike(each.type, kind):
                yield f"{self.named.called(each.path)}'", kind

    @property
    def given(self) -> tuple[Variable, ...]:
        """What it is given that is no decision of a program, by its own names."""
        return tuple(v for v in self.named.interface.inputs if v.role is Role.ENVIRONMENT and v.path not in self.acts)

    @property
    def computed(self) -> tuple[Variable, ...]:
        """What it computes beside its state and what is perceived."""
        return tuple(v for v in self.named.interface if not v.is_input and v.path not in self.sensed)


def world_names(named: NamedInterface, acts: Mapping[str, str], programs: Interface) -> WorldNames:
    """The names of a world around programs, which perceive what it computes under names of their own inputs."""
    seen = {v.path: v for v in programs.inputs if v.role is Role.ENVIRONMENT}
    computed = {v.path: seen.get(named.called(v.path)) for v in named.interface if v.role is Role.DECISION}
    alone = {path: input_ for path, input_ in computed.items() if input_ is not None}
    for path, perceived in alone.items():
        _check_alike(path, named.interface.variable(path), perceived)
    return WorldNames(named, acts, frozenset(alone))


def world_interface(
    programs: Interface, world: WorldNames, events: Sequence[WorldEvent], logged: Sequence[str] = ()
) -> Interface:
    """The variables of programs and world together; those under `logged` go on as logged, whatever the world leaves."""
    _check_acts(programs, world)
    known = {variable.path: variable for variable in programs.variables}
    variables = list(programs.variables)
    for each in (*world.state, *world.given):
        path = world.named.called(each.path)
        before = known.get(path)
        if before is None:
            # what the world starts with, it has at its start only: an input with an initial value is a constant
            initial = None if each.role is Role.STATE else each.initial
            variables.append(replace(each, path=path, role=Role.ENVIRONMENT, initial=initial))
        else:
            _check_alike(each.path, each, before)
    taken = {variable.path for variable in variables}
    computed = []
    for each in world.computed:
        if each.path in taken and each.role is Role.INTERNAL:
            continue  # both have a function or a local variable of this name: questions mean the program's
        if each.path in taken:
            raise ManifestError(f"{each.path} is a variable of a program and of the world", "Rename it in the world.")
        computed.append(replace(each, role=Role.INTERNAL))
    variables += computed
    for event in events:
        variables.append(Variable(event.name, Role.INTERNAL, BoolType(), label=event.says))
    made = (*(each.path for each in world.state), *world.sensed)
    left = [world.named.called(path) for path in made]
    as_logged = frozenset(path for path in left if any(lies_under(path, each) for each in logged))
    if unknown := [each for each in logged if not any(lies_under(path, each) for path in left)]:
        remedy = did_you_mean(unknown[0], left, f"It leaves: {', '.join(left)}.")
        raise ManifestError(f"[world] logged: the world leaves no {unknown[0]}", remedy)
    return dataclasses.replace(
        programs,
        variables=tuple(variables),
        produced=frozenset(left) - as_logged,
        left=frozenset({*(f"{path}'" for path in left), *(each.path for each in computed)}),
        as_logged=as_logged,
        acted=frozenset(world.acts.values()),
        events=frozenset(each.name for each in events),
        harms=frozenset(each.name for each in events if each.is_harm),
        unperceived=frozenset(v.path for v in variables if v.is_input and v.path not in programs),
    )


def _check_alike(path: str, own: Variable, perceived: Variable) -> None:
    """Refuse a variable of the world that is another thing to the programs."""
    if perceived.role is not Role.ENVIRONMENT or not _may_become(own.type, perceived.type):
        seen = f"{perceived.path} is {perceived.type} ({perceived.role.value}) to the programs"
        raise ManifestError(
            f"{seen}, and {own.type} to the world",
            f'Call it otherwise: [world] names = {{ "{path}" = "..." }}.',
        )


def lies_under(path: str, outer: str) -> bool:
    """Whether a path is another one, or inside of it.

    >>> lies_under("cars[1].x", "cars[1]"), lies_under("cars[10].x", "cars[1]")
    (True, False)
    """
    return path.startswith(outer) and path[len(outer) :][:1] in ("", ".", "[")


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
