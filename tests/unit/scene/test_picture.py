"""The parts of a picture: places, ghosts, differences, and values that cannot be drawn."""

from __future__ import annotations

from pathlib import Path

import pytest

from soid.program.scenery import Blinking
from soid.scene import scene_words
from soid.scene.picture import picture
from soid.scene.scene import Scene
from tests.unit.scene.scenes import PROGRAM, SCENE, a_scene, values


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    return a_scene(tmp_path)


def test_the_fact(scene: Scene) -> None:
    drawn = picture(scene, values(scene), caption="step 3")
    car, person = drawn.fact
    assert (car.place, car.direction, car.blinking) == ((2.0, 1.5), 0.0, Blinking.RIGHT)
    assert (person.place, person.direction, person.blinking) == ((7.0, 2.5), None, None)
    assert (drawn.outcome, drawn.ghost, drawn.differences) == ('it decides for "go"', None, ())
    assert scene_words.about(scene, car) == (
        "the car: heading east, right lights blinking, x 2.0 m, y 1.5 m, angle 0.0 rad, signal RIGHT, speed 0.0 m/s"
    )


def test_zero_is_a_place_and_a_heading(scene: Scene) -> None:
    car, person = picture(scene, values(scene, x="0.0", y="0.0", where="0")).fact
    assert (car.place, car.direction, person.place) == ((0.0, 0.0), 0.0, (0.0, 2.5))


@pytest.mark.parametrize(("anchor", "x"), [("centre", 2.0), ("front", 1.0), ("rear", 3.0)])
@pytest.mark.parametrize("mirrored", [False, True])
def test_a_position_may_be_of_the_front_or_the_rear(tmp_path: Path, anchor: str, x: float, mirrored: bool) -> None:
    text = SCENE.replace('heading = "angle"', f'heading = "angle"\nanchor = "{anchor}"')
    if mirrored:  # x then falls to the right
        text, x = text.replace("[0.0, 10.0]\n", "[10.0, 0.0]\n"), 4.0 - x
    scene = a_scene(tmp_path, text)
    assert picture(scene, values(scene)).fact[0].place == (x, 1.5)


def test_who_is_there(scene: Scene) -> None:
    for there, who, expected in (("false", "DOG", [False, True]), ("true", "NOBODY", [True, False])):
        drawn = picture(scene, values(scene, there=there, who=who))
        assert [figure.present for figure in drawn.fact] == expected
        assert [figure.place is not None for figure in drawn.fact] == expected


def test_presence_may_be_a_number(tmp_path: Path) -> None:
    program = PROGRAM.replace('there  = { role = "state", type = "bool" }', 'there = { role = "state", type = "int8" }')
    scene = a_scene(tmp_path, program=program)
    for there, expected in (("0", False), ("-1", True)):
        assert picture(scene, values(scene, there=there)).fact[0].present is expected


@pytest.mark.parametrize("odd", ["nan", "inf", "-inf", "nan(0x7fc00001)"])
def test_what_is_no_place_is_not_drawn_and_said(scene: Scene, odd: str) -> None:
    car, _ = picture(scene, values(scene, x=odd)).fact
    assert car.present and car.place is None
    assert scene_words.seen(scene, car)[0] == "at no place that can be drawn"
    turned, _ = picture(scene, values(scene, angle=odd)).fact
    assert turned.place == (2.0, 1.5) and turned.direction is None
    assert "heading nowhere that can be drawn" in scene_words.seen(scene, turned)


def test_what_is_far_away_is_outside(scene: Scene) -> None:
    car, _ = picture(scene, values(scene, x="3e38", y="-1e308")).fact
    assert scene_words.seen(scene, car)[0] == "outside the picture"


def test_a_signal_without_a_known_look(scene: Scene) -> None:
    car, _ = picture(scene, values(scene, signal="bits(0x7f)")).fact
    assert car.blinking is None
    assert "signal 127" in scene_words.about(scene, car)


def test_differences_compare_bits(scene: Scene) -> None:
    drawn = picture(scene, values(scene), ghost=values(scene, angle="-0.0", signal="NONE", go="false"))
    assert [str(each) for each in drawn.differences] == ["A angle: 0.0 → -0.0 rad", "A signal: RIGHT → NONE"]
    assert drawn.ghost_outcome == 'it decides against "go"'
    assert [bool(drawn.of(figure.actor)) for figure in drawn.fact] == [True, False]
    assert "this differs: A angle: 0.0 → -0.0 rad; A signal: RIGHT → NONE." in scene_words.description(drawn)


def test_a_variable_may_move_two_at_once(tmp_path: Path) -> None:
    scene = a_scene(tmp_path, SCENE.replace('x       = "where"', 'x = "x"'))
    drawn = picture(scene, values(scene), ghost=values(scene, x="3.0"))
    assert [str(each) for each in drawn.differences] == ["A x: 2.0 → 3.0 m"]
    assert [scene_words.differing(drawn, figure.actor) for figure in drawn.fact] == [("x: 2.0 → 3.0 m",)] * 2


def test_what_belongs_to_nobody_who_is_drawn_is_said_too(tmp_path: Path) -> None:
    scene = a_scene(tmp_path, SCENE.replace('shows   = ["speed"]', ""))
    drawn = picture(scene, values(scene), ghost=values(scene, speed="2.5"))
    assert scene_words.elsewhere(drawn) == ("speed: 0.0 → 2.5 m/s",)


def test_directions_in_words(tmp_path: Path, scene: Scene) -> None:
    assert [scene_words.towards(scene, direction) for direction in (0, 44, 90, 180, 265, 359.9)] == [
        "east",
        "north-east",
        "north",
        "west",
        "south",
        "east",
    ]
    sideways = a_scene(tmp_path, SCENE.replace('"up"', '"left"'))
    assert (scene_words.towards(sideways, 180.0), scene_words.towards(sideways, 90.0)) == ("north", "east")
    nowhere = a_scene(tmp_path, SCENE.replace('north         = "up"', ""))
    assert (scene_words.towards(nowhere, 90.0), scene_words.towards(nowhere, 0.0)) == ("up", "to the right")
