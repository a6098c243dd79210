"""How far the floats of a runtime may be from real numbers, in one operation or in a sum.

A result that is rounded to nearest is the exact one times 1 + d with |d| <= u, or, if it is smaller than the least
normal number t, off by less than t: as a subnormal number, or as 0 where a processor flushes. A number to which that
happens k times lies within ((1 + u)^k - 1) of itself. In a sum of n products and a bias, in whichever order and
fused or not, a term has one product and at most n additions.

What underflows loses less than t in each of at most 2 n + 1 operations. Where a processor takes subnormal operands for
0, a term loses |w| t if its element is one, |x| t if its weight is one, and the bias t. Later roundings make these
losses larger by the same factor 1 + d, k times: less than an eighth, as long as k u is at most a tenth.

Where a runtime may have multiplied all weights and terms of a sum with a factor c, a loss of t is one of t / |c| as
seen from the sum, and sums must be smaller by |c|.

This shares no code with `soid.engine.learned.networks.float_errors`, on purpose.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Final

import numpy as np

from soid.evidence.learned.whole_rows import Numbers, Unbounded

UNIT: Final = {32: Fraction(1, 2**24), 64: Fraction(1, 2**53)}  # u, by precision
TINY: Final = {32: 2.0**-126, 64: 2.0**-1022}  # t
LARGE: Final = {32: 2.0**127, 64: 2.0**1023}  # half of what overflows: sums of sizes must be below
_GROWN: Final = 1.125
ROOM: Final = 1 + 2.0**-40  # covers the few float64 operations with which a margin itself is computed


def share(count: int, precision: int) -> float:
    """By which part of itself a number may be off after so many roundings: not below (1 + u)^count - 1."""
    product = count * UNIT[precision]
    if product > Fraction(1, 10):
        raise Unbounded
    return float(product / (1 - product)) * ROOM


def underflow(count: int, weights: Numbers, tiny: Any) -> Numbers:
    """What so many products and their sum lose by underflow, from the sum of the weights' sizes.

    `tiny` is t, or t over a factor if all of them may have been multiplied with it.
    """
    return np.asarray(_GROWN * ROOM * tiny * (2 * count + 2 + weights))


def tiny_weights(weights: Numbers, sizes: Numbers, tiny: Numbers) -> Numbers:
    """What sums lose where weights that are subnormal are taken for 0, or became so when they were folded."""
    subnormal = (np.abs(weights) < tiny[:, None]) & (weights != 0)
    return np.asarray(2 * _GROWN * ROOM * tiny * (subnormal @ sizes))


def tiny_factors(factors: Numbers, sizes: Numbers, tiny: float) -> Numbers:
    """The same of products with one factor each."""
    subnormal = (np.abs(factors) < tiny) & (factors != 0)
    return np.asarray(np.where(subnormal, 2 * _GROWN * ROOM * tiny * sizes, 0.0))
