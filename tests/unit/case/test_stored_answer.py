"""An answer that was kept is the same answer when it is recalled."""

from __future__ import annotations

import json

import pytest

from soid.case.record.entry import canonical
from soid.case.stored_answer import keep, recall
from soid.documents import json_of
from soid.engine.summary import Failed, Undecided, Unexplored
from soid.scenario.trace import Keyframe
from tests.unit.oracle.worlds import BROKEN, DARK, INTERFACE, WAITING, ask, paths

QUESTIONS = [
    "did move == STAY",
    "would move == STAY if x <= 1",
    "would move == GO if x == 1 and y is anything",
    "would armed' throughout 3 steps if x == 1",
    "might move == TURN if x is anything",
    "would move == STAY if x == 3",
    "would move == STAY if x == 0",
    "would move == STAY if x is anything and keep y",
]


@pytest.mark.parametrize("ending", [BROKEN, WAITING, DARK, Failed("abort"), Undecided("", 7), Unexplored("a budget")])
@pytest.mark.parametrize("question", QUESTIONS)
def test_recalled_it_is_the_same(question, ending):
    answer = ask(question, paths(ending), fact={"x": 0})
    kept = json.loads(canonical(keep(answer)))
    again = recall(kept, Keyframe(0, {"x": 0, "y": 1, "armed": 0}, {}, INTERFACE))
    assert json_of(again.document) == {**json_of(answer.document), "seconds": kept["seconds"]}
    assert (again.query, again.witness, again.fact, again.freed) == (
        answer.query,
        answer.witness,
        answer.fact,
        answer.freed,
    )
