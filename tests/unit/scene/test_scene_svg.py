"""The drawings are well-formed, self-contained and not too wide, for any values of the inputs."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from soid.scene.picture import Picture, picture
from soid.scene.scene import Scene
from soid.scene.scene_svg import svg
from soid.scene.scene_text import text
from soid.scene.vector.elements import plain, tag
from tests.unit.scene.scenes import SCENE, a_scene, values

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Scene:
    return a_scene(tmp_path_factory.mktemp("scene"))


@pytest.fixture(scope="module")
def beside(scene: Scene) -> Picture:
    ghost = values(scene, x="5.5", signal="LEFT", who="NOBODY", go="false")
    return picture(scene, values(scene), ghost=ghost, caption="step 3")


def elements(drawing: str) -> list[ElementTree.Element]:
    return list(ElementTree.fromstring(drawing).iter())


# --- SVG ------------------------------------------------------------------------------------------------------


def test_every_actor_and_all_that_has_a_name_can_be_heard(beside: Picture) -> None:
    drawn = elements(svg(beside))
    named = [each for each in drawn if each.get("role") == "graphics-symbol img"]
    assert all(each.get("aria-label") and each.find(f"{SVG}title") is not None for each in named)
    heard = [each.get("aria-label") for each in named]
    assert [each for each in heard if each == "the street"] == ["the street", "the street"]
    actors = [(each.get("data-actor"), each.get("data-at")) for each in drawn if each.get("data-actor")]
    assert actors == [("A", "in fact"), ("P", "in fact"), ("A", "in the scenario")]
    root = drawn[0]
    assert root.get("role") == "graphics-document document"
    for part in ("A, the car: heading east", "A signal: RIGHT → LEFT", 'In fact it decides for "go".'):
        assert part in (root.get("aria-label") or "")


def test_what_differs_is_drawn_as_a_ghost_and_written_beside_it(beside: Picture) -> None:
    drawing = svg(beside)
    assert drawing.count("soid-body soid-ghost") == 1
    assert "P is not there in the scenario" in drawing
    written = [each.text for each in elements(drawing) if each.tag == f"{SVG}text"]
    assert {"x: 2.0 → 5.5 m", "signal: RIGHT → LEFT", 'it decides for "go"', 'it decides against "go"'} <= set(written)
    assert svg(picture(beside.scene, values(beside.scene))).count("soid-body soid-ghost") == 0


def test_the_blinking_side_is_where_the_lamp_is(scene: Scene) -> None:
    """The car faces right, so its right-hand side is the lower one, with the greater y."""
    for signal, below in (("RIGHT", {True}), ("LEFT", {False}), ("NONE", set())):
        lamps = [
            each
            for each in elements(svg(picture(scene, values(scene, signal=signal))))
            if each.get("class") == "soid-lamp"
        ]
        assert {float(each.get("cy") or 0) > 0 for each in lamps} == below


def test_a_page_can_turn_a_point_of_the_drawing_into_one_of_the_world(beside: Picture) -> None:
    drawn = elements(svg(beside))
    panels = {each.get("data-panel"): each for each in drawn if each.get("data-panel")}
    assert list(panels) == ["in fact", "in the scenario"]
    for where, figure in (("in fact", beside.fact[0]), ("in the scenario", (beside.ghost or beside.fact)[0])):
        panel = {key: float(panels[where].get(f"data-{key}") or "nan") for key in ("left", "top", "width", "height")}
        (car,) = [each for each in drawn if (each.get("data-actor"), each.get("data-at")) == ("A", where)]
        moved = car.find(f"{SVG}g")
        assert moved is not None
        x, y = map(float, re.findall(r"translate\(([\d.]+) ([\d.]+)\)", moved.get("transform") or "")[0])
        across, down = (x - panel["left"]) / panel["width"], (y - panel["top"]) / panel["height"]
        assert beside.scene.frame.point(across, down) == pytest.approx(figure.place, abs=0.01)


def test_who_is_never_there_but_differs_is_told(scene: Scene) -> None:
    drawn = picture(scene, values(scene, who="NOBODY"), ghost=values(scene, who="NOBODY", where="-4"))
    assert "where: 7 → -4 m" in svg(drawn) and "where: 7 → -4 m" in text(drawn)


def test_an_arrow_to_somebody_outside_stays_in_the_picture(scene: Scene) -> None:
    drawing = svg(picture(scene, values(scene), ghost=values(scene, y="1e300")))
    (way,) = [each for each in elements(drawing) if "soid-dimension" in (each.get("class") or "")]
    assert "e+" not in (way.get("d") or "") and "outside the picture" in drawing


def test_a_picture_is_self_contained_and_several_can_share_a_page(beside: Picture) -> None:
    drawing = svg(beside)
    assert not re.search(r'\bid="|href|url\(|<script|<image|@import', drawing)
    classes = {name for found in re.findall(r'class="([^"]*)"', drawing) for name in found.split()}
    assert classes and all(name.startswith("soid-") for name in classes)
    assert "prefers-color-scheme: dark" in drawing
    assert "prefers-color-scheme" not in svg(beside, theme="light") + svg(beside, theme="dark")
    assert svg(beside, theme="light") != svg(beside, theme="dark")


def test_every_class_that_needs_a_colour_has_one(beside: Picture) -> None:
    drawing = svg(beside)
    used = {name for found in re.findall(r'class="([^"]*)"', drawing) for name in found.split()}
    assert used <= set(re.findall(r"\.(soid-[a-z-]+)", drawing))


@pytest.mark.parametrize("name", ["<b>&amp;", "a\"b'c", "bell\\u0007", "nul\\u0000", "\\uFFFF", "\U0001d538 → ä"])
def test_any_name_is_text(tmp_path: Path, name: str) -> None:
    quoted = name.replace('"', '\\"')
    scene = a_scene(tmp_path, SCENE.replace('"the car"', f'"{quoted}"').replace('"the street"', f'"{quoted}"'))
    drawn = picture(scene, values(scene), ghost=values(scene, x="3.0"), caption=name)
    assert len(elements(svg(drawn))) > 20
    assert text(drawn, ascii_only=True).isascii()


def test_elements_escape() -> None:
    assert plain("a<b>&\x07") == "a&lt;b&gt;&amp;[U+0007]"
    assert tag("g", aria_label='"<') == '<g aria-label="&quot;&lt;"/>'


# --- characters -----------------------------------------------------------------------------------------------

FACT = """\
 in fact
 ░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░
 ░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░



                         ┃   ●P
                         ┃
     ▬▬▬▬A▬▬►            ┃
 ░░░░░░░░░░░*░░░░░░░░░░░░░░░░░░░░░░░░░░░░
 ░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░
 it decides for "go"

 A   the car: heading east, right lights
     blinking, x 2.0 m, y 1.5 m, angle
     0.0 rad, signal RIGHT, speed 0.0 m/s
 P   somebody: who PERSON, where 7 m
"""


def test_in_characters(scene: Scene) -> None:
    drawn = text(picture(scene, values(scene)), width=41)
    assert drawn == FACT.rstrip("\n"), drawn


def test_beside_the_fact(beside: Picture) -> None:
    drawn = text(beside, width=80).splitlines()
    assert drawn[0].split() == ["in", "fact", "in", "the", "scenario"]
    assert any("▷" in line for line in drawn) and any("┼" in line for line in drawn)
    assert "     x: 2.0 → 5.5 m" in drawn and "     who: PERSON → NOBODY" in drawn


def test_ascii_alone(beside: Picture) -> None:
    drawn = text(beside, ascii_only=True)
    assert drawn.isascii()
    assert "signal: RIGHT -> LEFT" in drawn and "A" in drawn and "*" in drawn


@pytest.mark.parametrize("width", [30, 40, 60, 79, 80, 100, 200])
def test_no_wider_than_there_is_room(beside: Picture, width: int) -> None:
    for ascii_only in (False, True):
        assert max(map(len, text(beside, width, ascii_only=ascii_only).splitlines())) <= width


# --- any values -----------------------------------------------------------------------------------------------


@settings(max_examples=25)
@given(data=st.data())
def test_no_values_are_too_odd_to_draw(scene: Scene, data: st.DataObject) -> None:
    def anything() -> dict[str, int]:
        return {v.path: data.draw(st.integers(0, (1 << v.type.width) - 1), v.path) for v in scene.interface.inputs}

    drawn = picture(scene, anything(), ghost=anything())
    for each in elements(svg(drawn)):
        for key, value in each.attrib.items():
            assert key == "aria-label" or not re.search(r"\b(nan|inf)\b", value), (key, value)
    assert max(map(len, text(drawn).splitlines())) <= 80
