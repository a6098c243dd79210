"""The shares of a softmax from bounds on differences of its arguments.

The share of element i is 1 / (1 + the sum of e^(x_j - x_i) over all others j): it falls in each difference, so bounds
on the differences give bounds on it. They are far better than those from bounds on single elements, since differences
of outputs of a network vary less than the outputs.
"""

from __future__ import annotations

from typing import Any, Final, final

import numpy as np
from msgspec import Struct

from soid.engine.learned.networks.ranges import Ranges
from soid.engine.learned.networks.runtime_functions import share_errors

_MOST: Final = 1_000  # pairs: with more, differences follow from the ranges of single elements
_OWN: Final = 2.0**-40  # of a share: far more than sums of this machine's exponentials are off by
_FAR: Final = 700.0  # e^700 is a float64


@final
class Pairs(Struct, frozen=True):
    """Pairs of elements of a vector: the difference is that of the first less the second."""

    first: Any
    second: Any


def pairs_of(size: int, count: int) -> Pairs | None:
    """All pairs within groups of so many consecutive elements, of a vector of so many; None if they are many."""
    first, second = np.triu_indices(size, 1)
    starts = np.arange(0, count, size)
    if not len(first) or len(first) * len(starts) > _MOST:
        return None
    return Pairs((starts[:, None] + first).ravel(), (starts[:, None] + second).ravel())


def shares_over(given: Ranges, size: int, precision: int, differences: Ranges | None) -> Ranges:
    """The shares, as a runtime computes them; consecutive elements are a group."""
    boxes, count = given.low.shape
    low, high = (end.reshape(boxes, count // size, size) for end in (given.low, given.high))
    # for each group, element i and element j: bounds of x_j - x_i
    least = low[:, :, None, :] - high[:, :, :, None]
    most = high[:, :, None, :] - low[:, :, :, None]
    if differences is not None:
        one, other = np.triu_indices(size, 1)
        known = differences.low.reshape(boxes, count // size, -1), differences.high.reshape(boxes, count // size, -1)
        for i, j, sign in ((other, one, 1), (one, other, -1)):  # a pair has the first less the second
            lowest, highest = (known[0], known[1]) if sign > 0 else (-known[1], -known[0])
            least[:, :, i, j] = np.maximum(least[:, :, i, j], lowest)
            most[:, :, i, j] = np.minimum(most[:, :, i, j], highest)
    itself = np.arange(size)
    least[:, :, itself, itself] = most[:, :, itself, itself] = 0.0
    found = [1.0 / np.exp(np.clip(ends, -_FAR, _FAR)).sum(axis=3).reshape(boxes, count) for ends in (most, least)]
    errors = [share_errors(each, size, precision) + _OWN * each for each in found]
    return Ranges(np.maximum(found[0] - errors[0], 0.0), found[1] + errors[1])
