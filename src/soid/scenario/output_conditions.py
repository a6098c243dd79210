"""The condition of an `until`: a formula over what the program decides in a step, and the state after it.

>>> from soid.program.interface import Role, Variable
>>> from soid.program.types import BoolType
>>> from soid.scenario.expression import Name
>>> interface = Interface((Variable("land", Role.DECISION, BoolType()), Variable("gps", Role.ENVIRONMENT, BoolType())))
>>> output_condition(Name("land"), interface).outputs[0][0]
'land'
>>> output_condition(Name("gps"), interface)
Traceback (most recent call last):
soid.errors.QueryError: `until` speaks of what the program does, and gps is what it is given
Name a decision, or the state after the call (x').
"""

from __future__ import annotations

from typing import final

from msgspec import Struct, field

from soid.errors import QueryError
from soid.formula.term import Term
from soid.program.interface import Interface, Role
from soid.program.perception import OutputCondition, placeholders
from soid.program.types import VariableType
from soid.scenario.expression import Expression
from soid.scenario.kleene_terms import Operand, lower


def output_condition(expression: Expression, interface: Interface) -> OutputCondition:
    """The condition in terms of outputs; refused if it is ill-typed or speaks of anything else."""
    scope = _OutputScope(interface)
    truth = lower(expression, scope)
    if not scope.read_:
        raise QueryError("`until` speaks of nothing that the program does", "Name a decision, or the state after it.")
    return OutputCondition(truth.true, truth.false, tuple(scope.read_.items()))


@final
class _OutputScope(Struct):
    """The meaning of names in such a condition: outputs of a step, as placeholders."""

    interface: Interface
    read_: dict[str, VariableType] = field(default_factory=dict)  # by name

    @property
    def fails(self) -> Term:
        raise QueryError(
            "`until` speaks of a step that the program comes through, so it takes no `fails` or `decides`",
            "Name a decision, or the state after the call (x').",
        )

    @property
    def decides(self) -> Term:
        return self.fails

    def read(self, name: str, primed: bool, /) -> Operand:
        variable = self.interface.variable(name)
        if variable.role is Role.DECISION and primed:
            raise QueryError(
                f"{variable.path} is what the call itself gives, so it takes no prime", f"Write {variable.path}."
            )
        if variable.role is not Role.DECISION and not (variable.role is Role.STATE and primed):
            what = "a value inside of it" if variable.role is Role.INTERNAL else "what it is given"
            raise QueryError(
                f"`until` speaks of what the program does, and {variable.path} is {what}",
                f"Write {variable.path}' for the state after the call."
                if variable.role is Role.STATE
                else "Name a decision, or the state after the call (x').",
            )
        output = f"{variable.path}'" if primed else variable.path
        self.read_[output] = variable.type
        return Operand(variable.type, *placeholders(output, variable.type))

    def fact(self, name: str, primed: bool, /) -> Operand:
        raise QueryError("`until` takes no fact(...)", f"Write the value that fact({name}) has.")

    def enumerators(self, label: str, /) -> tuple[tuple[str, int], ...]:
        return self.interface.numbered(label)
