"""Keys: bits mapped to whole numbers in the order of the values, so that nearness can be bisected.

Neighbouring keys are neighbouring values: of a float the next one up or down, -0.0 lying just below 0.0, NaNs beyond
the infinities.

>>> from soid.formula.sorts import FLOAT32
>>> from soid.program.types import parse, show
>>> kind = FloatType(FLOAT32)
>>> show(kind, bits_at(kind, key_of(kind, parse(kind, "1.5")) + 1))
'1.5000001'
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from soid.formula import build
from soid.formula import softfloat as sf
from soid.formula.term import Term
from soid.program.interface import Variable
from soid.program.types import EnumType, FloatType, IntType, VariableType


def is_(variable: Variable, bits: int) -> Term:
    """That a variable has these bits."""
    return build.eq(variable.symbol, build.const(variable.symbol.sort, bits))


def key_of(kind: VariableType, bits: int) -> int:
    """The place of a value among all values of its type."""
    sign = 1 << (kind.width - 1)
    if isinstance(kind, FloatType):
        return bits ^ (2 * sign - 1) if bits & sign else bits | sign
    if isinstance(kind, IntType | EnumType) and kind.signed:
        return bits ^ sign
    return bits


def bits_at(kind: VariableType, key: int) -> int:
    """The value at a place."""
    sign = 1 << (kind.width - 1)
    if isinstance(kind, FloatType):
        return key ^ sign if key & sign else key ^ (2 * sign - 1)
    return key_of(kind, key)


def between(variable: Variable, low: int, high: int) -> Term:
    """That a variable's key lies from one to another, both included."""
    kind, symbol = variable.type, variable.symbol
    if isinstance(kind, FloatType):
        half = 1 << (kind.width - 1)  # the keys before it are the floats with a sign, whose bits run the other way
        parts = [(max(low, half), high)] if high >= half else []
        parts += [(min(high, half - 1), low)] if low < half else []
        return build.any_of(
            _stretch(symbol, bits_at(kind, first), bits_at(kind, last), build.bvule) for first, last in parts
        )
    at_most = build.bvsle if isinstance(kind, IntType | EnumType) and kind.signed else build.bvule
    return _stretch(symbol, bits_at(kind, low), bits_at(kind, high), at_most)


def _stretch(symbol: Term, first: int, last: int, at_most: Callable[[Term, Term], Term]) -> Term:
    sort = symbol.sort
    return build.and_(at_most(build.const(sort, first), symbol), at_most(symbol, build.const(sort, last)))


def mirrored(kind: IntType | FloatType | EnumType, fact: int, best: int) -> int:
    """The key of the least value that is not less than the best one mirrored at the fact.

    Looking down from the fact, values from this key on are no farther than the best; looking up, values before it
    are strictly nearer. That asymmetry is what makes the lower of two equally near values win on either way.
    """
    top = (1 << kind.width) - 1
    if isinstance(kind, FloatType):
        values = [number_at(kind, key) for key in (fact, best)]
        if None not in values:
            at_fact, at_best = values
            assert at_fact is not None
            assert at_best is not None
            target = 2 * at_fact - at_best
            return key_of(kind, sf.ceil_fraction(kind.format, target))
    return max(0, min(top + 1, 2 * fact - best))


def number_at(kind: FloatType, key: int) -> Fraction | None:
    """The number at a place; None where there is an infinity or a NaN."""
    bits = bits_at(kind, key)
    if sf.is_nan(kind.format, bits) or sf.is_infinite(kind.format, bits):
        return None
    return sf.to_fraction(kind.format, bits)
