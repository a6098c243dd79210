"""What goes onto the record of facts, against brute force: each statement is held to every scenario, and to the fact.

A statement of all scenarios says that the fact is left out, or it is true of the fact as well. One of a single scenario
says what happens there; where it is the only one, a statement of all is one of it. A failure
names the seed; `LOGICS=1:<seed> pytest -m fuzz` runs that logic alone.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

import pytest

from soid.case.facts import FAMILY, SCENARIO, fact_of
from soid.oracle.answer import Answer
from soid.solver.protocol import Solver
from tests.differential.logics.expectation import FEW, occurs, scenarios
from tests.differential.logics.logic import DECIDES, UNEXPLORED, Logic
from tests.differential.logics.questions import Question
from tests.differential.test_oracle_brute_force import Asked, agree, patience, questions, solver, told

__all__ = ["patience", "solver"]  # fixtures

LEFT_OUT: Final = ", other than in fact"
OF_ALL: Final = ("It would always", "It would never", "In no scenario would")
DECIDED: Final = "wherever it comes to a decision"
#: what is so in every scenario, or in none: by what occurs in each, None where the program fails or does not decide
ALIKE: Final = {"always": lambda found: found is True, "never": lambda found: found is not True}


def occurs_or_fails(logic: Logic, question: Question, state: Mapping[str, int]) -> bool:
    """Whether the denial of a question's behavior occurs in a state in which the program decides."""
    return occurs(logic, question, state) is False or logic.outcome(state).ending != DECIDES


def is_true(answer: Answer, asked: Asked, seen: Counter[str]) -> None:
    """Compare what the answer adds to the record with what every scenario shows."""
    stated = fact_of(answer, asked.case.keyframe)
    if stated is None:
        return
    logic, question, context = asked.logic, asked.question, told(asked)
    if stated["about"] == FAMILY:
        allowed = scenarios(logic, question, FEW * 30)
        claimed, fact = ALIKE[stated["occurs"]], dict(logic.fact)
        assert all(claimed(occurs(logic, question, state)) for state in allowed if state != fact), context
        where_decided = DECIDED in stated["statement"]
        assert not where_decided or all(occurs_or_fails(logic, question, state) for state in allowed if state != fact)
        is_one = not stated["statement"].startswith(OF_ALL) and not where_decided
        includes = fact in allowed and LEFT_OUT not in stated["statement"] and not is_one
        known = logic.outcome(fact).ending != UNEXPLORED
        assert not includes or (known and claimed(occurs(logic, question, fact))), f"{context}\n{stated['statement']}"
        assert not is_one or sum(state != fact for state in allowed) == 1, context
        assert (fact in allowed and not is_one) or LEFT_OUT not in stated["statement"], context
        seen["of all where it decides"] += where_decided
        seen["of all, and the fact"] += includes
        seen["of all other than the fact"] += LEFT_OUT in stated["statement"]
    elif stated["about"] == SCENARIO:
        assert answer.witness is not None
        there, inputs = occurs(logic, question, answer.witness.inputs), answer.witness.inputs
        decides = logic.outcome(inputs).ending == DECIDES
        assert stated["occurs"] == ("yes" if there is True else "no" if decides else "neither"), context
        allowed = scenarios(logic, question, FEW * 30)
        whole = [state for state in allowed if state != logic.fact]
        known = all(logic.outcome(state).ending != UNEXPLORED for state in whole)
        alike = len({occurs(logic, question, state) is True for state in whole}) == 1
        assert not (known and alike), context
    seen[stated["about"]] += 1


def attack(seeds: Iterable[int], folder: Path, solver: Solver) -> Counter[str]:
    seen: Counter[str] = Counter()
    for seed in seeds:
        for asked in questions(f"{seed}", folder, solver, count=3):
            is_true(agree(asked), asked, seen)
    return seen


def test_what_is_stated_is_so_in_every_scenario(tmp_path: Path, solver: Solver) -> None:
    seen = attack(range(300_040, 300_080), tmp_path, solver)  # in one of them the fact is not known
    assert min(seen[each] for each in ("of all, and the fact", "of all other than the fact", FAMILY, SCENARIO)) > 3


def test_what_is_never_left_undone_is_done_wherever_the_program_decides(tmp_path: Path, solver: Solver) -> None:
    seen = attack([300_017, 300_030, 300_198, 300_254, 300_363, 300_383], tmp_path, solver)
    assert seen["of all where it decides"] >= 3


def test_a_fact_that_does_not_decide_is_left_out_of_what_is_said_of_all(tmp_path: Path, solver: Solver) -> None:
    attack([910_757], tmp_path, solver)  # `x == 1` is true of the state before, and yet it bears out nothing


@pytest.mark.fuzz
@pytest.mark.timeout(0)
def test_many_more_statements(tmp_path: Path, solver: Solver) -> None:
    count, _, first = os.environ.get("LOGICS", "5000:400000").partition(":")
    attack(range(int(first or 0), int(first or 0) + int(count)), tmp_path, solver)
