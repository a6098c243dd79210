"""How much of a variable's values a range of them is: the measure by which shares are told.

Labels, truth values and whole numbers are counted. Floats are measured by length: a float stands for the numbers that
round to it, half the way to each neighbour, so ranges that touch add up exactly and no float counts nothing. A range
without an end, up to the largest finite number, is measured by order of magnitude: from 1 on each doubling counts one,
below 1 the length. There infinity counts as one doubling more, and all NaNs of a sign together as one.

>>> from soid.formula.sorts import FLOAT32, BitVec
>>> floats = ValueOrder(FLOAT32)
>>> place = lambda bits: floats.place_of(bits)
>>> one, two, five = (place(bits) for bits in (0x3F800000, 0x40000000, 0x40A00000))
>>> ruler = ruler_for(floats, one, five)
>>> ruler.scale.value, round(ruler.size(one, two) / ruler.size(one, five), 6)
('length', 0.25)
>>> ruler_for(ValueOrder(BitVec(8)), 0, 9).size(0, 4)
5
"""

from __future__ import annotations

from enum import Enum
from fractions import Fraction
from typing import Final, final

from msgspec import Struct

from soid.formula.sorts import Float
from soid.formula.value_order import ValueOrder

_FEW: Final = 4_096  # floats: so few are single values, which are counted


@final
class Measure(Enum):
    """What shares are shares of."""

    LENGTH = "length"  # of the range of a float
    AREA = "area"  # over two ranges, of which one at least is of floats
    VOLUME = "volume"  # over more
    NUMBER = "number"  # of values


@final
class Scale(Enum):
    """How the values of one variable are measured."""

    NUMBER = "number"
    LENGTH = "length"
    MAGNITUDE = "magnitude"


def measure_of(scales: list[Scale]) -> Measure:
    """What is measured over ranges of variables with these scales."""
    if all(scale is Scale.NUMBER for scale in scales):
        return Measure.NUMBER
    return {1: Measure.LENGTH, 2: Measure.AREA}.get(len(scales), Measure.VOLUME)


@final
class Ruler(Struct, frozen=True):
    """Measures ranges of one variable's values; sizes of ranges that touch add up."""

    order: ValueOrder
    scale: Scale

    def size(self, low: int, high: int) -> int:
        """The size of the range from one place to another, both included, in a unit of this ruler."""
        if self.scale is Scale.NUMBER:
            return high - low + 1
        return self._border(high + 1) - self._border(low)

    def part(self, share: Fraction, low: int, high: int) -> int:
        """The place up to which so much of a range reaches."""
        wanted, first, last = share * self.size(low, high), low, high
        while first < last:
            middle = (first + last) // 2
            if self.size(low, middle) < wanted:
                first = middle + 1
            else:
                last = middle
        return first

    def _border(self, place: int) -> int:
        """The position of the border between the place before and this one."""
        if place < 0:
            return -self._border(-place)
        sort = self.order.read_as
        assert isinstance(sort, Float)
        if self.scale is Scale.LENGTH or place <= sort.infinity:
            between = _steps(sort, place - 1) + _steps(sort, place) if place else 0
            return between if self.scale is Scale.LENGTH else _magnitude(sort, between)
        one = 1 << _one(sort)
        beyond = self._border(sort.infinity) + one
        return beyond + ((place - sort.infinity - 1) * one >> (sort.significand - 1))


def ruler_for(order: ValueOrder, low: int, high: int, number: int | None = None) -> Ruler:
    """The ruler for a family of which a variable's values lie between two places, `number` of them if not all do."""
    sort, number = order.read_as, high - low + 1 if number is None else number
    if not isinstance(sort, Float) or number <= _FEW:
        return Ruler(order, Scale.NUMBER)
    most = sort.max_finite
    is_endless = high >= most or low <= order.place_of(most | sort.sign_bit)
    return Ruler(order, Scale.MAGNITUDE if is_endless else Scale.LENGTH)


def _steps(sort: Float, place: int) -> int:
    """A number that is not negative, in units of the least one; at the place of infinity the next power of two."""
    bits = sort.significand - 1
    exponent, digits = place >> bits, place & (1 << bits) - 1
    return (digits | 1 << bits) << (exponent - 1) if exponent else digits


def _one(sort: Float) -> int:
    """The logarithm of 1, in halves of the least number."""
    return sort.bias + sort.significand - 1


def _magnitude(sort: Float, position: int) -> int:
    """A position by order of magnitude: straight lines between the powers of two from 1 on."""
    one = _one(sort)
    doublings = position.bit_length() - 1 - one
    return position if doublings < 0 else (doublings << one) + (position >> doublings)
