"""The crash as a simulation: runs that cannot be are refused, and a run leaves a project."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from soid.case.project import Project
from soid.errors import InputError
from soid.examples import copy, simulation_of
from soid.examples.simulation import check

CRASH = simulation_of("crash")
A, B = CRASH.fact.actors


@pytest.mark.parametrize(
    "cars",
    [
        (),
        (A, B) * 3,
        ({**A, "comes_from": "above"},),
        ({**A, "turn": "UP"},),
        ({**A, "speed": float("nan")},),
        ({**A, "travelled": 1e9},),
        ({**A, "travelled": -0.1},),
        ({**A, "travelled": 4 * 0.585},),  # where it has arrived
        (A, {**B, "patience": 201}),
        (A, {**B, "careful": "yes"}),
    ],
)
def test_cars_that_cannot_be_are_refused(cars):
    with pytest.raises(InputError):
        check(CRASH, replace(CRASH.fact, actors=cars))


def test_what_may_be_is_taken():
    late = {**CRASH.another(CRASH.fact), "travelled": -1.0}  # not in sight yet
    check(CRASH, replace(CRASH.fact, actors=(*CRASH.fact.actors, late)))


def test_a_run_of_the_fact_leaves_the_packaged_project(tmp_path):
    ran = CRASH.run(CRASH.fact, tmp_path / "run")
    copy("crash", tmp_path / "packaged")
    assert sorted(file.name for file in (tmp_path / "run").iterdir() if file.is_dir()) == ["standard"]
    for file in ("log.jsonl", "soid.toml"):
        assert (ran.project / file).read_text() == (tmp_path / "packaged" / "standard" / file).read_text()
    assert ran.summary["crashed"] and ran.summary["keyframe"] == Project.open(ran.project).keyframe.step


def test_a_driver_that_never_enters_is_looked_at_in_the_end(tmp_path):
    """A car that stands still for the whole run."""
    ran = CRASH.run(replace(CRASH.fact, actors=({**A, "speed": 0.0, "cruise": 0.0},)), tmp_path / "run")
    assert ran.summary["keyframe"] == ran.summary["steps"] - 1
