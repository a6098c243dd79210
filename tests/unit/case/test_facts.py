"""What each answer adds to FACTS, row by row of the paper's Algorithm 1."""

from __future__ import annotations

import dataclasses

import pytest
from msgspec.structs import replace

from soid.case.facts import fact_of
from soid.case.project import Project
from soid.case.question_candidates import QuestionCandidates
from soid.errors import InternalError
from soid.formula.smtlib.script_reader import read
from soid.oracle.answer import Answer, Verdict
from soid.oracle.inquiry import Settings
from soid.query.language.query_printer import to_text
from soid.scenario.trace import Keyframe
from tests.unit.oracle.test_pipeline_steps import case as counter
from tests.unit.oracle.worlds import BROKEN, DARK, INTERFACE, WAITING, OnCue, ask, gives_up, paths

#: the fact of `worlds.ask`
KEYFRAME = Keyframe(0, {"x": 0, "y": 1, "armed": 0}, {}, INTERFACE)

ELSE = "; all else as at step 0."


def fact(answer: Answer):
    found = fact_of(answer, dataclasses.replace(KEYFRAME, inputs={**KEYFRAME.inputs}))
    assert found is not None
    return found


def test_did_adds_the_fact():
    found = fact(ask("did move == STAY"))
    assert (found["about"], found["occurs"], found["instead"]) == ("fact", "yes", "")
    assert found["statement"] == "At step 0 it did choose STAY as move."
    assert found["scenario"]["inputs"] == {"x": 0, "y": 1, "armed": False}
    assert (found["formula"], found["scenario"]["changed"]) == ("", [])


def test_did_not_adds_the_opposite():
    found = fact(ask("did move == GO"))
    assert (found["about"], found["occurs"], found["instead"]) == ("fact", "no", "decides otherwise")
    assert found["statement"] == "At step 0 it did not choose GO as move."


def test_a_refuted_would_adds_the_one_scenario():
    found = fact(ask("would move == STAY if x <= 1 and y is anything"))
    assert (found["about"], found["occurs"], found["instead"]) == ("scenario", "no", "decides otherwise")
    assert found["statement"] == "It would not choose STAY as move, had x been 1 instead of 0" + ELSE
    assert found["scenario"]["outputs"]["move"] == "GO"
    assert [change["variable"] for change in found["scenario"]["changed"]] == ["x"]


def test_a_would_that_is_refuted_everywhere_adds_the_family_and_has_the_scenario():
    found = fact(ask("would move == STAY if 1 <= x <= 2 and y is anything"))
    assert (found["about"], found["occurs"], found["instead"]) == ("family", "never", "decides otherwise")
    asked = fact(ask("might move == STAY if 1 <= x <= 2 and y is anything"))
    assert found["statement"] == asked["statement"]
    assert found["statement"] == (
        "It would never choose STAY as move, had x been between 1 and 2, whatever y had been" + ELSE
    )
    assert (found["scenario"]["outputs"]["move"], asked["scenario"]) == ("GO", None)


def test_a_might_that_is_shown_everywhere_adds_the_family_and_has_the_scenario():
    found = fact(ask("might move == GO if x == 1 and y is anything"))
    asked = fact(ask("would move == GO if x == 1 and y is anything"))
    assert (found["about"], found["occurs"], found["instead"]) == ("family", "always", "")
    assert found["statement"] == asked["statement"]
    assert found["scenario"]["outputs"]["move"] == "GO"


def test_a_proved_would_adds_the_family():
    found = fact(ask("would move == GO if x == 1 and y is anything"))
    assert (found["about"], found["occurs"], found["scenario"]) == ("family", "always", None)
    assert found["statement"] == "It would always choose GO as move, had x been 1, whatever y had been" + ELSE
    assert found["suppositions"] == ["x == 1"]


@pytest.mark.parametrize(
    ("question", "told"),
    [
        # in fact it stayed, with x = 0
        ("would not move == STAY if x <= 2", "It would never choose STAY as move, had x been at most 2, other"),
        ("might move == STAY if x <= 2", "It would never choose STAY as move, had x been at most 2, other"),
        ("would move in {STAY, GO} if x <= 1", "It would always choose STAY or GO as move, had x been at most 1;"),
        ("might move == TURN if x <= 1", "It would never choose TURN as move, had x been at most 1;"),
        ("would move == GO if x == 1 and y is anything", "It would always choose GO as move, had x been 1, whatever y"),
    ],
)
def test_what_is_so_in_all_scenarios_and_not_in_fact_leaves_the_fact_out(question, told):
    statement = fact(ask(question))["statement"]
    assert statement.startswith(told)
    assert (", other than in fact; " in statement) is told.endswith("other")


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("might fails if x is anything", "It would never fail, whatever x had been, other than in fact; "),
        ("would decides if x is anything", "It would always come to a decision, whatever x had been, other than in"),
    ],
)
def test_how_the_program_ended_in_fact_is_not_taken_for_a_decision(question, told):
    failing = Keyframe(0, {"x": 3, "y": 1, "armed": 0}, {}, INTERFACE)
    found = fact_of(ask(question, fact={"x": 3}), failing)
    assert found is not None
    assert found["statement"].startswith(told)


def test_what_is_logged_is_not_taken_for_what_the_program_does_where_they_differ():
    """It stays at x = 0, and a person who accepts the log has that it turned."""
    settings, turned = Settings(accept_log_mismatch=True), {"move": 2}
    answer = ask("might move == STAY if x <= 1", settings=settings, logged=turned)
    found = fact_of(answer, Keyframe(0, {"x": 0, "y": 1, "armed": 0}, turned, INTERFACE))
    assert found is not None
    told = "It would never choose STAY as move, had x been at most 1, other than in fact; "
    assert found["statement"].startswith(told)


def test_a_shown_might_adds_the_one_scenario():
    found = fact(ask("might move == TURN if x is anything"))
    assert (found["about"], found["occurs"]) == ("scenario", "yes")
    assert found["statement"] == "It would choose TURN as move, had x been 2 instead of 0" + ELSE


def test_a_refuted_might_adds_the_family():
    found = fact(ask("might move == STAY if 1 <= x"))
    assert (found["about"], found["occurs"]) == ("family", "never")
    assert found["statement"] == "It would never choose STAY as move, had x been at least 1" + ELSE


def test_the_family_s_formula_is_kept_as_others_can_read_it():
    found = fact(ask("would move == GO if x == 1 and y is anything"))
    assert len(read(found["formula"], source="fact").statements) == 2  # the suppositions, and not the fact


@pytest.mark.parametrize("question", ["would move == STAY if x == 3", "would not move == STAY if x == 3"])
def test_a_failing_scenario_is_recorded_as_failing_and_never_as_not_the_behavior(question):
    found = fact(ask(question, paths(BROKEN)))
    assert (found["about"], found["occurs"], found["instead"]) == ("family", "never", "fails")
    fails = "The program fails: division by zero at a.c:3, had x been 3 instead of 0" + ELSE
    assert found["statement"].endswith(fails)
    assert found["scenario"]["ending"] == "fails: division by zero at a.c:3"


def test_a_failing_scenario_among_others_is_recorded_as_neither():
    found = fact(ask("would move in {STAY, GO, TURN} if x is anything", paths(BROKEN)))
    assert (found["about"], found["occurs"], found["instead"]) == ("scenario", "neither", "fails")
    assert found["statement"] == "The program fails: division by zero at a.c:3, had x been 3 instead of 0" + ELSE


def test_a_scenario_without_a_decision_is_recorded_as_that():
    found = fact(ask("would move == STAY if x == 3", paths(WAITING)))
    assert (found["occurs"], found["instead"]) == ("never", "does not decide")
    assert "does not decide: the window was over" in found["statement"]


def test_a_fact_that_fails_is_recorded_as_that():
    found = fact_of(
        ask("did move == STAY", paths(BROKEN), fact={"x": 3}),
        dataclasses.replace(KEYFRAME, inputs={"x": 3, "y": 1, "armed": 0}),
    )
    assert found is not None
    assert (found["occurs"], found["instead"]) == ("neither", "fails")
    assert found["statement"] == "At step 0 the program fails: division by zero at a.c:3."


def test_what_is_never_reached_is_recorded_as_that():
    found = fact(ask("would inner == 1 if x == 1"))
    assert (found["occurs"], found["instead"]) == ("never", "speaks of something that is never reached")
    told = "It would never come to where it shows whether inner is 1, had x been 1 instead of 0" + ELSE
    assert found["statement"].endswith(told)


def test_that_it_fails_can_be_a_behavior_like_any_other():
    found = fact(ask("would fails if x == 3"))
    assert (found["about"], found["occurs"]) == ("family", "always")
    assert found["statement"] == "It would always fail, had x been 3" + ELSE
    found = fact(ask("might fails if x is anything"))
    assert (found["about"], found["occurs"], found["instead"]) == ("scenario", "yes", "")


HELD = "; all else as at step 5, and what it perceives staying so until step {}"
LOGGED = "; all else as it was recorded from step 5 to step 7, which does not react to what the program would have done"


@pytest.mark.parametrize(
    ("question", "occurs", "statement"),
    [
        (
            "did return >= 6 throughout 4 steps",
            "no",
            "At step 5 it did at least once in 4 steps not return at least 6",
        ),
        (
            "did return == 8 after 3 steps",
            "yes",
            "At step 5 it did return 8 in the last of 3 steps",
        ),
        (
            "did return >= 5 throughout 5 steps",
            "neither",
            "At step 9 the program fails: division by zero at counter.c:5",
        ),
        (
            "would return >= 0 throughout 5 steps held if input == 2",
            "never",
            "In no scenario would it return at least 0 in each of 5 steps, had input been 2"
            + HELD.format(9)
            + ". At step 8 the program fails: division by zero at counter.c:5, had input been 2 instead of 1"
            + HELD.format(9),
        ),
        (  # it was false before the program failed, which is more than that it fails
            "would return < 0 throughout 5 steps held if input == 2",
            "never",
            "In no scenario would it return less than 0 in each of 5 steps, had input been 2" + HELD.format(9),
        ),
        (
            "would m.count' == 0 throughout 3 steps held if input <= 0",
            "always",
            "It would always act so that count after the call is 0 in each of 3 steps, had input been at most 0"
            + HELD.format(7),
        ),
        (
            "would m.count' == 0 throughout 3 steps as logged if input <= 0",
            "always",
            "It would always act so that count after the call is 0 in each of 3 steps, had input been at most 0"
            " from then on, always the same" + LOGGED,
        ),
        (
            "might m.count' == 1 after 3 steps as logged if input is anything from step 6",
            "yes",
            "It would act so that count after the call is 1 in the last of 3 steps, had input from step "
            "6 on been 0 instead of 2 (in a later step)" + LOGGED,
        ),
        (  # each of two on one variable with its own steps: the first does not go on "from then on"
            "would m.count' == 9 after 3 steps as logged if input == 0 to step 6 and input == 1 from step 7",
            "never",
            "It would never act so that count after the call is 9 in the last of 3 steps, had input been 0 up to step "
            "6 and input been 1 from step 7 on" + LOGGED,
        ),
    ],
)
def test_over_several_steps(question, occurs, statement, tmp_path):
    case = counter(tmp_path)
    found = fact_of(case.ask(question), case.keyframe)
    case.solver.close()
    assert found is not None
    assert found["occurs"] == occurs
    assert found["statement"] == f"{statement}."
    assert question.split(" ", 1)[1].startswith(found["behavior"])


@pytest.mark.parametrize(
    "answer",
    [
        ask("would move == STAY if x == 0"),  # vacuous
        ask("would move in {STAY, GO, TURN} if x is anything", paths(DARK)),
        ask("might move == STAY if x is anything", solver=OnCue(0, gives_up, onwards=True)),
        ask("did move == STAY", logged={"move": 1}),  # log mismatch
    ],
    ids=lambda answer: answer.verdict.value,
)
def test_what_is_not_definite_adds_nothing(answer):
    assert fact_of(answer, KEYFRAME) is None


def test_a_scenario_that_does_not_bear_out_the_verdict_is_no_fact():
    answer = ask("might move == TURN if x is anything")
    with pytest.raises(InternalError, match="does not bear out"):
        fact_of(replace(answer, verdict=Verdict.NO, query=ask("would move == TURN if x is anything").query), KEYFRAME)
    with pytest.raises(InternalError, match="without a scenario"):
        fact_of(replace(answer, witness=None), KEYFRAME)


def test_what_was_no_number_in_fact_is_said_to_equal_nothing(tmp_path):
    """`score == fact(score)` is false of a NaN, though the score is the same: the words for it are not enough."""
    (tmp_path / "p.c").write_text("double f(double t, int n) { return (t - t) / (t - t) + n; }\n")
    head = '[program]\nengine = "c"\nsources = ["p.c"]\nentry = "f"\n'
    (tmp_path / "soid.toml").write_text(f'{head}[trace]\nfile = "log.jsonl"\n')
    (tmp_path / "log.jsonl").write_text('{"t": 1.0, "n": 0}\n')
    project = Project.open(tmp_path)
    answer = project.ask("might return != fact(return) if n is anything")
    stated = fact_of(answer, project.keyframe)
    assert answer.verdict is Verdict.YES and stated is not None
    assert answer.remarks[-1].endswith("was no number, and nothing is equal to that")
    assert stated["statement"].endswith("was no number, and nothing is equal to that.")
    suggested = QuestionCandidates(project.keyframe, answer.fact).questions()
    assert not any("fact(" in to_text(query) for _, query in suggested)
