"""Conditions that a box says by itself: a variable lies in a range, or one of some variables differs from a value.

    0.0 <= x,  x <= 1.0             x is one of the floats from -0.0 to 1.0
    x != 0.5 or y != 3              not both of these at once
    x * y > 2.0                     any other is laid out as terms

Most suppositions are of these kinds, and a question about many variables has many of them. A box whose sides are the
ranges needs no term for them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import final

from msgspec import Struct, field
from msgspec.structs import replace

from soid.formula import operators as ops
from soid.formula.bounds import FLOAT, SIGNED, Key, Span, span_of
from soid.formula.passes import flatten_and
from soid.formula.sorts import BitVec, Float
from soid.formula.term import Term
from soid.formula.value_order import ValueOrder
from soid.solver.box_conditions import BoxConditions, BoxFunction, Size, lay_out


@final
class PlainConditions(Struct):
    """Conditions by their kinds."""

    symbols: dict[Term, None] = field(default_factory=dict)  # the variables of those that are plain, in order
    orders: dict[Term, ValueOrder] = field(default_factory=dict)  # as which the ranges read variables
    ranges: dict[Key, Span] = field(default_factory=dict)
    differences: list[dict[Term, int]] = field(default_factory=list)  # values by variable: one of them is another
    others: list[Term] = field(default_factory=list)

    @classmethod
    def of(cls, conjuncts: Iterable[Term]) -> PlainConditions:
        found = cls()
        for each in flatten_and(conjuncts):
            if not found._add_range(each) and not found._add_difference(each):
                found.others.append(each)
        return found

    def _add_range(self, condition: Term) -> bool:
        compared = span_of(condition)
        if compared is None:
            return False
        key, span = compared
        if span.nan:
            return False
        if key in self.ranges:
            self.ranges[key] = self.ranges[key].meet(span)
            return True
        symbol = _symbol(key)
        if symbol is None:
            return False
        if key[1] == FLOAT:
            assert isinstance(key[0].sort, Float)
            self.orders[symbol] = ValueOrder(key[0].sort)
        elif key[1] == SIGNED:
            assert isinstance(symbol.sort, BitVec)
            self.orders.setdefault(symbol, ValueOrder(symbol.sort, signed=True))
        self.symbols[symbol] = None
        self.ranges[key] = span
        return True

    def _add_difference(self, condition: Term) -> bool:
        found: dict[Term, int] = {}
        for each in condition.args if condition.op is ops.OR else (condition,):
            pair = compared_value(each.args[0]) if each.op is ops.NOT else None
            if pair is None or pair[0] in found or not isinstance(pair[0].sort, BitVec):
                return False
            found[pair[0]] = pair[1]
        self.symbols |= dict.fromkeys(found)
        self.differences.append(found)
        return True


def lay_out_plainly(
    conjuncts: Sequence[Term], most: Size, functions: Sequence[BoxFunction] = ()
) -> BoxConditions | None:
    """Conditions laid out, those that are plain without terms; None as in `lay_out`."""
    found = PlainConditions.of(conjuncts)
    laid_out = lay_out(found.others, most, symbols=tuple(found.symbols), functions=functions, orders=found.orders)
    if laid_out is None:
        return None
    numbers = {variable.term: number for number, variable in enumerate(laid_out.variables)}
    orders = [variable.order for variable in laid_out.variables]
    ranges: dict[int, tuple[int, int]] = {}
    for key, span in found.ranges.items():
        symbol = _symbol(key)
        assert symbol is not None, "it has a range"
        number = numbers[symbol]
        places = _places(orders[number], key, span)
        if places is None:
            return lay_out(flatten_and(conjuncts), most, functions=functions)
        low, high = ranges.get(number, places)
        ranges[number] = max(low, places[0]), min(high, places[1])
    differences = tuple(
        {numbers[each]: orders[numbers[each]].place_of(value) for each, value in difference.items()}
        for difference in found.differences
    )
    return replace(laid_out, ranges=ranges, differences=differences)


def _symbol(key: Key) -> Term | None:
    """The variable that is compared, by itself or read as a float."""
    term, order = key
    symbol = term.args[0] if order == FLOAT and term.op is ops.FP_FROM_BITS else term
    return symbol if symbol.is_var and isinstance(symbol.sort, BitVec) else None


def _places(order: ValueOrder, key: Key, span: Span) -> tuple[int, int] | None:
    """The places in an order that have the values of a span, no more and no fewer; None if they are no range.

    >>> from soid.formula.build import var
    >>> x = var("x", BitVec(8))
    >>> _places(ValueOrder(BitVec(8), signed=True), (x, "unsigned"), Span(200, 255))
    (-56, -1)
    """
    if order.name == key[1]:
        return (span.low, span.high) if key[1] != FLOAT or order.read_as == key[0].sort else None
    if key[1] == FLOAT:
        return None
    assert isinstance(key[0].sort, BitVec)
    half, mask = key[0].sort.mask // 2, key[0].sort.mask
    if span.low > span.high:
        return span.low, span.high
    low, high = span.low & mask, span.high & mask
    if low > high or low <= half < high:  # with values on both sides of where one of the two orders begins anew
        return None
    ends = order.place_of(low), order.place_of(high)
    return min(ends), max(ends)


def compared_value(term: Term) -> tuple[Term, int] | None:
    """The variable and the value, if a term compares these two."""
    if term.op is not ops.EQ:
        return None
    one, other = term.args if term.args[1].is_const else term.args[::-1]
    return (one, other.value) if one.is_var and other.is_const else None
