"""Rows of coefficients as whole numbers: products and sums are exact, and what is rounded away is counted.

A vector's elements have scales: element j is at most 2^scale[j] in size, so it is a number from -1 to 1 times that. A
row has a whole number for each element and an exponent, so it is the sum of

    numbers[j] * 2^exponent * (element j / 2^scale[j])

Multiplying such rows by matrices of whole numbers is exact on every machine, in whichever order it adds. Before whole
numbers outgrow a machine word they lose their last bits: each by at most half of the last one that is left, which is
at most that much of 2^scale[j], and so much is taken from the bound that the row is for. With Python's own integers
(`Digits.long`) nothing outgrows anything, and next to nothing is lost.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Literal, final

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from soid.evidence.learned.plain_trees import NotChecked

Numbers = NDArray[np.float64]
Whole = NDArray[Any]  # int64, or Python's integers
Scales = NDArray[np.int64]

_WORD: Final = 60  # bits of a machine word that sums of products may have, without its sign and two to spare
_LONG: Final = 160
NOTHING: Final = -1100  # the scale of an element that is 0

_ROUNDINGS: Final[dict[str, Callable[[Numbers], Numbers]]] = {"down": np.floor, "up": np.ceil, "near": np.rint}


class Unbounded(Exception):
    """Something may be too large for floats here, so that nothing is known."""


def lower(numbers: Numbers) -> Numbers:
    """Below what was rounded to nearest."""
    return np.nextafter(numbers, -np.inf)


def upper(numbers: Numbers) -> Numbers:
    return np.nextafter(numbers, np.inf)


def scales_of(sizes: Numbers) -> Scales:
    return np.where(sizes > 0, np.frexp(sizes)[1], NOTHING).astype(np.int64)


@final
class Digits(Struct, frozen=True):
    """How many bits whole numbers have, and in what they are kept."""

    bits: int
    kind: Any

    @classmethod
    def short(cls, longest: int) -> Digits:
        """For sums of so many products in a machine word."""
        bits = (_WORD - longest.bit_length()) // 2
        if bits < 20:
            raise NotChecked("a layer is too long for whole numbers of a machine word")
        return cls(bits, np.int64)

    @classmethod
    def long(cls) -> Digits:
        return cls(_LONG, object)

    def whole(self, numbers: Numbers, shift: Any, way: Literal["down", "up", "near"]) -> Whole:
        """Numbers times 2^shift as whole numbers; what rounds to 0 is off by less than 1 in the right direction."""
        with np.errstate(over="ignore", under="ignore"):
            moved = np.ldexp(numbers, shift)
        found = _ROUNDINGS[way](moved)
        if way != "near":  # it has vanished, and its sign has not
            sign = -1.0 if way == "down" else 1.0
            found = np.where((found == 0) & (np.sign(numbers) == sign), sign, found)
        if not (np.abs(found) <= 2.0 ** (self.bits + 1)).all():
            raise Unbounded
        if self.kind is np.int64:
            return found.astype(np.int64)
        return np.array([int(each) for each in found.ravel()], object).reshape(found.shape)


@final
class Elements(Struct, frozen=True):
    """The ranges of a vector's elements, as floats, and as whole numbers of their scales."""

    low: Numbers
    high: Numbers
    scales: Scales
    lows: Whole  # times 2^(scale - bits)
    highs: Whole

    @classmethod
    def of(cls, low: Numbers, high: Numbers, digits: Digits, scales: Scales | None = None) -> Elements:
        sizes = np.maximum(np.abs(low), np.abs(high))
        if not np.isfinite(sizes).all():
            raise Unbounded
        scales = scales_of(sizes) if scales is None else scales
        if (scales_of(sizes) > scales).any():
            raise Unbounded
        shift = digits.bits - scales
        return cls(low, high, scales, digits.whole(low, shift, "down"), digits.whole(high, shift, "up"))

    @property
    def sizes(self) -> Numbers:
        return np.maximum(np.abs(self.low), np.abs(self.high))

    @property
    def wholes(self) -> Whole:
        """The sizes as whole numbers."""
        return np.maximum(np.abs(self.lows), np.abs(self.highs))

    def within(self, low: Numbers, high: Numbers, digits: Digits) -> Elements:
        """The same with ends that are known to be no farther out."""
        return Elements.of(np.maximum(self.low, low), np.minimum(self.high, high), digits, self.scales)


@final
class Rows(Struct, frozen=True):
    """Rows of coefficients over one vector."""

    numbers: Whole
    exponents: Scales  # of each row

    @classmethod
    def single(cls, places: Any, factors: Numbers, elements: Elements, digits: Digits) -> Rows:
        """For each place a row of that element alone, times its factor, which is a power of two or its negative."""
        numbers = np.zeros((len(places), len(elements.low)), digits.kind)
        numbers[np.arange(len(places)), places] = digits.whole(np.sign(factors), digits.bits - 1, "near")
        exponents = elements.scales[places] + np.frexp(np.abs(factors))[1] - digits.bits
        return cls(numbers, exponents.astype(np.int64))

    @classmethod
    def of(cls, factors: Numbers, elements: Elements, digits: Digits) -> Rows:
        """Rows of factors of elements; what a factor loses makes it smaller, and never turns its sign."""
        with np.errstate(over="ignore", under="ignore"):
            sizes = np.ldexp(np.abs(factors), elements.scales)
        exponents = scales_of(sizes.max(axis=1, initial=0.0)) - digits.bits
        sizes = digits.whole(np.abs(factors), elements.scales - exponents[:, None], "down")
        return cls(np.where(factors < 0, -sizes, sizes), exponents)

    def shortened(self, digits: Digits) -> tuple[Rows, Numbers]:
        """The same with no more bits than they may have, and what that is off by for any elements."""
        largest = np.abs(self.numbers).max(axis=1, initial=0)
        if self.numbers.dtype == object:
            length = np.array([int(each).bit_length() for each in largest], np.int64)
        else:  # as a float it may round up to one bit more, which is then lost as well
            length = np.frexp(largest.astype(np.float64))[1].astype(np.int64)
        over = np.maximum(length - digits.bits, 0)
        return self._moved(over)

    def _moved(self, over: Scales) -> tuple[Rows, Numbers]:
        """The same without some last bits of each row."""
        if not over.any():
            return self, np.zeros(len(over))
        exponents = self.exponents + over
        lost = np.where(over > 0, np.ldexp(float(self.numbers.shape[1]), exponents - 1), 0.0)
        is_word = self.numbers.dtype != object
        by = (np.minimum(over, _WORD) if is_word else over.astype(object))[:, None]  # of a word nothing is left by then
        half = (np.ones_like(by) << by) >> 1
        return Rows((self.numbers + half) >> by, exponents), upper(lost)

    def plus(self, other: Rows, digits: Digits) -> tuple[Rows, Numbers]:
        """The sum of two, and what it is off by."""
        (one, first), (two, second) = self.shortened(digits), other.shortened(digits)
        has_one, has_two = ((each.numbers != 0).any(axis=1) for each in (one, two))
        greater = np.maximum(one.exponents, two.exponents)
        exponents = np.where(has_one & has_two, greater, np.where(has_one, one.exponents, two.exponents))
        one, third = one._moved(np.where(has_one, exponents - one.exponents, 0))
        two, fourth = two._moved(np.where(has_two, exponents - two.exponents, 0))
        lost = upper(upper(first + second) + upper(third + fourth))
        return Rows(one.numbers + two.numbers, exponents), lost

    def least(self, elements: Elements, digits: Digits) -> Numbers:
        """Not above what the rows are for any elements in their ranges."""
        up, down = np.maximum(self.numbers, 0), np.minimum(self.numbers, 0)
        return as_floats(up @ elements.lows + down @ elements.highs, self.exponents - digits.bits)


def as_floats(numbers: Whole, exponents: Any) -> Numbers:
    """Floats that are not above whole numbers times powers of two."""
    with np.errstate(under="ignore"):
        return lower(np.ldexp(lower(numbers.astype(np.float64)), exponents))
