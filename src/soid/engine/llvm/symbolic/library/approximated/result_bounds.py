"""Bounds of the library's results: those of the true function, widened by the library's error."""

from __future__ import annotations

import functools
from fractions import Fraction

from flint import arb, ctx

from soid.engine.llvm.symbolic.library.approximated.ordinals import Box, Span, number
from soid.engine.llvm.symbolic.library.approximated.true_functions import BITS, FUNCTIONS
from soid.engine.llvm.symbolic.library.approximated.ulp_errors import units
from soid.formula import softfloat as sf
from soid.formula.sorts import Float


@functools.lru_cache(maxsize=65_536)
def bounds(name: str, format: Float, cell: Box) -> Span | None:
    """Bounds of the results, as ordinals, over a cell of finite arguments in the domain; None if none are known."""
    found = FUNCTIONS[name].over(*((number(format, low), number(format, high)) for low, high in cell))
    if found is None:
        return None
    # A unit in the last place is one ordinal, or two just below a power of two.
    slack = 2 * units(name, format) + 2
    with ctx.workprec(2 * BITS):  # twice the precision of the ends, so that negation does not round them
        low, high = _floor(format, found[0]) - slack, ~_floor(format, -found[1]) + slack
    if found[0] >= 0:
        low = max(low, -1)  # the result has the sign of the true value; a zero may have either sign
    if found[1] <= 0:
        high = min(high, 0)
    return max(low, ~format.infinity), min(high, format.infinity)


def _floor(format: Float, end: arb) -> int:
    """The ordinal of the largest float that is at most an exact end; that of -inf where there is no end."""
    greatest, least = number(format, format.max_finite), number(format, 1)
    if not end.is_finite() or end < -greatest:
        return ~format.infinity
    if end > greatest:
        return format.max_finite
    if abs(end) < least:
        return 0 if end >= 0 else ~1
    return sf.ordinal(format, sf.floor_fraction(format, _fraction(end)))


def _fraction(end: arb) -> Fraction:
    mantissa, exponent = end.man_exp()
    return int(mantissa) * Fraction(2) ** int(exponent)
