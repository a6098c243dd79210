"""Floats and their places in the order of their precision, many at once."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from soid.formula import softfloat as sf
from soid.formula.sorts import FLOAT32, FLOAT64, Float

SORTS: Final = {32: FLOAT32, 64: FLOAT64}  # by precision


def ordinals(precision: int, numbers: Any) -> NDArray[np.int64]:
    """The places of floats in the order of their precision."""
    if precision == 32:
        bits = np.asarray(numbers, np.float32).view(np.int32).astype(np.int64)
        return np.where(bits >= 0, bits, ~(bits + (1 << 31)))
    long = np.asarray(numbers, np.float64).view(np.int64)
    return np.where(long >= 0, long, ~(long & np.int64((1 << 63) - 1)))


def float_at(sort: Float, place: int) -> float:
    bits = sf.from_ordinal(sort, place)
    return sf.bits32_to_float(bits) if sort == FLOAT32 else sf.bits64_to_float(bits)


def nearest_place(sort: Float, number: float) -> int:
    """The place of the float that is nearest to a number."""
    return sf.ordinal(sort, sf.float_to_bits32(number) if sort == FLOAT32 else sf.float_to_bits64(number))
