"""The neighbours of a float (`nextafter`), and its integral and fractional parts (`modf`)."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from soid.formula import build
from soid.formula import softfloat as sf
from soid.formula.sorts import Float
from soid.formula.term import Term


def next_after(x: Term, y: Term) -> Term:
    """C's nextafter: the float next to x in the direction of y; y if they are equal."""
    format = x.sort
    assert isinstance(format, Float)
    missing = build.or_(build.fp_is_nan(x), build.fp_is_nan(y))
    up = build.fp_lt(x, y)
    # The magnitude moves away from zero or towards it; the sign is applied afterwards.
    outwards = build.or_(build.fp_is_zero(x), build.eq(up, build.fp_is_positive(x)))
    size = build.fp_abs(x)
    moved = build.ite(outwards, _away(size), _towards(size))
    negative = build.ite(build.fp_is_zero(x), build.not_(up), build.fp_is_negative(x))
    stepped = build.ite(negative, build.fp_neg(moved), moved)
    same = build.ite(build.fp_eq(x, y), y, stepped)
    return build.ite(missing, build.const(format, format.nan), same)


def _away(size: Term) -> Term:
    """The next greater magnitude."""
    format = size.sort
    assert isinstance(format, Float)
    return build.ite(_small(size), build.fp_add(size, _least(format)), _nudged(size, build.fp_add))


def _towards(size: Term) -> Term:
    """The next smaller magnitude; not for zero."""
    format = size.sort
    assert isinstance(format, Float)
    finite = build.ite(_small(size), build.fp_sub(size, _least(format)), _nudged(size, build.fp_sub))
    return build.ite(build.fp_is_inf(size), build.const(format, format.max_finite), finite)


def _least(format: Float) -> Term:
    return build.const(format, 1)


def _small(size: Term) -> Term:
    """Whether the distance to the neighbours is the least float, so that adding it is exact."""
    format = size.sort
    assert isinstance(format, Float)
    return build.fp_lt(size, build.const(format, 2 << (format.significand - 1)))


def _nudged(size: Term, move: Callable[[Term, Term], Term]) -> Term:
    """A magnitude moved by more than half a unit in the last place and less than one and a half, then rounded.

    It moves by a fixed share of itself: half a unit at a power of two, one unit just below the next power of two.
    """
    format = size.sort
    assert isinstance(format, Float)
    room = Float(format.exponent + 2, 2 * format.significand + 12)  # a format in which nothing rounds
    share = sf.from_fraction(room, Fraction(129, 128 << format.significand))
    wide = build.fp_to_fp(room, size)
    return build.fp_to_fp(format, move(wide, build.fp_mul(wide, build.const(room, share))))


def whole_and_rest(x: Term) -> tuple[Term, Term]:
    """C's modf with its results swapped: the integral and the fractional part, both with x's sign."""
    whole = build.fp_round(sf.Rounding.RTZ, x)
    rest = build.ite(build.fp_is_inf(x), build.const(x.sort, 0), build.fp_abs(build.fp_sub(x, whole)))
    return whole, build.ite(build.fp_is_negative(x), build.fp_neg(rest), rest)
