"""Maps as pictures and as characters: well-formed, every region told apart, the fact where it is."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from fractions import Fraction
from xml.etree import ElementTree

import pytest

from soid.documents import json_of
from soid.formula import build
from soid.formula.build import TRUE
from soid.formula.measure import Measure
from soid.formula.softfloat import float_to_bits32
from soid.formula.sorts import FLOAT32
from soid.mapping import map_words
from soid.mapping.claims import ClaimKind, RegionLabel
from soid.mapping.decision_map import DecisionMap, FactMark, Region, read_map
from soid.mapping.map_layout import MapLayout
from soid.mapping.map_palette import looks
from soid.mapping.map_svg import marks, panel, svg
from soid.mapping.map_text import rows, signs
from soid.program.types import BoolType, FloatType, IntType, VariableType
from tests.unit.mapping.lands import BROKEN, DARK, MOVES, TINY, WAITING, Land, decides, ends, symbols

NAMESPACE = "{http://www.w3.org/2000/svg}"


def country() -> Land:
    """Everything that can happen, by x; moves by y."""
    x, y = symbols(IntType(4, False), MOVES)
    at_most = [build.bvule(x, build.const(x.sort, number)) for number in (3, 5, 7, 9)]
    left = build.eq(y, build.const(y.sort, 4))
    paths = [
        ends(at_most[0], BROKEN),
        ends(build.and_(build.not_(at_most[0]), at_most[1]), WAITING),
        ends(build.and_(build.not_(at_most[1]), at_most[2]), DARK),
        decides(build.and_(build.not_(at_most[2]), left), 1),
        decides(build.and_(build.not_(at_most[2]), build.not_(left)), 0),
    ]
    return Land(IntType(4, False), MOVES, tuple(paths), fact=(9, 1))


@pytest.fixture(scope="module")
def made() -> DecisionMap:
    return country().map("x is anything and y is anything", "move")


def shapes(drawing: str) -> list[ElementTree.Element]:
    return [each for each in ElementTree.fromstring(drawing).iter() if "data-region" in each.attrib]


def test_every_region_has_a_shape_a_pattern_and_words(made):
    drawing = svg(made, caption="a & b")
    root = ElementTree.fromstring(drawing)
    filled = {each.get("data-region"): each.get("fill") for each in shapes(drawing)}
    assert len(filled) == len(made.regions) == 5
    assert len(set(filled.values())) == 5
    for region, shape in zip(made.regions, sorted(shapes(drawing), key=_number), strict=True):
        assert shape.get("aria-label", "").startswith(region.label.text)
        assert region.label.text in (root.get("aria-label") or "")
    texts = [each.text for each in root.iter(f"{NAMESPACE}text")]
    assert "a & b" in texts and {"STAY", "GO", "TURN"} <= set(texts)


def _number(shape: ElementTree.Element) -> int:
    return int(shape.get("data-region", "-1"))


def test_what_depends_on_an_input_that_is_not_known_looks_so():
    land = replace(country(), unlogged=("y",))
    made = land.map("x is anything", "move")
    assert rows(made, 18)[0].signs == "!!!!~~??*@******"
    drawing = svg(made)
    assert "sm-depends" in drawing and "depends on y  (46.7 %)" in drawing
    assert map_words.fact_text(made) == "in fact: x 9: depends on y"
    assert (made.settled, made.depending, made.open) == (6, 7, 2)
    assert "whatever y was. Where it depends on what is not known, that is proved too." in map_words.settled_text(made)
    along = land.map("y is anything", "move")
    assert map_words.fact_text(along) == "in fact: y is not known" and not along.fact.is_drawn
    for one in (made, along):
        back = read_map(json.loads(json.dumps(json_of(one.document))), land.interface)
        assert svg(back) == svg(one) and back.assumed == one.assumed


def test_patterns_differ_without_colour():
    labels = [RegionLabel(ClaimKind.DECIDES, f"move = {n}") for n in range(6)]
    others = ClaimKind.FAILS, ClaimKind.UNDECIDED, ClaimKind.DEPENDS, ClaimKind.OPEN
    labels += [RegionLabel(kind, kind.value) for kind in others]
    assert len({lines for _, lines in looks(labels)}) == len(labels)
    many = [RegionLabel(ClaimKind.DECIDES, str(n)) for n in range(36)]
    assert len(set(looks(many))) == 36


def test_a_drawing_stands_alone_and_needs_no_script(made):
    drawing = svg(made)
    assert not re.search(r"<script|href=|\son[a-z]+=|url\((?!#)", drawing)
    assert svg(made, name="other").count("url(#other-") == drawing.count("url(#map-") > 0


def test_text_of_others_is_no_markup():
    land = Land(TINY, BoolType(), (ends(TRUE, type(BROKEN)('<script>"&', None)),))
    drawing = svg(land.map("x is anything"), caption="</svg>")
    assert "<script" not in drawing
    assert ElementTree.fromstring(drawing) is not None


def test_the_fact_lies_where_it_is_drawn(made):
    layout = MapLayout(made)
    x, y = layout.point(made.fact.places)
    frame = layout.frame
    assert layout.at((x - frame.x) / frame.width, (y - frame.y) / frame.height) == made.fact.places
    drawn = ElementTree.fromstring(svg(made)).iter(f"{NAMESPACE}circle")
    (dot,) = (each for each in drawn if "in fact" in each.get("aria-label", ""))
    assert [float(dot.get(each, "")) for each in ("cx", "cy")] == pytest.approx([x, y], abs=0.01)


def test_what_is_pointed_at_is_what_is_drawn_there(made):
    layout = MapLayout(made)
    frame = layout.frame
    for region in made.regions:
        for box in region.boxes:
            for rectangle in layout.rectangles(box):
                x = (rectangle.x + rectangle.width / 2 - frame.x) / frame.width
                y = (rectangle.y + rectangle.height / 2 - frame.y) / frame.height
                assert made.at(layout.at(x, y)) is region


def test_a_fact_that_the_suppositions_exclude_is_not_drawn():
    made = country().map("x in {0, 1} and y is anything", "move")
    assert map_words.fact_text(made).endswith("which the suppositions exclude")
    assert 'class="sm-fact"' not in svg(made)


def test_the_smallest_region_can_be_seen():
    x, _ = symbols(IntType(16, False), BoolType())
    one = build.eq(x, build.const(x.sort, 777))
    land = Land(IntType(16, False), BoolType(), (decides(one, 1), decides(build.not_(one), 0)))
    made = land.map("x is anything", "move")
    layout = MapLayout(made)
    widths = [r.width for region in made.regions for box in region.boxes for r in layout.rectangles(box)]
    assert min(widths) >= 2.0
    drawn = [_number(shape) for shape in shapes(svg(made))]
    assert made.regions[drawn[-1]].label.text == "move = GO"  # drawn last, so that nothing hides it


def test_a_map_comes_back_from_json(made):
    land = country()
    for one in (made, land.map("y is any bits", "move"), land.map("x in {0, 1} and y is anything", "move")):
        back = read_map(json.loads(json.dumps(json_of(one.document))), land.interface)
        assert svg(back) == svg(one)
        assert (back.axes, back.outside, back.fact.places) == (one.axes, one.outside, one.fact.places)
        assert [region.boxes for region in back.regions] == [region.boxes for region in one.regions]


def test_a_part_of_a_map_looks_like_the_whole(made):
    part = country().map("x > 7 and y == TURN", "move")

    def colour(drawing: str, label: str) -> str | None:
        root = ElementTree.fromstring(drawing)
        (shape,) = (each for each in shapes(drawing) if each.get("aria-label", "").startswith(label))
        name = (shape.get("fill") or "").removeprefix("url(#").removesuffix(")")
        (drawn,) = (each for each in root.iter(f"{NAMESPACE}pattern") if each.get("id") == name)
        return drawn[0].get("class")

    goes = "move = GO"
    known = [each.label for each in made.regions]
    assert colour(panel(part, wide=400.0, known=known), goes) == colour(panel(made, wide=400.0), goes) == "sm-1"
    assert colour(panel(part, wide=400.0), goes) == "sm-0"


def test_an_empty_map_is_drawn_and_said_to_be_empty():
    made = country().map("x > 3 and x < 2", "move")
    assert "No scenario satisfies these suppositions" in svg(made)


def test_characters(made):
    *lines, ends_ = rows(made, 22)
    assert [line.name for line in lines] == ["STAY", "GO  ", "TURN"]
    assert lines[0].signs == "!" * 4 + "~" * 2 + "?" * 2 + "a" * 8
    assert lines[1].signs.count("@") == 1
    assert lines[2].signs.endswith("b" * 8)
    assert ends_.signs.split() == ["0", "15"]
    assert signs(made.regions) == ["a", "b", "!", "~", "?"]


def test_shares(made):
    said = [map_words.region_share(made, region) for region in made.regions]
    assert said == ["31.9 %", "17 %", "25.5 %", "12.8 %", "at most 12.8 %"]
    assert map_words.settled_text(made).startswith("87.2 % of the scenarios or more are settled")


def walls(y: VariableType = BoolType()) -> Land:  # noqa: B008
    """It moves where a float is at least 0.2."""
    x, _ = symbols(FloatType(FLOAT32), y)
    near = build.fp_lt(build.fp_from_bits(FLOAT32, x), build.const(FLOAT32, float_to_bits32(0.2)))
    return Land(FloatType(FLOAT32), y, (decides(near, 0), decides(build.not_(near), 1)), fact=(0, 0))


def test_shares_are_of_lengths_and_not_of_floats():
    """Nearly all floats from 0 to 1 lie below 0.2."""
    made = walls().map("0.0 <= x <= 1.0", "move")
    assert made.measure is Measure.LENGTH
    assert {region.label.text: map_words.region_share(made, region) for region in made.regions} == {
        "move = STAY": "20 %",
        "move = GO": "80 %",
    }
    assert max(made.regions, key=lambda region: region.scenarios).label.text == "move = STAY"
    assert map_words.measure_text(made) == "Shares are shares of the range of x."
    assert sum(made.shares) == 1 and made.share == 1
    assert [each["share"] for each in json_of(made.document)["regions"]] == pytest.approx(made.shares)


def test_shares_of_an_area_count_labels():
    made = walls().map("0.0 <= x <= 1.0 and y is anything", "move")
    assert made.measure is Measure.AREA
    assert sorted(map(float, made.shares)) == pytest.approx([0.2, 0.8])


def test_single_floats_have_no_length_and_are_counted():
    made = walls().map("x in {0.1, 0.5, 1.0}", "move")
    assert made.measure is Measure.NUMBER
    assert sorted(made.shares) == [Fraction(1, 3), Fraction(2, 3)]


def test_what_is_open_is_not_all_settled_though_it_has_no_length():
    whole = walls().map("0.0 <= x <= 1.0", "move")
    axes = whole.axes
    place = axes[0].place(float_to_bits32(0.5))
    regions = (
        Region(
            RegionLabel(ClaimKind.HOLDS, "it moves"), (((axes[0].low, place - 1),), ((place + 1, axes[0].high),)), 9
        ),
        Region(RegionLabel(ClaimKind.OPEN, "open"), (((place, place),),), 1),
    )
    made = DecisionMap(axes, "move", "", 0, regions, (), FactMark((None,), None), whole.interface)
    assert made.share is not None and 0.999 < made.share < 1
    assert json_of(made.document)["settled_share"] < 1
    assert map_words.settled_text(made).startswith("99.9 % of the range or more is settled")
    assert map_words.region_share(made, regions[1]) == "single values"


def test_marks_along_an_axis_are_round_numbers_at_their_places():
    land = Land(IntType(8, True), BoolType(), (decides(TRUE, 1),))
    (axis,) = land.map("-100 <= x <= 100", "move").axes
    drawn = marks(axis, 5)
    assert [text for _, text in drawn] == ["-100", "-50", "0", "50", "100"]
    assert drawn[2][0] == pytest.approx(0.5)
