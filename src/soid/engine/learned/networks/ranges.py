"""Ranges of a vector's elements in many boxes, and linear functions that enclose what a layer makes of them."""

from __future__ import annotations

from typing import Any, final

import numpy as np
from msgspec import Struct

from soid.engine.learned.networks.float_errors import Numbers, own


@final
class Ranges(Struct, frozen=True):
    """The floats that a runtime may have for the elements of a vector: a row for each box, a column for each."""

    low: Numbers
    high: Numbers

    @property
    def sizes(self) -> Numbers:
        """The greatest absolute values."""
        found: Numbers = np.maximum(np.abs(self.low), np.abs(self.high))
        return found

    def chosen(self, rows: Any) -> Ranges:
        return Ranges(self.low[rows], self.high[rows])

    def within(self, other: Ranges) -> Ranges:
        """What is in both, which are both known to have the numbers that are meant."""
        return Ranges(np.maximum(self.low, other.low), np.minimum(self.high, other.high))


@final
class Lines(Struct, frozen=True):
    """slope * x + offset below and above what a layer makes of an element x, as floats, while x is in its range."""

    low_slope: Numbers
    low_offset: Numbers
    high_slope: Numbers
    high_offset: Numbers

    def with_room(self, sizes: Numbers) -> Lines:
        """The same with room for the float64 roundings of what is computed with them (see `float_errors`)."""
        share = own(self.low_slope.shape[1])
        steepest = np.maximum(np.abs(self.low_slope), np.abs(self.high_slope))
        farthest = np.maximum(np.abs(self.low_offset), np.abs(self.high_offset))
        room = share * (steepest * sizes + farthest)
        return Lines(self.low_slope, self.low_offset - room, self.high_slope, self.high_offset + room)
