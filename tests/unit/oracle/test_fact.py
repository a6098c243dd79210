"""The factual moment: the log is checked first, and what it does not say is not made up."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

import pytest
from msgspec.structs import replace

from soid import Project
from soid.engine.replay import NotAvailable, Replay, Replayer, Returned
from soid.errors import InternalError, QueryError
from soid.examples import folder
from soid.oracle.answer import Verdict
from soid.oracle.inquiry import Settings
from tests.unit.oracle.worlds import BROKEN, DARK, WAITING, ask, paths

GO, STAY, TURN = 1, 0, 2
ACCEPTING = Settings(accept_log_mismatch=True)


@pytest.mark.parametrize("question", ["did move == STAY", "would move == GO if x == 1", "might fails if x is anything"])
def test_a_log_that_says_otherwise_is_an_error_and_nothing_is_answered(question: str) -> None:
    answer = ask(question, logged={"move": GO})
    assert answer.verdict is Verdict.ERROR
    assert answer.reason == "log mismatch: the log says move is GO, the program gives STAY"
    assert answer.witness is None
    assert not any(each.id == "accepted" for each in answer.relies_on), "the record does not accept it"


def test_the_state_after_the_call_is_checked_too() -> None:
    answer = ask("did move == STAY", logged={"move": STAY, "armed'": 1})
    assert answer.reason == "log mismatch: the log says armed after the call is true, the program gives false"


def test_a_decision_in_the_log_of_a_program_that_fails_is_a_mismatch() -> None:
    answer = ask("did fails", fact={"x": 3}, logged={"move": GO})
    assert answer.verdict is Verdict.ERROR
    assert "the program fails: division by zero at a.c:3" in answer.reason
    assert ask("did fails", paths(WAITING), fact={"x": 3}, logged={"move": GO}).verdict is Verdict.ERROR


def test_an_accepted_mismatch_is_on_the_record_and_the_question_is_answered() -> None:
    answer = ask("would move == GO if x == 1", logged={"move": GO}, settings=ACCEPTING)
    assert answer.verdict is Verdict.YES
    assert answer.relies_on[0].text.startswith("log mismatch, accepted on the record: the log says move = GO")


def test_the_fact_is_what_was_logged_and_did_is_about_the_program() -> None:
    logged = {"move": GO}
    assert ask("would move == fact(move) if x == 1", logged=logged, settings=ACCEPTING).verdict is Verdict.YES
    assert ask("did move == GO", logged=logged, settings=ACCEPTING).verdict is Verdict.NO


def test_what_is_not_logged_is_what_the_program_computes() -> None:
    assert ask("would move == fact(move) if y is anything").verdict is Verdict.YES
    assert ask("would armed' == fact(armed') if x == 1").verdict is Verdict.NO


def test_a_log_that_could_not_be_checked_says_so() -> None:
    answer = ask("would move == GO if x == 1", paths(DARK), fact={"x": 3}, logged={"move": TURN})
    assert answer.verdict is Verdict.YES
    assert any(each.id == "unchecked" for each in answer.relies_on)


@pytest.mark.parametrize(
    ("question", "x", "verdict"),
    [
        ("did move == STAY", 0, "yes"),
        ("did move == GO", 0, "no"),
        ("did not (move == GO)", 0, "yes"),
        ("did fails", 3, "yes"),
        ("did decides", 3, "no"),
        ("did move == STAY", 3, "no"),
        ("did move != STAY", 3, "no"),
        ("did inner == 2", 2, "yes"),
        ("did inner == 1", 1, "no"),
        ("did inner != 1", 1, "no"),
    ],
)
def test_did(question: str, x: int, verdict: str) -> None:
    answer = ask(question, paths(BROKEN), fact={"x": x})
    assert answer.verdict.value == verdict
    assert answer.witness is not None
    assert answer.witness.shows.value == "fact"
    assert answer.witness.changed == ()


def test_did_about_an_unexplored_moment_is_unknown() -> None:
    answer = ask("did move == STAY", paths(DARK), fact={"x": 3}, logged={"move": STAY})
    assert answer.verdict is Verdict.UNKNOWN
    assert "a loop without bound at a.c:9" in answer.reason


# --- fact(...) of something that has no value in fact ---------------------------------------------------------


@pytest.mark.parametrize("question", ["would move == fact(move) if x == 1", "might move != fact(move) if x == 1"])
def test_an_unknown_fact_makes_the_verdict_unknown(question: str) -> None:
    """The factual moment is unexplored and its decision is not logged: neither yes nor no would be proved."""
    answer = ask(question, paths(DARK), fact={"x": 3})
    assert answer.verdict is Verdict.UNKNOWN
    assert "what move was in fact is not known" in answer.reason
    assert ask(question, paths(DARK), fact={"x": 3}, logged={"move": GO}).verdict.is_definite


@pytest.mark.parametrize(
    ("question", "x", "words"),
    [
        ("might move != fact(move) if x == 1", 3, "move had no value in fact: the program fails: division by zero"),
        ("did armed' == fact(armed')", 3, "armed' had no value in fact: the program fails"),
        ("would inner == fact(inner) if x == 2", 1, "inner had no value in fact: it was never reached"),
    ],
)
def test_a_fact_that_there_is_not_is_no_question(question: str, x: int, words: str) -> None:
    with pytest.raises(QueryError, match=words):
        ask(question, paths(BROKEN), fact={"x": x})


def test_an_accepted_mismatch_gives_a_failing_program_a_fact() -> None:
    answer = ask("might move == fact(move) if x is anything", fact={"x": 3}, logged={"move": GO}, settings=ACCEPTING)
    assert answer.verdict is Verdict.YES


class Counting(Replayer):
    """A replayer that always gives the same, and counts."""

    how = called = "counting"

    def __init__(self, result: Replay) -> None:
        self.result = result
        self.count = 0

    def replay(self, inputs: Mapping[str, int], environments: Sequence[Mapping[str, int]] = ()) -> Replay:
        self.count += 1
        return self.result

    replay_failure = replay


OVEN = "did action == {}"


def oven() -> tuple[Project, Returned]:
    """A project, and what its program does in fact."""
    project = Project.open(folder("microwave"))
    fact = project.ask(OVEN.format("CANCEL"))
    return replace(project, facts={}), Returned(fact.fact)


def test_a_moment_is_run_once_for_all_questions_about_it() -> None:
    project, returned = oven()
    runs = Counting(returned)
    asked = replace(project, replayer=runs)
    first, second, third = (asked.ask(OVEN.format(action)) for action in ("CANCEL", "CLOSE", "CANCEL"))
    assert runs.count == 1
    assert (first.verdict, second.verdict) == (Verdict.NO, Verdict.YES)
    assert third.solver["calls"] == 0
    assert replace(third, seconds=first.seconds, solver=first.solver) == first


def test_another_replayer_or_recipe_finds_the_fact_anew() -> None:
    project, returned = oven()
    runs, other = Counting(returned), Counting(returned)
    asked = replace(project, replayer=runs)
    asked.ask(OVEN.format("CANCEL"))
    replace(asked, replayer=other).ask(OVEN.format("CANCEL"))
    assert (runs.count, other.count) == (1, 1)
    recipe = asked.settings.recipe.without("summaries")
    replace(asked, settings=replace(asked.settings, recipe=recipe)).ask(OVEN.format("CANCEL"))
    assert runs.count == 2


def test_a_moment_that_was_not_run_is_run_for_the_next_question() -> None:
    project, returned = oven()
    runs = Counting(NotAvailable("it is late"))
    asked = replace(project, replayer=runs)
    assert any(each.id == "not-run" for each in asked.ask(OVEN.format("CANCEL")).relies_on)
    runs.result = returned
    assert not any(each.id == "not-run" for each in asked.ask(OVEN.format("CANCEL")).relies_on)
    assert runs.count == 2


def test_another_moment_is_not_taken_for_the_one_that_is_known() -> None:
    project, returned = oven()
    runs = Counting(returned)
    asked = replace(project, replayer=runs)
    asked.ask(OVEN.format("CANCEL"))
    inputs = {**asked.logged.inputs, "heat": 1 - asked.logged.inputs["heat"]}
    elsewhere = replace(asked, logged=dataclasses.replace(asked.logged, inputs=inputs), log_run=None)
    with pytest.raises(InternalError, match="disagree"):  # the replayer gives what the program did at the first
        elsewhere.ask(OVEN.format("CANCEL"))
