"""The lending example: a learned model that is told the postcode, and not the group for which it stands."""

from __future__ import annotations

from fractions import Fraction

import pytest

from soid.case.project import Project
from soid.cli import main
from soid.examples import copy, folder
from soid.examples.lending import logs, train
from soid.examples.lending.applicants import SHARE, applicants
from soid.oracle.answer import Answer
from soid.oracle.inquiry import Settings
from soid.program.types import show

GROUP = {"E1", "E2", "S2"}  # where most belong to it
FOLDER = folder("lending")


@pytest.fixture(scope="module")
def project() -> Project:
    return Project.open(FOLDER)


def after(answer: Answer) -> dict[str, str]:
    assert answer.witness is not None
    return {each.variable.path: show(each.variable.type, each.after) for each in answer.witness.changed}


def test_the_manifest_s_questions(project):
    assert project.manifest is not None
    answers = [project.ask(question) for question in project.manifest.questions]
    assert [answer.verdict.value for answer in answers] == ["no", "yes", "no", "yes", "yes", "yes"]
    for answer in answers:
        assert answer.witness is not None and answer.witness.replayed.startswith("by running the model in xgboost")
    assert after(answers[1]) == {"income": "3270"}
    assert after(answers[3])["postcode"] not in GROUP


def test_one_euro_less_would_not_have_been_enough(project):
    assert project.ask("would not approve if income <= 3269").verdict.value == "yes"


def test_the_postcodes_that_are_refused_are_those_of_the_group(project):
    assert {area for area, share in SHARE.items() if share > 0.5} == GROUP
    for area in SHARE:
        answer = project.ask(f"would approve if postcode == {area} and debt within 1 of fact")
        assert answer.verdict.value == ("no" if area in GROUP else "yes"), area


def test_the_repaired_model_approves_wherever_she_lives():
    repaired = Project.open(FOLDER / "repaired", settings=Settings(replay="off"))
    assert repaired.manifest is not None
    assert [repaired.ask(question).verdict.value for question in repaired.manifest.questions] == ["yes", "yes"]


@pytest.mark.parametrize(
    ("project", "conclusion"),
    [
        ("", "the postcode stood in for the group: "),
        ("repaired", "it approved\n"),
    ],
)
def test_the_script_comes_to_its_conclusion(project, conclusion, capsys, monkeypatch):
    monkeypatch.setattr("soid.case.project.replayer_for", lambda engine, mode: None)  # starting one takes seconds
    assert main(["run", str(FOLDER / "lending.soid"), "--quiet", "--project", str(FOLDER / project)]) == 0
    assert capsys.readouterr().out.startswith(conclusion)


@pytest.mark.parametrize("model", train.MODELS)
def test_the_logs_are_what_xgboost_gives(model):
    assert logs.record(model) == (FOLDER / model).with_name("applications.csv").read_text()


def test_a_log_of_another_model_is_noticed(tmp_path):
    copy("lending", tmp_path)
    (tmp_path / "repaired" / "applications.csv").replace(tmp_path / "applications.csv")
    assert Project.open(tmp_path, settings=Settings(replay="off")).ask("did approve").verdict.value == "error"


def test_the_card_and_the_generator_tell_the_same_census():
    rows = [line.split("|")[2:-1] for line in (FOLDER / "CARD.md").read_text().splitlines() if line.startswith("| ")]
    areas = next(row for row in rows if row[0].strip() == "N1")
    shares = rows[rows.index(areas) + 1]
    cells = zip(areas, shares, strict=True)
    told = {area.strip(): Fraction(share.strip().removesuffix("%")) / 100 for area, share in cells}
    assert told == {area: Fraction(str(share)) for area, share in SHARE.items()}


@pytest.mark.soak  # a version of XGBoost may learn other trees
@pytest.mark.parametrize("model", train.MODELS)
def test_the_models_are_what_training_makes(model):
    of = train.MODELS[model]
    learned = train.learn(applicants()[: -train.HELD_OUT], of)
    assert train.saved(learned) == (FOLDER / model).read_bytes()
    column = 1 + list(train.MODELS).index(model)
    card = [line.strip("| ").split(" | ") for line in (FOLDER / "CARD.md").read_text().splitlines()]
    measured = train.measures(learned, of)
    assert {cells[0]: cells[column] for cells in card if cells[0] in measured} == measured
