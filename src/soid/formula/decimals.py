"""Numbers as text: decimals ("-1.5e-3") and C's hex floats ("0x1.8p3").

`number_literal` reads one exactly, `parse` rounds it once, to a float's format, and `shortest` writes a decimal that
`parse` reads back.

>>> number_literal("-1.50e-3"), number_literal("0x1.8p3").value, number_literal("inf")
(NumberLiteral(negative=True, digits=15, base=10, exponent=-4), Fraction(12, 1), None)
>>> from soid.formula.sorts import FLOAT32
>>> hex(parse(FLOAT32, "1.376"))
'0x3fb020c5'
>>> shortest(FLOAT32, 0x3FB020C5)
'1.376'
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from decimal import Decimal
from fractions import Fraction
from typing import Final, Literal, final

from msgspec import Struct

from soid.formula import softfloat as sf
from soid.formula.sorts import FLOAT32, FLOAT64, Float

_LITERAL: Final = re.compile(
    r"""(?P<sign>[+-]?)
    (?: 0x (?=\.?[0-9a-f]) (?P<hex_whole>[0-9a-f]*) (?:\.(?P<hex_fraction>[0-9a-f]*))? (?:p(?P<power>[+-]?[0-9]+))?
      | (?=\.?[0-9]) (?P<whole>[0-9]*) (?:\.(?P<fraction>[0-9]*))? (?:e(?P<exponent>[+-]?[0-9]+))?
    )""",
    re.VERBOSE | re.IGNORECASE | re.ASCII,
)
_NOT_FINITE: Final = re.compile(r"(?P<sign>[+-]?)(?:inf(?:inity)?|(?P<nan>nan))", re.IGNORECASE | re.ASCII)

_PLAIN: Final = re.compile(r"[+-]?[0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]{1,9})?")
_LONG: Final = 1_000
_LEAST, _END = 2.0**-126, 2.0**127  # between these a FLOAT32 is normal and does not overflow
_BELOW_SINGLE: Final = (1 << 29) - 1  # bits of a double's significand that a single does not have
_TIE: Final = 1 << 28
_SINGLE_SIGNIFICAND: Final = (1 << 23) - 1
_SINGLE_DIGITS: Final = 9  # this many distinguish any two singles


@final
class NumberLiteral(Struct, frozen=True):
    """A sign and digits * base**exponent. The digits do not end in zero; the exponent may be huge."""

    negative: bool  # true for -0.0 too
    digits: int
    base: Literal[2, 10]
    exponent: int  # 0 if the digits are 0

    @property
    def value(self) -> Fraction:
        """The exact number; a huge exponent makes it huge."""
        digits, power = -self.digits if self.negative else self.digits, self.base ** abs(self.exponent)
        return Fraction(digits * power) if self.exponent >= 0 else Fraction(digits, power)


def number_literal(text: str) -> NumberLiteral | None:
    """The number that a text writes; None if it writes none. "inf" and "nan" are not numbers here."""
    found = _LITERAL.fullmatch(text)
    if found is None:
        return None
    negative, is_hex = found["sign"] == "-", found["whole"] is None
    names = ("hex_whole", "hex_fraction", "power") if is_hex else ("whole", "fraction", "exponent")
    whole, fraction, power = (found[name] or "" for name in names)
    digits = (whole + fraction).rstrip("0")
    if not digits:
        return NumberLiteral(negative, 0, 2 if is_hex else 10, 0)
    places = len(whole) - len(digits)  # by which the point moves to stand after the last digit
    if is_hex:
        return NumberLiteral(negative, int(digits, 16), 2, _integer(power) + 4 * places)
    return NumberLiteral(negative, _integer(digits), 10, _integer(power) + places)


def _integer(digits: str) -> int:
    """The integer; 0 for empty text. Decimal reads a long one, because int() refuses more than 4300 digits."""
    return int(digits or "0") if len(digits) < _LONG else int(Decimal(digits))


def parse(f: Float, text: str) -> int:
    """The float nearest to a decimal ("-1.5e-3"), a C hex float ("0x1.8p3"), "inf" or "nan"; ValueError otherwise."""
    bits = quick(f, text)
    if bits is not None:
        return bits
    literal = number_literal(text)
    if literal is not None:
        return nearest(f, literal)
    found = _NOT_FINITE.fullmatch(text)
    if found is None:
        raise ValueError(f"{text!r} is no number: write a decimal (-1.5, 2e-3), a hex float (0x1.8p3), inf or nan")
    return f.nan if found["nan"] else _infinity(f, found["sign"] == "-")


def quick(f: Float, text: str) -> int | None:
    """The float nearest to a plain decimal, by Python's own conversion; None where that may round wrongly."""
    if not _PLAIN.fullmatch(text):
        return None
    if f == FLOAT64:
        return sf.float_to_bits64(float(text))  # Python rounds decimals correctly
    if f != FLOAT32:
        return None
    # Every tie between two singles is a double. So rounding to a double first keeps a number on its side of each tie,
    # and the second rounding is right, unless the double is a tie itself.
    x = float(text)
    if x != 0.0 and (not _LEAST <= abs(x) < _END or sf.float_to_bits64(x) & _BELOW_SINGLE == _TIE):
        return None
    return sf.float_to_bits32(x)


def _infinity(f: Float, negative: bool) -> int:
    return f.infinity | (f.sign_bit if negative else 0)


def nearest(f: Float, literal: NumberLiteral) -> int:
    """The float nearest to a number. Numbers far outside the format are decided without computing their power."""
    digits, exponent = literal.digits, literal.exponent
    # Bounds on log2 of the number, in whole bits; 10**exponent lies between 2**(3 * exponent) and 2**(4 * exponent).
    small, large = (1, 1) if literal.base == 2 else (3, 4)
    least = digits.bit_length() - 1 + exponent * (small if exponent > 0 else large)
    most = digits.bit_length() + exponent * (large if exponent > 0 else small)
    if digits and least > f.bias + 1:
        return _infinity(f, literal.negative)
    if most < -f.bias - f.significand:  # below half of the smallest subnormal
        return f.sign_bit if literal.negative else 0
    return sf.from_fraction(f, literal.value, negative=literal.negative)


def shortest(f: Float, a: int) -> str:
    """The shortest decimal that `parse` reads back to a, and the nearest to a of these; laid out like Python's repr."""
    if f == FLOAT64:
        return repr(sf.bits64_to_float(a))
    if sf.is_nan(f, a):
        return "nan"
    sign, magnitude = "-" if a & f.sign_bit else "", a & ~f.sign_bit
    if sf.is_infinite(f, a):
        return sign + "inf"
    if sf.is_zero(f, a):
        return sign + "0.0"
    return sign + _layout(*(_quick_digits(f, magnitude) or _shortest_digits(f, magnitude)))


def _quick_digits(f: Float, a: int) -> tuple[str, int] | None:
    """The same as `_shortest_digits`, by Python's own conversions; None where these may not find it."""
    if f != FLOAT32 or a & _SINGLE_SIGNIFICAND == 0:  # next to a power of two, the nearest decimal may not read back
        return None
    value = sf.bits32_to_float(a)
    for more in range(_SINGLE_DIGITS):
        text = f"{value:.{more}e}"
        read = quick(f, text)
        if read is None:
            return None
        if read == a:
            digits, _, exponent = text.partition("e")
            return digits.replace(".", "").rstrip("0"), int(exponent)
    return None


def _shortest_digits(f: Float, a: int) -> tuple[str, int]:
    """The fewest digits d1 d2 d3 ... and the exponent such that d1.d2d3... * 10**exponent reads back to a > 0."""
    value = sf.to_fraction(f, a)
    exponent = _decimal_exponent(value)

    def fitting(count: int) -> list[tuple[Fraction, bool, int]]:
        """The decimals of `count` digits next to the value that read back to a: distance, whether odd, digits."""
        unit = Fraction(10) ** (exponent - count + 1)
        below = math.floor(value / unit)
        # Both neighbours are tried: next to a power of two, only the farther one may read back.
        return [
            (abs(d * unit - value), d % 2 == 1, d) for d in (below, below + 1) if sf.from_fraction(f, d * unit) == a
        ]

    enough = math.ceil(f.significand * math.log10(2)) + 1  # this many digits distinguish any two floats
    count = 1 + bisect_left(range(1, enough), True, key=lambda count: bool(fitting(count)))
    _, _, best = min(fitting(count))
    digits = str(best)  # has one digit more than `count` where 9.99 became 10.0
    return digits.rstrip("0"), exponent + len(digits) - count


def _decimal_exponent(value: Fraction) -> int:
    """The k with 10**k <= value < 10**(k + 1)."""
    log2 = value.numerator.bit_length() - value.denominator.bit_length() - 1  # 2**log2 <= value < 2**(log2 + 2)
    k = math.floor(log2 * math.log10(2))
    while Fraction(10) ** (k + 1) <= value:
        k += 1
    return k


def _layout(digits: str, exponent: int) -> str:
    """d1.d2d3... * 10**exponent, as Python's repr lays it out."""
    if not -4 <= exponent < 16:
        fraction = "." + digits[1:] if len(digits) > 1 else ""
        return f"{digits[0]}{fraction}e{exponent:+03d}"
    if exponent < 0:
        return "0." + "0" * (-exponent - 1) + digits
    digits = digits.ljust(exponent + 1, "0")
    return digits[: exponent + 1] + "." + (digits[exponent + 1 :] or "0")
