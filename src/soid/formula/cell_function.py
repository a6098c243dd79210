"""Functions that bound their results over many boxes at once, such as sums of trees, which are constant on cells.

An argument is a float, or a whole number as a float. A box gives each argument a range from `low` to `high`; `missing`
says that NaN is among its values. Where it is NaN alone, low is above high.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import TYPE_CHECKING, Protocol

from soid.formula import operators as ops
from soid.formula import softfloat as sf
from soid.formula.sorts import FLOAT32, FLOAT64, BitVec, Float
from soid.formula.term import Term
from soid.formula.value_order import ValueOrder

if TYPE_CHECKING:  # numpy takes long to load, and most questions do without
    import numpy as np
    from numpy.typing import NDArray

    Places = NDArray[np.int64]
    Numbers = NDArray[np.float64]
    Flags = NDArray[np.bool_]

#: from the least and the greatest result in each of some boxes: a number that the true function's derivative is nowhere
#: below there, and how far results may be off from the true function
Rise = Callable[["Numbers", "Numbers"], tuple["Numbers", "Numbers"]]


class BoundedBoxes(Protocol):
    """What is known of a function over some boxes: a row for each."""

    low: Places  # of its results, as ordinals (`softfloat.ordinal`)
    high: Places

    def at_point(self, row: int, /) -> int | None:
        """The function's result in a box that is a point; None if it is not known.

        It is among those from `low` to `high`. Where these differ, it is one that the function may have: conditions
        that hold with it do hold, but a point in which they do not is not settled.
        """
        ...

    def advice(self) -> Numbers:
        """For each box and argument how much the bounds would gain from cutting the box there; 0: nothing."""
        ...

    def cuts(self, box: int, argument: int, parts: int, /) -> Sequence[float]:
        """The numbers at which parts of a box should begin, except the first; none: in its middle."""
        ...

    def chosen(self, boxes: Sequence[int], /) -> BoundedBoxes:
        """What is known over some of the boxes."""
        ...

    def narrowed(self) -> CellBounds:
        """Bounds for boxes inside these alone, which may be quicker."""
        ...


class CellBounds(Protocol):
    """Bounds of a function inside a region."""

    def of(self, low: Numbers, high: Numbers, missing: Flags, /) -> BoundedBoxes:
        """A row for each box, a column for each argument."""
        ...


class RegionBounds(CellBounds, Protocol):
    """Bounds inside a region, and those of the whole region, which cost less than boxes do."""

    @property
    def whole(self) -> tuple[int, int]:
        """Ordinals; they may lie farther apart than those that `of` gives."""
        ...

    def climb(self, sign: int, /) -> Iterable[Numbers]:
        """Rows of the region in which the result is likely to be great (sign 1) or small (-1), ever more so."""
        ...

    def likely(self) -> Numbers:
        """Rows of the region to look at before all others, together for functions that are looked at together."""
        ...


class CellFunction(Protocol):
    """A function that bounds its results over many boxes at once."""

    #: by condition that follows from its result alone, with the constants that it follows from besides: the least and
    #: the greatest result for which it is not false
    allowed: dict[tuple[Hashable, ...], tuple[int, int]]

    #: whether the low and the high ends of boxes are worth a look, besides their middles
    tries_ends: bool
    #: whether its result at a point is known
    is_exact: bool

    def within(self, low: Numbers, high: Numbers, missing: Flags, compared: Places | None = None, /) -> RegionBounds:
        """The bounds inside a region: a number for each argument.

        `compared`: the results on whose sides all hangs that is asked, as ordinals, if these are known.
        """
        ...

    def at(self, low: Numbers, high: Numbers, missing: Flags, /) -> tuple[int, int]:
        """The bounds at a single point, as ordinals: both are the result, unless that is not known."""
        ...

    def cuts(self, argument: int, /) -> Iterable[float]:
        """The numbers of an argument at which cells begin, in their order; none if there are no cells."""
        ...


def source_of(argument: Term) -> Term | None:
    """The variable that an argument reads, or the argument itself if it is a constant; None if it is neither."""
    if argument.is_const or (argument.is_var and isinstance(argument.sort, BitVec)):
        return argument
    if argument.op is ops.FP_TO_FP and argument.sort == FLOAT64 and argument.args[0].sort == FLOAT32:
        argument = argument.args[0]  # the same number
    if argument.op in (ops.FP_FROM_BITS, ops.SBV_TO_FP, ops.UBV_TO_FP) and argument.args[0].is_var:
        return argument.args[0]
    if argument.op is ops.ITE and argument.args[0].is_var and all(each.is_const for each in argument.args[1:]):
        return argument.args[0] if [number_of(each) for each in argument.args[1:]] == [1.0, 0.0] else None
    return None


def number_of(constant: Term) -> float:
    """The number of a constant argument."""
    if constant.sort is FLOAT64:
        return sf.bits64_to_float(constant.value)
    if isinstance(constant.sort, Float):
        return sf.bits64_to_float(sf.convert(constant.sort, FLOAT64, constant.value))
    assert isinstance(constant.sort, BitVec)
    return float(ops.signed(constant.value, constant.sort.width))


def place_of(order: ValueOrder, number: float) -> int:
    """The first place of a variable's order whose number is not below a number, which is not NaN."""
    sort = order.read_as
    if not isinstance(sort, Float):
        low, high = order.places
        return math.ceil(number) if low <= number <= high else low if number < low else high + 1
    if number == 0:
        return -1  # the lower one of the two zeros
    near = sf.convert(FLOAT64, sort, sf.float_to_bits64(number))
    place = sf.ordinal(sort, near)
    return place + 1 if sf.bits64_to_float(sf.convert(sort, FLOAT64, near)) < number else place
