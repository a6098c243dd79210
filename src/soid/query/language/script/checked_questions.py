"""Expands the names in a script's questions, checks the questions, and turns causes into questions for the oracle.

In `B because S`, S is an actual cause of B (section 3.3 of the paper) if S and B both occurred, if B would occur in all
scenarios in which S holds, and if B would not occur in any scenario in which S does not hold. The formulas of S are the
cause; its other suppositions (`is anything`, `is any bits`, `within`, `keep`) are part of both directions.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, assert_never

from msgspec.structs import replace

from soid.program.interface import Interface
from soid.query.behavior import Behavior
from soid.query.language.query_printer import behavior_text, suppositions_text, to_text
from soid.query.language.script.definitions import Definitions
from soid.query.language.script.nodes import Cause, Condition, Study, StudyCauses, StudyExplanation, StudyMap
from soid.query.language.script.plan import PlannedQuestion, PutCause, PutStudy
from soid.query.language.script.script_printer import condition_text
from soid.query.language.script.shown_values import shown_in
from soid.query.query import Query, QueryKind
from soid.query.steps import ONE, Over
from soid.scenario.expression import And, Compare, Comparison, Decides, Expression, Not, TextSpan, error_at
from soid.scenario.supposition import Satisfies

#: the period of a negated behavior: `not (B within 5 steps)` is `not B throughout 5 steps`
_OPPOSITE: Final = {Over.AFTER: Over.AFTER, Over.WITHIN: Over.THROUGHOUT, Over.THROUGHOUT: Over.WITHIN}


def put(condition: Condition, names: Definitions, steps: int, span: TextSpan) -> PlannedQuestion | PutCause:
    """The checked question or cause of a line. `steps` is the program's default number of steps."""
    behavior, supposed = names.behavior(condition.behavior), names.suppositions(condition.suppositions)
    expanded = replace(condition, behavior=behavior, suppositions=supposed)
    if isinstance(expanded, Query):
        lives = None if expanded.lives is None else names.lives(expanded.lives)
        return _question(replace(expanded, lives=lives), names.interface, span)
    if not any(isinstance(each, Satisfies) for each in supposed):
        raise error_at(
            condition.suppositions[0].span,
            "nothing here can be a cause: this says only what may vary, and what stays",
            "Name what is to be the cause as a formula, such as signal == RIGHT.",
        )
    return _cause(expanded, names.interface, steps, span)


def _question(query: Query, interface: Interface, span: TextSpan) -> PlannedQuestion:
    query.checked(interface)
    return PlannedQuestion(query, to_text(query), span)


def _cause(asked: Cause, interface: Interface, steps: int, span: TextSpan) -> PutCause:
    formulas = [each.formula for each in asked.suppositions if isinstance(each, Satisfies)]
    cause = formulas[0] if len(formulas) == 1 else And(tuple(formulas), span=formulas[0].span)
    background = tuple(each for each in asked.suppositions if not isinstance(each, Satisfies))
    without = (*background, Satisfies(opposite(cause), span=cause.span))
    denied = Behavior(opposite(asked.behavior.expression), span=asked.behavior.span)
    denied_steps = replace(asked.steps, over=_OPPOSITE[asked.steps.over]) if asked.steps is not None else None
    logged_steps = replace(asked.steps, future=None) if asked.steps is not None else None
    at_that_moment = ONE if steps > 1 else None
    held = Query(QueryKind.DID, Behavior(cause, span=cause.span), steps=at_that_moment)
    return PutCause(
        held=_question(held, interface, span),
        happened=_question(Query(QueryKind.DID, asked.behavior, steps=logged_steps), interface, span),
        whenever=_question(Query(QueryKind.WOULD, asked.behavior, asked.suppositions, asked.steps), interface, span),
        otherwise=_question(Query(QueryKind.WOULD, denied, without, denied_steps), interface, span),
        text=condition_text(asked),
        span=span,
    )


def study(line: Study, names: Definitions, find: Callable[[str], int], span: TextSpan) -> PutStudy:
    """The checked study of a line; `find` gives the number of a question."""
    match line:
        case StudyCauses(behavior, suppositions, steps):
            query = Query(QueryKind.WOULD, names.behavior(behavior), names.suppositions(suppositions), steps)
            return PutStudy("causes", _question(_known(query), names.interface, span).text, span)
        case StudyMap(suppositions, by):
            supposed = names.suppositions(suppositions)
            told = None if by is None else behavior_text(names.behavior(by))
            made = _known(Query(QueryKind.MIGHT, Behavior(Decides()), supposed)).checked(names.interface).query
            return PutStudy("map", suppositions_text(made.suppositions), span, by=told)
        case StudyExplanation(question):
            return PutStudy("explanation", "", span, order=find(question))
        case _:
            assert_never(line)


def _known(query: Query) -> Query:
    """A question of a study, which takes no values from scenarios."""
    if (node := next(shown_in(query), None)) is not None:
        raise error_at(node.span, "a study takes no values from scenarios", "Write the value.")
    return query


def opposite(formula: Expression) -> Expression:
    """The negated formula, without double negation.

    >>> from soid.scenario.expression import Name
    >>> opposite(Compare(Name("signal"), ((Comparison.EQ, Name("RIGHT")),))).rest[0][0].value
    '!='
    >>> opposite(Not(Name("move")))
    Name(path='move', primed=False)
    """
    turned = {Comparison.EQ: Comparison.NE, Comparison.NE: Comparison.EQ}  # not for < and >=: both are false for NaN
    match formula:
        case Not(operand):
            return operand
        case Compare(_, ((op, operand),)) if op in turned:
            return replace(formula, rest=((turned[op], operand),))
        case _:
            return Not(formula, span=formula.span)
