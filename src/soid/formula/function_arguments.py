"""The arguments of functions that bound many boxes at once, from the places of variables.

>>> from soid.formula.build import fp_from_bits, var
>>> from soid.formula.sorts import FLOAT64
>>> x = var("x", BitVec(64))
>>> read = ReadArguments.of([fp_from_bits(FLOAT64, x)], {x: 0}, [ValueOrder(FLOAT64)])
>>> low, high, missing = read.ranges(np.array([[0]]), np.array([[FLOAT64.infinity + 1]]))
>>> low.tolist(), high.tolist(), missing.tolist()
([[0.0]], [[inf]], [[True]])
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import final

import numpy as np
from numpy.typing import NDArray

from soid.formula import operators as ops
from soid.formula.cell_function import number_of, place_of, source_of
from soid.formula.sorts import BitVec, Float
from soid.formula.term import Term
from soid.formula.value_order import ValueOrder

Places = NDArray[np.int64]
Numbers = NDArray[np.float64]
Flags = NDArray[np.bool_]


@final
class ReadArguments:
    """How the arguments of a function follow from the places of variables: each is a constant or reads one of them."""

    def __init__(
        self,
        variables: tuple[int | None, ...],
        constants: Sequence[float],
        orders: Sequence[ValueOrder],
        signed: Sequence[bool],
    ) -> None:
        self.variables = variables  # for each argument the number of its variable; None: a constant
        known = np.array(constants)
        self._missing = np.isnan(known)  # a missing number: a range without numbers
        self._low, self._high = (np.where(self._missing, end, known) for end in (np.inf, -np.inf))
        #: by how arguments are read: their columns, and the numbers of their variables
        self._alike: dict[tuple[ValueOrder, bool], tuple[list[int], list[int]]] = {}
        for column, number in enumerate(variables):
            if number is not None:
                columns, numbers = self._alike.setdefault((orders[number], signed[column]), ([], []))
                columns.append(column)
                numbers.append(number)

    @classmethod
    def of(
        cls, arguments: Sequence[Term], numbers: Mapping[Term, int], orders: Sequence[ValueOrder]
    ) -> ReadArguments | None:
        """None if an argument is something else, or a variable has more places than fit."""
        found: list[int | None] = []
        for argument in arguments:
            source = source_of(argument)
            if source is None or (source.is_var and source not in numbers):
                return None
            found.append(numbers[source] if source.is_var else None)
        if not all(fits(orders[number]) for number in found if number is not None):
            return None
        return cls(
            tuple(found),
            [number_of(each) if at is None else 0.0 for each, at in zip(arguments, found, strict=True)],
            orders,
            [each.is_var or each.op is ops.SBV_TO_FP for each in arguments],
        )

    def ranges(self, low: Places, high: Places) -> tuple[Numbers, Numbers, Flags]:
        """The arguments' ranges in boxes, which have a row each and a column for each variable."""
        shape = len(low), len(self.variables)
        lows, highs, missing = np.empty(shape), np.empty(shape), np.empty(shape, bool)
        lows[:], highs[:], missing[:] = self._low, self._high, self._missing
        for (order, signed), (columns, numbers) in self._alike.items():
            first, last = low[:, numbers], high[:, numbers]
            if isinstance(order.read_as, Float):
                lows[:, columns], highs[:, columns], missing[:, columns] = _read(order.read_as, first, last)
            else:
                lows[:, columns], highs[:, columns] = _read_integers(order, signed, first, last)
        return lows, highs, missing


def fits(order: ValueOrder) -> bool:
    """Whether all places are 64-bit numbers."""
    low, high = order.places
    return low >= -(1 << 63) and high < 1 << 63


def _read(sort: Float, low: Places, high: Places) -> tuple[Numbers, Numbers, Flags]:
    """The numbers from one place to another, and whether NaN is among them."""
    first, last = ~sort.infinity, sort.infinity
    missing = (low < first) | (high > last)
    if not missing.any():
        return floats_at(sort, low), floats_at(sort, high), missing
    some = (low <= last) & (high >= first)
    lows = np.where(some, floats_at(sort, np.clip(low, first, last)), np.inf)
    highs = np.where(some, floats_at(sort, np.clip(high, first, last)), -np.inf)
    return lows, highs, missing


def _read_integers(order: ValueOrder, signed: bool, low: Places, high: Places) -> tuple[Places, Places]:
    """The integers from one place to another; the order of places need not be that in which they are read.

    >>> unsigned = ValueOrder(BitVec(8))
    >>> [ends.tolist() for ends in _read_integers(unsigned, True, np.array([1, 254, 3]), np.array([2, 255, 200]))]
    [[1, -2, -128], [2, -1, 127]]
    """
    sort = order.read_as
    if not isinstance(sort, BitVec) or order.signed == signed:
        return low, high
    first, last = ValueOrder(sort, signed).places
    border = last + 1 if signed else 0  # from there on, or below, places are read as other numbers
    apart = (low < border) & (high >= border)
    moved = -(sort.mask + 1) if signed else sort.mask + 1
    lows, highs = (np.where((end >= border) == signed, end + moved, end) for end in (low, high))
    return np.where(apart, first, lows), np.where(apart, last, highs)


def floats_at(sort: Float, places: Places) -> Numbers:
    """The floats at places of their order."""
    if sort.width == 64:
        return np.where(places >= 0, places, ~places | np.int64(-(1 << 63))).view(np.float64)
    assert sort.width == 32, "no library has features of another width"
    bits = np.where(places >= 0, places, ~places | 1 << 31).astype(np.uint32)
    return bits.view(np.float32).astype(np.float64)


def places_of(order: ValueOrder, given: Iterable[float]) -> list[int]:
    """For each number the first place of a variable's order whose number is not below it; see `place_of`.

    >>> from soid.formula.sorts import FLOAT32
    >>> numbers = [0.0, 1e-60, -1e-60, 0.1, -0.1, 1.5, 1e300, -1e300]
    >>> places_of(ValueOrder(FLOAT32), numbers) == [place_of(ValueOrder(FLOAT32), each) for each in numbers]
    True
    """
    sort, numbers = order.read_as, np.array(list(given), np.float64)
    if not isinstance(sort, Float) or sort.width not in (32, 64):
        return [place_of(order, float(each)) for each in numbers]
    bits: Places
    if sort.width == 64:
        near, bits = numbers, numbers.view(np.int64)
    else:
        with np.errstate(over="ignore"):
            single = numbers.astype(np.float32)
        near, bits = single.astype(np.float64), single.view(np.int32).astype(np.int64)
    places = np.where(bits >= 0, bits, ~(bits & ((1 << sort.width - 1) - 1)))
    found: list[int] = np.where(numbers == 0, -1, places + (near < numbers)).tolist()
    return found
