"""The logged values that lie outside of their variables' domains: each is a fact all the same."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from soid.program.domain import DEFAULT, Range, Values, contains
from soid.program.interface import Interface, Variable
from soid.program.types import EnumType, missing_value


def outside(interface: Interface, inputs: Mapping[str, int]) -> Iterator[Variable]:
    """The inputs whose values lie outside of their domains; without a declared one a float may be NaN or infinite."""
    for variable in interface.inputs:
        if is_limited(variable) and not is_inside(variable, inputs[variable.path]):
            yield variable


def is_inside(variable: Variable, bits: int) -> bool:
    """Whether a value lies in the domain; one that is missing is no value outside of it."""
    return bits == missing_value(variable.type) or contains(variable.type, variable.domain, bits)


def is_limited(variable: Variable) -> bool:
    """Whether a variable is said to have some values of its type only."""
    domain, kind = variable.domain, variable.type
    return isinstance(domain, Range | Values) or (domain == DEFAULT and isinstance(kind, EnumType))
