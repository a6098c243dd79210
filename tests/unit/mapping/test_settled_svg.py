"""What is settled is drawn as far as it is settled, and in the words of its axes."""

from __future__ import annotations

import re
from fractions import Fraction
from xml.etree import ElementTree

from soid.formula.measure import Measure
from soid.mapping.settled_svg import panel, svg
from soid.oracle.settled_share import PictureAxis, SettledPicture, SettledShare

SPEED = PictureAxis("v", "the speed", "0.0", "40.0", "m/s")
SIGNAL = PictureAxis("s", "the signal <b>", "LEFT", "RIGHT", "", ("LEFT", "STRAIGHT", "RIGHT"))
GAP = PictureAxis("g", "the gap", "0", "9", "m")


def share(*axes: PictureAxis, rows: tuple[str, ...]) -> SettledShare:
    picture = SettledPicture(axes, rows)
    return SettledShare("no", Fraction(1, 2), True, 10, 1, (), Measure.LENGTH, ("the speed",), picture=picture)


def cells(drawn: str) -> list[tuple[str, float, float, float]]:
    """What each stretch of cells is, from where it goes how far, and how far down it is."""
    found = []
    for each in ElementTree.fromstring(drawn).iter("{http://www.w3.org/2000/svg}rect"):
        if (said := each.find("{http://www.w3.org/2000/svg}title")) is not None:
            at = (float(each.get(name, "")) for name in ("x", "width", "y"))
            found.append((said.text or "", *at))
    return found  # type: ignore[return-value]


def test_a_bar_has_each_stretch_at_its_place():
    settled = share(SPEED, rows=("..##. ...#",))
    drawn = panel(settled, settled.picture, wide=400.0)  # type: ignore[arg-type]
    told = [(what, x, wide) for what, x, wide, _ in cells(drawn)]
    assert told == [
        ("settled", 0.0, 80.0),
        ("open", 80.0, 80.0),
        ("settled", 160.0, 40.0),
        ("settled", 240.0, 120.0),  # between them there is no scenario
        ("open", 360.0, 40.0),
    ]
    assert "the speed, in m/s" in drawn and "40.0 m/s" in drawn


def test_numbers_grow_upwards_and_labels_stand_as_they_are_listed():
    for axis, first in ((GAP, "open"), (SIGNAL, "settled")):
        settled = share(SPEED, axis, rows=("....", "####", "####"))
        drawn = svg(settled)
        top = min(cells(drawn), key=lambda each: each[3])
        assert top[0] == first
        assert re.findall("settled: there the answer is no", drawn)
    assert "the signal &lt;b&gt;" in drawn and ">STRAIGHT<" in drawn


def test_without_a_picture_the_words_are_drawn():
    settled = SettledShare("yes", Fraction(1, 3), True, 10, 1, (), Measure.NUMBER)
    assert "there the answer is yes" in svg(settled, "dark") and not cells(svg(settled))
