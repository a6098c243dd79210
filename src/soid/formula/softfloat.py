"""IEEE-754 arithmetic on bit patterns, for every `Float` format, exact to the bit.

Arithmetic rounds to nearest, ties to even; the functions that round to integers take a `Rounding`. A NaN operand
may be any NaN pattern; a NaN result is always `f.nan`. Operands are assumed to fit the format.

Every operation first computes an exact number, or one whose sticky last bit says that it is inexact. `_round` then
fits it into the format. For FLOAT32 and FLOAT64, Python's own floats are faster.

>>> from soid.formula.sorts import FLOAT16, FLOAT32
>>> hex(add(FLOAT32, float_to_bits32(1.0), float_to_bits32(0.5)))
'0x3fc00000'
>>> to_fraction(FLOAT16, div(FLOAT16, from_integer(FLOAT16, 1), from_integer(FLOAT16, 3)))
Fraction(1365, 4096)
"""

from __future__ import annotations

import enum
import math
import struct
from collections.abc import Callable
from fractions import Fraction
from typing import Final, assert_never, final

from soid.formula.sorts import FLOAT32, FLOAT64, Float

_Exact = tuple[bool, int, int]  # negative, m, e: the number m * 2**e, or its negative


@final
class Rounding(enum.Enum):
    """The rounding modes of SMT-LIB: `Rounding[short name]`, `Rounding(long name)`.

    >>> Rounding["RTZ"] is Rounding("roundTowardZero")
    True
    """

    RNE = "roundNearestTiesToEven"
    RNA = "roundNearestTiesToAway"
    RTP = "roundTowardPositive"
    RTN = "roundTowardNegative"
    RTZ = "roundTowardZero"


# Python floats and bits

_DOUBLE: Final = struct.Struct("<d")
_SINGLE: Final = struct.Struct("<f")
_UINT64: Final = struct.Struct("<Q")
_UINT32: Final = struct.Struct("<I")


def float_to_bits64(x: float) -> int:
    """The FLOAT64 bits of a Python float."""
    if x != x:
        return FLOAT64.nan
    bits: int = _UINT64.unpack(_DOUBLE.pack(x))[0]
    return bits


def bits64_to_float(a: int) -> float:
    """The Python float with these FLOAT64 bits."""
    x: float = _DOUBLE.unpack(_UINT64.pack(a))[0]
    return x


def float_to_bits32(x: float) -> int:
    """The bits of the FLOAT32 nearest to a Python float."""
    if x != x:
        return FLOAT32.nan
    try:
        bits: int = _UINT32.unpack(_SINGLE.pack(x))[0]
    except OverflowError:  # struct refuses a finite number that rounds to an infinity
        return FLOAT32.infinity if x > 0 else FLOAT32.infinity | FLOAT32.sign_bit
    return bits


def bits32_to_float(a: int) -> float:
    """The Python float equal to the FLOAT32 with these bits."""
    x: float = _SINGLE.unpack(_UINT32.pack(a))[0]
    return x


# To and from Python's floats, for the formats that they can compute, by (exponent, significand). A FLOAT32
# operation done in double and rounded once more is correct: a double has more than twice the bits of a single, so the
# second rounding is harmless for + - * / and sqrt, also for subnormal results (sums of singles that small are exact,
# products of singles always are, and no quotient lies within 2**-50 of a tie without being a tie).
NATIVE: Final[dict[tuple[int, int], tuple[Callable[[int], float], Callable[[float], int]]]] = {
    (FLOAT32.exponent, FLOAT32.significand): (bits32_to_float, float_to_bits32),
    (FLOAT64.exponent, FLOAT64.significand): (bits64_to_float, float_to_bits64),
}
_WHOLE: Final = 1 << FLOAT64.significand  # up to here every integer is a double


# Classification


def is_nan(f: Float, a: int) -> bool:
    return a & (f.sign_bit - 1) > f.infinity


def is_finite(f: Float, a: int) -> bool:
    return a & (f.sign_bit - 1) < f.infinity


def is_infinite(f: Float, a: int) -> bool:
    return a & (f.sign_bit - 1) == f.infinity


def is_zero(f: Float, a: int) -> bool:
    return a & (f.sign_bit - 1) == 0


def is_subnormal(f: Float, a: int) -> bool:
    return 0 < a & (f.sign_bit - 1) < 1 << (f.significand - 1)


def is_normal(f: Float, a: int) -> bool:
    return 1 << (f.significand - 1) <= a & (f.sign_bit - 1) < f.infinity


def is_negative(f: Float, a: int) -> bool:
    """Whether the sign is set; -0.0 is negative, a NaN never is."""
    return a & f.sign_bit != 0 and not is_nan(f, a)


def is_positive(f: Float, a: int) -> bool:
    """Whether the sign is clear; +0.0 is positive, a NaN never is."""
    return a & f.sign_bit == 0 and not is_nan(f, a)


# Between bits and exact numbers


def _least_exponent(f: Float) -> int:
    """The e of the smallest subnormal, 2**e."""
    return 2 - f.bias - f.significand


def _split(f: Float, a: int) -> _Exact:
    """The exact number of a finite float."""
    fraction_bits = f.significand - 1
    biased = (a & (f.sign_bit - 1)) >> fraction_bits
    m = a & ((1 << fraction_bits) - 1)
    if biased:
        m |= 1 << fraction_bits
    return a & f.sign_bit != 0, m, max(biased, 1) - 1 + _least_exponent(f)


def _drop_bits(negative: bool, m: int, count: int, mode: Rounding) -> int:
    """m / 2**count, rounded to an integer; m is a magnitude, and `negative` its sign."""
    if count > m.bit_length() + 1:  # below a quarter; a huge count would make a huge shift
        m, count = min(m, 1), 2
    kept, lost, half = m >> count, m & ((1 << count) - 1), 1 << (count - 1)
    match mode:
        case Rounding.RNE:
            away = lost > half or (lost == half and kept & 1 == 1)
        case Rounding.RNA:
            away = lost >= half
        case Rounding.RTP:
            away = lost > 0 and not negative
        case Rounding.RTN:
            away = lost > 0 and negative
        case Rounding.RTZ:
            away = False
        case _:
            assert_never(mode)
    return kept + away


def _round(f: Float, negative: bool, m: int, e: int, mode: Rounding = Rounding.RNE) -> int:
    """The float for m * 2**e, or for its negative."""
    sign = f.sign_bit if negative else 0
    if m == 0:
        return sign
    least = _least_exponent(f)
    unit = max(e + m.bit_length() - f.significand, least)  # the exponent of the last place of the result
    m = m << (e - unit) if e >= unit else _drop_bits(negative, m, unit - e, mode)
    # The sum, not `|`: the hidden bit of m, or a carry of the rounding, increments the exponent.
    bits = ((unit - least) << (f.significand - 1)) + m
    if bits >= f.infinity:
        inwards = mode is Rounding.RTZ or mode is (Rounding.RTP if negative else Rounding.RTN)
        bits = f.max_finite if inwards else f.infinity
    return sign | bits


def _quotient(f: Float, negative: bool, x: int, y: int, e: int) -> _Exact:
    """x / y * 2**e, with enough bits to round, and a sticky last bit."""
    shift = max(0, f.significand + 2 + y.bit_length() - x.bit_length())
    quotient, rest = divmod(x << shift, y)
    return negative, quotient << 1 | (rest != 0), e - shift - 1


def _sum(f: Float, x: _Exact, y: _Exact) -> int:
    """x + y, rounded once; an exact zero is negative only when both operands are."""
    (high_negative, high, high_e), (low_negative, low, low_e) = (x, y) if x[2] >= y[2] else (y, x)
    negligible = high_e - f.significand - 2
    if high and low and low_e + low.bit_length() <= negligible:
        low, low_e = 1, negligible - 1  # it only breaks ties; a larger exponent avoids a huge shift
    total = (-high if high_negative else high) << max(0, high_e - low_e)
    total += -low if low_negative else low
    return _round(f, total < 0 or (total == 0 and high_negative and low_negative), abs(total), low_e)


# Arithmetic


def neg(f: Float, a: int) -> int:
    return f.nan if is_nan(f, a) else a ^ f.sign_bit


def absolute(f: Float, a: int) -> int:
    return f.nan if is_nan(f, a) else a & ~f.sign_bit


def add(f: Float, a: int, b: int) -> int:
    native = NATIVE.get((f.exponent, f.significand))
    if native is not None:
        to_float, to_bits = native
        return to_bits(to_float(a) + to_float(b))
    if is_nan(f, a) or is_nan(f, b):
        return f.nan
    if is_infinite(f, a):
        return f.nan if b == a ^ f.sign_bit else a
    if is_infinite(f, b):
        return b
    return _sum(f, _split(f, a), _split(f, b))


def sub(f: Float, a: int, b: int) -> int:
    return add(f, a, b ^ f.sign_bit)


def mul(f: Float, a: int, b: int) -> int:
    native = NATIVE.get((f.exponent, f.significand))
    if native is not None:
        to_float, to_bits = native
        return to_bits(to_float(a) * to_float(b))
    if is_nan(f, a) or is_nan(f, b):
        return f.nan
    if is_infinite(f, a) or is_infinite(f, b):
        return f.nan if is_zero(f, a) or is_zero(f, b) else f.infinity | (a ^ b) & f.sign_bit
    return _round(f, *_product(f, a, b))


def _product(f: Float, a: int, b: int) -> _Exact:
    (a_negative, x, x_e), (b_negative, y, y_e) = _split(f, a), _split(f, b)
    return a_negative != b_negative, x * y, x_e + y_e


def div(f: Float, a: int, b: int) -> int:
    native = NATIVE.get((f.exponent, f.significand))
    if native is not None and not is_zero(f, b):  # Python raises on a division by zero
        to_float, to_bits = native
        return to_bits(to_float(a) / to_float(b))
    if is_nan(f, a) or is_nan(f, b):
        return f.nan
    sign = (a ^ b) & f.sign_bit
    if is_infinite(f, a):
        return f.nan if is_infinite(f, b) else f.infinity | sign
    if is_infinite(f, b):
        return sign
    if is_zero(f, b):
        return f.nan if is_zero(f, a) else f.infinity | sign
    (_, x, x_e), (_, y, y_e) = _split(f, a), _split(f, b)
    return _round(f, *_quotient(f, sign != 0, x, y, x_e - y_e))


def fma(f: Float, a: int, b: int, c: int) -> int:
    """a * b + c, rounded once."""
    if is_nan(f, a) or is_nan(f, b) or is_nan(f, c):
        return f.nan
    if is_infinite(f, a) or is_infinite(f, b):
        return add(f, mul(f, a, b), c)
    if is_infinite(f, c):
        return c
    return _sum(f, _product(f, a, b), _split(f, c))


def sqrt(f: Float, a: int) -> int:
    if is_zero(f, a):
        return a  # the root of -0.0 is -0.0
    if is_nan(f, a) or a & f.sign_bit:
        return f.nan
    native = NATIVE.get((f.exponent, f.significand))
    if native is not None:
        to_float, to_bits = native
        return to_bits(math.sqrt(to_float(a)))
    if is_infinite(f, a):
        return a
    _, m, e = _split(f, a)
    shift = 2 * f.significand + 4 - m.bit_length()
    shift += (e - shift) & 1  # the root halves the exponent, so it must be even
    m <<= shift
    root = math.isqrt(m)
    return _round(f, False, root << 1 | (root * root != m), (e - shift) // 2 - 1)


def remainder(f: Float, a: int, b: int) -> int:
    """a - b * n, where n is the integer nearest to a / b, ties to even: IEEE remainder, SMT-LIB's fp.rem. Exact."""
    if is_nan(f, a) or is_nan(f, b) or is_infinite(f, a) or is_zero(f, b):
        return f.nan
    if is_infinite(f, b):
        return a
    (negative, x, e), (_, y, y_e) = _split(f, a), _split(f, b)
    if y_e - e > f.significand + 1:
        return a  # below half of b
    if y_e > e:
        y <<= y_e - e
    else:
        x, e = x * pow(2, e - y_e, 2 * y), y_e
    # Modulo 2b, not b, to keep the parity of the quotient, which decides ties.
    odd, rest = divmod(x % (2 * y), y)
    if 2 * rest > y or (2 * rest == y and odd):
        rest -= y
    return _round(f, negative != (rest < 0), abs(rest), e)


# Comparisons


def lt(f: Float, a: int, b: int) -> bool:
    native = NATIVE.get((f.exponent, f.significand))
    if native is not None:
        return native[0](a) < native[0](b)
    return _comparable(f, a, b) and total_order(f, a) < total_order(f, b) and not (is_zero(f, a) and is_zero(f, b))


def le(f: Float, a: int, b: int) -> bool:
    native = NATIVE.get((f.exponent, f.significand))
    if native is not None:
        return native[0](a) <= native[0](b)
    return _comparable(f, a, b) and (total_order(f, a) <= total_order(f, b) or (is_zero(f, a) and is_zero(f, b)))


def eq(f: Float, a: int, b: int) -> bool:
    """IEEE equality: -0.0 equals +0.0, a NaN equals nothing."""
    native = NATIVE.get((f.exponent, f.significand))
    if native is not None:
        return native[0](a) == native[0](b)
    return _comparable(f, a, b) and (a == b or (is_zero(f, a) and is_zero(f, b)))


def _comparable(f: Float, a: int, b: int) -> bool:
    return not (is_nan(f, a) or is_nan(f, b))


# Integers, fractions, other formats


def round_to_integral(f: Float, mode: Rounding, a: int) -> int:
    """The integral float next to a; a zero keeps the sign of a. Infinite if the format cannot hold it."""
    if is_nan(f, a):
        return f.nan
    if is_infinite(f, a):
        return a
    negative, m, e = _split(f, a)
    return a if e >= 0 else _round(f, negative, _drop_bits(negative, m, -e, mode), 0, mode)


def to_integer(f: Float, mode: Rounding, a: int) -> int | None:
    """The integer next to a, however large; None for a NaN or an infinity."""
    if a & (f.sign_bit - 1) >= f.infinity:
        return None
    native = NATIVE.get((f.exponent, f.significand))
    if native is not None and mode is Rounding.RTZ:  # what C does
        return math.trunc(native[0](a))
    negative, m, e = _split(f, a)
    whole = m << e if e >= 0 else _drop_bits(negative, m, -e, mode)
    return -whole if negative else whole


def from_integer(f: Float, value: int) -> int:
    native = NATIVE.get((f.exponent, f.significand))
    if native is not None and -_WHOLE <= value <= _WHOLE:
        return native[1](float(value))
    return _round(f, value < 0, abs(value), 0)


def convert(src: Float, dst: Float, a: int) -> int:
    """The float of format `dst` nearest to a, a float of format `src`."""
    native, to = NATIVE.get((src.exponent, src.significand)), NATIVE.get((dst.exponent, dst.significand))
    if native is not None and to is not None:
        return to[1](native[0](a))
    if is_nan(src, a):
        return dst.nan
    if is_infinite(src, a):
        return dst.infinity | (dst.sign_bit if a & src.sign_bit else 0)
    return _round(dst, *_split(src, a))


def to_fraction(f: Float, a: int) -> Fraction:
    """The exact value of a finite float; both zeros give 0."""
    if not is_finite(f, a):
        raise ValueError(f"{a:#x} is no finite {f.smtlib}, so no fraction equals it; check for that first")
    negative, m, e = _split(f, a)
    value = Fraction(m << e) if e >= 0 else Fraction(m, 1 << -e)
    return -value if negative else value


def from_fraction(f: Float, q: Fraction, mode: Rounding = Rounding.RNE, *, negative: bool = False) -> int:
    """The float next to q. A q that rounds to zero gives the zero of its sign; for q = 0 `negative` chooses."""
    negative = q < 0 or (q == 0 and negative)
    return _round(f, *_quotient(f, negative, abs(q.numerator), q.denominator, 0), mode)


def floor_fraction(f: Float, q: Fraction) -> int:
    """The largest float <= q, by `ordinal`: x <= q exactly if ordinal(x) <= ordinal(floor). So 0 gives +0.0."""
    return from_fraction(f, q, Rounding.RTN)


def ceil_fraction(f: Float, q: Fraction) -> int:
    """The smallest float >= q, by `ordinal`: x >= q exactly if ordinal(x) >= ordinal(ceil). So 0 gives -0.0."""
    return from_fraction(f, q, Rounding.RTP, negative=True)


# The floats in order


def total_order(f: Float, a: int) -> int:
    """The place of any bit pattern in IEEE 754's total order: as `ordinal`, with the NaNs beyond the infinities."""
    return a if a < f.sign_bit else f.sign_bit - 1 - a


def from_total_order(f: Float, n: int) -> int:
    """The bit pattern at a place given by `total_order`."""
    return n if n >= 0 else f.sign_bit - 1 - n


def ordinal(f: Float, a: int) -> int:
    """The place of a among all floats but the NaNs, from -inf to +inf without gaps: -0.0 is at -1, +0.0 at 0."""
    if is_nan(f, a):
        raise ValueError("a NaN has no place in the order of the floats; check is_nan first")
    return total_order(f, a)


def from_ordinal(f: Float, n: int) -> int:
    """The float at a place given by `ordinal`."""
    if not ~f.infinity <= n <= f.infinity:
        raise ValueError(f"the floats of {f.smtlib} have the ordinals {~f.infinity} to {f.infinity}, not {n}")
    return from_total_order(f, n)
