"""Explanations of questions about several steps against brute force: every scenario of every future is run by hand.

What is supposed has steps of its own, and the log need not have one value in them; states may be unknown. A failure
names the seed and the question; `FUTURES=1:<seed> pytest -m soak` runs that program alone.
"""

from __future__ import annotations

import os
import random
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from soid.errors import QueryError
from soid.explanation.counterfactuals import Counterfactual, Mattered
from soid.explanation.explainer import Explanation
from soid.explanation.flips import SAME, SAME_AS_LOGGED, Flip, NoFlip
from soid.explanation.proof_needs import Proof
from soid.explanation.study import StudiedScenario
from soid.oracle.answer import Verdict
from soid.oracle.reason import ReasonCode
from tests.differential.changing_worlds import FIRST, STATES, AskedOfSteps, Changing, Slot, Values, asked

PROGRAMS, QUESTIONS = (3, 4), 7

#: what is met in any good number of programs
USUAL = {"sets", "flip", "flip from as logged", "no flip", "irrelevant: True", "irrelevant: False", "needed: True"}
USUAL |= {"needed: False", "sets with unknown", "irrelevant: None", "as logged", "held", "anything", "until"}


def leads(question: AskedOfSteps, values: Values, returned: frozenset[str] = frozenset()) -> bool:
    """Whether a scenario has the outcome of the one shown, whatever the states were that are not known."""
    return set(question.occurs(values, returned)) == {question.kind == "might"}


def values_of(question: AskedOfSteps, state: dict[str, int]) -> Values:
    return tuple(state[slot.path] for slot in question.slots)


def ran(question: AskedOfSteps, scenario: StudiedScenario, returned: frozenset[str] = frozenset()) -> None:
    """A scenario that is shown decides in each step what it must."""
    state, steps = dict(scenario.state), scenario.witness.steps
    world = {name: state[name] for name in STATES}
    decided = question.decisions(values_of(question, state), world, returned)
    assert [step["return"] for step in steps] == decided, question.text
    assert "by running the compiled program" in scenario.witness.replayed


def check(seed: int, folder: Path, seen: Counter[str]) -> None:
    chance = random.Random(f"explained futures {seed}")
    program = Changing.any(chance, hides=seed % 3 == 0)
    project = program.project(folder / str(seed))
    for _ in range(QUESTIONS):
        question = telling(chance, program)
        at = project.at(FIRST + question.number)
        context = f"seed {seed}: {question.text}\n{program}"
        assert set(at.keyframe.assumed) <= program.hidden, context
        if set(at.keyframe.assumed) != program.hidden:
            continue  # it follows from the log
        if question.is_refused:
            with pytest.raises(QueryError, match="ends in another step in each scenario"):
                at.explain(question.text)
            continue
        given = at.explain(question.text, others=99)
        assert not given.unsettled or question.worlds[1:], f"{context}\n{given.unsettled}"
        seen.update(agree(question, given, context))
        seen["until"] += any(slot.until is not None for slot in question.slots)


def telling(chance: random.Random, program: Changing) -> AskedOfSteps:
    """A question whose scenarios differ in their outcome, as a rule; some narrowed to values with which none does."""
    for _ in range(12):
        question = asked(chance, program)
        outcomes = {each for values in question.scenarios() for each in question.occurs(values)}
        if len(outcomes) > 1:
            break
    return narrowed(question) if chance.random() < 0.5 else question


def narrowed(question: AskedOfSteps) -> AskedOfSteps:
    """The question with those values of one slot only with which nothing breaks, if there are any."""
    supposed = [number for number, slot in enumerate(question.slots) if slot.text and slot.variable != "armed"]
    for number in supposed:
        slot = question.slots[number]
        broken = {values[number] for values in question.scenarios() if any(_broken(question, values))}
        good = tuple(value for value in slot.values if value not in broken)
        if broken and good:
            slots = (*question.slots[:number], slot.limited(good), *question.slots[number + 1 :])
            return replace(question, slots=slots)
    return question


def agree(question: AskedOfSteps, given: Explanation, context: str) -> list[str]:
    """Compare everything that an explanation says; what was met."""
    occurs = [question.occurs(values) for values in question.scenarios()]
    by_world = [any(world) if question.kind == "might" else all(world) for world in zip(*occurs, strict=True)]
    expected = "vacuous" if not occurs else "unknown" if len(set(by_world)) > 1 else "yes" if by_world[0] else "no"
    if given.answer.verdict is Verdict.UNKNOWN and given.answer.reason_code is not ReasonCode.DEPENDS:
        return ["not settled"]
    assert given.answer.verdict.value == expected, f"{context}\n{given.answer.reason}"
    if given.mattered is not None:
        return [question.future, *_agree_on_sets(question, given.mattered, context)]
    if given.proof is not None:
        return [question.future, *_agree_on_proof(question, given.proof, context)]
    assert expected in ("vacuous", "unknown"), context
    return [expected]


def _agree_on_sets(question: AskedOfSteps, found: Mattered, context: str) -> list[str]:
    leading: dict[frozenset[str], list[Values]] = {}
    for values in question.scenarios():
        if leads(question, values):
            leading.setdefault(question.changed(values), []).append(values)
    place = {slot.path: number for number, slot in enumerate(question.slots)}
    smallest = [names for names in leading if not any(other < names for other in leading)]
    smallest.sort(key=lambda names: (len(names), sorted(place[name] for name in names)))
    assert [frozenset(each.variables) for each in found.sets] == smallest, f"{context}\n{smallest}"
    assert found.complete and all(each.smallest for each in found.sets), context
    met = ["sets with unknown" if question.worlds[1:] else "sets"]
    for each, names in zip(found.sets, smallest, strict=True):
        values = values_of(question, dict(each.scenario.state))
        assert values == min(leading[names], key=lambda values: _distance(question, values)), context
        ran(question, each.scenario)
        met += _agree_on_flips(question, each, values, context)
    return met


def _distance(question: AskedOfSteps, values: Values) -> tuple[object, ...]:
    """How far from the fact a scenario is: what can go back goes back; then each as near as it can be."""
    begun = [question.fact_of(slot)[0] for slot in question.slots]
    pairs = list(zip(begun, values, strict=True))
    labelled = [slot.variable == "pilot" for slot in question.slots]  # labels have no distance
    near = [(0 if label else abs(a - b), b) for label, (a, b) in zip(labelled, pairs, strict=True) if a != b]
    return [a != b for a, b in pairs], near


def _agree_on_flips(question: AskedOfSteps, one: Counterfactual, values: Values, context: str) -> list[str]:
    slots = {slot.path: number for number, slot in enumerate(question.slots)}
    assert [each.variable.path for each in one.flips] == list(one.variables), context
    met = []
    for each in one.flips:
        number = slots[each.variable.path]
        slot = question.slots[number]
        if leads(question, values, frozenset({slot.path})):
            assert isinstance(each, NoFlip) and each.settled, f"{context}\n{each}"
            assert each.reason == (SAME if question.is_steady(slot) else SAME_AS_LOGGED), f"{context}\n{each}"
            met.append("no flip")
        elif slot.variable in ("armed", "pilot"):
            assert isinstance(each, Flip) and each.as_logged is not question.is_steady(slot), context
            assert values_of(question, dict(each.first.state)) == values, context
            ran(question, each.first)
            ran(question, each.last, frozenset({slot.path} if each.as_logged else ()))
            met.append("flip from as logged" if each.as_logged else "flip of labels")
        else:
            met.append(_agree_on_line(question, slot, number, values, each, context))
    return met


def _agree_on_line(
    question: AskedOfSteps, slot: Slot, number: int, values: Values, flip: Flip | NoFlip, context: str
) -> str:
    """Where it flips along a number, from what was logged of it first."""
    begun, end = question.fact_of(slot)[0], values[number]
    way = [begun] if begun == end else list(range(begun, end + (1 if end > begun else -1), 1 if end > begun else -1))
    outcomes = [leads(question, (*values[:number], each, *values[number + 1 :])) for each in way]
    if outcomes[0]:
        assert not question.is_steady(slot) and isinstance(flip, NoFlip) and flip.settled, f"{context}\n{flip}"
        assert flip.reason.startswith("as logged it is otherwise"), f"{context}\n{flip}"
        return "no flip along the way"
    first = outcomes.index(True)
    assert isinstance(flip, Flip) and flip.neighbours and flip.nearest and not flip.as_logged, f"{context}\n{flip}"
    assert flip.values == (way[first - 1], way[first]), f"{context}\n{flip}"
    ran(question, flip.last)
    ran(question, flip.first)
    return "flip"


# --- proofs ---------------------------------------------------------------------------------------------------


def _agree_on_proof(question: AskedOfSteps, found: Proof, context: str) -> list[str]:
    met = []
    family = list(question.scenarios())
    expected = {slot.path: _irrelevant(question, family, [number]) for number, slot in enumerate(question.slots)}
    assert {each.variable.path: each.irrelevant for each in found.variables} == expected, f"{context}\n{found}"
    met += [f"irrelevant: {each}" for each in expected.values()]
    loose = [number for number, slot in enumerate(question.slots) if expected[slot.path]]
    together = _irrelevant(question, family, loose) if len(loose) > 1 else None
    if question.worlds[1:] and together is None:
        assert found.together in (None, False), context
    else:
        assert found.together is together, context
    needs = _needs(question)
    assert [each.needed for each in found.suppositions] == needs, f"{context}\n{found.suppositions}"
    return [*met, *(f"needed: {each}" for each in needs)]


def _broken(question: AskedOfSteps, values: Values) -> list[bool]:
    """For each state that there may have been: whether a scenario breaks the proof."""
    return [occurs is (question.kind == "might") for occurs in question.occurs(values)]


def _irrelevant(question: AskedOfSteps, family: list[Values], loose: list[int]) -> bool | None:
    moved = set(family)
    for number in loose:
        slot = question.slots[number]
        moved = {(*values[:number], each, *values[number + 1 :]) for values in moved for each in slot.domain}
    broken = [_broken(question, values) for values in moved]
    matters = {any(world) for world in zip(*broken, strict=True)}
    return None if len(matters) > 1 else True not in matters


def _needs(question: AskedOfSteps) -> list[bool | None]:
    fact = tuple(question.fact_of(slot)[0] for slot in question.slots)
    breaks = _broken(question, fact) if all(map(question.is_steady, question.slots)) else [False]
    allows = fact in question.scenarios(punctured=False)
    found: list[bool | None] = []
    left = question
    for number, slot in enumerate(question.slots):
        if not slot.text or "is anything" in slot.text:
            continue
        wide = replace(slot, values=tuple(slot.domain))
        wider = replace(left, slots=(*left.slots[:number], wide, *left.slots[number + 1 :]))
        let_in = not allows and all(map(question.is_steady, question.slots))
        let_in = let_in and fact in wider.scenarios(punctured=False)
        by_world = [any(world) for world in zip(*(_broken(wider, each) for each in wider.scenarios()), strict=True)]
        if let_in and all(breaks):
            found.append(True)
        elif len(set(by_world)) > 1:
            found.append(None)
        else:
            found.append(True if by_world[0] else None if let_in and any(breaks) else False)
        if found[-1] is False:
            left = wider
    return found


@pytest.mark.parametrize("seed", PROGRAMS)
def test_explanations_of_several_steps_are_what_running_all_scenarios_gives(seed: int, tmp_path: Path) -> None:
    seen: Counter[str] = Counter()
    check(seed, tmp_path, seen)
    assert len(seen) > 4, seen


@pytest.mark.soak
@pytest.mark.timeout(0)
def test_many_more_programs(tmp_path: Path) -> None:
    """`FUTURES=200:1000` tries that many from that seed on."""
    count, _, first = os.environ.get("FUTURES", "60:1000").partition(":")
    seen: Counter[str] = Counter()
    for seed in range(int(first or 0), int(first or 0) + int(count)):
        check(seed, tmp_path, seen)
    assert int(count) < 30 or set(+seen) >= USUAL, seen
