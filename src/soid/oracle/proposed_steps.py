"""What may help with an open question: more time, a narrower family, a window, a smaller question.

    would move if 0.0 <= speed <= 40.0       open from 31.19 on
    would move if 0.0 <= speed <= 31.1       there it is settled
    would move if 31.1 <= speed <= 40.0      there is all that is open

Each question is printed, read and checked again before it is offered.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Final

from msgspec.structs import replace

from soid.errors import SoidError
from soid.oracle.finding import Finding
from soid.oracle.inquiry import MORE_SECONDS, Settings
from soid.oracle.next_step import NextStep, NextStepKind
from soid.oracle.reason import ReasonCode
from soid.oracle.settled_share import BoxSide, NarrowedSide, SettledShare
from soid.program.interface import Interface
from soid.query.language.query_parser import parse_checked, parse_suppositions
from soid.query.language.query_printer import to_text
from soid.query.query import Query
from soid.query.words import Words, listed
from soid.scenario.expression import Compare, Comparison, Expression, Literal, Name
from soid.scenario.number_terms import exact
from soid.scenario.supposition import Anything, During, Keep, Satisfies, Supposition, mentioned
from soid.scenario.trace import Keyframe

_SETTLED: Final = "Suppose instead {}: there the answer is {}."
_OPEN: Final = "Ask only where it is open: {}."
_WINDOW: Final = 1_000  # rounds of loops and calls
_HARD: Final = (ReasonCode.SOLVERS_OPEN, ReasonCode.UNEXPLORED, ReasonCode.APPROXIMATED, ReasonCode.FAMILY_OPEN)
_ORDERS: Final = (Comparison.LT, Comparison.LE, Comparison.GT, Comparison.GE)


def proposed(finding: Finding, query: Query, keyframe: Keyframe, settings: Settings) -> tuple[NextStep, ...]:
    """What to do next, most helpful first; empty where only the log or the program could help."""
    if finding.why.code not in _HARD:
        return ()
    found = (*_more_time(finding, query), *_narrower(finding.settled, query, keyframe.interface))
    found += (*_first_steps(finding, query), *_window(finding, query, settings))
    if not any(each.kind in (NextStepKind.SETTLED_PART, NextStepKind.OPEN_PART) for each in found):
        found += tuple(_one_less(query, keyframe.interface))
    return tuple(each for each in found if _is_question(each.question, keyframe))


def _more_time(finding: Finding, query: Query) -> Iterator[NextStep]:
    if finding.can_resume:
        words = f"Take {MORE_SECONDS / 60:.0f} more minutes: it goes on from what is settled."
        yield NextStep(NextStepKind.MORE_TIME, words, to_text(query), seconds=MORE_SECONDS)


def _narrower(settled: SettledShare | None, query: Query, interface: Interface) -> Iterator[NextStep]:
    """Proposals from the boxes of a paving; inputs of later steps have no name in a question."""
    if settled is None or query.lives is not None:
        return
    offered = (
        (
            NextStepKind.SETTLED_PART,
            settled.settled_part,
            settled.verdict,
            _SETTLED,
        ),
        (NextStepKind.OPEN_PART, settled.open_part, None, _OPEN),
    )
    for kind, sides, verdict, words in offered:
        if sides and not any("@" in side.path for side in sides):
            narrowed = _narrowed(query, sides, interface)
            told = listed([str(_told(side, interface)) for side in sides])
            if narrowed is not None:
                yield NextStep(kind, words.format(told, verdict), to_text(narrowed), verdict)


def _told(side: NarrowedSide, interface: Interface) -> BoxSide:
    variable = interface.variable(side.path)
    return BoxSide(side.path, side.low, side.high, variable.unit, Words(interface).called(side.path))


def _narrowed(query: Query, sides: Sequence[NarrowedSide], interface: Interface) -> Query | None:
    """The query with further suppositions; those that follow from them are left out."""
    kept = list(query.suppositions)
    for side in sides:
        if any(isinstance(each, During) and _is_about(each, side.path, interface) for each in kept):
            return None
        kept = [each for each in kept if not _follows(each, side, interface)]
    try:
        new = [parsed for side in sides for parsed in parse_suppositions(side.text, interface)]
    except SoidError:  # a label that cannot be written
        return None
    return replace(query, suppositions=(*kept, *new))


def _is_about(supposition: Supposition, path: str, interface: Interface) -> bool:
    return any(variable.path == path for variable in mentioned(interface, supposition))


def _follows(supposition: Supposition, side: NarrowedSide, interface: Interface) -> bool:
    """Whether a supposition about one input says nothing more where it lies between the ends of a side."""
    if [variable.path for variable in mentioned(interface, supposition)] != [side.path]:
        return False
    if isinstance(supposition, Anything):
        return True
    if not isinstance(supposition, Satisfies) or not isinstance(supposition.formula, Compare):
        return False
    ends = [_number(side.low), _number(side.high)]
    return all(end is not None and _holds(supposition.formula, end) for end in ends)


def _number(text: str) -> Fraction | None:
    try:
        return exact(text)
    except SoidError:
        return None


def _holds(formula: Compare, number: Fraction) -> bool:
    """Whether a chain of comparisons with literals holds for a number; of an order, so it holds between two as well."""
    first = _value(formula.first, number)
    for comparison, expression in formula.rest:
        second = _value(expression, number)
        if comparison not in _ORDERS or first is None or second is None:
            return False
        low, high = (first, second) if comparison in (Comparison.LT, Comparison.LE) else (second, first)
        if low > high or (low == high and comparison in (Comparison.LT, Comparison.GT)):
            return False
        first = second
    return True


def _value(expression: Expression, number: Fraction) -> Fraction | None:
    """A literal's number, or that of the name; None for anything else."""
    if isinstance(expression, Name):
        return number
    return exact(expression.text) if isinstance(expression, Literal) else None


def _first_steps(finding: Finding, query: Query) -> Iterator[NextStep]:
    done = finding.settled_steps
    if done is not None and query.steps is not None and query.lives is None:
        shorter = replace(query, steps=replace(query.steps, count=done.steps))
        words = f"Ask about the first {done.steps} of its steps: there the answer is {done.verdict}."
        yield NextStep(NextStepKind.FIRST_STEPS, words, to_text(shorter), done.verdict)


def _window(finding: Finding, query: Query, settings: Settings) -> Iterator[NextStep]:
    """A window ends paths that go round and round as undecided."""
    summary = finding.summary
    if finding.why.code is not ReasonCode.UNEXPLORED or not finding.why.out_of_time or summary is None:
        return
    if settings.window is None and summary.instructions:
        words = f"Ask what it does if it has to decide within {_WINDOW:,} rounds of loops and calls."
        yield NextStep(NextStepKind.WINDOW, words, to_text(query), window=_WINDOW)


def _one_less(query: Query, interface: Interface) -> Iterator[NextStep]:
    """A smaller family: what is mentioned last stays as it was, if anything else varies."""
    supposed = [each for each in query.suppositions if not isinstance(each, Keep)]
    paths = list(dict.fromkeys(v.path for each in supposed for v in mentioned(interface, each)))
    if query.lives is None and len(paths) > 1:
        kept = replace(query, suppositions=(*query.suppositions, Keep(paths[-1])))
        words = f"Suppose less: {Words(interface).called(paths[-1])} stays as it was."
        yield NextStep(NextStepKind.ONE_LESS, words, to_text(kept))


def _is_question(text: str, keyframe: Keyframe) -> bool:
    try:
        parse_checked(text, keyframe.interface, keyframe.trace)
    except SoidError:
        return False
    return True
