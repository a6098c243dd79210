"""The causes on a record, examined anew: each one's scenario is run, and a formula proves what is said to be no cause.

it happened           the fact is run
X is a cause          its scenario is run: only X differs from the fact, and it does not happen
X is minimal          it happens wherever only X changes, and not all of it, whatever is held
there are no others   it happens wherever no cause changes as a whole, whatever is held
W had to be held      it happens wherever only X changes, with less held
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from msgspec import convert

from soid.case.record.study_request import CausesRequest
from soid.documents import json_of
from soid.evidence.checks import CheckOutcome
from soid.evidence.derivation import ExaminedMoment, Means
from soid.evidence.studies.ground import StudyGround, excluded, replayed, shown
from soid.evidence.studies.study_checks import StudyExamination
from soid.explanation.causes import ActualCauseDocument, CausesDocument, agents_among, degrees, shares
from soid.explanation.contingencies import Contingency, Following, check_held
from soid.explanation.held_facts import HeldFact
from soid.explanation.or_as_in_fact import or_as_in_fact
from soid.explanation.refusal import refusal
from soid.explanation.study import IN_WORDS, OCCURS, UNEXPLORED
from soid.formula import build
from soid.formula.term import Term
from soid.query.query import Query, QueryKind
from soid.scenario.future import usual_future

Held = tuple[HeldFact, ...]
Grounds = Mapping[Contingency, StudyGround]

_OUTCOMES: Final = {words: outcome for outcome, words in IN_WORDS.items()}


def examine_causes(
    found: StudyExamination, wanted: CausesRequest, query: Query, examined: ExaminedMoment, means: Means
) -> None:
    result = convert(found.recorded.result, CausesDocument)
    asked = query.kind is QueryKind.WOULD and bool(query.suppositions) and refusal(query, examined.keyframe) is None
    same = (result.question, result.step, result.size) == (wanted.question, found.recorded.step, wanted.size)
    found.expect("the question", asked and same, "the causes are of what was asked", "they are of something else")
    query = or_as_in_fact(query.going(usual_future(examined.keyframe.interface)), examined.keyframe)
    following = Following.of(query, examined.keyframe)
    base = StudyGround.of(examined, query, found.recorded.window, means)
    found.explored(base.derivation)
    held = _fact(found, wanted, result, following, base, means)
    if held is None or result.happened is not True:
        return
    choices = following.contingencies(held, examined.keyframe.interface)
    grounds = {some: _under(some, following, base, means) for some in choices}
    for ground in grounds.values():
        found.rests_on(result.relies_on, ground.derivation.summary)
    for number, cause in enumerate(result.causes, start=1):
        some = next((each for each in grounds if _is_of(each, cause, following)), None)
        if some is None:
            found.note(f"cause {number}", CheckOutcome.CONTRADICTED, "something is held that was not to be held")
            continue
        _cause(found, f"cause-{number}", cause, grounds[some], means)
        _less_held(found, f"cause-{number}", cause, following, grounds, means)
    _no_others(found, result, grounds, means)
    _responsibility(found, wanted, result, base)


def _fact(
    found: StudyExamination,
    wanted: CausesRequest,
    result: CausesDocument,
    following: Following,
    base: StudyGround,
    means: Means,
) -> Held | None:
    """Whether it happened in fact, and what was then that may be held."""
    freed = [base.course.interface.variable(path) for path in base.family.freed]
    plain = following.plain.course(base.examined.keyframe)
    ran = base.run_of(plain.fact, means, plain.returning(plain.family().freed))
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
    steady = steady and base.family.contains(base.course.fact, punctured=False)
    found.expect("the facts", steady, "each is one known value", "one is not known, or had several values")
    held = following.held(wanted.hold, base.examined.keyframe, ran.witness, ran.environments)
    same = tuple(map(str, (*held, *following.facts))) == result.held
    found.expect("what may be held", same, "it is as it was in fact", "it was otherwise in fact")
    return held if same and steady else None


def _under(contingency: Contingency, following: Following, base: StudyGround, means: Means) -> StudyGround:
    query = following.under(contingency, base.examined.keyframe.interface)
    if query == base.query:
        return base
    ground = StudyGround.of(base.examined, query, base.window, means)
    check_held(contingency.held, ground.course)
    return ground


def _is_of(contingency: Contingency, cause: ActualCauseDocument, following: Following) -> bool:
    """Whether a cause is one of this contingency, with as much held as is said."""
    held = tuple(map(str, contingency.as_it_was(cause.variables)))
    return held == cause.held and _may_change(contingency, cause, following)


def _may_change(contingency: Contingency, cause: ActualCauseDocument, following: Following) -> bool:
    """Whether all facts of a cause may change in a contingency, and none of them only follows."""
    follows = {each.path for each in following.facts} - {each.path for each in contingency.intervened}
    return follows.isdisjoint(cause.variables)


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
    following: Following,
    grounds: Grounds,
    means: Means,
) -> None:
    """That as much must be held as is said to be."""
    less = [
        some
        for some in grounds
        if _may_change(some, cause, following) and len(some.as_it_was(cause.variables)) < len(cause.held)
    ]
    for number, some in enumerate(less, start=1):
        ground = grounds[some]
        words = f"with {_told(some)} it happens wherever only {', '.join(cause.variables)} change"
        part = _others_as_in_fact(cause, ground)
        excluded(found, f"{name}.held-{number}", words, ground.not_occurring, part, ground, means)


def _no_others(found: StudyExamination, result: CausesDocument, grounds: Grounds, means: Means) -> None:
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
    """Some variable of a cause is as in fact, or follows from others."""
    if any(path not in ground.family.freed for path in paths):
        return build.TRUE
    return build.any_of(ground.as_in_fact(path) for path in paths)


def _told(contingency: Contingency) -> str:
    facts = (*contingency.held, *contingency.intervened)
    return " and ".join(f"an intervention on {each.path}" for each in facts) or "nothing held"


def _responsibility(found: StudyExamination, wanted: CausesRequest, result: CausesDocument, base: StudyGround) -> None:
    varying = [variable.path for variable in base.family.varying]
    causes = {cause.variables: cause.minimal for cause in result.causes}
    same = degrees(varying, causes, complete=result.complete) == result.responsibility
    agents = agents_among(varying, wanted.agents)
    same = same and agents == result.agents and shares(agents, causes, complete=result.complete) == result.shares
    found.expect(
        "the degrees of responsibility", same, "they follow from the causes", "they do not follow from the causes"
    )
