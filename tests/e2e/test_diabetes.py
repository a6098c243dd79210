"""The diabetes example: a learned tree in a program that mistakes inches and pounds for metres and kilograms."""

from __future__ import annotations

from pathlib import Path

import pytest

from soid.case.project import Project
from soid.examples import copy, folder
from soid.examples.diabetes import logs, train
from soid.oracle.answer import Answer
from soid.program.types import show

PROJECTS = ["", "repaired"]
HEIGHT = 64.0  # in


def ask_all(project: Path) -> list[Answer]:
    case = Project.open(project)
    assert case.manifest is not None
    answers = [case.ask(question) for question in case.manifest.questions]
    for answer in answers:  # of these proofs and scenarios, each shows one that was run
        assert answer.witness is not None, answer.text
        assert answer.witness.replayed.startswith("by running the compiled program"), answer.witness.replayed
        assert answer.witness.settled
    return answers


def test_it_said_low_and_only_a_weight_that_nobody_has_makes_it_say_high() -> None:
    did, any_weight, of_a_person = ask_all(folder("diabetes"))
    assert [answer.verdict.value for answer in (did, any_weight, of_a_person)] == ["yes", "yes", "no"]
    assert did.witness is not None and any_weight.witness is not None
    assert did.witness.output_text("assessment.bmi") == "0.061028564453125"
    (change,) = any_weight.witness.changed
    weight = float(show(change.variable.type, change.after))
    assert change.variable.unit == "lb"
    assert weight > 100_000
    assert any_weight.witness.output_text("assessment.risk") == "HIGH"


def test_the_smallest_such_weight_is_found_to_the_last_bit() -> None:
    project = Project.open(folder("diabetes"))
    answer = project.ask("might assessment.risk == HIGH if patient.weight is anything")
    assert answer.witness is not None and answer.witness.settled
    (change,) = answer.witness.changed
    assert str(change) == "patient.weight: 249.973 -> 200000.0 lb"  # round, and far enough from where it begins
    weight = show(change.variable.type, answer.witness.nearest["patient.weight"])
    told = answer.nearness(answer.witness)
    assert told is not None
    assert told.read == "Of such scenarios the nearest to the fact is the one with the weight at about 122675 lb."
    assert told.exact == told.read.replace("about 122675", weight)
    assert project.ask(f"might assessment.risk == HIGH if patient.weight < {weight}").verdict.value == "no"
    assert project.ask(f"would assessment.risk == HIGH if {weight} <= patient.weight <= 1e9").verdict.value == "yes"


def test_the_repaired_program_says_high() -> None:
    (did,) = ask_all(folder("diabetes") / "repaired")
    assert did.verdict.value == "yes"
    assert did.witness is not None
    assert did.witness.output_text("assessment.bmi") == repr(249.973 * 0.45359237 / (HEIGHT * 0.0254) ** 2)


@pytest.mark.parametrize("project", PROJECTS)
def test_every_step_of_the_log_is_what_the_program_does(project: str) -> None:
    case = Project.open(folder("diabetes") / project, step=0)
    assert case.ask(f"did decides throughout {len(case.trace)} steps").verdict.value == "yes"


@pytest.mark.parametrize("project", PROJECTS)
def test_a_log_that_is_not_the_program_s_is_noticed(project: str, tmp_path: Path) -> None:
    copy("diabetes", tmp_path)
    log = tmp_path / project / "log.jsonl"
    lines = log.read_text().splitlines()
    assert "249.973" in lines[3]
    lines[3] = lines[3].replace("249.973", "249.972")
    log.write_text("\n".join(lines))
    case = Project.open(tmp_path / project)
    for question in ("did assessment.risk == LOW", "might assessment.risk == HIGH if patient.weight is anything"):
        answer = case.ask(question)
        assert answer.verdict.value == "error"
        assert "log mismatch" in answer.reason


@pytest.mark.parametrize("at", logs.FOLDERS, ids=["program", "repaired"])
def test_the_logs_are_what_recording_writes(at: Path) -> None:
    assert logs.record(at) == (at / "log.jsonl").read_text()


@pytest.mark.soak  # `make soak` installs what training needs
def test_the_tree_is_what_training_makes() -> None:
    assert train.as_c(train.learn(*train.data())) == train.FILE.read_text()
