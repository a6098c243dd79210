"""Explanations against brute force: random small decision logics, every state tried by hand.

A failure names the seed and the question; `LOGICS=1:<seed> pytest -m fuzz` runs that logic alone.
"""

from __future__ import annotations

import dataclasses
import os
import random
from collections import Counter
from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import islice, product
from operator import ge, gt, le, lt
from pathlib import Path

import pytest
from msgspec.structs import replace

from soid.case.project import Project
from soid.explanation.counterfactuals import Counterfactual, Mattered
from soid.explanation.explainer import Explanation, explain
from soid.explanation.flips import Flip, NoFlip
from soid.explanation.hindrances import Hindrance
from soid.explanation.proof_needs import Proof
from soid.explanation.study import OCCURS
from soid.oracle.encoding import FAILS, NEITHER, OTHERWISE, UNDECIDED
from soid.oracle.inquiry import Settings
from soid.query.words.onward_values import onward
from soid.solver.chain import chain
from soid.solver.protocol import Solver
from tests.differential.logics import logic as ending
from tests.differential.logics import reasons
from tests.differential.logics.expectation import State, TooMany, expect, freed_variables, scenarios
from tests.differential.logics.kinds import decode
from tests.differential.logics.logic import Logic, Variable, make
from tests.differential.logics.project import write
from tests.differential.logics.questions import Question, Supposition, ask
from tests.differential.test_oracle_brute_force import well_posed

LOGICS, QUESTIONS, MOST, FAR = 22, 4, 800, 70_000
PATIENT = Settings(seconds=200.0, witness_seconds=100.0)  # on a busy machine the explanations are the same

#: what is met in any good number of logics
USUAL = {"1 changes", "2 changes", "several sets", "flip of neighbours", "flip of labels", "no flip"}
USUAL |= {"in the way", "nothing helps"}
USUAL |= {"irrelevant: True", "irrelevant: False", "needed: True", "needed: False"}

#: what happens, as the brute force calls it
HAPPENS = {
    OCCURS: reasons.OCCURS,
    OTHERWISE: ending.DECIDES,
    NEITHER: ending.DECIDES,
    FAILS: ending.FAILS,
    UNDECIDED: ending.UNDECIDED,
}


@pytest.fixture(scope="module")
def solver() -> Iterator[Solver]:
    made = chain()
    yield made
    made.close()


def explained(seed: str, folder: Path, solver: Solver) -> Iterator[tuple[Logic, Question, Explanation]]:
    """A logic's questions that have a definite answer about scenarios, and how soid explains it."""
    logic = make(seed)
    settings = replace(PATIENT, accept_log_mismatch=True)
    project = Project.open(write(logic, folder / f"logic-{seed}"), solver=solver, settings=settings)
    rng = random.Random(f"{seed} questions")
    for _ in range(QUESTIONS):
        for question in definite(logic, ask(rng, logic)):
            given = explain(project.checked(question.text), project.keyframe, project.context(), others=100)
            yield logic, question, given


def definite(logic: Logic, question: Question) -> Iterator[Question]:
    """A question with a definite answer about scenarios, and the same narrowed down to what can be proved."""
    if question.kind == "did" or not well_posed(logic, question):
        return
    try:
        if expect(logic, question, accepted=True, most=MOST).verdict in ("yes", "no"):
            yield question
        narrowed = reasons.proved(logic, question, MOST)
        if narrowed is not None and well_posed(logic, narrowed):
            if expect(logic, narrowed, accepted=True, most=MOST).verdict in ("yes", "no"):
                yield narrowed
    except TooMany:
        return


def agree(logic: Logic, question: Question, given: Explanation, seen: Counter[str]) -> None:
    """Everything that an explanation says."""
    context = f"logic {logic.seed}: {question.text}"
    assert (given.mattered is None) is not (given.proof is None), context
    if given.mattered is not None:
        _agree_on_sets(logic, question, given.mattered, context, seen)
        _agree_on_flips(logic, question, given.mattered, context, seen)
    elif given.proof is not None:
        _agree_on_variables(logic, question, given.proof, context, seen)
        _agree_on_needs(logic, question, given, context, seen)
    if given.hindrance is not None:
        _agree_on_hindrance(logic, question, given.hindrance, given.answer.is_of_all, context, seen)


def _agree_on_sets(logic: Logic, question: Question, matter: Mattered, context: str, seen: Counter[str]) -> None:
    expected, complete = reasons.sets(logic, question, HAPPENS[matter.happens], MOST)
    assert [each.variables for each in matter.sets] == [each.variables for each in expected], context
    assert [each.smallest for each in matter.sets] == [each.smallest for each in expected], context
    assert [dict(each.scenario.state) for each in matter.sets] == [each.state for each in expected], context
    assert matter.complete == complete, context
    seen[f"{len(matter.sets[0].variables)} changes"] += 1
    seen["several sets"] += len(matter.sets) > 1
    seen["not the smallest for sure"] += not matter.sets[0].smallest


def _agree_on_flips(logic: Logic, question: Question, matter: Mattered, context: str, seen: Counter[str]) -> None:
    variables = {v.name: v for v in logic.inputs}
    for one in matter.sets:
        assert tuple(each.variable.path for each in one.flips) == one.variables, context
        for each in one.flips:
            variable, state = variables[each.variable.path], dict(one.scenario.state)
            back = reasons.happens(logic, question, {**state, variable.name: logic.fact[variable.name]})
            goal = HAPPENS[matter.happens]
            if isinstance(each, NoFlip):
                assert each.settled == (back == goal), context
                assert back == goal or ending.UNEXPLORED in (back, *_around(logic, question, one, variable)), context
                seen["no flip"] += 1
            else:
                _agree_on_flip(logic, question, each, variable, state, goal, context)
                seen["flip of neighbours" if each.neighbours else "flip of labels"] += 1


def _around(logic: Logic, question: Question, one: Counterfactual, variable: Variable) -> list[str]:
    """What happens on the way, where it is short enough to look at all of it."""
    state = dict(one.scenario.state)
    if reasons.distance(logic, variable, state) > FAR:
        return [ending.UNEXPLORED]
    return [reasons.happens(logic, question, each) for each in reasons.line(logic, variable, state)]


def _agree_on_flip(
    logic: Logic,
    question: Question,
    flip: Flip,
    variable: Variable,
    state: State,
    goal: str,
    context: str,
) -> None:
    last, first = dict(flip.last.state), dict(flip.first.state)
    assert {**last, variable.name: 0} == {**first, variable.name: 0} == {**state, variable.name: 0}, context
    assert HAPPENS[flip.first.happens] == reasons.happens(logic, question, first) == goal, context
    assert reasons.happens(logic, question, last) == HAPPENS[flip.last.happens] != goal, context
    if flip.open_between:
        assert not flip.neighbours
        return
    if not flip.neighbours:
        assert variable.kind.sort in ("bool", "enum"), context
        assert (last[variable.name], first) == (logic.fact[variable.name], state), context
        return
    places = [reasons.distance(logic, variable, each) for each in (last, first)]
    assert places[1] == places[0] + 1, context
    if places[0] <= FAR:
        way = [reasons.happens(logic, question, each) for each in reasons.line(logic, variable, last)]
        assert goal not in way, context
        assert flip.nearest == (ending.UNEXPLORED not in way), context


def _agree_on_variables(logic: Logic, question: Question, proof: Proof, context: str, seen: Counter[str]) -> None:
    variables = {v.name: v for v in logic.inputs}
    assert [each.variable.path for each in proof.variables] == [v.name for v in freed_variables(logic, question)]
    for each in proof.variables:
        try:
            expected = reasons.irrelevant(logic, question, [variables[each.variable.path]], MOST)
        except TooMany:
            continue
        assert each.irrelevant is expected, f"{context}\n{each.variable.path}"
        seen[f"irrelevant: {expected}"] += 1
        if each.scenario is not None:
            assert reasons.breaks(logic, question, each.scenario.state), context
    loose = [variables[each.variable.path] for each in proof.variables if each.irrelevant]
    try:
        together = reasons.irrelevant(logic, question, loose, MOST) if len(loose) > 1 else None
    except TooMany:
        return
    assert proof.together is together, context
    seen[f"together: {together}"] += 1


def _agree_on_needs(logic: Logic, question: Question, given: Explanation, context: str, seen: Counter[str]) -> None:
    if len(given.answer.query.suppositions) != len(question.suppositions):
        return  # one that was written as a conjunction is read as several
    assert given.proof is not None
    try:
        expected = reasons.needs(logic, question, MOST)
    except TooMany:
        return
    assert [each.needed for each in given.proof.suppositions] == expected, context
    seen.update(f"needed: {each}" for each in expected)


def _agree_on_hindrance(
    logic: Logic, question: Question, found: Hindrance, of_all: bool, context: str, seen: Counter[str]
) -> None:
    """It begins at the fact where that is as was supposed, and all that it says to be a yes is one."""
    try:
        allowed = scenarios(logic, question, MOST)
        named = frozenset().union(*(each.mentions | {each.keeps} for each in question.suppositions))
        free = [v.name for v in logic.inputs if v.name not in named]
        freed = (Supposition(f"{name} is anything", frozenset({name})) for name in free)
        wider = scenarios(logic, dataclasses.replace(question, suppositions=(*question.suppositions, *freed)), MOST)
    except TooMany:
        return
    start = {**logic.fact, **{each.variable.path: each.after for each in found.start}}
    assert (start == logic.fact) is (logic.fact in allowed), context
    yes = [state for state in wider if state != start and reasons.happens(logic, question, state) == reasons.OCCURS]
    assert not (found.is_impossible and yes), context
    assert not found.makes_no_difference or not any(state in allowed for state in yes), context
    within = [] if of_all else [state for state in yes if state in allowed]
    for place, (each, goes_on) in enumerate(zip(found.sets, found.onwards, strict=True)):
        state = dict(each.scenario.state)
        assert state in (within or yes) and {*each.variables} == _changed(start, state), context
        least = min(len(_changed(start, other)) for other in within or yes)
        assert place or not each.smallest or len(each.variables) == least, context
        if goes_on:
            assert _all_beyond(logic, question, each), context
            seen["from a border on"] += 1
    seen["in the way"] += bool(found.sets)
    seen["nothing helps"] += found.is_impossible


def _changed(one: Mapping[str, int], other: Mapping[str, int]) -> set[str]:
    return {name for name in one if one[name] != other[name]}


def _all_beyond(logic: Logic, question: Question, found: Counterfactual) -> bool:
    """Whether it is a yes at the values of each domain from the flips on, as the words for them say."""
    kinds, sides = {v.name: v for v in logic.inputs}, {}
    for flip in found.flips:
        if isinstance(flip, Flip) and flip.neighbours:
            variable = kinds[flip.variable.path]
            words = onward(flip.variable, *flip.values)
            sides[variable.name] = [bits for bits in variable.values if _is_beyond(words, decode(variable.kind, bits))]
    every = product(*sides.values())
    states = ({**found.scenario.state, **dict(zip(sides, bits, strict=True))} for bits in every)
    return all(reasons.happens(logic, question, state) == reasons.OCCURS for state in islice(states, FAR))


def _is_beyond(words: str, value: float) -> bool:
    """Whether a number is where some words say: "at 2.5 or less", "above 3"."""
    side, told, *_, last = words.split()
    border = float(told) if told.endswith("inf") else Fraction(told)
    compare = {"above": gt, "below": lt, "more": ge, "less": le}[last if side == "at" else side]
    return value == value and compare(value, border)


def test_explanations_are_what_trying_all_states_gives(tmp_path: Path, solver: Solver) -> None:
    seen: Counter[str] = Counter()
    for seed in range(LOGICS):
        for logic, question, given in explained(str(seed), tmp_path, solver):
            agree(logic, question, given, seen)
    assert set(+seen) >= USUAL, seen


@pytest.mark.fuzz
@pytest.mark.timeout(0)
def test_many_more_logics(tmp_path: Path, solver: Solver) -> None:
    """`LOGICS=20000:50000` tries that many from that seed on."""
    count, _, first = os.environ.get("LOGICS", "5000:200000").partition(":")
    seen: Counter[str] = Counter()
    for seed in range(int(first or 0), int(first or 0) + int(count)):
        for logic, question, given in explained(str(seed), tmp_path, solver):
            agree(logic, question, given, seen)
            seen["explained"] += 1
    assert set(+seen) >= USUAL and seen["explained"] > int(count) // 10, seen
