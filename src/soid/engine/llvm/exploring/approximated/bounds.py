"""Bounds on what the library returns: those of the true function, moved outwards by what the library may be off."""

from __future__ import annotations

import functools
from fractions import Fraction

from flint import arb, ctx

from soid.engine.llvm.exploring.approximated.errors import units
from soid.engine.llvm.exploring.approximated.functions import BITS, FUNCTIONS
from soid.engine.llvm.exploring.approximated.ordinals import Box, Span, number
from soid.formula import softfloat as sf
from soid.formula.sorts import Float


@functools.lru_cache(maxsize=65_536)
def bounds(name: str, format: Float, cell: Box) -> Span | None:
    """The ordinals between which results lie over a cell of finite arguments in the domain; None: nothing is known."""
    found = FUNCTIONS[name].over(*((number(format, low), number(format, high)) for low, high in cell))
    if found is None:
        return None
    # A unit in the last place is one step of ordinals, or two just below a power of two.
    slack = 2 * units(name, format) + 2
    with ctx.workprec(2 * BITS):  # twice what the ends have: changing a sign does not round them
        low, high = _floor(format, found[0]) - slack, ~_floor(format, -found[1]) + slack
    if found[0] >= 0:
        low = max(low, -1)  # of the true value's sign; a zero may have either
    if found[1] <= 0:
        high = min(high, 0)
    return max(low, ~format.infinity), min(high, format.infinity)


def _floor(format: Float, end: arb) -> int:
    """The ordinal of the largest float that is no more than an exact end; of -inf where there is no end."""
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
