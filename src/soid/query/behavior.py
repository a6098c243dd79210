"""Behavior: a formula over a call of the program.

It mentions decisions (`move == 1`), the state after the call (`started'`), the inputs before the call, factual values
(`brake > fact(brake)`), and how the program ends (`fails`, `decides`).

>>> from soid.program.types import BoolType
>>> from soid.scenario.expression import Name
>>> Behavior(Name("heat", primed=True)).check(Interface((Variable("heat", Role.DECISION, BoolType()),)))
Traceback (most recent call last):
soid.errors.QueryError: heat is what the call itself gives, so it takes no prime
Write heat.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import final

from msgspec import Struct

from soid.errors import QueryError
from soid.formula import build
from soid.formula.build import var
from soid.formula.sorts import BOOL
from soid.formula.term import Term
from soid.program.interface import ENDINGS, Interface, Role, Variable, normal_path
from soid.program.types import symbol_sort
from soid.scenario.expression import Decides, Expression, FactOf, Fails, Located, Name, is_partial, walk
from soid.scenario.kleene_terms import Operand, lower


@final
class Behavior(Located, frozen=True):
    """The formula that a question asks about."""

    expression: Expression

    @property
    def speaks_of_endings(self) -> bool:
        """Whether `fails` or `decides` occurs. If not, it has no value where the program does not decide."""
        return any(isinstance(node, Fails | Decides) for node in walk(self.expression))

    @property
    def is_partial(self) -> bool:
        """Whether it computes something that has no value everywhere, such as a quotient by zero."""
        return any(is_partial(node) for node in walk(self.expression))

    @property
    def facts(self) -> frozenset[str]:
        """The names in `fact(...)`, with a prime for the state after the call."""
        return frozenset(
            normal_path(node.path) + "'" * node.primed for node in walk(self.expression) if isinstance(node, FactOf)
        )

    @property
    def outcomes(self) -> frozenset[str]:
        """The names outside of `fact(...)`, with a prime for the state after the call."""
        return frozenset(
            normal_path(node.path) + "'" * node.primed for node in walk(self.expression) if isinstance(node, Name)
        )

    @property
    def names(self) -> frozenset[str]:
        """The paths of all variables that it mentions."""
        return frozenset(normal_path(node.path) for node in walk(self.expression) if isinstance(node, Name | FactOf))

    @property
    def observed(self) -> frozenset[str]:
        """What an exploration must observe to answer for it."""
        return self.names | ENDINGS if self.speaks_of_endings else self.names

    def unknown(self, inputs: Mapping[str, int], outputs: Container[str], interface: Interface) -> list[str]:
        """The names in `fact(...)` of which a fact with these inputs and outputs has no value."""
        missing = sorted(name for name in self.facts if name not in outputs)
        return [name for name in missing if name.endswith("'") or interface.variable(name).value_in(inputs) is None]

    def check(self, interface: Interface) -> None:
        """Refuse a behavior that is ill-typed or mentions unknown variables."""
        lower(self.expression, CheckScope(interface))


@final
class CheckScope(Struct, frozen=True):
    """The names of a behavior, each as a symbol: this suffices to check types."""

    interface: Interface

    @property
    def fails(self) -> Term:
        return var("fails", BOOL)

    @property
    def decides(self) -> Term:
        return build.not_(self.fails)

    def read(self, name: str, primed: bool, /) -> Operand:
        variable = self.interface.variable(name)
        return Operand(variable.type, var(output_name(variable, primed, self.interface), symbol_sort(variable.type)))

    def fact(self, name: str, primed: bool, /) -> Operand:
        return self.read(name, primed)

    def enumerators(self, label: str, /) -> tuple[tuple[str, int], ...]:
        return self.interface.numbered(label)


def output_name(variable: Variable, primed: bool, interface: Interface) -> str:
    """The variable's path, with a prime if primed. Only state may be primed, and what a world gives anew."""
    if not primed:
        return variable.path
    if variable.role is Role.STATE or variable.path in interface.produced:
        return f"{variable.path}'"
    why = "is not changed by the call" if variable.role is Role.ENVIRONMENT else "is what the call itself gives"
    raise QueryError(f"{variable.path} {why}, so it takes no prime", f"Write {variable.path}.")
