"""The examples that are C programs: their questions, asked straight from the source, and what must come out."""

from __future__ import annotations

import pytest

from soid.case.project import Project
from soid.examples import folder
from soid.examples.proper_response.logs import drive
from soid.program.types import show

MICROWAVE = ["no", "no", "no", "no", "yes", "yes", "no"]
PROPER_RESPONSE = ["yes", "no", "no", "yes", "yes", "yes", "yes", "yes", "yes", "yes"]


def ask_all(project: Project) -> list[str]:
    assert project.manifest is not None
    answers = [project.ask(question) for question in project.manifest.questions]
    for answer in answers:
        assert answer.witness is not None, answer.text
        assert answer.witness.replayed.startswith("by running the compiled program"), answer.witness.replayed
    return [answer.verdict.value for answer in answers]


def test_the_microwave_in_c_answers_as_its_paths_do() -> None:
    in_c, as_paths = Project.open(folder("microwave") / "c"), Project.open(folder("microwave"))
    assert ask_all(in_c) == MICROWAVE
    assert as_paths.manifest is not None
    assert [as_paths.ask(question).verdict.value for question in as_paths.manifest.questions] == MICROWAVE


def test_the_microwave_in_cplusplus_answers_as_in_c() -> None:
    assert ask_all(Project.open(folder("microwave") / "cpp")) == MICROWAVE


def test_the_guard_responds_in_time_and_not_before() -> None:
    assert ask_all(Project.open(folder("proper_response"))) == PROPER_RESPONSE


def test_the_distance_at_which_the_guard_lets_go_is_found_to_the_last_bit() -> None:
    project = Project.open(folder("proper_response"))
    answer = project.ask("might not guard.active' if road.distance is anything")
    assert answer.witness is not None
    (change,) = answer.witness.changed
    safe = show(change.variable.type, answer.witness.nearest[change.variable.path])  # the scenario shown is a round one
    below = project.ask(f"might not guard.active' if road.distance < {safe}")
    assert below.verdict.value == "no"


@pytest.mark.parametrize("step", range(12))
def test_every_step_of_the_log_is_what_the_program_does(step: int) -> None:
    project = Project.open(folder("proper_response"), step=step)
    assert project.ask("did decides").verdict.value == "yes"


def test_the_log_is_what_the_guard_and_the_world_do_and_the_brakes_decide_it() -> None:
    log, touch = drive()
    assert log == (folder("proper_response") / "log.jsonl").read_text() and touch
    assert not drive(brakes=4.0)[1]
