"""What one scenario shows, said of all of them: only where it is proved, and never of a behavior's negation."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from soid.engine.summary import Ending
from soid.oracle.answer import Verdict
from soid.oracle.inquiry import Settings
from soid.oracle.reason import ReasonCode
from soid.recipe import SOID
from soid.witness.witness import Shows
from tests.unit.oracle.worlds import BROKEN, DARK, WAITING, OnCue, ask, gives_up, paths

NEVER = "in no scenario does it: proved over all of them"
ALWAYS = "in every scenario it does: proved over all of them"


@pytest.mark.parametrize(
    ("question", "code", "reason"),
    [
        ("would move == STAY if 1 <= x <= 2", ReasonCode.NEVER, NEVER),
        ("would move == GO if 1 <= x <= 2", None, "in the scenario shown it decides otherwise"),
        ("might move == GO if x == 1 and y is anything", ReasonCode.ALWAYS, ALWAYS),
        ("might move == GO if 1 <= x <= 2", None, "in the scenario shown it does"),
        ("would move == GO if x == 1 and y is anything", None, ALWAYS),  # a proof says it by itself
        ("might move == STAY if 1 <= x <= 2", None, NEVER),
    ],
)
def test_what_is_so_in_all_scenarios_is_said_first(question, code, reason):
    answer = ask(question)
    assert (answer.throughout_code, answer.reason) == (code, reason)
    assert answer.is_of_all is (reason in (NEVER, ALWAYS))


def test_a_scenario_of_many_is_no_counterexample_by_itself():
    answer = ask("would move == STAY if 1 <= x <= 2")
    assert answer.witness is not None and answer.witness.shows is Shows.COUNTEREXAMPLE
    assert answer.heading(answer.witness) == "One of the scenarios this is about"


@pytest.mark.parametrize(
    ("question", "calls"),
    [
        ("would move == STAY if x is anything and y is anything", 2),  # next to the fact it stays
        ("might move == GO if x is anything and y is anything", 2),  # and does not go
        ("would move == STAY if x >= 2 or y == -1", 3),  # of the family, no scenario next to the fact
    ],
)
def test_what_is_otherwise_next_to_the_fact_is_searched_for_nowhere_else(question, calls):
    """Two calls find a scenario of the family, and the one that is shown; the sibling question would be a third."""
    answer = ask(question, settings=Settings(recipe=SOID.without("settling")))
    assert answer.throughout is None and answer.solver["calls"] == calls


@pytest.mark.parametrize("question", ["would move == STAY if x == 3", "would not move == STAY if x == 3"])
@pytest.mark.parametrize(("ending", "told"), [(BROKEN, "fails"), (WAITING, "does not decide")])
def test_where_the_program_fails_neither_a_behavior_nor_its_negation_occurs(question, ending, told):
    """It is never so, which is not that it is always otherwise; so the scenario is still told."""
    answer = ask(question, paths(ending))
    assert answer.throughout_code is ReasonCode.NEVER
    never = "it is so in no scenario: proved over all of them" if " not " in question else NEVER
    assert answer.reason.startswith(f"{never}; in the scenario shown the program {told}, which is neither")


@pytest.mark.parametrize("question", ["would move == STAY if 1 <= x", "might move in {GO, TURN} if 1 <= x"])
def test_unexplored_scenarios_are_not_spoken_of(question):
    answer = ask(question, paths(DARK))
    assert answer.verdict.is_definite and answer.throughout is None


def test_what_a_solver_does_not_settle_is_not_said():
    """The first check settles the question, the second one would be the sibling's."""
    question = "would move == STAY if 1 <= x <= 2"
    calls = ask(question).solver["calls"]
    answers = [ask(question, solver=OnCue(call, gives_up)) for call in range(calls)]
    assert any(each.verdict is Verdict.NO and each.throughout is None for each in answers)


QUESTIONS = [
    f"{behavior} if {supposed}"
    for behavior, supposed in itertools.product(
        ("move == STAY", "not move == STAY", "move in {GO, TURN}", "move == TURN or fails", "decides", "inner == 2"),
        ("x is anything", "1 <= x", "x <= 1 and y is anything", "x >= 2", "x == 3", "x == 2 or y == -1"),
    )
]


@given(st.sampled_from(QUESTIONS), st.sampled_from([BROKEN, WAITING, DARK]))
def test_it_is_what_the_other_verb_would_be_answered(question: str, ending: Ending):
    would, might = (ask(f"{verb} {question}", paths(ending)) for verb in ("would", "might"))
    for one, sibling in ((would, might), (might, would)):
        by_one = one.witness is not None and one.witness.shows is not Shows.MEMBER
        alike = by_one and sibling.verdict is one.verdict and sibling.is_of_all
        assert (one.throughout is not None) is alike
        if one.throughout is not None:
            assert one.throughout == sibling.why
