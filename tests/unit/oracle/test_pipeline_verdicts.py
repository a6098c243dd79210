"""Five verdicts, never confused: what each ending of a path does to each kind of question."""

from __future__ import annotations

import pytest

from soid.assumptions import STANDING
from soid.documents import json_of
from soid.engine.summary import Ending
from soid.formula import build
from soid.oracle.answer import Verdict
from soid.program.types import show
from tests.unit.oracle.worlds import (
    BROKEN,
    DARK,
    FAKE,
    INTERFACE,
    WAITING,
    X,
    Y,
    ask,
    decides,
    ends,
    is_,
    paths,
)


@pytest.mark.parametrize(
    ("question", "ending", "verdict"),
    [
        # a path that does not decide refutes a `would`, whichever way the behavior is put, and shows no `might`
        ("would move == STAY if x == 3", BROKEN, "no"),
        ("would move != STAY if x == 3", BROKEN, "no"),
        ("would not (move == STAY) if x == 3", WAITING, "no"),
        ("would move == STAY or move != STAY if x == 3", WAITING, "no"),
        ("might move == STAY if x == 3", BROKEN, "no"),
        ("might move != STAY if x == 3", BROKEN, "no"),
        ("might not (move == STAY) if x == 3", WAITING, "no"),
        ("might armed' or not armed' if x == 3", BROKEN, "no"),
        # a behavior over inputs alone is still about a decision that is not there
        ("would x == 3 if x == 3", BROKEN, "no"),
        ("might x == 3 if x == 3", BROKEN, "no"),
        # how it ends can be asked about, together with the inputs
        ("would fails if x == 3", BROKEN, "yes"),
        ("would fails and x == 3 if x == 3", BROKEN, "yes"),
        ("might fails if x is anything", BROKEN, "yes"),
        ("would not fails if x is anything", BROKEN, "no"),
        ("would not decides if x == 3", WAITING, "yes"),
        ("might fails if x is anything", WAITING, "no"),
        ("might not fails and not decides if x is anything", WAITING, "yes"),
        ("would decides if x != 3", BROKEN, "yes"),
        ("might fails or move == STAY if x != 3", BROKEN, "no"),
        ("might fails or move == STAY if x == 3 or x == 2", BROKEN, "yes"),
        # unexplored states settle nothing, and do not prevent a verdict that another state settles
        ("would move == GO if x in {1, 3}", DARK, "unknown"),
        ("would move == STAY if x in {1, 3}", DARK, "no"),
        ("might move == TURN if x in {1, 3}", DARK, "unknown"),
        ("might move == GO if x in {1, 3}", DARK, "yes"),
        ("might fails if x is anything", DARK, "unknown"),
        ("would decides if x is anything", DARK, "unknown"),
        ("would not decides if x is anything", DARK, "no"),
        ("might decides if x == 3", DARK, "unknown"),
        ("would move == GO if x == 1", DARK, "yes"),
        # what is never reached is neither
        ("would inner == 2 if x == 2", BROKEN, "yes"),
        ("would inner == 1 if x == 1", BROKEN, "no"),
        ("would inner != 1 if x == 1", BROKEN, "no"),
        ("might inner == inner if x == 1", BROKEN, "no"),
        # the fact settles nothing
        ("might move == STAY if x is anything", BROKEN, "no"),
        ("would move != STAY if x in {0, 1, 2}", BROKEN, "yes"),
        ("would move == STAY if x == 0", BROKEN, "vacuous"),
        ("might move == STAY if x == 0 and y is anything", BROKEN, "yes"),
        # nothing to ask about
        ("would move == STAY if x == 1 and x == 2", BROKEN, "vacuous"),
        ("might move == STAY if x == 1 and x == 2", DARK, "vacuous"),
        ("would move == STAY", BROKEN, "vacuous"),
    ],
)
def test_the_verdict(question: str, ending: Ending, verdict: str) -> None:
    answer = ask(question, paths(ending))
    assert answer.verdict.value == verdict, answer.reason
    assert (answer.witness is not None) == answer.verdict.is_definite


def test_a_failure_is_recorded_as_what_it_is() -> None:
    answer = ask("would move == STAY if x == 3")
    assert answer.witness is not None
    assert str(answer.witness.ending) == "fails: division by zero at a.c:3"
    assert dict(answer.witness.outputs) == {}
    assert "neither the behavior nor its opposite" in answer.reason


def test_a_decision_otherwise_is_shown_before_a_failure() -> None:
    """`would move == STAY` is refuted by x = 3, which fails, and by y < 0, where it goes: the decision is shown."""
    away = build.bvslt(Y, build.const(Y.sort, 0))
    given = [
        ends("broken", is_(X, 3), BROKEN),
        decides("away", build.and_(build.not_(is_(X, 3)), away), "GO"),
        decides("near", build.and_(build.not_(is_(X, 3)), build.not_(away)), "STAY"),
    ]
    answer = ask("would move == STAY if x is anything and y is anything", given)
    assert answer.verdict is Verdict.NO
    assert answer.witness is not None
    assert [str(change) for change in answer.witness.changed] == ["y: 1 -> -1"]
    assert answer.reason == "in the scenario shown it decides otherwise"


def test_what_is_unexplored_is_said_with_its_place() -> None:
    answer = ask("would move == GO if x in {1, 3}", paths(DARK))
    assert "a loop without bound at a.c:9" in answer.reason


def test_a_proof_shows_a_member_as_near_to_the_fact_as_can_be() -> None:
    answer = ask("would decides if x in {1, 2} and y is anything")
    assert answer.verdict is Verdict.YES
    assert answer.witness is not None
    assert answer.witness.shows.value == "member"
    assert {v.path: show(v.type, answer.witness.inputs[v.path]) for v in INTERFACE.inputs} == {
        "x": "1",
        "y": "1",
        "armed": "false",
    }
    assert answer.witness.settled


def test_what_was_freed_is_listed_and_the_rest_is_fixed() -> None:
    answer = ask("might move == GO if x is anything and armed")
    assert [(freed.variable.path, json_of(freed.document)["over"]) for freed in answer.freed] == [
        ("x", "0 to 3"),
        ("armed", "false, true"),
    ]
    assert answer.witness is not None
    assert answer.witness.inputs["y"] == 1


def test_what_it_rests_on_is_passed_on() -> None:
    assert ask("did move == STAY").relies_on == (FAKE, *STANDING)
    assert ask("would move == GO if x == 1").relies_on == (FAKE, *STANDING)


def test_paths_are_counted_by_how_they_ended() -> None:
    assert ask("would move == GO if x is anything", paths(WAITING)).paths == {
        "decided": 3,
        "failed": 0,
        "undecided": 1,
        "unexplored": 0,
    }


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("would decides", "nothing was supposed: the only scenario is the fact"),
        ("would decides if keep x", "everything that is mentioned is kept: the only scenario is the fact"),
        ("would decides if x == 2 and keep x", "nothing may differ, and in fact it is not so that x is 2"),
        ("would decides if x == 0", "only in the fact itself is it so that x is 0"),
        (
            "would decides if x == 1 and y is anything and x > 2",
            "these exclude each other: that x is 1, and that x is more than 2",
        ),
        (
            "would decides if y is anything and (x < 1 and x > 1)",
            "in no scenario is it so that x is less than 1 and x is more than 1",
        ),
        (
            "would decides if x == 1 and x < y and y < 1",
            "these exclude each other: that x is less than y, and that y is less than 1",
        ),
        ("would decides if x < y", "only in the fact itself is it so that x is less than y"),
    ],
)
def test_an_empty_family_names_the_conflict(question: str, words: str) -> None:
    answer = ask(question)
    assert answer.verdict is Verdict.VACUOUS
    assert answer.reason.startswith(words)


def test_a_vacuous_answer_does_not_explore() -> None:
    stages: list[str] = []
    ask("would decides if x == 1 and x == 2", progress=lambda each: stages.append(each.stage))
    assert stages == ["fact", "family"]
