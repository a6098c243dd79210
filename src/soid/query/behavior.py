"""Behavior: a formula over what the program does, and what its names mean on a path.

A behavior speaks of decisions (`move == 1`), of the state after the call (`started'`), of the inputs as they were
before it, of the fact (`brake > fact(brake)`), and of how the program ends (`fails`, `decides`). Where the program
comes to no decision, everything but `fails` and `decides` is without a value: neither the behavior nor its opposite.

>>> from soid.formula.build import TRUE
>>> from soid.program.types import BoolType
>>> from soid.scenario.expression import Name
>>> interface = Interface((Variable("heat", Role.DECISION, BoolType()),))
>>> crashed = BehaviorScope(interface, {}, {}, {}, fails=TRUE, decides=FALSE)
>>> Behavior(Name("heat")).truth(crashed)
Truth(true=False, false=False)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import final

from soid.errors import QueryError
from soid.formula import build
from soid.formula.build import FALSE, var
from soid.formula.sorts import BOOL
from soid.formula.term import Term
from soid.program.interface import Interface, Role, Variable, normal_path
from soid.program.types import symbol_sort
from soid.scenario.expression import Expression, FactOf, Located, walk
from soid.scenario.lowering import Operand, lower
from soid.scenario.values import Truth


@final
@dataclass(frozen=True, slots=True)
class Behavior(Located):
    """What is asked about."""

    formula: Expression

    def check(self, interface: Interface) -> None:
        """Refuse what is ill-typed, or speaks of what the program does not have."""
        self.truth(symbolic_scope(interface))

    def truth(self, scope: BehaviorScope) -> Truth:
        """Where the behavior is shown, and where its opposite is."""
        return lower(self.formula, scope)

    def facts(self) -> frozenset[str]:
        """The factual values that it needs, by name, with a prime for the state after the call."""
        return frozenset(
            normal_path(node.path) + "'" * node.primed for node in walk(self.formula) if isinstance(node, FactOf)
        )


@final
@dataclass(frozen=True, slots=True)
class BehaviorScope:
    """What names mean in a behavior, on one path or on all of them."""

    interface: Interface
    inputs: Mapping[str, Term]  # bits of inputs before the call; one that is not here is the variable's symbol
    outputs: Mapping[str, Operand]  # by name: move, started', safe_to_enter(); one that is not here has no value
    facts: Mapping[str, int]  # factual bits by name, with a prime for the state after the call
    fails: Term
    decides: Term

    def read(self, name: str, primed: bool, /) -> Operand:
        variable = self.interface.variable(name)
        if variable.is_input and not primed:
            return Operand(variable.type, self.inputs.get(variable.path, variable.symbol), self.decides)
        found = self.outputs.get(output_name(variable, primed))
        if found is None:
            return Operand(variable.type, build.const(symbol_sort(variable.type), 0), FALSE)
        return Operand(found.type, found.term, build.and_(found.defined, self.decides))

    def fact(self, name: str, primed: bool, /) -> Operand:
        variable = self.interface.variable(name)
        key = variable.path if variable.is_input and not primed else output_name(variable, primed)
        bits = self.facts.get(key)
        if bits is None:
            raise QueryError(f"what {key} was in fact is not known", "Log it, or ask without fact(...).")
        return Operand(variable.type, build.const(symbol_sort(variable.type), bits), self.decides)


def output_name(variable: Variable, primed: bool) -> str:
    """The name under which a path gives the variable; a prime is for state only."""
    if not primed:
        return variable.path
    if variable.role is Role.STATE:
        return f"{variable.path}'"
    why = "is not changed by the call" if variable.role is Role.ENVIRONMENT else "is what the call itself gives"
    raise QueryError(f"{variable.path} {why}, so it takes no prime", f"Write {variable.path}.")


def symbolic_scope(interface: Interface) -> BehaviorScope:
    """A scope in which every name is a symbol: enough to check a behavior before any path is known."""
    outputs: dict[str, Operand] = {}
    facts: dict[str, int] = {}
    for variable in interface:
        facts[variable.path] = 0
        if variable.role is not Role.ENVIRONMENT:
            name = output_name(variable, primed=variable.role is Role.STATE)
            outputs[name] = Operand(variable.type, var(name, symbol_sort(variable.type)))
            facts[name] = 0
    fails = var("the program fails", BOOL)
    return BehaviorScope(interface, {}, outputs, facts, fails=fails, decides=build.not_(fails))
