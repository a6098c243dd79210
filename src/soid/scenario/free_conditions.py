"""What a formula over inputs means where all of them vary: found once, when a question is checked, and used again.

A supposition frees what it mentions, so in most families this is its condition. It is kept with the interface, by what
the formula says: the next question often supposes the same.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Final, final

from msgspec import Struct

from soid.errors import InternalError
from soid.formula.term import Term
from soid.program.interface import Interface
from soid.scenario.expression import Expression, FactOf, Name
from soid.scenario.kleene_terms import Operand, lower
from soid.scenario.operand_values import Truth

_KEPT: Final = 512  # formulas


@final
class InputScope(Struct, frozen=True):
    """The meaning of names in a supposition: an input that varies is a symbol, any other a constant."""

    interface: Interface
    facts: Mapping[str, int]
    fixed: Mapping[str, int]

    @property
    def fails(self) -> Term:
        raise InternalError("a supposition about how the program ends went unnoticed")

    @property
    def decides(self) -> Term:
        return self.fails

    def read(self, name: str, primed: bool, /) -> Operand:
        variable = self.interface.variable(name)
        return Operand(variable.type, variable.symbol_in(self.fixed))

    def fact(self, name: str, primed: bool, /) -> Operand:
        variable = self.interface.variable(name)
        return Operand(variable.type, variable.symbol_in(self.facts))

    def enumerators(self, label: str, /) -> tuple[tuple[str, int], ...]:
        return self.interface.numbered(label)


def check_formula(formula: Expression, interface: Interface) -> None:
    """Refuse a formula that is wrong whatever the fact is; one that was found right before is right."""
    if formula in interface.meanings:
        return
    found = lower(formula, InputScope(interface, defaultdict(int), {}))  # any fact will do
    if len(interface.meanings) >= _KEPT:
        interface.meanings.clear()
    interface.meanings[formula] = None if any(isinstance(node, FactOf) for node in formula.speaking) else found


def condition(formula: Expression, scope: InputScope) -> Term:
    """Where a formula is true."""
    found: Truth | None = scope.interface.meanings.get(formula)
    if found is None or _names_fixed(formula, scope):
        found = lower(formula, scope)
    return found.true


def _names_fixed(formula: Expression, scope: InputScope) -> bool:
    """Whether a formula names an input that does not vary."""
    names = (node.path for node in formula.speaking if isinstance(node, Name) and node.path in scope.interface)
    return any(source.path in scope.fixed for name in names for source in scope.interface.variable(name).sources)
