"""The three drivers on the stand: the verdicts on each, their witnesses, and their logs."""

from __future__ import annotations

import json
import shutil

import pytest

from soid.case.project import Project
from soid.examples import folder
from soid.examples.crash.car_program import DRIVERS
from soid.oracle.answer import Answer

#: the seven rows, then the pair, then the harm
VERDICTS = {
    "standard": ["yes", "no", "yes", "no", "yes", "no", "yes", "yes", "no", "yes", "yes"],
    "impatient": ["yes", "yes", "no", "yes", "no", "yes", "no", "no", "no", "yes", "no"],
    "pathological": ["yes", "yes", "no", "no", "yes", "yes", "no", "no", "yes", "yes", "no"],
}


@pytest.fixture(scope="module")
def answers() -> dict[str, list[Answer]]:
    asked = {}
    for driver in DRIVERS:
        project = Project.open(folder("crash") / driver)
        assert project.manifest is not None
        asked[driver] = [project.ask(question) for question in project.manifest.questions]
        project.solver.close()
    return asked


@pytest.mark.parametrize("driver", DRIVERS)
def test_the_verdicts(driver, answers):
    assert [answer.verdict.value for answer in answers[driver]] == VERDICTS[driver]


@pytest.mark.parametrize("driver", DRIVERS)
def test_every_scenario_shown_was_run_natively(driver, answers):
    for answer in answers[driver]:
        if answer.witness is None:
            assert answer.verdict.value == "no" and answer.text.startswith("might"), answer.text
        else:
            assert answer.witness.replayed.startswith("by running the compiled program"), answer.witness.replayed


@pytest.mark.parametrize("driver", DRIVERS)
def test_the_verdicts_on_the_optimised_program(driver, tmp_path):
    project = tmp_path / "crash"
    shutil.copytree(folder("crash"), project, ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    manifest = project / driver / "soid.toml"
    manifest.write_text(manifest.read_text().replace("\nentry ", '\nflags = ["-O2"]\nentry ', 1))
    case = Project.open(project / driver)
    assert case.manifest is not None
    answers = [case.ask(question) for question in case.manifest.questions]
    case.solver.close()
    assert [answer.verdict.value for answer in answers] == VERDICTS[driver]
    assert any("optimised with -O2" in each.text for each in answers[0].relies_on)
    shown = [answer.witness.replayed for answer in answers if answer.witness is not None]
    assert shown and all(words.startswith("by running the compiled program") for words in shown)


@pytest.mark.parametrize("driver", DRIVERS)
def test_a_log_that_says_otherwise_does_not_pass(driver, tmp_path):
    project = tmp_path / "crash"
    shutil.copytree(folder("crash"), project, ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    log = project / driver / "log.jsonl"
    records = [json.loads(line) for line in log.read_text().splitlines()]
    for record in records:
        record["move"] = not record["move"]
    log.write_text("".join(json.dumps(record) + "\n" for record in records))
    case = Project.open(project / driver)
    for question in ("did move", "would move if world.agents[1].signal is anything"):
        assert case.ask(question).verdict.value == "error"


@pytest.mark.parametrize("driver", DRIVERS)
def test_each_log_ends_in_the_crash_that_it_is_about(driver):
    lines = (folder("crash") / driver / "log.jsonl").read_text().splitlines()
    records = [json.loads(line) for line in lines]
    project = Project.open(folder("crash") / driver)
    at = records[project.keyframe.step]
    own, other = at["world"]["agents"][:2]
    assert at["move"] and other["signal"] == "RIGHT" and at["scene"]["cars"][1]["goes"] == "STRAIGHT"
    assert abs(other["x"] - 1.376) < 0.001 and other["arrived"] < own["arrived"]
    assert records[-1]["scene"]["after"]["crashed"]
    assert project.ask("did right_of_way()").verdict.value == "no"


@pytest.mark.parametrize("driver", DRIVERS)
@pytest.mark.parametrize("step", [0, 10, 20, 26])
def test_the_steps_of_each_log_are_what_the_program_does(driver, step):
    assert Project.open(folder("crash") / driver, step=step).ask("did decides").verdict.value == "yes"


@pytest.mark.parametrize("driver", DRIVERS)
def test_a_third_car_where_it_does_not_matter_adds_no_path(driver, answers):
    without, beside = answers[driver][1:3], answers[driver][5:7]
    assert [answer.paths for answer in beside] == [answer.paths for answer in without]
