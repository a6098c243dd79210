"""What the program perceives at a later step: for each variable its bits, or the input that has its value.

A world gives what is perceived next, given what was decided (`Produced`). In a step that has a value for a decision, it
is given that, whatever the program decided.

A question over several steps may vary what is perceived later. Such a value is an input of its own, `pilot@231`, with
the type and domain of its variable. A variable that is not mentioned has its value of the first step. What is supposed
until the program does something is `Lapsing`: which value is perceived then depends on the outputs of earlier steps.

>>> from soid.program.interface import Role
>>> from soid.program.types import BoolType
>>> later = Variable("pilot@231", Role.ENVIRONMENT, BoolType())
>>> resolved(({"gps": 1, "pilot": later},), {"gps": 0, "pilot": 0, "pilot@231": 1})
({'gps': 1, 'pilot': 1},)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import Final, Protocol, TypeAlias, final

from msgspec import Struct

from soid.errors import InternalError
from soid.formula import build
from soid.formula.passes import substitute
from soid.formula.sorts import BOOL, BitVec
from soid.formula.term import Term
from soid.program.interface import Variable
from soid.program.types import VariableType, constant, reading


class GivenOutput(Protocol):
    """What one output is on a path, in some step."""

    @property
    def term(self) -> Term:
        """Its value."""

    @property
    def defined(self) -> Term:
        """Where it has a known value."""


Given: TypeAlias = Mapping[str, GivenOutput]  # the outputs of one step, by name


@final
class OutputCondition(Struct, frozen=True):
    """A formula over the outputs of a step, in three-valued logic; its variables are `placeholders`."""

    true: Term
    false: Term
    outputs: tuple[tuple[str, VariableType], ...]  # that it reads, by name

    def in_step(self, given: Given) -> tuple[Term, Term]:
        """Where it is true, and where it is neither true nor false. An output that is missing has no value."""
        found = ((given.get(name), kind) for name, kind in self.outputs)
        values = ((constant(kind, 0), build.FALSE) if one is None else (one.term, one.defined) for one, kind in found)
        return _lowered(self, tuple(values))


@lru_cache(maxsize=1024)
def _lowered(condition: OutputCondition, values: tuple[tuple[Term, Term], ...]) -> tuple[Term, Term]:
    terms: dict[Term, Term] = {}
    for (name, kind), value in zip(condition.outputs, values, strict=True):
        terms |= zip(placeholders(name, kind), value, strict=True)
    true, false = substitute([condition.true, condition.false], terms)
    unknown = build.any_of(build.not_(defined) for _, defined in values)  # else it is one of them
    return true, build.and_(unknown, build.not_(true), build.not_(false))


def placeholders(name: str, kind: VariableType) -> tuple[Term, Term]:
    """The terms that stand for an output in a condition: its value, and whether it has one."""
    return build.var(name, constant(kind, 0).sort), build.var(f"{name} has a value", BOOL)


@final
class Produced(Struct, frozen=True):
    """A value that a world gives: what an output of the step before has."""

    output: str


@final
class Lapsing(Struct, frozen=True):
    """A value that is supposed until a condition has come true in a step; in the next step and on it is another."""

    supposed: Variable
    otherwise: int | Variable | Produced
    until: OutputCondition
    first: int  # the step from which on it is supposed, the first of the question being 0

    def has_lapsed(self, earlier: Sequence[Given]) -> Term:
        """Where the condition was true in a step before the one that follows `earlier`, since it is supposed."""
        return build.any_of(self.until.in_step(given)[0] for given in earlier[self.first :])

    def is_open(self, earlier: Sequence[Given]) -> Term:
        """Where it was neither true nor false in the last of the steps, and not true before: what is perceived next?"""
        if len(earlier) <= self.first:
            return build.FALSE
        open_ = self.until.in_step(earlier[-1])[1]
        return open_ if open_ is build.FALSE else build.and_(open_, build.not_(self.has_lapsed(earlier[:-1])))


PerceivedValue: TypeAlias = int | Variable | Lapsing | Produced
Perceived: TypeAlias = Mapping[str, PerceivedValue]
NO_ACTS: Final[Perceived] = MappingProxyType({})  # a world goes on from what is decided


def inputs_of(value: PerceivedValue) -> tuple[Variable, ...]:
    """The inputs that a perceived value may come from."""
    if isinstance(value, Lapsing):
        return (value.supposed, *inputs_of(value.otherwise))
    return (value,) if isinstance(value, Variable) else ()


def from_world(value: PerceivedValue) -> bool:
    """Whether a perceived value is, or may become, what a world has left."""
    return isinstance(value, Produced) or (isinstance(value, Lapsing) and from_world(value.otherwise))


def resolved(
    steps: Sequence[Perceived], state: Mapping[str, int], earlier: Sequence[Given] = ()
) -> tuple[Mapping[str, int], ...]:
    """The bits that are perceived at each step, in one scenario; `state` has the bits of every input.

    `earlier` has the outputs of its run in each step but the last, as constants; those that it does not reach lack, and
    so does what a world that fails would have left.
    """
    return tuple(
        {
            path: _bits(value, state, earlier[:number])
            for path, value in step.items()
            if _is_there(value, earlier[:number])
        }
        for number, step in enumerate(steps, start=1)
    )


def _is_there(value: PerceivedValue, earlier: Sequence[Given]) -> bool:
    """Whether the step before has left what is perceived, if a world gives it."""
    if isinstance(value, Lapsing):
        return _is_there(value.otherwise, earlier)
    return not isinstance(value, Produced) or (bool(earlier) and value.output in earlier[-1])


def with_acts(acts: Perceived, state: Mapping[str, int]) -> Mapping[str, int]:
    """The bits of the first step: the inputs of a scenario, and what is done there in the place of decisions."""
    return {**state, **{path: _bits(value, state, ()) for path, value in acts.items()}}


def _bits(value: PerceivedValue, state: Mapping[str, int], earlier: Sequence[Given]) -> int:
    if isinstance(value, int):
        return value
    if isinstance(value, Variable):
        return state[value.path]
    if isinstance(value, Produced):
        return _left(value, earlier)
    lapsed = value.has_lapsed(earlier)
    if not lapsed.is_const:
        raise InternalError(f"whether {value.supposed.path} is still supposed depends on more than one scenario")
    return _bits(value.otherwise if lapsed is build.TRUE else value.supposed, state, earlier)


def _left(value: Produced, earlier: Sequence[Given]) -> int:
    """The bits that the step before has left, in one scenario."""
    found = earlier[-1].get(value.output) if earlier else None
    if found is None or not found.term.is_const:
        raise InternalError(f"what the world makes of {value.output} is not known in this scenario")
    return int(found.term.value)


def term_of(value: PerceivedValue, like: Variable, state: Mapping[str, int], earlier: Sequence[Given]) -> Term:
    """The term for the bits of a perceived value; `like` is its variable, `state` has inputs that have one value."""
    if isinstance(value, int):
        return build.const(like.symbol.sort, value)
    if isinstance(value, Variable):
        bits = state.get(value.path)
        return value.symbol if bits is None else build.const(value.symbol.sort, bits)
    if isinstance(value, Produced):
        return earlier[-1][value.output].term  # as programs compute with it, not its bits
    supposed, otherwise = (term_of(each, like, state, earlier) for each in (value.supposed, value.otherwise))
    if supposed.sort != otherwise.sort:  # a world gives a number, and what is supposed are its bits
        supposed, otherwise = (
            reading(like.type, each) if isinstance(each.sort, BitVec) else each for each in (supposed, otherwise)
        )
    return supposed if supposed is otherwise else build.ite(value.has_lapsed(earlier), otherwise, supposed)


def symbol_at(variable: Variable, step: Perceived, state: Mapping[str, int], earlier: Sequence[Given]) -> Term:
    """The term for a variable's bits at a step; `state` has the inputs that have one value."""
    terms = {v.symbol: term_of(step.get(v.path, v), v, state, earlier) for v in variable.sources}
    return substitute([variable.symbol], terms)[0]
