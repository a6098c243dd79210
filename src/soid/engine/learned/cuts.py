"""Cuts: which numbers pass a test that a library makes after it has prepared them.

A preparation that never falls (rounding to float32, scaling by a positive factor, clipping) keeps the order of numbers.
So the numbers that are below a threshold after it are those up to one float64, the cut, which bisection finds exactly.

>>> at_most(0.1, to_float32)  # the greatest float64 that is at most 0.1 as a float32
0.09999999776482582
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from soid.formula import softfloat as sf
from soid.formula.sorts import FLOAT32, FLOAT64

_FIRST: Final = sf.ordinal(FLOAT64, sf.float_to_bits64(-math.inf))
_LAST: Final = sf.ordinal(FLOAT64, sf.float_to_bits64(math.inf))
_GREATEST32: Final = math.ldexp(2**24 - 1, 104)
_TOO_LARGE: Final = math.ldexp(2**25 - 1, 103)  # the least number that becomes an infinity as a float32


def to_float32(x: float) -> float:
    """Rounded to float32; what is too large becomes an infinity."""
    try:
        rounded: float = struct.unpack("<f", struct.pack("<f", x))[0]
    except OverflowError:
        return math.copysign(math.inf, x)
    return rounded


def at_most_as_float32(threshold: float) -> float:
    """`at_most(threshold, to_float32)` for any threshold but NaN, without a search."""
    kept = to_float32(threshold)
    if kept > threshold:
        kept = _next32(kept, -1)
    if kept == math.inf:
        return math.inf
    if kept == -math.inf:
        return -_TOO_LARGE
    if kept == _GREATEST32:
        return math.nextafter(_TOO_LARGE, 0.0)
    middle = (kept + _next32(kept, 1)) / 2  # exact; a tie goes to the neighbour whose last bit is 0
    return math.nextafter(middle, -math.inf) if sf.float_to_bits32(kept) & 1 else middle


def below_as_float32(threshold: float) -> float:
    """`below(threshold, to_float32)` for a threshold that is a float32, but neither NaN nor -infinity."""
    return at_most_as_float32(_next32(threshold, -1))


def _next32(x: float, step: int) -> float:
    """The next float32 above or below; the two zeros are one number."""
    place = sf.ordinal(FLOAT32, sf.float_to_bits32(x)) + step
    found = sf.bits32_to_float(sf.from_ordinal(FLOAT32, place))
    return _next32(found, step) if found == x else found


def at_most(threshold: float, prepared: Callable[[float], float]) -> float:
    """The greatest x with prepared(x) <= threshold; NaN if there is none. `prepared` never falls."""
    return last(lambda x: prepared(x) <= threshold)


def below(threshold: float, prepared: Callable[[float], float]) -> float:
    """The greatest x with prepared(x) < threshold; NaN if there is none. `prepared` never falls."""
    return last(lambda x: prepared(x) < threshold)


def last(holds: Callable[[float], bool]) -> float:
    """The greatest float64 for which something holds that holds up to one number, and not beyond; NaN if for none."""
    if not holds(-math.inf):
        return math.nan
    low, high = _FIRST, _LAST + 1  # it holds at low, and not at high
    while high - low > 1:
        middle = (low + high) // 2
        if holds(_at(middle)):
            low = middle
        else:
            high = middle
    return _at(low)


def _at(place: int) -> float:
    return sf.bits64_to_float(sf.from_ordinal(FLOAT64, place))


def last_of_each(holds: Callable[[NDArray[np.float64]], NDArray[np.bool_]], count: int) -> NDArray[np.float64]:
    """`last` for many conditions at once: each number given is tried with the condition in its place."""
    low, high = np.full(count, _LOWEST_PLACE), np.full(count, -_LOWEST_PLACE + 1)
    none = ~holds(_all_at(low))
    for _ in range(64):
        middle = (low >> 1) + (high >> 1) + (low & high & 1)  # their sum may be too large for 64 bits
        held = holds(_all_at(middle)) & (middle > low)
        low, high = np.where(held, middle, low), np.where(held | (middle == low), high, middle)
    return np.where(none, math.nan, _all_at(low))


_LOWEST_PLACE: Final = np.int64(-(0x7FF << 52))  # of -infinity, where 0 is the place of both zeros


def _all_at(places: NDArray[np.int64]) -> NDArray[np.float64]:
    bits = np.where(places >= 0, places, np.iinfo(np.int64).min - places)
    return bits.view(np.float64)
