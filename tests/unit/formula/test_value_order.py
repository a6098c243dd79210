"""Places number all values in their order; checked with every value of small sorts."""

from __future__ import annotations

import itertools
from fractions import Fraction

import pytest

from soid.formula import build as b
from soid.formula import softfloat as sf
from soid.formula.intervals import Bits, contains
from soid.formula.operators import signed
from soid.formula.passes import evaluate
from soid.formula.sorts import BOOL, BitVec, Float
from soid.formula.value_order import ValueOrder

TINY = Float(3, 3)
NUMBER = BitVec(4)
ORDERS = (ValueOrder(BOOL), ValueOrder(TINY), ValueOrder(NUMBER), ValueOrder(NUMBER, signed=True))
orders = pytest.mark.parametrize("order", ORDERS, ids=lambda order: order.name)


def symbol(order: ValueOrder):
    sort = order.read_as
    return b.var("x", BitVec(sort.width) if isinstance(sort, Float) else sort)


def values_of(order: ValueOrder) -> list[int]:
    return list(range(2 if order.read_as == BOOL else order.read_as.mask + 1))  # type: ignore[union-attr]


def stretches(order: ValueOrder):
    first, last = order.places
    return itertools.combinations_with_replacement(range(first, last + 1), 2)


@orders
def test_each_value_has_a_place_of_its_own(order):
    first, last = order.places
    assert sorted(order.place_of(value) for value in values_of(order)) == list(range(first, last + 1))
    assert all(order.value_at(order.place_of(value)) == value for value in values_of(order))


def test_integers_are_at_their_numbers():
    plain, with_sign = ValueOrder(NUMBER), ValueOrder(NUMBER, signed=True)
    assert all(plain.place_of(value) == value for value in range(16))
    assert all(with_sign.place_of(value) == signed(value, 4) for value in range(16))


def test_floats_are_in_the_order_of_their_numbers_and_nans_lie_outside():
    order = ValueOrder(TINY)
    numbers: dict[int, Fraction] = {}
    for bits in range(1 << TINY.width):
        place = order.place_of(bits)
        if sf.is_nan(TINY, bits):
            assert not ~TINY.infinity <= place <= TINY.infinity
            continue
        assert place == sf.ordinal(TINY, bits)
        if not sf.is_infinite(TINY, bits):
            numbers[place] = sf.to_fraction(TINY, bits)
    assert [numbers[place] for place in sorted(numbers)] == sorted(numbers.values())
    assert (order.place_of(TINY.sign_bit), order.place_of(0)) == (-1, 0)


@orders
def test_between_is_a_formula_that_holds_there_and_nowhere_else(order):
    x = symbol(order)
    for low, high in stretches(order):
        term = order.between(x, low, high)
        assert all(evaluate(term, {x: value}) == (low <= order.place_of(value) <= high) for value in values_of(order))


@orders
def test_no_value_is_missing_between_two_places(order):
    sort = symbol(order).sort
    for low, high in stretches(order):
        found = order.values(low, high)
        held = {value for value in values_of(order) if contains(sort, found, value)}
        there = {int(order.value_at(place)) for place in range(low, high + 1)}
        assert there <= held
        across = order.name == "float" and low < 0 <= high
        assert across or there == held


@pytest.mark.parametrize("order", ORDERS[1:], ids=lambda order: order.name)
def test_bit_patterns_are_enclosed(order):
    mask = order.read_as.mask
    for first, size in itertools.product(range(mask + 1), range(mask + 1)):
        low, high = order.enclosing(Bits(first, size))
        assert all(low <= order.place_of((first + step) & mask) <= high for step in range(size + 1))
    assert order.enclosing(Bits(3, 2)) == (order.place_of(3), order.place_of(5))
