"""MPFR as the judge of floats: bit patterns to its numbers and back, by the definitions of the standard alone."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

import gmpy2

from soid.formula.softfloat import Rounding
from soid.formula.sorts import Float

#: Rounding to an integral value; the first rounds as the context does.
RINT: Final = {
    Rounding.RNE: gmpy2.rint,
    Rounding.RNA: gmpy2.rint_round,
    Rounding.RTP: gmpy2.rint_ceil,
    Rounding.RTN: gmpy2.rint_floor,
    Rounding.RTZ: gmpy2.rint_trunc,
}


def mpfr_context(f: Float, rounding: int = gmpy2.RoundToNearest) -> gmpy2.context:
    """MPFR made to behave like a format, as gmpy2.ieee() does for those it knows; its significands are below 1."""
    return gmpy2.context(
        precision=f.significand, emax=f.bias + 1, emin=3 - f.bias - f.significand, subnormalize=True, round=rounding
    )


def decode(f: Float, a: int) -> Fraction:
    """The value of a finite pattern."""
    biased, fraction = _fields(f, a)
    magnitude = (Fraction(fraction, 1 << (f.significand - 1)) + (biased > 0)) * Fraction(2) ** (max(biased, 1) - f.bias)
    return -magnitude if a & f.sign_bit else magnitude


def to_mpfr(f: Float, a: int) -> gmpy2.mpfr:
    biased, fraction = _fields(f, a)
    sign = -1 if a & f.sign_bit else 1
    if biased == (1 << f.exponent) - 1:
        return gmpy2.nan() if fraction else gmpy2.inf(sign)
    if biased == fraction == 0:
        return gmpy2.zero(sign)
    with mpfr_context(f):
        return gmpy2.mpfr(gmpy2.mpq(decode(f, a)))


def from_mpfr(f: Float, x: gmpy2.mpfr) -> int:
    if gmpy2.is_nan(x):
        return f.nan
    sign = f.sign_bit if gmpy2.is_signed(x) else 0
    if gmpy2.is_infinite(x):
        return sign | f.infinity
    if gmpy2.is_zero(x):
        return sign
    exponent = max(int(gmpy2.get_exp(x)) - 1, 1 - f.bias)
    significand = abs(Fraction(gmpy2.mpq(x))) / Fraction(2) ** (exponent - f.significand + 1)
    assert significand.denominator == 1
    return sign | ((exponent + f.bias - 1) << (f.significand - 1)) + significand.numerator


def _fields(f: Float, a: int) -> tuple[int, int]:
    """Exponent and fraction as they stand in the pattern."""
    return a >> (f.significand - 1) & ((1 << f.exponent) - 1), a & ((1 << (f.significand - 1)) - 1)
