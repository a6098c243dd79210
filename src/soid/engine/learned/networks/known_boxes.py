"""Boxes that were bounded before: a question is several searches, and each of them cuts its family in the same way.

What is kept of a box are the bounds of the numbers that were asked for, without the ranges of inner vectors, which are
a hundred times as large: only the boxes in which an earlier search ended are bounded anew when it goes on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, final

import numpy as np

from soid.engine.learned.networks.float_errors import Flags, Numbers
from soid.engine.learned.networks.network_bounds import NetworkRanges
from soid.engine.learned.networks.ranges import Ranges

_KEPT: Final = 12_000_000  # numbers of all boxes

_Row = tuple[Numbers, Numbers, Numbers, Numbers, bool]


@final
class KnownBoxes:
    """Bounds of the same numbers in many boxes."""

    def __init__(self, sizes: Mapping[int, int]) -> None:
        self._sizes = sizes  # of the inner vectors
        self._rows: dict[bytes, _Row] = {}
        self._numbers = 0

    def bounded(self, columns: Ranges, unclear: Flags, bound: Callable[[Any], NetworkRanges]) -> NetworkRanges:
        """Bounds in boxes, of which those that are not known are bounded by a function of their places."""
        boxes = zip(columns.low, columns.high, unclear, strict=True)
        keys = [low.tobytes() + high.tobytes() + b"?" * bool(is_unclear) for low, high, is_unclear in boxes]
        known = np.array([key in self._rows for key in keys], bool)
        if not known.any():
            return self._kept(keys, bound(slice(None)))
        old = self._of([key for key in keys if key in self._rows], columns.chosen(known))
        if known.all():
            return old
        places = np.flatnonzero(~known)
        return merged(known, old, self._kept([keys[place] for place in places], bound(places)))

    def _kept(self, keys: list[bytes], found: NetworkRanges) -> NetworkRanges:
        for row, key in enumerate(keys):
            kept = found.low[row], found.high[row], found.loss[row], found.slopes[row]
            self._numbers += sum(each.size for each in kept) + len(key) // 8
            self._rows[key] = *(each.copy() for each in kept), bool(found.unclear[row])
        if self._numbers > _KEPT:
            self._rows.clear()
            self._numbers = 0
        return found

    def _of(self, keys: list[bytes], columns: Ranges) -> NetworkRanges:
        low, high, loss, slopes, unclear = zip(*(self._rows[key] for key in keys), strict=True)
        inner = {
            vector: Ranges(np.full((len(keys), size), -np.inf), np.full((len(keys), size), np.inf))
            for vector, size in self._sizes.items()
        }
        bounds = (np.array(each) for each in (low, high, loss, slopes, unclear))
        return NetworkRanges(columns, inner, *bounds)


def merged(in_first: Flags, first: NetworkRanges, second: NetworkRanges) -> NetworkRanges:
    """What is known of some boxes and of the others, in the order in which they were."""

    def put(one: Any, other: Any) -> Any:
        found = np.empty((len(in_first), *one.shape[1:]), one.dtype)
        found[in_first], found[~in_first] = one, other
        return found

    def both(one: Ranges, other: Ranges) -> Ranges:
        return Ranges(put(one.low, other.low), put(one.high, other.high))

    return NetworkRanges(
        both(first.columns, second.columns),
        {vector: both(first.inner[vector], each) for vector, each in second.inner.items()},
        put(first.low, second.low),
        put(first.high, second.high),
        put(first.loss, second.loss),
        put(first.slopes, second.slopes),
        put(first.unclear, second.unclear),
    )
