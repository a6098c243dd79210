"""A run before it begins: what is typed, what is placed by hand, and what cannot be."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from soid.examples import simulation_of
from soid.examples.simulation import NumberSetting, check
from soid.web.page.run_draft import RunDraft
from soid.web.page.run_film import run_film
from soid.web.page.stage import run_stage, stage_of_run

CRASH = simulation_of("crash")


@pytest.fixture
def draft() -> RunDraft:
    return RunDraft(CRASH)


def car(draft: RunDraft, number: int = 1):
    return draft.setup.actors[number]


def type_(draft: RunDraft, number: int, name: str, text: str) -> str | None:
    """The problem of what was typed, if it is one."""
    (setting,) = (each for each in draft.settings(number) if each.name == name and isinstance(each, NumberSetting))
    draft.type(number, setting, text)
    return draft.problems.get((number, name))


def handles(draft: RunDraft) -> dict[str, tuple[float, float]]:
    """Where each car can be gripped."""
    shapes = ElementTree.fromstring(run_stage(draft.picture)).iter()
    found = [each for each in shapes if "data-handle" in each.attrib]
    return {each.attrib["data-handle"]: (float(each.attrib["data-x"]), float(each.attrib["data-y"])) for each in found}


def test_it_starts_as_the_crash_did(draft):
    assert draft.setup == CRASH.fact
    assert not draft.problems
    (ax, ay), (bx, by) = handles(draft)["A"], handles(draft)["B"]
    assert bx < ax and by < ay  # A comes from the south, B from the west
    check(CRASH, draft.setup)


def test_a_car_is_put_on_its_way_wherever_it_is_dropped(draft):
    middle = draft.picture.scene.frame.point(0.5, 0.5)
    draft.place("B", *middle)
    assert car(draft)["travelled"] == pytest.approx(1.46, abs=0.011)  # two tiles of road, and half of the crossing
    assert car(draft, 0) == CRASH.fact.actors[0]


def test_a_car_is_nudged_along_its_way_and_not_beyond(draft):
    assert draft.nudge("B", 10) == 1
    assert car(draft)["travelled"] == 0.4
    draft.nudge("B", -900)
    assert car(draft)["travelled"] == 0.0


def test_no_car_is_put_where_the_run_would_be_over(draft):
    """What is said to be the last place is one, and the program's floats take it for one too."""
    for number, mark in enumerate("AB"):
        draft.place(mark, *draft.picture.scene.frame.point(1.0, 0.0))
        draft.nudge(mark, 900)
        assert not draft.problems
        last = car(draft, number)["travelled"]
        assert f"Give a number from {(0, -2.34)[number]} to {last}." in (type_(draft, number, "travelled", "99") or "")
        draft.nudge(mark, 0)
    assert [each["travelled"] for each in draft.actors] == [2.33, 2.92]
    draft.reset()
    for at in range(len(draft.course.steps)):
        draft.halt(at)
        assert not draft.problems  # wherever a car has come by itself


def test_zero_is_a_value_and_nothing_is_none(draft):
    assert type_(draft, 1, "speed", "0") is None and car(draft)["speed"] == 0.0
    assert type_(draft, 1, "speed", " ") == "There is no value."
    assert type_(draft, 1, "speed", "fast") == "'fast' is no number."
    assert type_(draft, 1, "patience", "1.5") == "'1.5' is no number."
    assert car(draft)["speed"] == 0.0


def test_what_cannot_be_is_said_of_the_car(draft):
    assert type_(draft, 1, "speed", "7") == "Speed at the start: 7.0 is out of range. Give a number from 0 to 1."
    assert list(draft.problems) == [(1, "speed")]
    before = handles(draft)
    draft.nudge("B", 10)
    assert handles(draft) == before  # what cannot be is not drawn
    type_(draft, 1, "speed", "1")
    assert handles(draft) != before


def test_a_car_that_is_moved_has_the_place_of_the_picture(draft):
    assert type_(draft, 1, "travelled", "far") is not None
    draft.nudge("B", 10)
    assert not draft.problems


def test_cars_come_and_go(draft):
    draft.add()
    assert car(draft, 2)["comes_from"] == "east"
    assert set(handles(draft)) == {"A", "B", "C"}
    draft.add()
    draft.add()
    assert "overlap" not in run_stage(draft.picture)  # the fifth is put beside the one that comes the same way
    assert len({draft.name(number) for number in range(5)}) == 5 and not draft.has_room
    draft.remove(4)
    draft.remove(3)
    type_(draft, 2, "travelled", "-0.2")
    assert set(handles(draft)) == {"A", "B"}
    assert draft.unseen == [draft.name(2)]
    draft.remove(1)
    assert len(draft.setup.actors) == 2 and draft.has_room
    draft.reset()
    assert draft.setup == CRASH.fact


def test_a_change_before_a_step_is_an_intervention_and_can_be_undone(draft):
    draft.halt(10)
    there = car(draft, 1), draft.actors[1]["travelled"]
    draft.nudge("B", -10)
    draft.nudge("B", -10)  # one with the one before it
    draft.say(1, "signal", "LEFT")
    assert [(each.step, each.actor, set(each.values)) for each in draft.setup.interventions] == [
        (10, 1, {"travelled"}),
        (10, 1, {"signal"}),
    ]
    assert draft.actors[1]["travelled"] == pytest.approx(there[1] - 0.2, abs=0.01)
    assert car(draft, 1) == there[0]  # the start is as it was
    (told,) = draft.by_hand
    assert told.startswith("Before step 10, B was put 0.196 m back;") and told.endswith("to the left.")
    draft.halt(12)
    draft.remove(1)
    assert draft.actors[1] is None and draft.settings(1) == ()
    draft.halt(10)
    draft.say(1, "speed", 0.1)  # what was changed later is forgotten
    assert [each.step for each in draft.setup.interventions] == [10, 10, 10]
    for _ in range(3):
        draft.undo()
    assert draft.setup == CRASH.fact and not draft.by_hand and draft.at == 10


def test_nothing_changes_at_the_end_and_a_start_anew_forgets_the_way(draft):
    draft.halt(10_000)
    assert draft.is_over and not draft.has_room
    draft.nudge("B", 10)
    assert draft.setup == CRASH.fact
    draft.halt(5)
    assert type_(draft, 1, "speed", "7") == "Speed: 7.0 is out of range. Give a number from 0 to 1."
    assert not draft.setup.interventions  # what cannot be is not done
    draft.say(1, "speed", 0.2)
    assert len(draft.setup.interventions) == 1
    draft.halt(0)
    draft.add()
    assert not draft.setup.interventions and len(draft.setup.actors) == 3


def test_a_run_that_a_browser_kept_goes_on_and_what_can_be_no_run_changes_nothing(draft):
    draft.choose("driver", "impatient")
    draft.halt(10)
    draft.say(1, "signal", "LEFT")
    draft.halt(14)
    other = RunDraft(CRASH)
    other.restore(draft.kept)
    assert (other.setup, other.at, other.by_hand) == (draft.setup, 14, draft.by_hand) and other.course == draft.course
    for broken in (None, "", "{}", draft.kept.replace("LEFT", "UP"), draft.kept.replace('"travelled"', '"x"')):
        other.restore(broken)
        assert other.setup == draft.setup


def test_each_frame_of_the_film_has_every_car_in_its_place(draft):
    for side in ("east", "north", "south"):
        draft.add()
        draft.say(len(draft.actors) - 1, "comes_from", side)
        draft.say(len(draft.actors) - 1, "travelled", 0.3 if side != "south" else -0.1)
    film = run_film(CRASH, draft.course, *stage_of_run(draft.picture))
    looks = [each for each in ElementTree.fromstring(film["svg"]).iter() if "data-look" in each.attrib]
    assert len(film["frames"]) == len(draft.course.steps)
    marks = ["".join(each.itertext())[-1] for each in looks]
    assert set(marks) == set("ABCDE")
    panel = stage_of_run(draft.picture)[0]
    for at, frame in list(enumerate(film["frames"]))[::9]:
        draft.halt(at)
        placed = {marks[look]: (x, y) for look, x, y, _ in frame["at"]}
        figures = {each.actor.mark: each.place for each in draft.picture.fact if each.place is not None}
        assert placed == {mark: pytest.approx(panel.at(*place), abs=0.01) for mark, place in figures.items()}
    assert film["frames"][-1]["events"]
