"""A question about one program, put to another one of several: its names are called after that program.

did move and brake > fact(brake)        of standard:   did standard.move and standard.brake > fact(standard.brake)
"""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from soid.program.interface import Interface, Variable
from soid.query.behavior import Behavior
from soid.query.query import Query
from soid.scenario.expression import Expression, FactOf, Name, rebuilt
from soid.scenario.supposition import During


def of_program(query: Query, program: str, interface: Interface) -> Query:
    """The question, about one of several programs: what this program decides and remembers is called after it."""
    behavior = Behavior(_called(query.behavior.expression, program, interface), span=query.behavior.span)
    suppositions = tuple(
        replace(each, until=_called(each.until, program, interface))
        if isinstance(each, During) and each.until is not None
        else each
        for each in query.suppositions
    )
    return replace(query, behavior=behavior, suppositions=suppositions)


def _called(expression: Expression, program: str, interface: Interface) -> Expression:
    def change(node: Any) -> Any:
        if isinstance(node, Name | FactOf):
            path = f"{program}.{node.path}"
            return replace(node, path=path) if path in interface else node
        return rebuilt(node, change)

    found: Expression = change(expression)
    return found


def decisions_of(program: str, interface: Interface) -> dict[str, Variable]:
    """The decisions of one of several programs, by their names in this program."""
    prefix = f"{program}."
    return {v.path.removeprefix(prefix): v for v in interface.decisions if v.path.startswith(prefix)}
