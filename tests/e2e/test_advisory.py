"""The advisory example: a network that learned its tables almost everywhere."""

from __future__ import annotations

import numpy as np
import pytest

from soid.case.project import Project
from soid.examples import folder
from soid.examples.advisory import logs, train
from soid.examples.advisory.encounter import ADVISORIES, CLEAR
from soid.examples.advisory.tables import looked_up, tables
from soid.oracle.inquiry import Settings

FOLDER = folder("advisory")
UNREPLAYED = Settings(replay="off")


@pytest.mark.parametrize(
    ("project", "verdicts"),
    [(".", ["yes", "no", "no"]), ("retrained", ["yes", "yes"])],
)
def test_the_questions_are_answered_as_the_story_tells(project, verdicts):
    opened = Project.open(FOLDER / project, settings=UNREPLAYED)
    assert opened.manifest is not None
    assert [opened.ask(question).verdict.value for question in opened.manifest.questions] == verdicts


def test_in_the_air_the_near_miss_follows_whatever_the_advisory_before_was():
    opened = Project.open(FOLDER / "flight.toml", settings=UNREPLAYED)
    assert opened.manifest is not None
    first, second, _ = opened.manifest.questions
    assert opened.ask(first).verdict.value == "yes" and opened.ask(second).verdict.value == "yes"


def test_by_the_tables_descending_is_never_best_in_the_family_that_is_asked_about():
    draw, count = np.random.default_rng(1), 20_000
    bounds = ((-200, -150), (21, 40), (24, 30))
    gap, own, other = (draw.uniform(*each, count) for each in bounds)
    seconds, last = draw.integers(5, 9, count), np.full(count, CLEAR)
    best = looked_up(tables(), gap, own, other, seconds, last).argmin(axis=1)
    assert set(best) <= {ADVISORIES.index(each) for each in ("CLEAR", "CLIMB", "STRONG_CLIMB")}


@pytest.mark.parametrize("name", train.SEEDS)
def test_the_logs_are_what_the_networks_give_in_flight(name):
    content = (FOLDER / name).read_bytes()
    assert logs.record(content) == (FOLDER / name).with_name("encounter.csv").read_text()
    assert (abs(logs.passed_at(content)) < 100) is (name == "advisory.onnx")


@pytest.mark.soak  # a version of scikit-learn, or a processor, may learn other weights
def test_the_networks_are_what_training_makes():
    costs = tables()
    card = [line.strip("| ").split(" | ") for line in (FOLDER / "CARD.md").read_text().splitlines()]
    for column, (name, seed) in enumerate(train.SEEDS.items(), start=1):
        learner = train.learn(costs, seed)
        assert train.network_file(learner) == (FOLDER / name).read_bytes()
        measured = train.measures(costs, learner)
        assert {cells[0]: cells[column] for cells in card if cells[0] in measured} == measured
