"""Handles: dragging an actor changes its variables within their domains."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from soid.program.domain import contains
from soid.program.types import show
from soid.scene.handles import Grip, Handle, handles
from soid.scene.picture import picture
from soid.scene.scene import Scene
from tests.unit.scene.scenes import SCENE, a_scene, values


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Scene:
    return a_scene(tmp_path_factory.mktemp("scene"))


def shown(scene: Scene, moved: dict[str, int]) -> dict[str, str]:
    return {path: show(scene.interface.variable(path).type, bits) for path, bits in moved.items()}


def the(scene: Scene, mark: str, grip: Grip, **other: str) -> Handle:
    found = [h for h in handles(picture(scene, values(scene, **other))) if (h.actor.mark, h.grip) == (mark, grip)]
    (handle,) = found
    return handle


def test_what_can_be_dragged(scene: Scene) -> None:
    found = handles(picture(scene, values(scene)))
    assert [(h.actor.mark, h.grip.value, [(e.variable.path, e.low, e.high) for e in h.limits]) for h in found] == [
        ("A", "position", [("x", -1.0, 9.5), ("y", None, None)]),
        ("A", "heading", [("angle", pytest.approx(-3.2), pytest.approx(3.2))]),
        ("P", "position", [("where", -4.0, 7.0)]),
    ]


def test_only_what_is_there_and_draggable(tmp_path: Path, scene: Scene) -> None:
    marks = {handle.actor.mark for handle in handles(picture(scene, values(scene, there="false")))}
    assert marks == {"P"}
    fixed = a_scene(tmp_path, SCENE.replace('shows   = ["speed"]', "draggable = false"))
    assert {handle.actor.mark for handle in handles(picture(fixed, values(fixed)))} == {"P"}


def test_of_a_counterfactual_it_is_the_ghost_that_is_dragged(scene: Scene) -> None:
    drawn = picture(scene, values(scene), ghost=values(scene, x="4.0"))
    assert handles(drawn)[0].figure.place == (4.0, 1.5)


def test_values_stay_inside_their_domains(scene: Scene) -> None:
    car = the(scene, "A", Grip.POSITION)
    assert shown(scene, car.moved(0.0, 0.0)) == {"x": "0.0", "y": "0.0"}
    assert shown(scene, car.moved(0.1, 0.1)) == {"x": "0.1", "y": "0.1"}
    assert shown(scene, car.moved(9.9, 4.0)) == {"x": "9.5", "y": "4.0"}
    assert shown(scene, car.moved(-7.0, 4.0)) == {"x": "-1.0", "y": "4.0"}
    person = the(scene, "P", Grip.POSITION)
    assert [shown(scene, person.moved(x, 99.0)) for x in (-9.0, 3.4, 3.6)] == [
        {"where": "-4"},
        {"where": "0"},
        {"where": "7"},
    ]


@pytest.mark.parametrize(
    ("x", "y", "angle"), [(3.0, 1.5, "0.0"), (2.0, 2.5, "1.5707964"), (2.0, 0.5, "-1.5707964"), (1.0, 1.5, "3.1415927")]
)
def test_a_dial_looks_where_it_is_dragged_to(scene: Scene, x: float, y: float, angle: str) -> None:
    assert shown(scene, the(scene, "A", Grip.HEADING).moved(x, y)) == {"angle": angle}


def test_a_dial_that_is_dragged_nowhere_stays(scene: Scene) -> None:
    assert the(scene, "A", Grip.HEADING).moved(2.0, 1.5) == {}


@settings(max_examples=40)
@given(
    x=st.floats(-1.0, 9.5, width=32), y=st.floats(-1e300, 1e300), to=st.tuples(st.floats(-20, 20), st.floats(-20, 20))
)
def test_whatever_is_dragged_is_something_to_ask_about(
    scene: Scene, x: float, y: float, to: tuple[float, float]
) -> None:
    fact = values(scene, x=repr(x), y=repr(y))
    for handle in handles(picture(scene, fact)):
        for limit in handle.limits:
            for path, bits in handle.moved(*to).items():
                variable = scene.interface.variable(path)
                assert contains(variable.type, variable.domain, bits), limit
        place = handle.figure.place
        assert place is not None
        if handle.grip is Grip.POSITION:  # dragging an actor to its own place changes no bit
            assert all(fact[path] == bits or show_zero(bits) for path, bits in handle.moved(*place).items())


def show_zero(bits: int) -> bool:
    """0.0 and -0.0 are the same place."""
    return bits in (0, 1 << 31, 1 << 63)
