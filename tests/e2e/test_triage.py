"""The triage example: a pipeline that fills in what was not measured."""

from __future__ import annotations

import pytest
import skops.io

from soid.case.project import Project
from soid.cli import main
from soid.engine.learned.readers.skops import read
from soid.examples import folder
from soid.examples.triage import logs, train
from soid.examples.triage.patients import patients
from soid.oracle.inquiry import Settings
from soid.program.types import show

FOLDER = folder("triage")
UNREPLAYED = Settings(replay="off")  # the log is of scikit-learn itself, and starting it takes seconds


def test_the_missing_lactate_decides():
    project = Project.open(FOLDER, settings=UNREPLAYED)
    assert project.manifest is not None
    answers = [project.ask(question) for question in project.manifest.questions]
    assert [answer.verdict.value for answer in answers] == ["no", "yes", "yes", "yes"]
    shown = answers[2].witness
    assert shown is not None
    assert [str(each) for each in shown.changed] == ["lactate: missing -> 3.0 mmol/l"]
    assert show(shown.changed[0].variable.type, shown.nearest["lactate"]) == "2.649999976158142"


def test_less_would_not_have_been_enough():
    project = Project.open(FOLDER, settings=UNREPLAYED)
    assert project.ask("would not urgent if lactate < 2.649999976158142").verdict.value == "yes"
    assert project.ask("would probability == fact(probability) if lactate == 1.4").verdict.value == "no"


def test_a_measurement_that_were_missing_would_have_decided():
    project = Project.open(FOLDER / "measured.toml", settings=UNREPLAYED)
    assert project.ask("did urgent").verdict.value == "yes"
    answer = project.ask("would urgent if lactate is missing")
    assert answer.verdict.value == "no" and answer.witness is not None
    assert [str(each) for each in answer.witness.changed] == ["lactate: 4.4 -> missing"]


def test_between_a_missing_value_and_a_number_lies_no_other():
    explained = Project.open(FOLDER, settings=UNREPLAYED).explain("might urgent if lactate is anything")
    assert explained.mattered is not None
    (changes,) = explained.mattered.sets
    assert [str(flip) for flip in changes.flips] == ["lactate: missing | 2.649999976158142 mmol/l"]
    assert explained.parting is None  # a model has no branches at which ways part


@pytest.mark.parametrize(
    ("project", "conclusion"),
    [("soid.toml", "the missing value decided: "), ("measured.toml", "urgent because the lactate was measured: ")],
)
def test_the_script_comes_to_its_conclusion(project, conclusion, capsys, monkeypatch):
    monkeypatch.setattr("soid.case.project.replayer_for", lambda engine, mode: None)  # starting one takes seconds
    assert main(["run", str(FOLDER / "triage.soid"), "--project", str(FOLDER / project), "--quiet"]) == 0
    assert capsys.readouterr().out.startswith(conclusion)


def test_the_log_is_what_scikit_learn_gives():
    assert logs.record() == logs.LOG.read_text()


@pytest.mark.soak  # a version of scikit-learn may learn other trees
def test_the_model_is_what_training_makes(tmp_path):
    learned = train.learn(patients()[: -train.HELD_OUT])
    skops.io.dump(learned, tmp_path / "triage.skops")
    assert read((tmp_path / "triage.skops").read_bytes()) == read(train.FILE.read_bytes())
    card = [line.strip("| ").split(" | ") for line in (FOLDER / "CARD.md").read_text().splitlines()]
    measured = train.measures(learned)
    assert {cells[0]: cells[1] for cells in card if cells[0] in measured} == measured
