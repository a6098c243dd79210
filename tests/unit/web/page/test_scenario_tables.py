"""The scenario of an answer as tables: of all programs, and of one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from soid.case.project import Project
from soid.examples import folder
from soid.oracle.answer import Answer
from soid.query.words import RoundedText
from soid.scenario.input_names import NO_STEPS
from soid.web.page import scenario_tables
from soid.witness.witness import Witness

SIGNAL = "world.agents[1].signal"


@pytest.fixture(scope="module")
def drivers() -> Iterator[Project]:
    project = Project.open(folder("crash") / "together")
    yield project
    project.solver.close()


def shown(answer: Answer) -> Witness:
    assert answer.witness is not None
    return answer.witness


def test_one_programs_decisions_are_shown_without_those_of_others(drivers: Project) -> None:
    answer = drivers.ask(f"might not standard.move or impatient.move if {SIGNAL} in {{STRAIGHT, LEFT}}")
    changed = scenario_tables.changed(answer, shown(answer), NO_STEPS)
    assert changed.heads == ("what changed", "in fact", "in the scenario")
    assert [row[:2] for row in changed.rows] == [("the other car's signal", RoundedText("RIGHT", "RIGHT"))]
    every = scenario_tables.outcome(answer, shown(answer), drivers.keyframe)
    assert every.heads[0] == "program" and {row[0] for row in every.rows} >= {"standard", "impatient"}
    one = scenario_tables.outcome(answer, shown(answer), drivers.keyframe, "impatient")
    assert one.heads == ("what it decides", "in fact", "in the scenario")
    assert {row[0] for row in one.rows} == {"the impatient driver's decision to move"}
    assert set(one.rows) <= {row[1:] for row in every.rows}


def test_steps_of_which_the_same_is_told_are_told_together(drivers: Project) -> None:
    answer = drivers.ask("would not collision throughout 20 steps if traffic.drivers[1].goes == RIGHT")
    told = [each.read for each in scenario_tables.steps_told(answer, shown(answer), 11)]
    assert told[0].startswith("Step 11 to 15: ") and told[-1].split(":")[0].endswith("30")
    assert "the two cars collide: false" in told[0] and "the impatient driver's decision to move: " in told[0]
    alone = [each.read for each in scenario_tables.steps_told(answer, shown(answer), 11, "impatient")]
    assert len(alone) < len(told) and all("standard" not in each and "collide" not in each for each in alone)
    assert "the impatient driver's decision to move: " in alone[0]
