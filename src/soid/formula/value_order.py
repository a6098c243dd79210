"""The order of a variable's values: each value has a place, and neighbouring places hold neighbouring values.

An integer's place is its number. Bits that are read as a float follow IEEE 754's total order: -0.0 is at -1, 0.0 at 0,
and NaNs lie beyond the infinities. So a range of any variable is a range of whole numbers, which can be halved.

>>> from soid.formula.sorts import FLOAT32
>>> floats = ValueOrder(FLOAT32)
>>> floats.place_of(0x80000000), floats.place_of(0), hex(floats.value_at(floats.place_of(0x3F800000) - 1))
(-1, 0, '0x3f7fffff')
>>> ValueOrder(BitVec(8), signed=True).places
(-128, 127)
"""

from __future__ import annotations

from typing import Literal, final

from msgspec import Struct

from soid.formula import build, intervals
from soid.formula import softfloat as sf
from soid.formula.intervals import Bits, Values
from soid.formula.sorts import BitVec, Bool, Float
from soid.formula.term import Term


@final
class ValueOrder(Struct, frozen=True):
    """The order of the values of a symbol (a Bool or a bit-vector) that the program reads as a `read_as`."""

    read_as: Bool | BitVec | Float
    signed: bool = False  # for a bit-vector: read as a signed number

    @property
    def name(self) -> Literal["bool", "float", "signed", "unsigned"]:
        if isinstance(self.read_as, Bool):
            return "bool"
        return "float" if isinstance(self.read_as, Float) else "signed" if self.signed else "unsigned"

    @property
    def places(self) -> tuple[int, int]:
        """The first and the last place."""
        sort = self.read_as
        if isinstance(sort, Bool):
            return 0, 1
        half = 1 << (sort.width - 1)
        return (-half, half - 1) if self.signed or isinstance(sort, Float) else (0, sort.mask)

    def place_of(self, value: int) -> int:
        """The place of a value, as terms hold it."""
        sort = self.read_as
        if isinstance(sort, Float):
            return sf.total_order(sort, value)
        return value - sort.mask - 1 if self.signed and isinstance(sort, BitVec) and value > sort.mask >> 1 else value

    def value_at(self, place: int) -> bool | int:
        """The value at a place, as terms hold it."""
        sort = self.read_as
        if isinstance(sort, Float):
            return sf.from_total_order(sort, place)
        return place & sort.mask if isinstance(sort, BitVec) else bool(place)

    def values(self, low: int, high: int) -> Values:
        """The symbol's values from one place to another; all bits for floats across zero, because those are no span."""
        sort = self.read_as
        if isinstance(sort, Float):
            if low < 0 <= high:
                return Bits(0, sort.mask)
            return Bits(low if low >= 0 else sf.from_total_order(sort, high), high - low)
        if isinstance(sort, Bool):
            return (low == 0) | (high == 1) << 1
        return intervals.numbers(low, high, sort.width)

    def enclosing(self, bits: Bits) -> tuple[int, int]:
        """The first and the last place of some bit patterns."""
        sort = self.read_as
        if isinstance(sort, Float):
            low, high = intervals.unsigned(bits, sort.width)
            if low < sort.sign_bit <= high:
                return sf.total_order(sort, high), sort.sign_bit - 1
            ends = sf.total_order(sort, low), sf.total_order(sort, high)
            return min(ends), max(ends)
        assert isinstance(sort, BitVec)
        return (intervals.signed if self.signed else intervals.unsigned)(bits, sort.width)

    def between(self, symbol: Term, low: int, high: int) -> Term:
        """The condition that a symbol's value lies from one place to another, both included."""
        sort = self.read_as
        if isinstance(sort, Bool):
            return build.TRUE if low < high else build.eq(symbol, build.const(sort, bool(low)))
        if isinstance(sort, Float) and low < 0 <= high:
            return build.or_(self.between(symbol, low, -1), self.between(symbol, 0, high))
        first, last = (build.const(symbol.sort, self.value_at(place)) for place in (low, high))
        if isinstance(sort, Float) and low < 0:
            first, last = last, first  # the smaller a negative float, the larger its bits
        at_most = build.bvsle if self.signed else build.bvule
        return build.and_(at_most(first, symbol), at_most(symbol, last))
