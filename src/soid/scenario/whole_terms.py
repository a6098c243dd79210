"""Arithmetic of whole numbers, as mathematics has it: bit-vectors are widened so that nothing wraps around.

Numbers of different widths and signs are compared and computed with by value. A quotient by zero, and a shift by a
negative number, have no value: the result is not defined there.

>>> from soid.formula.build import var
>>> x = Whole(var("x", BitVec(8)), True, -128, 127)
>>> floor_quotient(x, whole(3)).low, modulo(x, whole(3)).high, bits_and(x, whole(6)).low
(-43, 2, 0)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from msgspec.structs import replace

from soid.errors import SortMismatchError
from soid.formula import build
from soid.formula.build import FALSE, TRUE
from soid.formula.operators import truncated_quotient
from soid.formula.sorts import BitVec
from soid.formula.term import Term
from soid.scenario.expression import Comparison
from soid.scenario.operand_values import Whole

#: by how many bits a number may be shifted to the left: no type of a program needs more
_MOST_SHIFTED: Final = 256

_OPPOSITE: Final = {Comparison.NE: Comparison.EQ, Comparison.GT: Comparison.LE, Comparison.GE: Comparison.LT}


def whole(value: int) -> Whole:
    signed = value < 0
    width = max(1, value.bit_length() + signed)
    return Whole(build.const(BitVec(width), value), signed, value, value)


def width_of(number: Whole) -> int:
    assert isinstance(number.term.sort, BitVec)
    return number.term.sort.width


def _widened(number: Whole, width: int) -> Term:
    by = width - width_of(number)
    return build.sign_extend(number.term, by) if number.signed else build.zero_extend(number.term, by)


def aligned(a: Whole, b: Whole, low: int, high: int, *, signed: bool = False) -> tuple[Term, Term, bool]:
    """Both numbers in one width and signedness, which also has room for the numbers from low to high."""
    signed = signed or a.signed or b.signed or low < 0
    bits = max(high.bit_length(), (low if low >= 0 else ~low).bit_length())
    width = max(1, bits + signed)
    for number in (a, b):
        width = max(width, width_of(number) + (signed and not number.signed))
    return _widened(a, width), _widened(b, width), signed


def compare_wholes(op: Comparison, a: Whole, b: Whole) -> Term:
    left, right, signed = aligned(a, b, 0, 0)
    less = build.bvslt if signed else build.bvult
    at_most = build.bvsle if signed else build.bvule
    match op:
        case Comparison.EQ:
            return FALSE if a.high < b.low or b.high < a.low else build.eq(left, right)
        case Comparison.LT:
            return TRUE if a.high < b.low else FALSE if a.low >= b.high else less(left, right)
        case Comparison.LE:
            return TRUE if a.high <= b.low else FALSE if a.low > b.high else at_most(left, right)
        case Comparison.NE | Comparison.GT | Comparison.GE:
            return build.not_(compare_wholes(_OPPOSITE[op], a, b))


def _computed(make: Callable[[Term, Term], Term], a: Whole, b: Whole, low: int, high: int) -> Whole:
    left, right, signed = aligned(a, b, low, high)
    return Whole(make(left, right), signed, low, high, build.and_(a.defined, b.defined))


def add(a: Whole, b: Whole) -> Whole:
    return _computed(build.bvadd, a, b, a.low + b.low, a.high + b.high)


def subtract(a: Whole, b: Whole) -> Whole:
    return _computed(build.bvsub, a, b, a.low - b.high, a.high - b.low)


def multiply(a: Whole, b: Whole) -> Whole:
    corners = [x * y for x in (a.low, a.high) for y in (b.low, b.high)]
    return _computed(build.bvmul, a, b, min(corners), max(corners))


def minus(a: Whole) -> Whole:
    return subtract(whole(0), a)


def absolute(a: Whole) -> Whole:
    if a.low >= 0:
        return a
    turned = minus(a)
    return chosen(_is_negative(a), turned, a, max(a.low, turned.low, 0), max(a.high, turned.high))


def chosen(condition: Term, then: Whole, otherwise: Whole, low: int, high: int) -> Whole:
    """One of two numbers; the result lies from low to high."""
    left, right, signed = aligned(then, otherwise, low, high)
    return Whole(build.ite(condition, left, right), signed, low, high, build.and_(then.defined, otherwise.defined))


def _is_negative(a: Whole) -> Term:
    return compare_wholes(Comparison.LT, a, whole(0))


# --- quotients ------------------------------------------------------------------------------------------------


def divisor(b: Whole) -> Whole:
    """The number as a divisor: it is not defined where it is zero."""
    if b.low == b.high == 0:
        raise SortMismatchError("this divides by zero", "Divide by a number that is not zero.")
    is_zero = compare_wholes(Comparison.EQ, b, whole(0))
    return replace(b, defined=build.and_(b.defined, build.not_(is_zero)))


def floor_quotient(a: Whole, b: Whole) -> Whole:
    """The quotient rounded down."""
    return _divided(a, b, _floor_quotient, lambda x, y: x // y)


def modulo(a: Whole, b: Whole) -> Whole:
    """What the quotient rounded down leaves: it has the sign of the divisor."""
    low, high = min(0, b.low + 1), max(0, b.high - 1)
    if a.low >= 0 and b.low >= 0:
        high = min(high, a.high)
    return _computed(_modulo if a.signed or b.signed else build.bvurem, a, divisor(b), low, high)


def truncated(a: Whole, b: Whole) -> Whole:
    """C's quotient, rounded toward zero."""
    return _divided(a, b, build.bvsdiv, truncated_quotient)


def remainder(a: Whole, b: Whole) -> Whole:
    """C's remainder: it has the sign of the dividend."""
    most = max(abs(b.low), abs(b.high)) - 1
    low, high = (max(a.low, -most) if a.low < 0 else 0), (min(a.high, most) if a.high > 0 else 0)
    return _computed(build.bvsrem if a.signed or b.signed else build.bvurem, a, divisor(b), low, high)


def _divided(a: Whole, b: Whole, signed: Callable[[Term, Term], Term], exact: Callable[[int, int], int]) -> Whole:
    by = divisor(b)
    corners = [exact(x, y) for x in (a.low, a.high) for y in {b.low, b.high, -1, 1} if y and b.low <= y <= b.high]
    return _computed(signed if a.signed or b.signed else build.bvudiv, a, by, min(corners), max(corners))


def _floor_quotient(a: Term, b: Term) -> Term:
    quotient, rest = build.bvsdiv(a, b), build.bvsrem(a, b)
    return build.ite(_has_other_sign(rest, b), build.bvsub(quotient, build.const(a.sort, 1)), quotient)


def _modulo(a: Term, b: Term) -> Term:
    rest = build.bvsrem(a, b)
    return build.ite(_has_other_sign(rest, b), build.bvadd(rest, b), rest)


def _has_other_sign(rest: Term, b: Term) -> Term:
    """Whether a remainder is not zero, and has not the sign of the divisor."""
    zero = build.const(rest.sort, 0)
    differ = build.xor(build.bvslt(rest, zero), build.bvslt(b, zero))
    return build.and_(build.not_(build.eq(rest, zero)), differ)


# --- bits -----------------------------------------------------------------------------------------------------


def bits_and(a: Whole, b: Whole) -> Whole:
    highs = [each.high for each in (a, b) if each.low >= 0]
    return _computed(build.bvand, a, b, 0 if highs else _least(a, b), min(highs) if highs else _greatest(a, b))


def bits_or(a: Whole, b: Whole) -> Whole:
    return _computed(build.bvor, a, b, _least(a, b) if min(a.low, b.low) < 0 else max(a.low, b.low), _greatest(a, b))


def bits_xor(a: Whole, b: Whole) -> Whole:
    return _computed(build.bvxor, a, b, _least(a, b) if min(a.low, b.low) < 0 else 0, _greatest(a, b))


def complement(a: Whole) -> Whole:
    return subtract(whole(-1), a)


def _greatest(a: Whole, b: Whole) -> int:
    """The greatest number with no more bits than those of two."""
    return int((1 << max((x if x >= 0 else ~x).bit_length() for x in (a.low, a.high, b.low, b.high))) - 1)


def _least(a: Whole, b: Whole) -> int:
    return ~_greatest(a, b)


def scaled(a: Whole, places: int) -> Whole:
    """The number with so many zeros behind its bits."""
    zeros = build.const(BitVec(places), 0)
    return Whole(build.concat(a.term, zeros), a.signed, a.low << places, a.high << places, a.defined)


def shift_left(a: Whole, b: Whole) -> Whole:
    """The number times a power of two."""
    if b.high > _MOST_SHIFTED:
        raise SortMismatchError(
            f"this shifts by up to {b.high} bits" if b.high < 1 << 64 else "this shifts by a great many bits",
            f"Bound it, to at most {_MOST_SHIFTED}: x << (n & 31).",
        )
    by = _shift(b)
    corners = [x << y for x in (a.low, a.high) for y in (max(b.low, 0), b.high)]
    low, high = min(corners), max(corners)
    left, _, signed = aligned(a, whole(0), low, high)
    return Whole(build.bvshl(left, _resized(by, left)), signed, low, high, build.and_(a.defined, by.defined))


def shift_right(a: Whole, b: Whole) -> Whole:
    """The number divided by a power of two, rounded down."""
    by = _shift(b)
    corners = [x >> min(y, width_of(a)) for x in (a.low, a.high) for y in (max(b.low, 0), b.high)]
    left, right, signed = aligned(a, by, min(corners), max(corners))
    make = build.bvashr if signed else build.bvlshr
    return Whole(make(left, right), signed, min(corners), max(corners), build.and_(a.defined, by.defined))


def _shift(b: Whole) -> Whole:
    """The number as one of bits to shift by: it is not defined where it is negative."""
    if b.high < 0:
        raise SortMismatchError("this shifts by a negative number", "Shift the other way.")
    return replace(b, defined=build.and_(b.defined, build.not_(_is_negative(b))))


def _resized(b: Whole, like: Term) -> Term:
    """A number of bits in the width of what is shifted, where it is defined: it has room there."""
    assert isinstance(like.sort, BitVec)
    width = width_of(b)
    if width > like.sort.width:
        return build.extract(b.term, like.sort.width - 1, 0)
    return _widened(b, like.sort.width)
