"""The logged values that lie outside of their variables' domains, for a warning: each is a fact all the same."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import final

from soid.program.domain import DEFAULT, Range, Values, contains
from soid.program.interface import Interface, Variable
from soid.program.types import EnumType


def outside(interface: Interface, inputs: Mapping[str, int]) -> Iterator[Variable]:
    """The inputs whose values lie outside of their domains; without a declared one a float may be NaN or infinite."""
    for variable in interface.inputs:
        if is_limited(variable) and not contains(variable.type, variable.domain, inputs[variable.path]):
            yield variable


def is_limited(variable: Variable) -> bool:
    """Whether a variable is said to have some values of its type only."""
    domain, kind = variable.domain, variable.type
    return isinstance(domain, Range | Values) or (domain == DEFAULT and isinstance(kind, EnumType))


@final
class DomainReport:
    """Counts such values over a log."""

    def __init__(self, interface: Interface) -> None:
        self._limited = [variable for variable in interface.inputs if is_limited(variable)]
        self._known: dict[tuple[str, int], bool] = {}  # the values of a log repeat
        self._found: dict[str, tuple[int, str]] = {}  # by variable: how often, and where first

    def add(self, inputs: Mapping[str, int], place: str) -> None:
        for variable in self._limited:
            path = variable.path
            value = path, inputs[path]
            if value not in self._known:
                self._known[value] = contains(variable.type, variable.domain, value[1])
            if not self._known[value]:
                count, first = self._found.get(path, (0, place))
                self._found[path] = count + 1, first

    def warnings(self) -> Iterator[str]:
        for variable in self._limited:
            if variable.path in self._found:
                count, first = self._found[variable.path]
                often = f"in {count:,} steps, first" if count > 1 else "in one step,"
                free = "it is a fact all the same, and a question that frees it asks about the domain"
                yield f"{variable.path} is outside of its domain ({variable.domain_text}) {often} at {first}: {free}"
