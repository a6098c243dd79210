"""An answer that was kept is the same answer when it is recalled."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import pytest

from soid.case.record.entry import canonical
from soid.case.stored_answer import keep, reason_of, recall
from soid.documents import json_of
from soid.engine.summary import Failed, Undecided, Unexplored
from soid.oracle.reason import ReasonCode, VerdictReason
from soid.oracle.settled_share import SettledShare
from soid.scenario.trace import Keyframe
from tests.unit.oracle.worlds import BROKEN, DARK, INTERFACE, WAITING, ask, paths

#: how soid kept these reasons before they had codes
KEPT_AS_SENTENCES = [
    ("log mismatch: the log says x = 1", VerdictReason(ReasonCode.LOG_MISMATCH, ("the log says x = 1",))),
    ("the log was not checked: x is rounded", VerdictReason(ReasonCode.LOG_UNCHECKED, ("x is rounded",))),
    ("the log does not settle it: x", VerdictReason(ReasonCode.UNCODED, ("the log does not settle it: x",))),
]

QUESTIONS = [
    "did move == STAY",
    "would move == STAY if x <= 1",
    "would move == GO if x == 1 and y is anything",
    "would armed' throughout 3 steps held if x == 1",
    "would armed' throughout 3 steps held if x == 1 at step 1",
    "might move == TURN after 2 steps anything if x is anything",
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
    assert (again.query, again.why, again.witness, again.fact, again.freed) == (
        answer.query,
        answer.why,
        answer.witness,
        answer.fact,
        answer.freed,
    )


@pytest.mark.parametrize("share", [None, Fraction(1, 3)])
@pytest.mark.parametrize(("sentence", "reason"), KEPT_AS_SENTENCES)
def test_a_reason_that_was_kept_as_a_sentence_is_read(sentence, reason, share):
    settled = None if share is None else SettledShare("yes", share, True, 3, 0, ())
    kept: dict[str, Any] = {"reason": sentence if settled is None else f"{sentence}; {settled}", "bits": {}}
    assert reason_of({**kept, "settled": settled and json_of(settled.document)}) == reason
    assert str(reason) == sentence
