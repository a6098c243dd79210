"""No label hides an actor or another label, whatever the scene; overlaps are said, what is outside is pointed at."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from itertools import combinations, permutations
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from soid.examples.crash.crash_simulation import SIMULATION
from soid.program.scenery import Anchor, Blinking, Look, Part
from soid.scene.overlaps import Point, meet, overlapping
from soid.scene.picture import DrawnActor
from soid.scene.scene import Actor
from soid.scene.scene_svg import svg
from soid.scene.scene_text import text
from soid.scene.scene_words import overlaps
from soid.web.page.stage import run_stage

SVG = "{http://www.w3.org/2000/svg}"
EMPTY = SIMULATION.picture(SIMULATION.fact.actors, "at the start")  # the crossing; its actors are replaced

_inside = st.floats(0.2, 3.9)
_somewhere = st.one_of(_inside, _inside, _inside, st.floats(-3.0, 8.0))


@st.composite
def crowds(draw: st.DrawFn) -> tuple[DrawnActor, ...]:
    """Up to five actors anywhere, crowded ones too; some of them differ in a scenario."""
    crowd = draw(st.booleans())
    middle = draw(_inside), draw(_inside)

    def place() -> tuple[float, float]:
        if crowd:
            return middle[0] + draw(st.floats(-0.3, 0.3)), middle[1] + draw(st.floats(-0.3, 0.3))
        return draw(_somewhere), draw(_somewhere)

    figures = []
    for mark in "ABCDE"[: draw(st.integers(1, 5))]:
        look = draw(st.sampled_from(Look))
        long = draw(st.floats(0.05, 0.6))
        size = (long, draw(st.floats(0.05, long)))
        name = draw(st.sampled_from(("a car", "the other car that was seen last", "somebody")))
        actor = Actor(mark, name, look, Part.OTHER, size, Anchor.CENTRE, 0.0, 0.0)
        x, y = place()
        direction = draw(st.floats(0.0, 359.0))
        figures.append(DrawnActor(actor, True, x, y, direction, Blinking.OFF, {}))
    return tuple(figures)


def elements(drawing: str) -> list[ElementTree.Element]:
    return list(ElementTree.fromstring(drawing).iter())


def rectangle(each: ElementTree.Element) -> list[Point]:
    x, y, wide, high = (float(each.get(name) or 0) for name in ("x", "y", "width", "height"))
    return [(x, y), (x + wide, y), (x + wide, y + high), (x, y + high)]


def labels(drawing: str) -> Iterator[list[Point]]:
    for each in elements(drawing):
        if each.tag == f"{SVG}rect" and (each.get("class") or "").startswith("soid-paper soid-"):
            yield rectangle(each)


def bodies(drawing: str) -> Iterator[list[Point]]:
    """The corners of each body, as the drawing's own transformation puts them."""
    for group in elements(drawing):
        found = re.fullmatch(r"translate\((\S+) (\S+)\) rotate\((\S+)\)", group.get("transform") or "")
        for each in group if found else ():
            kind = each.get("class") or ""
            if found is None or "soid-body" not in kind:
                continue
            x, y, angle = map(float, found.groups())
            radius = float(each.get("r") or 11.0)  # a pointer has none
            around = [(radius * math.cos(n / 4), radius * math.sin(n / 4)) for n in range(25)]
            corners = rectangle(each) if each.tag == f"{SVG}rect" else around
            cos, sin = math.cos(math.radians(angle)), math.sin(math.radians(angle))
            yield [(x + a * cos - b * sin, y + a * sin + b * cos) for a, b in corners]


@settings(max_examples=60, deadline=None)
@given(crowds())
def test_no_label_hides_an_actor_or_another_label(figures: tuple[DrawnActor, ...]) -> None:
    picture = replace(EMPTY, fact=figures)
    for drawing in (svg(picture), run_stage(picture)):
        cards, drawn = list(labels(drawing)), list(bodies(drawing))
        assert len(drawn) == len(picture.fact)
        assert not any(meet(card, body) for card in cards for body in drawn)
        assert not any(meet(one, other) for at, one in enumerate(cards) for other in cards[at + 1 :])


@settings(max_examples=60, deadline=None)
@given(crowds())
def test_what_overlaps_is_said_wherever_it_is_drawn(figures: tuple[DrawnActor, ...]) -> None:
    picture = replace(EMPTY, fact=figures)
    pairs = {frozenset((a.actor.mark, b.actor.mark)) for a, b in overlapping(picture.scene.frame, picture.fact)}
    said = overlaps(picture.scene, picture.fact)
    groups = [re.findall("[A-E]", each) for each in said]
    assert {frozenset(pair) for group in groups for pair in combinations(group, 2)} == pairs
    assert all(not set(one) <= set(other) for one, other in permutations(groups, 2))  # nothing is said twice
    written = [each.text for each in elements(svg(picture)) if each.tag == f"{SVG}text"]
    assert [each for each in written if each and each.endswith(" overlap")] == list(said)
    assert all(each in text(picture) and each in run_stage(picture) for each in said)


def test_cars_that_stand_on_each_other_overlap_and_cars_side_by_side_do_not() -> None:
    one, other = EMPTY.fact[:2]

    def said(x: float, direction: float) -> str:
        here = replace(one, x=2.0, y=2.0, direction=0.0)
        return svg(replace(EMPTY, fact=(here, replace(other, x=x, y=2.0, direction=direction))))

    assert "A and B overlap" in said(2.17, 0.0)  # they are 0.18 m long
    assert "overlap" not in said(2.19, 0.0)
    assert "overlap" not in said(2.15, 90.0)  # and 0.1 m wide
    assert "A and B overlap" in said(2.13, 90.0)
    five = [replace(each, x=2.0, y=2.0, direction=0.0, present=True) for each in EMPTY.fact]
    assert overlaps(EMPTY.scene, five) == ("A, B, C, D and E overlap",)


@pytest.mark.parametrize(("x", "y"), [(-5.0, 2.0), (1e300, 2.0), (2.0, 99.0), (-9.0, -9.0)])
def test_an_actor_outside_the_picture_is_pointed_at_and_named(x: float, y: float) -> None:
    far = replace(EMPTY.fact[1], x=x, y=y)
    drawing = svg(replace(EMPTY, fact=(EMPTY.fact[0], far)))
    drawn = [each for each in elements(drawing) if each.get("data-actor")]
    assert [each.get("data-actor") for each in drawn] == ["A", "B"]
    assert "outside the picture" in (drawn[1].get("aria-label") or "")
    assert len(list(labels(drawing))) == 2


def test_a_crowd_beyond_measure_has_marks_or_no_labels_and_never_hidden_actors() -> None:
    """Bodies that fill the panel leave no room for labels; the legend has all names."""
    shape = replace(EMPTY.fact[0].actor, size=(3.0, 3.0))
    places = ((1.7, 1.7), (2.4, 1.7), (1.7, 2.4), (2.4, 2.4))
    crowd = tuple(replace(EMPTY.fact[0], actor=shape, x=x, y=y, direction=0.0) for x, y in places)
    drawing = svg(replace(EMPTY, fact=crowd))
    assert not any(meet(card, body) for card in labels(drawing) for body in bodies(drawing))
    assert drawing.count("the investigated car: heading east") >= len(crowd)
