"""The arguments of functions that bound many boxes at once, from the places of variables.

>>> from soid.formula.build import fp_from_bits, var
>>> x = var("x", BitVec(64))
>>> read = ReadArguments.of([fp_from_bits(FLOAT64, x)], {x: 0}, [ValueOrder(FLOAT64)])
>>> low, high, missing = read.ranges(np.array([[0]]), np.array([[FLOAT64.infinity + 1]]))
>>> low.tolist(), high.tolist(), missing.tolist()
([[0.0]], [[inf]], [[True]])
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import final

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from soid.formula.cell_function import number_of, source_of
from soid.formula.sorts import Float
from soid.formula.term import Term
from soid.formula.value_order import ValueOrder

Places = NDArray[np.int64]
Numbers = NDArray[np.float64]
Flags = NDArray[np.bool_]


@final
class ReadArguments(Struct, frozen=True):
    """How the arguments of a function follow from the places of variables: each is a constant or reads one of them."""

    variables: tuple[int | None, ...]  # for each argument the number of its variable; None: a constant
    constants: tuple[float, ...]  # NaN for arguments that are variables
    orders: tuple[ValueOrder | None, ...]

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
        if not all(_fits(orders[number]) for number in found if number is not None):
            return None
        return cls(
            tuple(found),
            tuple(number_of(each) if at is None else np.nan for each, at in zip(arguments, found, strict=True)),
            tuple(None if at is None else orders[at] for at in found),
        )

    def ranges(self, low: Places, high: Places) -> tuple[Numbers, Numbers, Flags]:
        """The arguments' ranges in boxes, which have a row each and a column for each variable."""
        shape = (len(low), len(self.variables))
        lows, highs, missing = np.empty(shape), np.empty(shape), np.zeros(shape, bool)
        for column, (number, order) in enumerate(zip(self.variables, self.orders, strict=True)):
            if number is None or order is None:
                constant = self.constants[column]
                missing[:, column] = constant != constant
                lows[:, column], highs[:, column] = (constant, constant) if constant == constant else (np.inf, -np.inf)
            else:
                lows[:, column], highs[:, column], missing[:, column] = _read(order, low[:, number], high[:, number])
        return lows, highs, missing


def _fits(order: ValueOrder) -> bool:
    low, high = order.places
    return low >= -(1 << 63) and high < 1 << 63


def _read(order: ValueOrder, low: Places, high: Places) -> tuple[Numbers, Numbers, Flags]:
    """The numbers from one place to another, and whether NaN is among them."""
    sort = order.read_as
    if not isinstance(sort, Float):
        return low.astype(np.float64), high.astype(np.float64), np.zeros(len(low), bool)
    first, last = ~sort.infinity, sort.infinity
    missing = (low < first) | (high > last)
    some = (low <= last) & (high >= first)
    lows = np.where(some, _floats(sort, np.clip(low, first, last)), np.inf)
    highs = np.where(some, _floats(sort, np.clip(high, first, last)), -np.inf)
    return lows, highs, missing


def _floats(sort: Float, places: Places) -> Numbers:
    """The floats at places of their order."""
    if sort.width == 64:
        return np.where(places >= 0, places, ~places | np.int64(-(1 << 63))).view(np.float64)
    assert sort.width == 32, "no library has features of another width"
    bits = np.where(places >= 0, places, ~places | 1 << 31).astype(np.uint32)
    return bits.view(np.float32).astype(np.float64)
