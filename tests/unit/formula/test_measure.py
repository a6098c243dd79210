"""Sizes of ranges add up, no value counts nothing, and lengths are those that one measures by hand."""

from __future__ import annotations

import math
from fractions import Fraction
from random import Random

import pytest

from soid.formula import softfloat as sf
from soid.formula.measure import Measure, Ruler, Scale, measure_of, ruler_for
from soid.formula.sorts import BOOL, FLOAT16, FLOAT32, FLOAT64, BitVec, Float
from soid.formula.value_order import ValueOrder

HALF = ValueOrder(FLOAT16)
LENGTH = Ruler(HALF, Scale.LENGTH)
MAGNITUDE = Ruler(HALF, Scale.MAGNITUDE)
MOST = HALF.place_of(FLOAT16.max_finite)


def value(place: int) -> Fraction:
    return sf.to_fraction(FLOAT16, int(HALF.value_at(place)))


def rounding_to(place: int) -> Fraction:
    """The length of the numbers that round to a finite float, which is not at an end."""
    at = value(place)
    below = value(place - 1) if place != 0 else at  # next to 0.0 lies -0.0
    above = value(place + 1) if place != -1 else at
    return (above - below) / 2


@pytest.mark.parametrize("seed", range(30))
def test_a_length_is_that_of_the_numbers_that_round_into_the_range(seed: int) -> None:
    random = Random(seed)
    ends = sorted(random.randint(-MOST + 1, MOST - 2) for _ in range(2))
    low, high = random.choice(((ends[0], ends[1]), (-3, 3), (0, 9), (ends[0], ends[0])))
    by_hand = sum((rounding_to(place) for place in range(low, high + 1)), Fraction(0))
    unit = by_hand / LENGTH.size(low, high)
    for place in random.sample(range(low, high + 1), min(20, high - low + 1)):
        assert LENGTH.size(place, place) > 0
        assert rounding_to(place) == LENGTH.size(place, place) * unit


@pytest.mark.parametrize("ruler", [LENGTH, MAGNITUDE, Ruler(HALF, Scale.NUMBER)])
@pytest.mark.parametrize("seed", range(10))
def test_sizes_of_ranges_that_touch_add_up(ruler: Ruler, seed: int) -> None:
    random = Random(seed)
    first, last = HALF.places if ruler is not LENGTH else (-MOST, MOST - 1)
    low, middle, high = sorted(random.sample(range(first, last + 1), 3))
    parts = ruler.size(low, middle), ruler.size(middle + 1, high)
    assert min(parts) > 0 and sum(parts) == ruler.size(low, high)


@pytest.mark.parametrize("sort", [FLOAT16, FLOAT32, FLOAT64])
def test_by_magnitude_each_doubling_from_1_on_counts_the_same(sort: Float) -> None:
    order = ValueOrder(sort)
    ruler = ruler_for(order, *order.places)
    assert ruler.scale is Scale.MAGNITUDE

    def place(number: int) -> int:
        return order.place_of(sf.from_fraction(sort, Fraction(number)))

    one = ruler.size(0, place(1))
    for number in (1, 2, 64, 4096):
        assert ruler.size(place(number), place(2 * number)) / one == pytest.approx(1.0, rel=1e-2)
    infinity = order.place_of(sort.infinity)
    assert ruler.size(infinity, infinity) / one == pytest.approx(1.0, rel=1e-2)
    assert ruler.size(infinity + 1, order.places[1]) / one == pytest.approx(1.0, rel=1e-2)
    assert ruler.size(order.places[0], -1) == ruler.size(0, order.places[1])
    assert ruler.size(order.places[1], order.places[1]) > 0  # one NaN of very many


def test_what_is_counted_and_what_is_measured() -> None:
    assert ruler_for(ValueOrder(BitVec(64)), 0, 1 << 60).scale is Scale.NUMBER
    assert ruler_for(ValueOrder(BOOL), 0, 1).scale is Scale.NUMBER
    assert ruler_for(HALF, 0, MOST - 1).scale is Scale.LENGTH
    assert ruler_for(HALF, 0, MOST).scale is Scale.MAGNITUDE
    assert ruler_for(HALF, -MOST - 1, 0).scale is Scale.MAGNITUDE
    assert ruler_for(HALF, 0, MOST - 1, number=2).scale is Scale.NUMBER  # x in {0.0, 1.0}
    assert measure_of([Scale.NUMBER, Scale.NUMBER]) is Measure.NUMBER
    assert measure_of([Scale.LENGTH, Scale.NUMBER]) is Measure.AREA
    assert measure_of([Scale.MAGNITUDE]) is Measure.LENGTH
    assert measure_of([Scale.LENGTH] * 3) is Measure.VOLUME


def test_a_part_of_a_range_ends_where_it_has_so_much() -> None:
    order = ValueOrder(FLOAT64)
    low, high = (order.place_of(sf.float_to_bits64(each)) for each in (0.0, 100.0))
    ruler = ruler_for(order, low, high)
    at = ruler.part(Fraction(4, 5), low, high)
    assert math.isclose(float(sf.to_fraction(FLOAT64, int(order.value_at(at)))), 80.0)
    assert ruler.part(Fraction(0), low, high) == low and ruler.part(Fraction(1), low, high) == high
