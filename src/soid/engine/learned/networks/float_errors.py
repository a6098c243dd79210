"""How far floats are off from real numbers: those of a runtime, and those of the bounds themselves.

*A runtime's sum.* z = w_1 x_1 + ... + w_n x_n + b, computed with unit roundoff u in any order, fused or not. Each
product and each addition gives the exact result times 1 + d with |d| <= u, unless it underflows; a term goes through
at most n + 1 of them (its product, n additions), and through `roundings` more if the runtime may have folded its
weight. So

    |computed - z| <= gamma_k S        k = n + 1 + roundings,  S = |w_1| |x_1| + ... + |b|,  gamma_k = k u / (1 - k u)

(Higham, Accuracy and Stability, 3.1; fusing leaves roundings out). An underflow loses less than t, the least normal
number, whether the result is rounded to a subnormal one or flushed to 0, and there are at most 2n + 1 operations. A
runtime that takes subnormal operands for 0 loses |w_j| t more where x_j may be one, |x_j| t where w_j is one, and t for
b. Later roundings multiply what was lost by less than 1.1 as long as gamma_k <= 0.1, so all this adds at most

    1.1 t (2n + 2 + |w_1| + ... + |w_n| + the sum of |x_j| over subnormal w_j)

A factor c that the runtime has folded into weights and bias, or that it has left for later, makes t / |c| of that t as
seen from z, and the same of the sizes at which something overflows.

No partial sum is above S (1 + gamma_k) and what underflows add. If that is below half the greatest float, nothing
overflows; else nothing is known of the result.

*The bounds' own float64.* A row a of coefficients goes backwards through z = W x + b as a W, in any order that BLAS
has: the computed row differs from a W by at most gamma_n |a| |W|, elementwise, with u = 2^-53. The computed row is
what is used from there on; what it misses is at most gamma_n |a| |W| |x| <= |a| (gamma_n S). That has the shape of the
runtime's error, so both are one vector of errors E, and a lower bound loses |a| E in each layer. The products a b and
|a| E are rounded too, by gamma_n |a| |b| and gamma_n |a| E: `OWN` is a factor that covers n up to 2^20 several times.
Numbers that underflow in float64 are covered by `VANISHING` times the sizes of what they are multiplied with.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
Flags = NDArray[np.bool_]

UNIT: Final = {32: 2.0**-24, 64: 2.0**-53}  # u, by precision
LEAST: Final = {32: 2.0**-126, 64: 2.0**-1022}  # t: the least normal number
LIMIT: Final = {32: 2.0**126, 64: 2.0**1000}  # nothing overflows as long as all sums of sizes are below

_OWN_UNIT: Final = 2.0**-53
LONGEST: Final = 1 << 20  # terms of a sum: with more nothing is known
VANISHING: Final = 2.0**-960  # far above what a float64 operation loses by underflow, for sums of up to LONGEST terms
_AFTERWARDS: Final = 1.1  # what later roundings make of a loss, at most


def gamma(count: int, precision: int) -> float:
    """The relative error of a product of so many factors 1 + d, rounded up; infinite where the bound does not hold."""
    product = count * UNIT[precision]
    return product / (1 - product) * (1 + 2.0**-50) if product <= 0.09 else float("inf")


def own(count: int) -> float:
    """A factor for sizes that covers the float64 roundings of sums with so many terms, several times over."""
    return 8 * (count + 8) * _OWN_UNIT


def below(numbers: Any) -> Any:
    """The next floats below: an addition that is rounded to nearest is not above the true sum then."""
    return np.nextafter(numbers, -np.inf)


def above(numbers: Any) -> Any:
    return np.nextafter(numbers, np.inf)


def lost(count: int, weights: Any, tiny: Any) -> Any:
    """What underflows lose in a sum of so many products, where the weights of a sum have so large a sum of sizes.

    `tiny` is t, or more where all may have been multiplied with a factor.
    """
    return _AFTERWARDS * tiny * (2 * count + 4 + weights)


def is_subnormal(numbers: Any, precision: int) -> Flags:
    found: Flags = (np.abs(numbers) < LEAST[precision]) & (numbers != 0)
    return found
