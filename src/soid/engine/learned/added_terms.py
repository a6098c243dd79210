"""Sums of floats over boxes, from the least and the greatest that each term can be.

In a fixed order, rounding is monotone: the sum of the least terms is a lower bound, exactly as the library computes it.
In any order, a computed sum is off by at most gamma_n times the sum of the terms' sizes (n operations, u = 2**-53 or
2**-24), so two sums of the same terms are at most twice that apart. The ends are then the sum in order, less and plus
a margin of 4 n u times the computed sum of sizes, which leaves room for the rounding of sizes and ends themselves.
Terms and sizes are monotone too, so the ends have exact bounds over boxes, and are functions at points.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from soid.engine.learned.evaluation import DTYPES

_UNITS: Final = {32: 2.0**-24, 64: 2.0**-53}


def in_order(terms: Any) -> Any:
    """The sums of the rows, from the first term to the last, rounded after each."""
    with np.errstate(over="ignore"):
        return np.add.accumulate(terms, axis=1)[:, -1]


def unordered_ends(least: Any, most: Any, end: int, precision: int) -> tuple[Any, Any]:
    """Bounds of the least (end 0) or the greatest (end 1) sum that any order gives, where terms lie between two."""
    sizes = np.abs(least), np.abs(most)
    large = _margin(np.maximum(*sizes), precision)
    small = _margin(np.where((least <= 0) & (most >= 0), 0, np.minimum(*sizes)), precision)
    low, high = in_order(least), in_order(most)
    if end:
        return _moved(low, small, precision), _moved(high, large, precision)
    return _moved(low, -large, precision), _moved(high, -small, precision)


def _margin(sizes: Any, precision: int) -> Any:
    """How far a sum in any order may be from the sum in order."""
    operations = sizes.shape[1] + 1
    # an underflow of a product loses at most the least normal number, which some processors flush to 0
    lost = operations * float(np.finfo(DTYPES[precision]).tiny)
    with np.errstate(over="ignore"):
        return in_order(sizes.astype(np.float64)) * (4 * operations * _UNITS[precision]) + lost


def _moved(total: Any, off: Any, precision: int) -> Any:
    """The sum with a margin added, rounded away from the sum."""
    with np.errstate(over="ignore", invalid="ignore"):
        moved = total.astype(np.float64) + off
        if precision == 64:
            return np.where(np.isnan(moved), np.copysign(np.inf, off), moved)
        rounded = moved.astype(np.float32)
    up = off > 0
    inside = np.where(up, rounded < moved, rounded > moved)
    away = np.where(up, np.float32(np.inf), np.float32(-np.inf))
    return np.where(inside, np.nextafter(rounded, away), rounded)


def adds_exactly(values: Any, count: int, precision: int) -> bool:
    """Whether sums of so many of the values are exact in any order: multiples of a power of two, not too large."""
    sizes = np.abs(np.asarray(values, np.float64))
    if not len(sizes) or not np.isfinite(sizes).all():
        return not len(sizes)
    greatest = float(sizes.max()) * count
    if greatest == 0.0:
        return True
    digits = 53 if precision == 64 else 24
    unit = 2.0 ** (int(np.ceil(np.log2(greatest))) - digits)
    if unit < float(np.finfo(DTYPES[precision]).tiny):
        return False
    scaled = sizes / unit
    return bool((scaled == np.rint(scaled)).all())
