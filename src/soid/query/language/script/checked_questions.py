"""Questions of a script, names put in and checked: what is put to the oracle.

A cause, `B because S`, is an actual one (section 3.3 of the paper) if S and B both occurred, if B would have occurred
whenever S had held, and if it would not have otherwise. In S the formulas are the cause; `is anything`, `is any bits`,
`within` and `keep` say what may vary besides, and are the same in both directions.
"""

from __future__ import annotations

from typing import Final, final

from msgspec import Struct
from msgspec.structs import replace

from soid.errors import QueryError
from soid.program.interface import Interface
from soid.query.behavior import Behavior
from soid.query.language.query_printer import to_text
from soid.query.language.script.definitions import Definitions
from soid.query.language.script.nodes import Cause, Condition
from soid.query.language.script.plan import PlannedQuestion, PutCause
from soid.query.language.script.script_printer import condition_text
from soid.query.language.script.substitution import opposite
from soid.query.query import Query, QueryKind
from soid.query.steps import ONE, Over, Steps
from soid.scenario.expression import And, TextSpan, placed
from soid.scenario.supposition import Satisfies

#: what `not (B within 5 steps)` is: not B, throughout them
_OPPOSITE: Final = {Over.AFTER: Over.AFTER, Over.WITHIN: Over.THROUGHOUT, Over.THROUGHOUT: Over.WITHIN}


@final
class Setting(Struct, frozen=True):
    """What questions are about."""

    interface: Interface
    steps: int = 1  # how often the program is called where a question does not say it


def put(condition: Condition, names: Definitions, setting: Setting, span: TextSpan) -> PlannedQuestion | PutCause:
    """What is asked; `span` is the line that asks it."""
    behavior, supposed = names.behavior(condition.behavior), names.suppositions(condition.suppositions)
    expanded = replace(condition, behavior=behavior, suppositions=supposed)
    if isinstance(expanded, Query):
        return _question(expanded, setting, span)
    if not any(isinstance(each, Satisfies) for each in supposed):
        error = QueryError(
            "nothing here can be a cause: this says only what may vary, and what stays",
            "Name what is to be the cause as a formula, such as signal == RIGHT.",
        )
        raise placed(error, condition.suppositions[0].span)
    return _cause(expanded, setting, span)


def _question(query: Query, setting: Setting, span: TextSpan) -> PlannedQuestion:
    query.checked(setting.interface)
    return PlannedQuestion(query, to_text(query), span)


def _cause(asked: Cause, setting: Setting, span: TextSpan) -> PutCause:
    formulas = [each.formula for each in asked.suppositions if isinstance(each, Satisfies)]
    cause = formulas[0] if len(formulas) == 1 else And(tuple(formulas), span=formulas[0].span)
    background = tuple(each for each in asked.suppositions if not isinstance(each, Satisfies))
    without = (*background, Satisfies(opposite(cause), span=cause.span))
    denied = Behavior(opposite(asked.behavior.expression), span=asked.behavior.span)
    at_that_moment = ONE if setting.steps > 1 else None
    held = Query(QueryKind.DID, Behavior(cause, span=cause.span), steps=at_that_moment)
    return PutCause(
        held=_question(held, setting, span),
        happened=_question(Query(QueryKind.DID, asked.behavior, steps=asked.steps), setting, span),
        whenever=_question(Query(QueryKind.WOULD, asked.behavior, asked.suppositions, asked.steps), setting, span),
        otherwise=_question(Query(QueryKind.WOULD, denied, without, _opposite_period(asked.steps)), setting, span),
        text=condition_text(asked),
        span=span,
    )


def _opposite_period(period: Steps | None) -> Steps | None:
    return replace(period, over=_OPPOSITE[period.over]) if period is not None else None
