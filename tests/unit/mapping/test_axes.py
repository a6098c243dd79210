"""Axes: every place is drawn somewhere, in order; and what is drawn somewhere is found there."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from soid.formula.sorts import FLOAT16, FLOAT32, FLOAT64
from soid.mapping.axes import Axis, bands_of
from soid.program.interface import Role, Variable
from soid.program.types import BoolType, EnumType, FloatType, IntType, VariableType, parse, value_order

SIGNAL = EnumType("signal", 8, True, (("NONE", 0), ("LEFT", -2), ("RIGHT", 5)))
KINDS: tuple[VariableType, ...] = (
    FloatType(FLOAT16),
    FloatType(FLOAT32),
    FloatType(FLOAT64),
    IntType(8, True),
    IntType(64, False),
    IntType(700, True),
)


def variable(kind: VariableType) -> Variable:
    return Variable("x", Role.ENVIRONMENT, kind)


def axis(kind: VariableType, low: str, high: str) -> Axis:
    first, last = (value_order(kind).place_of(parse(kind, text)) for text in (low, high))
    return Axis(variable(kind), first, last)


@st.composite
def axes(draw: st.DrawFn) -> tuple[Axis, list[int]]:
    kind = draw(st.sampled_from(KINDS))
    ends = st.integers(*value_order(kind).places)
    low, high = sorted((draw(ends), draw(ends)))
    return Axis(variable(kind), low, high), sorted(draw(st.lists(st.integers(low, high), min_size=2, max_size=6)))


@given(axes())
def test_places_are_drawn_in_their_order_and_inside(made):
    axis, places = made
    spans = [axis.span(place, place) for place in places]
    assert all(0.0 <= start <= end <= 1.0 for start, end in spans)
    assert all(one[0] <= other[0] and one[1] <= other[1] for one, other in itertools.pairwise(spans))
    assert axis.span(axis.low, axis.high) == (0.0, 1.0)


@given(axes(), st.floats(0.0, 1.0))
def test_whatever_is_pointed_at_is_a_place_of_the_axis(made, share):
    axis, _ = made
    assert axis.low <= axis.nearest(share) <= axis.high
    assert (axis.nearest(0.0), axis.nearest(1.0)) == (axis.low, axis.high)


@given(axes())
def test_a_middle_halves(made):
    axis, places = made
    low, high = places[0], places[-1]
    middle = axis.middle(low, high)
    assert low <= middle <= max(low, high - 1)


def test_numbers_are_drawn_evenly_or_by_magnitude():
    street = axis(FloatType(FLOAT32), "-10", "30")
    assert street.scale == "even"
    assert street.drawn_at(10.0) == 0.5
    assert street.text(street.nearest(0.25)) == "0.0"
    everything = axis(FloatType(FLOAT32), "-3.4028235e38", "3.4028235e38")
    assert everything.scale == "by magnitude"
    assert everything.drawn_at(0.0) == 0.5
    assert 0.5 < everything.drawn_at(1e3) - everything.drawn_at(0) + 0.5 < everything.drawn_at(1e30)


def test_a_whole_number_takes_up_its_room():
    dice = axis(IntType(8, False), "1", "6")
    assert list(dice.span(dice.low, dice.low)) == pytest.approx([0.0, 1 / 6])
    assert [dice.text(dice.nearest((n + 0.5) / 6)) for n in range(6)] == ["1", "2", "3", "4", "5", "6"]


def test_what_is_no_number_lies_beyond_the_numbers():
    kind = FloatType(FLOAT32)
    wide = Axis(variable(kind), *value_order(kind).places)
    infinity, most = (value_order(kind).place_of(parse(kind, text)) for text in ("inf", "3.4028235e38"))
    assert wide.drawn_at(3.4e38) < wide.span(infinity, infinity)[0] < wide.span(infinity + 1, wide.high)[1] == 1.0
    assert wide.span(most, most)[1] == pytest.approx(0.94)
    assert wide.text(wide.nearest(0.999)).startswith("nan")


def test_bands_are_labels_in_their_order():
    low, high = (value_order(SIGNAL).place_of(parse(SIGNAL, text)) for text in ("LEFT", "RIGHT"))
    named = bands_of(variable(SIGNAL), low, high, unnamed=False)
    drawn = Axis(variable(SIGNAL), low, high, named)
    assert [drawn.band_text(band) for band in named] == ["LEFT", "NONE", "RIGHT"]
    assert drawn.span(low, high) == (0.0, 1.0)
    assert drawn.span(low + 1, low + 1)[0] == drawn.span(low + 1, low + 1)[1]  # -1 has no name, and no room
    unnamed = bands_of(variable(SIGNAL), low, high, unnamed=True)
    assert [drawn.band_text(band) for band in unnamed] == ["LEFT", "-1", "NONE", "1 to 4", "RIGHT"]
    assert bands_of(variable(BoolType()), 0, 1, unnamed=False) == ((0, 0), (1, 1))


def test_the_two_zeros_are_drawn_apart():
    zeros = axis(FloatType(FLOAT32), "-0.0", "0.0")
    assert zeros.span(zeros.low, zeros.high) == (0.0, 1.0)
    assert (zeros.nearest(0.0), zeros.nearest(1.0)) == (zeros.low, zeros.high)
