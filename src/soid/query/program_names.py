"""A question about one program, put to another one of several: its names are called after that program.

did move and brake > fact(brake)        of standard:   did standard.move and standard.brake > fact(standard.brake)
might fails if x is anything            of impatient:  might impatient.fails if x is anything

Only the first program's failures end a path of all; so whether another one fails is a variable.
"""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from soid.program.interface import Interface, Variable
from soid.program.product_interface import FAILS
from soid.query.behavior import Behavior
from soid.query.lives import Lives
from soid.query.query import Query
from soid.scenario.expression import Decides, Expression, FactOf, Fails, Name, error_at, rebuilt
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
    lives = None if query.lives is None else _of_program(query.lives, program, interface)
    return replace(query, behavior=behavior, suppositions=suppositions, lives=lives)


def _of_program(lives: Lives, program: str, interface: Interface) -> Lives:
    """What becomes of the decisions of one program, in two lives."""
    outcome = tuple(replace(each, path=_name(each.path, program, interface)) for each in lives.outcome)
    return replace(lives, outcome=outcome)


def _name(path: str, program: str, interface: Interface) -> str:
    """What questions call an output of one program, or an input of all."""
    own = f"{program}.{path}"
    return own if own in interface else path


def _called(expression: Expression, program: str, interface: Interface) -> Expression:
    fails = f"{program}.{FAILS}"

    def change(node: Any) -> Any:
        if isinstance(node, Name | FactOf):
            return replace(node, path=_name(node.path, program, interface))
        if isinstance(node, Fails) and fails in interface:
            return Name(fails, span=node.span)
        if isinstance(node, Decides) and fails in interface:
            raise error_at(
                node.span,
                f"whether {program} comes to a decision cannot be asked beside other programs",
                f"Ask whether it fails: `{fails}`. Or make a project of {program} alone.",
            )
        return rebuilt(node, change)

    found: Expression = change(expression)
    return found


def decisions_of(program: str, interface: Interface) -> dict[str, Variable]:
    """The decisions of one of several programs, by their names in this program."""
    prefix = f"{program}."
    return {v.path.removeprefix(prefix): v for v in interface.decisions if v.path.startswith(prefix)}
