"""The interface of several programs: one scenario, and the decisions of each.

Inputs of the same name are one variable. What a program decides is called after it:

    standard    reads x, memory         decides move              x, memory, standard.move, memory'
    impatient   reads x, z, memory      decides move              z, impatient.move, impatient.memory'

All begin with the same state. What the first program leaves in it, which made the log, keeps its name; what another one
leaves is called after that one, unless the state is its own. The log has the first program's decisions by their own
names.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, final

from msgspec import Struct, field
from msgspec.structs import replace

from soid.errors import ManifestError
from soid.program.interface import ENDINGS, Interface, Role, Variable, VariablePart
from soid.program.types import BoolType, EnumType, VariableType

FAILS: Final = "fails"  # of a program other than the first: whether it fails


@final
class NamedInterface(Struct, frozen=True):
    """The interface of one of several programs, and its names in questions."""

    name: str  # its decision `move` is called `standard.move`; empty: `move`
    interface: Interface
    names: Mapping[str, str] = field(default_factory=dict)  # its paths of inputs -> what questions and logs call them

    def called(self, path: str) -> str:
        """What questions call one of its inputs."""
        return self.names.get(path, path)

    def output(self, name: str) -> str:
        """What questions call one of its outputs."""
        return f"{self.name}.{name}" if self.name else name

    def named(self, names: Iterable[str]) -> Iterator[str]:
        """Its own names for those of some names that are called after it."""
        prefix = self.output("")
        return (name.removeprefix(prefix) for name in names if name.startswith(prefix))

    def is_asked(self, names: Iterable[str]) -> bool:
        """Whether some of its own names are more than what it perceives."""
        known = self.interface
        return any(
            name == FAILS or (name in known and known.variable(name).role is not Role.ENVIRONMENT) for name in names
        )


def product_interface(members: Sequence[NamedInterface]) -> Interface:
    """The variables of all."""
    first, *others = members
    own = first.interface
    variables = [_named(first, each) for each in own.variables]
    views = [_named(first, each) for each in own.views]
    inputs = {each.path: each for each in variables if each.is_input}
    unused, owners = own.untouched, owned_state(members)
    for one in others:
        interface = one.interface
        for each in interface.inputs:
            added = _input(one, each, inputs)
            if added is not None:
                variables.append(added)
                inputs[added.path] = added
        shared = (each for each in interface.inputs if each.role is Role.STATE and each.path not in owners[one.name])
        views += [_left_by(one, each, inputs) for each in shared]
        variables += [replace(each, path=one.output(each.path)) for each in interface if not each.is_input]
        variables.append(Variable(one.output(FAILS), Role.INTERNAL, BoolType(), label=f"whether {one.name} fails"))
        unused |= interface.untouched
    enumerators: dict[str, tuple[tuple[str, int], ...]] = {}
    for each_one in members:
        for label, numbers in each_one.interface.enumerators.items():
            enumerators[label] = tuple(dict.fromkeys((*enumerators.get(label, ()), *numbers)))
    decided = {each.path: first.output(each.path) for each in own.nameable if each.role is Role.DECISION}
    return Interface(
        tuple(variables),
        unused - {each.path for each in variables},
        tuple(views),
        own.partial_views,
        ENDINGS | {each.path for each in variables if each.role is not Role.ENVIRONMENT},
        {**own.spellings, **decided},
        enumerators=enumerators,
        programs=tuple(each.name for each in members) if first.name else own.programs,
    )


def _named(member: NamedInterface, variable: Variable) -> Variable:
    """A variable of the first program as questions call it."""
    path = member.called(variable.path) if variable.is_input else member.output(variable.path)
    inputs = [part for part in variable.parts if part.variable.is_input and part.variable.path in member.names]
    if path == variable.path and not inputs:
        return variable
    parts = (
        replace(each, variable=_named(member, each.variable)) if each in inputs else each for each in variable.parts
    )
    return replace(variable, path=path, parts=tuple(parts))


def owned_state(members: Sequence[NamedInterface]) -> dict[str, frozenset[str]]:
    """By program the paths of its state that no program before it reads: what it leaves there keeps its name."""
    known: set[str] = set()
    found: dict[str, frozenset[str]] = {}
    for each in members:
        state = (v.path for v in each.interface.inputs if v.role is Role.STATE)
        found[each.name] = frozenset(path for path in state if each.called(path) not in known)
        known |= {each.called(v.path) for v in each.interface.inputs}
    return found


def is_failure(variable: Variable) -> bool:
    """Whether a variable says that one of several programs fails."""
    return variable.role is Role.INTERNAL and variable.path.endswith(f".{FAILS}")


@final
class OutputNames:
    """What questions call the outputs of several programs."""

    def __init__(self, members: Sequence[NamedInterface]) -> None:
        self._owned = owned_state(members)

    def called(self, member: NamedInterface, name: str) -> str:
        """The name of an output: what a program leaves in state of its own is called as the state is."""
        path = name.removesuffix("'")
        is_own = path != name and path in self._owned[member.name]
        return f"{member.called(path)}'" if is_own else member.output(name)


def _left_by(one: NamedInterface, variable: Variable, inputs: Mapping[str, Variable]) -> Variable:
    """The name for what a program leaves in its state; before the call it is what all programs have."""
    whole = VariablePart(inputs[one.called(variable.path)], 0, variable.type.width, 0)
    return replace(variable, path=one.output(variable.path), parts=(whole,))


def _input(one: NamedInterface, variable: Variable, known: Mapping[str, Variable]) -> Variable | None:
    """An input that no program before it has."""
    path = one.called(variable.path)
    before = known.get(path)
    if before is None:
        return replace(variable, path=path)
    if not alike(before.type, variable.type):
        raise ManifestError(
            f"{path} is {before.type} in one program, and {variable.type} in {one.name}",
            f'Give it another name: [programs.{one.name}] names = {{ "{variable.path}" = "..." }}.',
        )
    return None


def alike(one: VariableType, other: VariableType) -> bool:
    """Whether the bits of two types mean the same; enumerations may be called otherwise."""
    if isinstance(one, EnumType) and isinstance(other, EnumType):
        return replace(one, name="") == replace(other, name="")
    return one == other
