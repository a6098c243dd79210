"""Steps that are seen through by intervals alone give what exploring each of them gives, with few explorations."""

from __future__ import annotations

from typing import Any

import pytest

from soid import Project
from soid.engine.llvm.llvm_engine import LlvmEngine
from soid.examples import folder
from soid.oracle import step_runs

STEPS = range(0, 72, 2)


@pytest.fixture(scope="module")
def drone() -> Project:
    """Its log is rounded, and has none of its counters."""
    return Project.open(folder("drone"))


def moments(project: Project) -> list[Any]:
    """What follows from the log at some steps; the derivation begins anew."""
    again = project.over(project.trace, 0)
    found = [again.at(step).keyframe for step in STEPS]
    return [(each.inputs, each.derived, each.fitting) for each in found]


def test_they_are_what_exploring_each_gives(drone: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(step_runs, "ONE_BY_ONE", 0)
    found = moments(drone)
    monkeypatch.setattr(step_runs, "ONE_BY_ONE", 10_000)
    assert found == moments(drone)
    assert all(len(derived) == 2 for _, derived, _ in found)  # both counters follow everywhere


def test_few_steps_are_explored(drone: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    explored = []

    def explore(self: LlvmEngine, exploration: Any) -> Any:
        explored.append(exploration)
        return explores(self, exploration)

    explores = LlvmEngine.explore
    monkeypatch.setattr(LlvmEngine, "explore", explore)
    moments(drone)
    assert len(explored) <= step_runs.ONE_BY_ONE + 1  # and once over all inputs


def test_moments_in_order_have_the_state_that_each_has_alone(drone: Project) -> None:
    again = drone.over(drone.trace, 0)
    in_order = [again.at(step).keyframe.inputs for step in STEPS]
    for place in (5, 33):
        assert drone.over(drone.trace, 0).at(STEPS[place]).keyframe.inputs == in_order[place]
