"""How well a world reproduces the log, and what becomes of answers that rest on one that does not."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest

from soid.case.project import Project
from soid.engine.world import world_check
from soid.engine.world.world_check import WorldCheck
from soid.errors import ManifestError
from soid.oracle.reason import ReasonCode
from tests.gap_world import MANIFEST, WORLD, gap_project, single
from tests.unit.engine.world.two_cars import two_cars

#: it goes on by 95 % of the speed, so it is off by 0.1 m a step at 2 m a step
SLOW = WORLD.replace("v->gap - v->speed", "v->gap - v->speed * 0.95f")
ASKED = "would not collision throughout 20 steps if v.signal == STRAIGHT"


def held_to(tolerance: str, folder: Path, world: str = WORLD) -> Project:
    return gap_project(folder, world=world, manifest=MANIFEST.replace("acts =", f"tolerance = {tolerance}\nacts ="))


def checked(project: Project) -> WorldCheck:
    found = project.engine.world_check(project.trace)
    assert found is not None
    return found


def test_one_step_on_and_over_the_course(tmp_path: Path) -> None:
    found = checked(gap_project(tmp_path, world=SLOW))
    assert (found.compared, found.skipped, found.first, found.last, found.within) == (19, 0, 0, 19, None)
    steps, course = ({each.variable.path: each for each in every} for every in (found.one_step, found.course))
    ones = [30.0 - 2.0 * step - single(2.0 * single(0.95)) for step in range(19)]
    assert steps["v.gap"].distance == max(Fraction(single(one) - (28.0 - 2.0 * at)) for at, one in enumerate(ones))
    gap = 30.0
    for _ in range(19):
        gap = single(gap - single(2.0 * single(0.95)))
    assert (course["v.gap"].distance, course["v.gap"].step) == (Fraction(gap) + 8, 19)
    assert steps["v.speed"].distance == course["v.speed"].distance == 0


def test_a_world_that_is_the_logs_is_off_by_nothing(tmp_path: Path) -> None:
    found = checked(held_to("0", tmp_path))
    assert found.within is True and {each.distance for each in (*found.one_step, *found.course)} == {0}


@pytest.mark.parametrize("tolerance", ["0.05", '{ "v.gap" = 0.05 }'])
def test_beyond_the_tolerance_outcomes_are_unknown(tmp_path: Path, tolerance: str) -> None:
    project = held_to(tolerance, tmp_path, SLOW)
    found = project.ask(ASKED)
    assert (found.verdict.value, found.why.code) == ("unknown", ReasonCode.WORLD_OFF) and found.witness is None
    assert "gap is off by 0.1 m at step 1, beyond 0.05" in found.reason
    assert project.ask("did collision within 20 steps").verdict.value == "yes"  # that the log itself shows
    assert project.ask("might return == 1 if v.signal == LEFT and v.gap == 3.0").verdict.value == "yes"
    assert project.ask("did *impact > 0.0 within 20 steps").why.code is ReasonCode.WORLD_OFF


def test_within_the_tolerance_an_answer_says_how_far_it_is_off(tmp_path: Path) -> None:
    found = held_to("0.15", tmp_path, SLOW).ask(ASKED)
    assert found.verdict.value == "yes"
    told = next(each.text for each in found.relies_on if each.id == "world-fits")
    assert "19 steps off by at most 0.1 m (v.gap)" in told and "fed back, off by at most 1.9 m (v.gap)" in told


def test_an_answer_names_only_what_is_off(tmp_path: Path) -> None:
    for folder, world, told in (
        (tmp_path / "off", SLOW, "off by at most 0.1 m (v.gap)"),
        (tmp_path / "fits", WORLD, "not off"),
    ):
        found = held_to("0.15", folder, world).ask(ASKED)
        assert f"19 steps {told};" in next(e.text for e in found.relies_on if e.id == "world-fits")


def test_an_answer_says_that_only_the_beginning_of_a_long_log_was_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(world_check, "MOST_STEPS", 6)
    found = held_to("0.05", tmp_path).ask(ASKED)
    told = next(each.text for each in found.relies_on if each.id == "world-fits")
    assert "one step on from each of the log's first 5 steps" in told


def test_what_a_world_computes_anew_is_compared_too(tmp_path: Path) -> None:
    """A sensor that is written and not read: the check of the pedestrian's own world ended in a KeyError."""
    sensor = WORLD.replace("v->gap = v->gap - v->speed", "where = where - v->speed; v->gap = where")
    sensor = sensor.replace("void step(", "float where;\nvoid step(")
    project = held_to('{ "v.gap" = 0.05 }', tmp_path, sensor)
    rows = [json.loads(row) | {"where": 30.0 - 2.0 * at} for at, row in enumerate(_rows(tmp_path))]
    rows[7]["v"]["gap"] += 0.25
    (tmp_path / "log.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    project = Project.open(tmp_path)
    assert project.program.interface.produced == {"v.gap", "v.speed", "where"}
    far = {each.variable.path: (each.distance, each.step) for each in checked(project).one_step}
    assert far["v.gap"] == (Fraction("0.25"), 7) and far["where"][0] == 0
    assert project.ask(ASKED).why.code is ReasonCode.WORLD_OFF


def _rows(folder: Path) -> list[str]:
    return (folder / "log.jsonl").read_text().splitlines()


def test_without_a_tolerance_an_answer_says_that_it_was_not_looked_at(tmp_path: Path) -> None:
    found = gap_project(tmp_path, world=SLOW).ask(ASKED)
    assert found.verdict.value == "yes" and "world-unchecked" in {each.id for each in found.relies_on}


def test_what_cannot_be_compared_is_not_within(tmp_path: Path) -> None:
    """The log has one row: nothing says that the world is what it claims to be."""
    held_to("0.5", tmp_path)
    (tmp_path / "log.jsonl").write_text((tmp_path / "log.jsonl").read_text().splitlines(keepends=True)[0])
    found = Project.open(tmp_path).ask("would not collision throughout 2 steps if v.signal == STRAIGHT")
    assert found.why.code is ReasonCode.WORLD_OFF and "gap could not be compared" in found.reason


def test_a_world_that_fails_on_the_log_does_not_reproduce_it(tmp_path: Path) -> None:
    world = WORLD.replace("*impact =", "brake = 10 / (int)(v->gap - 10.0f); *impact =")
    project = held_to("0.5", tmp_path, world)
    found = checked(project)
    assert found.within is False and found.failures == ("step 9: the world fails: division by zero at world.c:7",)
    assert project.ask("would not collision throughout 2 steps if v.signal == STRAIGHT").verdict.value == "unknown"


def test_decisions_that_are_not_logged_are_those_of_the_programs(tmp_path: Path) -> None:
    project = two_cars(tmp_path)
    rows = [{"*a": 0, "*b": 6}, {"*a": 1, "*b": 5}, {"*a": 2, "*b": 5}, {"*a": 3}, {"*a": 3, "*b": 3}]
    (tmp_path / "log.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = checked(Project.open(tmp_path))
    assert project.program.interface.produced == {"*a", "*b"}
    assert (found.compared, found.skipped) == (3, 1)
    far = {each.variable.path: (each.distance, each.step) for each in found.one_step}
    assert far == {"*a": (Fraction(0), 1), "*b": (Fraction(1), 2)}


@pytest.mark.parametrize(
    ("tolerance", "cause"),
    [("-1", "from 0 on"), ('"much"', "from 0 on"), ('{ "v.gpa" = 1 }', r"gives no v\.gpa"), ("true", "from 0 on")],
)
def test_tolerances_that_are_none(tmp_path: Path, tolerance: str, cause: str) -> None:
    with pytest.raises(ManifestError, match=cause):
        held_to(tolerance, tmp_path)
