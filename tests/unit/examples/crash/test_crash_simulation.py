"""The crash as a simulation: runs that cannot be are refused, and a run leaves a project."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from soid.assumptions import Ledger
from soid.case.project import Project
from soid.errors import InputError, KeyframeError
from soid.examples import copy, simulation_of
from soid.examples.simulation import Intervention, check

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
    late = {**CRASH.another(CRASH.fact.actors), "travelled": -1.0}  # not in sight yet
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


def halted(*changes: Intervention, moment: int | None = None):
    return replace(CRASH.fact, interventions=changes, moment=moment)


def test_a_run_goes_on_from_what_a_hand_has_changed():
    fact = CRASH.course(CRASH.fact)
    ran = CRASH.course(halted(Intervention(5, 1, {"travelled": 0.1}), Intervention(5, 1, {"signal": "LEFT"})))
    assert ran.steps[:5] == fact.steps[:5]
    assert ran.by_hand == {5: ("B was put 0.421 m back", "B was made to signal a turn to the left")}
    before, after, later = fact.steps[5].actors[1], ran.steps[5].actors[1], ran.steps[6].actors[1]
    assert before is not None and later is not None
    assert after == {**before, "travelled": 0.1, "signal": "LEFT"}
    assert later["travelled"] == pytest.approx(0.145)  # at its speed
    assert fact.steps[-1].events == ("A and B collide",)
    assert "A and B collide" not in ran.steps[-1].events
    assert not ran.steps[-1].decided


def test_a_car_comes_and_goes_while_the_run_is_halted():
    there = CRASH.course(halted(Intervention(3, 2, CRASH.another(CRASH.fact.actors)), Intervention(9, 1, None)))
    assert [len(step.actors) for step in there.steps[2:5]] == [2, 3, 3]
    assert there.steps[8].actors[1] is not None and there.steps[9].actors[1] is None
    assert there.steps[-1].events == ("A is beyond the crossing",)  # none is in its way


def test_who_came_first_can_be_changed():
    """The standard driver lets the car go that came before it."""
    line = 11
    straight = Intervention(line, 1, {"signal": "STRAIGHT"})
    before, after = (Intervention(line, 1, {"arrived": time}) for time in (0.2, 1.1))
    decided = [CRASH.course(halted(straight, *more)).steps[line].decided for more in ((), (before,), (after,))]
    assert decided == ["A decides to stay", "A decides to stay", "A decides to drive on"]


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (Intervention(5, 1, {"travelled": 9.0}), "out of range"),
        (Intervention(5, 1, {"arrived": 0.3}), "cannot be changed"),  # it is not there yet
        (Intervention(20, 1, {"turn": "LEFT"}), "cannot be changed"),  # it is in the crossing
        (Intervention(5, 0, None), "the investigated car"),
        (Intervention(5, 3, {"speed": 0.1}), "no car 3"),
        (Intervention(5, 2, {"speed": 0.1}), "is missing"),
        (Intervention(0, 1, {"speed": 0.1}), "nothing can be changed before step 0"),
        (Intervention(99, 1, {"speed": 0.1}), "nothing can be changed before step 99"),
    ],
)
def test_what_no_hand_can_do_is_refused(change: Intervention, why: str):
    with pytest.raises(InputError, match=why):
        CRASH.course(halted(change))


def test_the_log_of_a_changed_run_says_so_and_fits_program_and_world(tmp_path):
    changes = (Intervention(5, 1, {"travelled": 0.4}), Intervention(8, 2, CRASH.another(CRASH.fact.actors)))
    ran = CRASH.run(halted(*changes, moment=9), tmp_path / "run")
    project = Project.open(ran.project)
    assert project.keyframe.step == ran.summary["keyframe"] == 9
    compared = project.compare_log()
    assert compared.fits == compared.steps == ran.summary["steps"] and (compared.by_hand, compared.gaps) == (2, 0)
    world = project.engine.world_check(project.trace)
    assert world is not None and world.within and world.compared == ran.summary["steps"] - 3 and world.last == 4
    answer = project.ask("did move")
    assert answer.verdict.value == "yes"
    (told,) = (each.text for each in answer.relies_on if each.id == "by-hand")
    assert "before step 5, B was put 0.121 m back; before step 8, C was added" in told
    assert Ledger.BY_HAND.of("").comes_first
    assert project.manifest is not None
    happened = project.manifest.story.happened
    assert happened.startswith("A simulated run of the standard driver, A, at the crossing. A comes from the south,")
    assert "Before step 5 it was halted, and by hand B was put 0.121 m back." in happened
    assert "A is beyond the crossing in step 50." in happened and "collide" not in happened


def test_no_question_goes_past_a_change_by_hand(tmp_path):
    ran = CRASH.run(halted(Intervention(5, 1, {"travelled": 0.4}), moment=2), tmp_path / "run")
    project = Project.open(ran.project)
    assert project.ask("did collision within 2 steps").verdict.value == "no"
    with pytest.raises(KeyframeError, match=r"step 5 of .* does not come of step 4") as refused:
        project.ask("did collision within 8 steps")
    assert "Before step 5 the run was changed by hand" in refused.value.remedy
    with pytest.raises(InputError, match="there is no step 400"):
        CRASH.run(replace(CRASH.fact, moment=400), tmp_path / "other")
