"""Prints a query as text that parses to the same query.

>>> from soid.query.language.query_parser import parse
>>> to_text(parse("would (move)==1 if ((a or b)) and keep c"))
'would move == 1 if (a or b) and keep c'
"""

from __future__ import annotations

from soid.query.behavior import Behavior
from soid.query.lives import Lives
from soid.query.query import Query, QueryKind
from soid.scenario.expression import And
from soid.scenario.expression_text import expression_text, is_joined
from soid.scenario.supposition import Satisfies, Supposition, supposition_text


def to_text(query: Query) -> str:
    """The query on one line, with as few parentheses as the grammar allows."""
    if query.lives is not None:
        return " ".join(pairs_texts(query.kind, query.lives))
    text = f"{query.kind.value} {behavior_text(query.behavior)}"
    if query.steps is not None:
        text += f" {query.steps}"
    if query.suppositions:
        text += f" if {suppositions_text(query.suppositions)}"
    return text


def pairs_texts(kind: QueryKind, lives: Lives) -> tuple[str, str]:
    """A question about pairs, up to `if` and from there on."""
    outcome = " and ".join(each.text(is_change=False) for each in lives.outcome)
    changes = " and ".join(each.text(is_change=True) for each in lives.changes)
    condition = f" with {suppositions_text(lives.population)}" if lives.population else ""
    every = "any" if kind is QueryKind.MIGHT else "every"
    return f"{kind.value} {outcome}", f"if {changes}, for {every} {lives.called}{condition}"


def behavior_text(behavior: Behavior) -> str:
    return expression_text(behavior.expression)


def suppositions_text(suppositions: tuple[Supposition, ...]) -> str:
    """The suppositions, joined by `and`."""
    return " and ".join(suppositions_texts(suppositions))


def suppositions_texts(suppositions: tuple[Supposition, ...]) -> list[str]:
    """The text of each, to be joined by `and`. An `and`, or what binds looser among several, is in parentheses."""
    several = len(suppositions) > 1
    return [
        f"({text})"
        if isinstance(each, Satisfies) and (isinstance(each.formula, And) or (several and is_joined(each.formula)))
        else text
        for each, text in ((each, supposition_text(each)) for each in suppositions)
    ]
