"""Floats as text: `parse` rounds a literal straight to the format, `shortest` writes one that reads back the same.

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
from typing import Final

from soid.formula.softfloat import bits64_to_float, from_fraction, is_infinite, is_nan, is_zero, to_fraction
from soid.formula.sorts import FLOAT64, Float

_LITERAL: Final = re.compile(
    r"""(?P<sign>[+-]?)
    (?: (?P<infinity>inf(?:inity)?) | (?P<nan>nan)
      | 0x (?=\.?[0-9a-f]) (?P<hex_whole>[0-9a-f]*) (?:\.(?P<hex_fraction>[0-9a-f]*))? (?:p(?P<power>[+-]?[0-9]+))?
      | (?=\.?[0-9]) (?P<whole>[0-9]*) (?:\.(?P<fraction>[0-9]*))? (?:e(?P<exponent>[+-]?[0-9]+))?
    )""",
    re.VERBOSE | re.IGNORECASE | re.ASCII,
)


def parse(f: Float, text: str) -> int:
    """The float nearest to a decimal ("-1.5e-3"), a C hex float ("0x1.8p3"), "inf" or "nan"; ValueError otherwise."""
    found = _LITERAL.fullmatch(text)
    if found is None:
        raise ValueError(f"{text!r} is no number: write a decimal (-1.5, 2e-3), a hex float (0x1.8p3), inf or nan")
    negative = found["sign"] == "-"
    if found["nan"]:
        return f.nan
    if found["infinity"]:
        return _infinity(f, negative)
    if found["whole"] is not None:
        fraction = found["fraction"] or ""
        digits, exponent = _integer(found["whole"] + fraction), _integer(found["exponent"]) - len(fraction)
        return _scaled(f, negative, digits, 10, exponent)
    fraction = found["hex_fraction"] or ""
    return _scaled(f, negative, int(found["hex_whole"] + fraction, 16), 2, _integer(found["power"]) - 4 * len(fraction))


def _integer(digits: str | None) -> int:
    """An absent number is 0; a long one goes through Decimal, since int() refuses more than 4300 digits."""
    return int(Decimal(digits or "0"))


def _infinity(f: Float, negative: bool) -> int:
    return f.infinity | (f.sign_bit if negative else 0)


def _scaled(f: Float, negative: bool, digits: int, base: int, exponent: int) -> int:
    """The float for digits * base**exponent, without ever computing a power that the format is too small for."""
    # Bounds on log2 of the number, in whole bits; 10**exponent lies between 2**(3 * exponent) and 2**(4 * exponent).
    small, large = (1, 1) if base == 2 else (3, 4)
    least = digits.bit_length() - 1 + exponent * (small if exponent > 0 else large)
    most = digits.bit_length() + exponent * (large if exponent > 0 else small)
    if digits and least > f.bias + 1:
        return _infinity(f, negative)
    if most < -f.bias - f.significand:  # below half of the smallest subnormal
        return f.sign_bit if negative else 0
    value = digits * Fraction(base) ** exponent if digits else Fraction(0)
    return from_fraction(f, -value if negative else value, negative=negative)


def shortest(f: Float, a: int) -> str:
    """The shortest decimal that `parse` reads back to a, of those the nearest to it; laid out like Python's repr."""
    if f == FLOAT64:
        return repr(bits64_to_float(a))
    if is_nan(f, a):
        return "nan"
    sign, magnitude = "-" if a & f.sign_bit else "", a & ~f.sign_bit
    if is_infinite(f, a):
        return sign + "inf"
    if is_zero(f, a):
        return sign + "0.0"
    return sign + _layout(*_shortest_digits(f, magnitude))


def _shortest_digits(f: Float, a: int) -> tuple[str, int]:
    """The fewest digits d1 d2 d3 ... and the exponent such that d1.d2d3... * 10**exponent reads back to a > 0."""
    value = to_fraction(f, a)
    exponent = _decimal_exponent(value)

    def fitting(count: int) -> list[tuple[Fraction, bool, int]]:
        """The neighbours of the value with so many digits that read back: how far off, whether odd, the digits."""
        unit = Fraction(10) ** (exponent - count + 1)
        below = math.floor(value / unit)
        # Both neighbours: next to a power of two the nearer one can miss while the farther reads back.
        return [(abs(d * unit - value), d % 2 == 1, d) for d in (below, below + 1) if from_fraction(f, d * unit) == a]

    enough = math.ceil(f.significand * math.log10(2)) + 1  # so many digits tell any two floats apart
    count = 1 + bisect_left(range(1, enough), True, key=lambda count: bool(fitting(count)))
    _, _, best = min(fitting(count))
    digits = str(best)  # one digit more than asked for where 9.99 became 10.0
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
