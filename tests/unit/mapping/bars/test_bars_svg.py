"""Bars as SVG: readable by programs and people, with no text over a mark."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from soid.formula.sorts import FLOAT64
from soid.mapping.bars.bars_svg import panel, svg
from soid.mapping.bars.bars_text import lines
from soid.mapping.bars.input_bars import InputBars, MarkedInputs, input_bars
from soid.program.interface import Interface, Role, Variable
from soid.program.types import EnumType, FloatType, parse

SVG = "{http://www.w3.org/2000/svg}"
SPEED = Variable("speed", Role.ENVIRONMENT, FloatType(FLOAT64), unit="m/s", label="the speed <of light>")


def marked(fact: str, scenario: str, *flips: str) -> InputBars:
    def bits(text: str) -> int:
        return parse(SPEED.type, text)

    found = MarkedInputs(
        {"speed": bits(fact)},
        scenario={"speed": bits(scenario)},
        supposed={"speed": (SPEED.order.places,)},
        flips={"speed": tuple(map(bits, flips))} if flips else {},
    )
    return input_bars(Interface((SPEED,)), found)


def texts(drawn: str) -> list[str]:
    return ["".join(each.itertext()) for each in ElementTree.fromstring(drawn).iter(f"{SVG}text")]


def test_a_drawing_says_in_words_what_it_shows():
    root = ElementTree.fromstring(svg(marked("10", "30", "20.5"), heading="How fast?"))
    said = root.findtext(f"{SVG}desc") or ""
    assert root.get("aria-label") == said and root.findtext(f"{SVG}title") == "How fast?"
    assert "in fact 10 m/s; in the scenario 30 m/s" in said and "the outcome changes at 20.5 m/s" in said
    assert "The speed <of light>" in texts(svg(marked("10", "30")))


def test_a_flip_stands_below_and_hides_the_end_that_has_no_room():
    assert "20.5 m/s" in texts(svg(marked("10", "30", "20.5")))
    made = marked("10", "40", "39.5")
    near = texts(panel(made, made.shown, wide=160, name="x"))
    assert "39.5 m/s" in near and made.shown[0].ends[1] not in near


@pytest.mark.parametrize("scenario", ["10.0001", "10.5", "400"])
def test_two_marks_near_each_other_lie_one_above_the_other(scenario):
    drawn = ElementTree.fromstring(panel(marked("10", scenario), marked("10", scenario).shown, wide=400, name="x"))
    dots = [each for each in drawn.iter(f"{SVG}circle") if each.get("class") == "sb-fact"]
    diamonds = [each for each in drawn.iter(f"{SVG}path") if each.get("class") == "sb-scenario"]
    x, y = (float(dots[-1].get(name) or 0) for name in ("cx", "cy"))
    there = tuple(map(float, re.findall(r"[-\d.]+", diamonds[-1].get("d") or "")[:2]))
    assert abs(there[0] - x) > 11 or abs(there[1] - y) > 11


@pytest.mark.parametrize("label", ["the speed " * 12, "v" * 90])
def test_a_long_name_has_lines_of_its_own_and_a_word_that_is_too_long_is_broken(label):
    """The end of a name may be what tells it from another one."""
    long = Variable("speed", Role.ENVIRONMENT, SPEED.type, unit="m/s", label=label)
    made = input_bars(Interface((long,)), MarkedInputs({"speed": parse(long.type, "10")}))
    _, *name, value, _, _ = texts(panel(made, made.shown, wide=300, name="x"))
    assert value == "● 10 m/s"
    between = " " if " " in label else ""
    assert len(name) > 1 and between.join(name).lower() == label.strip()


def test_labels_that_do_not_fit_are_cut_visibly_or_left_out():
    label = "A_VERY_LONG_LABEL_OF_A_STATE"
    kind = EnumType("state", 8, False, tuple((f"{label}_{n}", n) for n in range(9)))
    state = Variable("state", Role.ENVIRONMENT, kind)
    made = input_bars(Interface((state,)), MarkedInputs({"state": 4}))
    inside = [text for text in texts(panel(made, made.shown, wide=640, name="x")) if text.startswith("A_V")]
    assert inside and all(text.endswith("…") for text in inside)


def test_light_dark_and_ids_of_their_own():
    one, other = svg(marked("10", "30")), svg(marked("10", "31"))
    assert "prefers-color-scheme: dark" in one and "prefers-color-scheme" not in svg(marked("1", "2"), theme="dark")
    ids = [re.findall(r'id="([^"]+)"', drawn) for drawn in (one, other)]
    assert ids[0] != ids[1]


def test_in_characters():
    made = marked("10", "40", "20")
    drawn = lines(made, 60)
    assert drawn[1].startswith("The speed <of light>") and drawn[1].endswith("● 10 m/s  ◆ 40 m/s")
    assert [drawn[2].count(mark) for mark in "●◆┃"] == [1, 1, 1] and drawn[2].index("●") < drawn[2].index("◆")
    assert "\n".join(lines(made, 60, ascii_only=True)).isascii()
