"""An explanation in words on the page, at a moment of which an input is not known."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from soid.case.project import Project
from soid.documents import json_of
from soid.errors import QueryError
from soid.examples import folder
from soid.explanation.explanation_words import explanation

PROGRAM = """
static int ticks;
int decide(int level) {
    ticks = level > 3 ? (ticks < 20 ? ticks + 1 : 20) : 0;
    return level + ticks > 30;
}
"""
MANIFEST = """
[program]
engine = "llvm"
sources = ["p.c"]
entry = "decide"
[trace]
file = "log.jsonl"
[variables]
level = { domain = [0, 40], label = "the level" }
ticks = { domain = [0, 20], label = "the ticks" }
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    folder: Path = tmp_path_factory.mktemp("level")
    (folder / "p.c").write_text(PROGRAM)
    (folder / "soid.toml").write_text(MANIFEST)
    steps = (json.dumps({"step": step, "level": level}) + "\n" for step, level in enumerate((20, 5, 5, 7)))
    (folder / "log.jsonl").write_text("".join(steps))
    return Project.open(folder, step=0)


def told(project: Project, question: str) -> dict[str, list[str]]:
    found = json_of(project.explain(question).document)
    return {heading: [line.read for line in lines] for heading, lines in explanation(found, project.program.interface)}


def test_a_change_is_told_that_is_enough_whatever_an_input_was(project: Project) -> None:
    found = told(project, "might return == 1 if level is anything")
    assert "no up to 9, yes from 10 on" in found["What happened in fact"][0]
    assert found["What mattered"] == [
        "With one change from the fact it would return 1, whatever the ticks were:",
        "the level: 30 instead of 20",
    ]
    (flip,) = found["Where it flips"]
    assert "at 29 it is not so that it would return 1, at 30 it would return 1" in flip
    assert "both with the ticks at 0, at 30 it is so whatever the ticks were" in flip
    (other,) = found["Other variables that would do"]
    assert "in which it would return 1, whatever the ticks were, the level is not as in fact: proved" in other


def test_a_border_between_two_floats_is_rounded_and_all_digits_are_there() -> None:
    project = Project.open(folder("diabetes"))
    found = json_of(project.explain("might assessment.risk == HIGH if patient.weight is anything").document)
    lines = dict(explanation(found, project.program.interface))
    (flip,) = lines["Where it flips"]
    high = "it would call the risk of diabetes high"
    not_high = high.replace("would", "would not")
    assert flip.read == f"the weight: it flips at about 122675 lb; just before that {not_high}, just beyond {high}"
    assert f"at 122675.19921875 lb {not_high}, at 122675.19921875001 lb {high}" in flip.exact
    assert lines["What mattered"][1].read == "the weight: about 122675 lb instead of 249.973 lb"


def test_what_is_supposed_of_an_unknown_input_is_not_explained(project: Project) -> None:
    with pytest.raises(QueryError, match="ticks is not known at this moment"):
        project.explain("might return == 1 if ticks is anything")


def test_what_mattered_in_later_steps_is_told_by_label_and_steps(project: Project) -> None:
    found = told(project, "might return == 1 within 3 steps if level is anything from step 1")
    assert found["What mattered"][1] == "the level from step 1 on: 28 instead of 5"
    flip = found["Where it flips"][0]
    assert flip.startswith("the level from step 1 on: at 27 it is not so that it would return 1 at least once in 3")
    assert found["Where the ways part"][0].endswith("they take the same way, and only values differ, from step 2 on.")
    found = told(project, "would return == 0 after 3 steps anything if level < 10 at step 2")
    (needed,) = found["What the proof needed"]
    assert needed.startswith("had the level been less than 10 at step 2: needed; without it, for example, with the ")
    (free, matters) = found["Which variables matter"]
    assert free.startswith("the level at step 1: whatever it is, the answer is the same, which is proved")
    assert matters.startswith("the level at step 2 matters: with the level at step 2 at ")
    assert not any("@" in line for lines in found.values() for line in lines)


def test_where_the_outcome_is_that_of_the_fact_no_change_mattered(project: Project) -> None:
    found = told(project.at(1), "might return == 0 if level < 5")
    (nothing,) = found["What mattered"]
    assert nothing.startswith("Nothing: also with the level as in fact it would return 0, whatever the ticks were.")
    assert "Where it flips" not in found
