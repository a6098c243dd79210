"""A run before it begins: what is typed, what is placed by hand, and what cannot be."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from soid.web.crash import CRASH, check_run
from soid.web.page.starting import Start, crossing


@pytest.fixture
def start() -> Start:
    return Start(crossing())


def handles(start: Start) -> dict[str, tuple[float, float]]:
    """Where each car can be gripped."""
    shapes = ElementTree.fromstring(start.drawing()).iter()
    found = [each for each in shapes if "data-handle" in each.attrib]
    return {each.attrib["data-handle"]: (float(each.attrib["data-x"]), float(each.attrib["data-y"])) for each in found}


def test_it_starts_as_the_crash_did(start):
    assert tuple(start.cars) == CRASH
    assert not any(start.problem(number) for number in range(2))
    (ax, ay), (bx, by) = handles(start)["A"], handles(start)["B"]
    assert bx < ax and by < ay  # A comes from the south, B from the west
    check_run(start.driver, start.cars)


def test_a_car_is_put_on_its_way_wherever_it_is_dropped(start):
    way = start.cars[1].way
    there = way.at(0.8)
    start.put("B", there.x, there.z + 0.3)
    assert start.cars[1].travelled == pytest.approx(0.8, abs=0.011)
    assert start.cars[0] == CRASH[0]


def test_a_car_is_nudged_along_its_way_and_not_beyond(start):
    start.nudge("B", 0.1)
    assert start.cars[1].travelled == 0.4
    start.nudge("B", -9.0)
    assert start.cars[1].travelled == 0.0


def test_zero_is_a_value_and_nothing_is_none(start):
    assert start.type(1, "speed", "0") == "" and start.cars[1].speed == 0.0
    assert start.type(1, "speed", " ") == "There is no value."
    assert start.type(1, "speed", "fast") == "'fast' is no number."
    assert start.cars[1].speed == 0.0


def test_what_cannot_be_is_said_of_the_car(start):
    start.type(1, "speed", "7")
    assert start.problem(1) == "Speed: 7.0 is out of range. Give a number from 0 to 1."
    assert start.problem(0) == ""


def test_cars_come_and_go(start):
    start.add()
    assert start.cars[2].comes_from == "east"
    assert set(handles(start)) == {"A", "B", "C"}
    start.type(2, "travelled", "-0.2")
    assert set(handles(start)) == {"A", "B"}
    assert start.unseen() == [start.name(2)]
    start.remove(1)
    assert len(start.cars) == 2
    assert start.most == 3
