"""The abstraction against brute force: each state of a small logic lies in one abstract state, the one it must."""

from __future__ import annotations

import itertools
import os
import random
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from soid.case.abstraction import REST, Abstraction, AbstractState, grown
from soid.case.project import Project
from soid.formula.passes import evaluate
from soid.oracle.inquiry import Settings
from soid.solver.chain import chain
from soid.solver.protocol import Solver
from tests.differential.logics.expectation import TooMany, needs_unknown_fact, scenarios
from tests.differential.logics.logic import UNEXPLORED, Logic, make
from tests.differential.logics.project import write
from tests.differential.logics.questions import Question, ask, nowhere_near

LOGICS, QUESTIONS, MOST = 10, 3, 300
PATIENT = Settings(seconds=200.0, accept_log_mismatch=True)


@pytest.fixture(scope="module")
def solver() -> Iterator[Solver]:
    made = chain()
    yield made
    made.close()


def asked(logic: Logic) -> list[tuple[Question, list[dict[str, int]]]]:
    """Questions, each with all states that it visits."""
    rng = random.Random(f"{logic.seed} abstraction")
    found: list[tuple[Question, list[dict[str, int]]]] = []
    while len(found) < QUESTIONS:
        question = ask(rng, logic)
        if needs_unknown_fact(logic, question) or nowhere_near(logic, question.suppositions):
            continue
        try:
            states = [dict(logic.fact)] if question.kind == "did" else scenarios(logic, question, MOST)
            if question.kind != "did" and states == [logic.fact]:
                states = []  # vacuous: nobody looks
        except TooMany:
            continue
        found.append((question, states))
    return found


def check(logic: Logic, folder: Path, solver: Solver, seen: Counter[str]) -> None:
    project = Project.open(write(logic, folder / f"logic-{logic.seed}"), solver=solver, settings=PATIENT)
    abstraction = Abstraction()
    everything: list[dict[str, int]] = []
    for question, states in asked(logic):
        before, abstraction = abstraction, grown(abstraction, project, question.text)
        everything += [state for state in states if state not in everything]
        context = f"logic {logic.seed}: {question.text}"
        _visited(logic, project, abstraction, states, context)
        _partitioned(project, abstraction, everything, context)
        _refined(before, abstraction, context)
    seen["shared"] += sum(state.shared for state in abstraction.states)
    seen["states"] += len(abstraction.states)
    seen["unexplored"] += sum(pair[1] == REST for pair in abstraction.transitions[1:])


def symbols(project: Project, state: Mapping[str, int]) -> dict[object, int]:
    return {variable.symbol: state[variable.path] for variable in project.program.interface.inputs}


def _visited(
    logic: Logic, project: Project, abstraction: Abstraction, states: list[dict[str, int]], context: str
) -> None:
    """The last question visits exactly these states before the call, and all of them after it, path by path."""
    visit = abstraction.visits[-1]
    assert bool(visit.states) is bool(states), context
    for state in states:
        values = symbols(project, state)
        before, *after = visit.states
        assert evaluate(before.condition, values), context  # type: ignore[arg-type]
        reached = [each for each in after if evaluate(each.condition, values)]  # type: ignore[arg-type]
        assert reached, context
        outcome = logic.outcome(state)
        words = {str(each.ending).partition(":")[0] for each in reached}
        kinds = {"decided": "decides", "failed": "fails", "undecided": "does not decide", UNEXPLORED: "unexplored"}
        assert kinds[outcome.ending] in words, context


def _partitioned(project: Project, abstraction: Abstraction, states: list[dict[str, int]], context: str) -> None:
    """Each state lies in one abstract state of each time: that of all visited states that it lies in."""
    hit: set[int] = set()
    ways: set[tuple[int, int]] = set()
    for state in states:
        values = symbols(project, state)
        inside = [each for each in abstraction.visited if evaluate(each.condition, values)]  # type: ignore[arg-type]
        cells: list[AbstractState] = []
        for after in (0, 1):
            found = [
                each
                for each in abstraction.states
                if each.after == after and evaluate(each.condition, values)  # type: ignore[arg-type]
            ]
            (cell,) = found
            assert set(cell.members) == {each for each in inside if each.after == after}, context
            cells.append(cell)
        hit |= {cell.number for cell in cells}
        ways.add((cells[0].number, cells[1].number))
    assert hit == {cell.number for cell in abstraction.states}, context
    assert all(cell.settled for cell in abstraction.states), context
    assert ways == {way for way in abstraction.transitions if REST not in way}, context
    shared = {pair for cell in abstraction.states for pair in itertools.combinations(cell.member_numbers, 2)}
    assert shared == {meet.states for meet in abstraction.meets if not meet.empty}, context  # the others lie apart


def _refined(before: Abstraction, after: Abstraction, context: str) -> None:
    """A further question splits abstract states, and joins none."""
    for cell in after.states:
        old = {member for member in cell.members if member in before.visited}
        assert not old or any(set(each.members) == old for each in before.states), context


def test_each_state_lies_where_it_must(tmp_path: Path, solver: Solver) -> None:
    seen: Counter[str] = Counter()
    for seed in range(LOGICS):
        check(make(str(seed)), tmp_path, solver, seen)
    assert seen["shared"] > 10 and seen["states"] > 40 and seen["unexplored"] > 1, seen


@pytest.mark.fuzz
@pytest.mark.timeout(0)
def test_many_more_logics(tmp_path: Path, solver: Solver) -> None:
    """`LOGICS=2000:5000` tries that many from that seed on."""
    count, _, first = os.environ.get("LOGICS", "1000:300000").partition(":")
    seen: Counter[str] = Counter()
    for seed in range(int(first or 0), int(first or 0) + int(count)):
        check(make(str(seed)), tmp_path, solver, seen)
    assert seen["shared"] > 10 and seen["states"] > 40 and seen["unexplored"] > 1, seen
