"""The causes on a record, examined anew: each one's scenario is run, and a formula proves what is said to be no cause.

it happened           the fact is run
X is a cause          its scenario is run: only X differs from the fact, and it does not happen
X is minimal          it happens wherever only X changes, and not all of it, whatever is held
there are no others   it happens wherever no cause changes as a whole, whatever is held
W had to be held      it happens wherever only X changes, with less held
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Final

from msgspec import convert
from msgspec.structs import replace

from soid.case.record.study_request import CausesRequest
from soid.documents import json_of
from soid.evidence.checks import CheckOutcome
from soid.evidence.derivation import ExaminedMoment, Means
from soid.evidence.studies.ground import StudyGround, excluded, replayed, shown
from soid.evidence.studies.study_checks import StudyExamination
from soid.explanation.causes import ActualCauseDocument, CausesDocument, agents_among, degrees, shares
from soid.explanation.held_facts import HeldFact, holding, supposed
from soid.explanation.refusal import refusal
from soid.explanation.study import IN_WORDS, OCCURS, UNEXPLORED
from soid.formula import build
from soid.formula.term import Term
from soid.query.query import Query, QueryKind

Held = tuple[HeldFact, ...]

_OUTCOMES: Final = {words: outcome for outcome, words in IN_WORDS.items()}


def examine_causes(
    found: StudyExamination, wanted: CausesRequest, query: Query, examined: ExaminedMoment, means: Means
) -> None:
    result = convert(found.recorded.result, CausesDocument)
    asked = query.kind is QueryKind.WOULD and bool(query.suppositions) and refusal(query, examined.keyframe) is None
    same = (result.question, result.step, result.size) == (wanted.question, found.recorded.step, wanted.size)
    found.expect("the question", asked and same, "the causes are of what was asked", "they are of something else")
    base = StudyGround.of(examined, query, found.recorded.window, means)
    found.explored(base.derivation)
    held = _fact(found, wanted, result, base, means)
    if held is None or result.happened is not True:
        return
    grounds = {some: _holding(some, base, means) for some in _choices(held)}
    for ground in grounds.values():
        found.rests_on(result.relies_on, ground.derivation.summary)
    by_text = {tuple(map(str, some)): some for some in grounds}
    for number, cause in enumerate(result.causes, start=1):
        some = by_text.get(cause.held)
        if some is None:
            found.note(f"cause {number}", CheckOutcome.CONTRADICTED, "something is held that was not to be held")
            continue
        _cause(found, f"cause-{number}", cause, grounds[some], means)
        _less_held(found, f"cause-{number}", cause, some, grounds, means)
    _no_others(found, result, grounds, means)
    _responsibility(found, wanted, result, base)


def _fact(
    found: StudyExamination, wanted: CausesRequest, result: CausesDocument, base: StudyGround, means: Means
) -> Held | None:
    """Whether it happened in fact, and what was then that may be held."""
    freed = [base.course.interface.variable(path) for path in base.family.freed]
    ran = base.run_of(base.course.fact, means, base.course.returning([variable.path for variable in freed]))
    if ran.happens == UNEXPLORED:
        found.note("whether it happened", CheckOutcome.OPEN, f"explored alone, the fact was left {ran.witness.ending}")
        return None
    if result.happened is None:
        found.note("whether it happened", CheckOutcome.OPEN, "the record leaves it open")
        return None
    happened = ran.happens == OCCURS
    degrees_told = any(degree is not None for degree in result.responsibility.values())
    claimed = (bool(result.causes) or degrees_told) and not happened
    same = result.happened is happened and not claimed
    found.expect("whether it happened", same, "as the record has it", "the record has something else")
    replayed(found, "the fact", ran, base, means)
    if not same:
        return None
    steady = all(base.family.was_one_value(variable) for variable in freed) and not base.family.assumed
    found.expect("the facts", steady, "each is one known value", "one is not known, or had several values")
    held = tuple(
        holding(path, step, base.examined.keyframe, base.query, ran.witness, ran.environments)
        for path, step in wanted.hold
    )
    same = tuple(map(str, held)) == result.held
    found.expect("what may be held", same, "it is as it was in fact", "it was otherwise in fact")
    return held if same and steady else None


def _choices(held: Held) -> Iterator[Held]:
    """Everything that may be held together, the fewest first."""
    for count in range(len(held) + 1):
        yield from combinations(held, count)


def _holding(held: Held, base: StudyGround, means: Means) -> StudyGround:
    if not held:
        return base
    given = tuple(supposed(each, base.examined.keyframe.interface) for each in held)
    query = replace(base.query, suppositions=(*base.query.suppositions, *given))
    return StudyGround.of(base.examined, query, base.window, means)


def _cause(found: StudyExamination, name: str, cause: ActualCauseDocument, ground: StudyGround, means: Means) -> None:
    """That what happened does not happen where these facts are others."""
    happens = _OUTCOMES.get(cause.happens, "")
    outcome = happens not in ("", OCCURS, UNEXPLORED)
    found.expect(f"{name}: what happens", outcome, cause.happens, f"`{cause.happens}` is no other outcome")
    ran = shown(found, name, cause.scenario, happens, ground, means)
    if ran is None:
        return
    changed = [each.document for each in ran.witness.changed]
    same = tuple(each.variable for each in changed) == cause.variables
    same = same and [json_of(each) for each in changed] == [json_of(each) for each in cause.changed]
    found.expect(f"{name}: what differs", same, "just these facts", "not just these facts, or not so")
    but_for = len(cause.variables) == 1 and not cause.held
    found.expect(f"{name}: but for it", cause.but_for is but_for, "as the record has it", "the record has it otherwise")


def _others_as_in_fact(cause: ActualCauseDocument, ground: StudyGround) -> list[Term]:
    others = (variable.path for variable in ground.family.varying)
    return [ground.as_in_fact(path) for path in others if path not in cause.variables]


def _less_held(
    found: StudyExamination,
    name: str,
    cause: ActualCauseDocument,
    held: Held,
    grounds: dict[Held, StudyGround],
    means: Means,
) -> None:
    """That as much must be held as is said to be."""
    for number, some in enumerate((some for some in grounds if len(some) < len(held)), start=1):
        ground = grounds[some]
        words = f"with {_told(some)} it happens wherever only {', '.join(cause.variables)} change"
        part = _others_as_in_fact(cause, ground)
        excluded(found, f"{name}.held-{number}", words, ground.not_occurring, part, ground, means)


def _no_others(found: StudyExamination, result: CausesDocument, grounds: dict[Held, StudyGround], means: Means) -> None:
    sets = [frozenset(cause.variables) for cause in result.causes]
    apart = all(not one <= other for one in sets for other in sets if one is not other)
    found.expect("the causes", apart, "none contains another", "one contains another")
    if result.complete:
        closed = not (result.more or result.unsettled)
        found.expect("that there are no others", closed, "nothing was left open", "the record says otherwise too")
        for number, (some, ground) in enumerate(grounds.items(), start=1):
            part = [_not_all_of(cause.variables, ground) for cause in result.causes]
            words = f"with {_told(some)} it happens wherever no cause changes as a whole"
            excluded(found, f"no-others-{number}", words, ground.not_occurring, part, ground, means)
        return
    for place, cause in enumerate(result.causes, start=1):
        if not cause.minimal:
            continue
        for number, (some, ground) in enumerate(grounds.items(), start=1):
            part = [*_others_as_in_fact(cause, ground), _not_all_of(cause.variables, ground)]
            words = f"with {_told(some)} it happens wherever a part of cause {place} alone changes"
            excluded(found, f"cause-{place}.minimal-{number}", words, ground.not_occurring, part, ground, means)


def _not_all_of(paths: Sequence[str], ground: StudyGround) -> Term:
    """Some variable of a cause is as in fact."""
    return build.any_of(ground.as_in_fact(path) for path in paths)


def _told(held: Held) -> str:
    return " and ".join(map(str, held)) or "nothing held"


def _responsibility(found: StudyExamination, wanted: CausesRequest, result: CausesDocument, base: StudyGround) -> None:
    varying = [variable.path for variable in base.family.varying]
    causes = {cause.variables: cause.minimal for cause in result.causes}
    same = degrees(varying, causes, complete=result.complete) == result.responsibility
    agents = agents_among(varying, wanted.agents)
    same = same and agents == result.agents and shares(agents, causes, complete=result.complete) == result.shares
    found.expect(
        "the degrees of responsibility", same, "they follow from the causes", "they do not follow from the causes"
    )
