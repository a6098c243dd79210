"""Which part of a box a search has settled, for a report of its progress.

A part is one by measure: by the length of a range of floats, and by the number of integers. It is computed in floats,
since it is shown and nothing rests on it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Final, final

import numpy as np

from soid.formula.function_arguments import Numbers, Places, floats_at
from soid.formula.interval_program import Box
from soid.formula.sorts import Float
from soid.formula.value_order import ValueOrder

_OFTEN: Final = 0.1  # seconds
_MOST: Final = 0.999  # while something is open it is not all, whatever floats make of it

Report = Callable[[float], None]


@final
class SettledPart:
    """What is left of a box, as a share."""

    def __init__(self, whole: Box, orders: Sequence[ValueOrder], report: Report) -> None:
        self._orders = orders
        self._whole = np.maximum(self._widths(*_ends([whole])), np.finfo(float).tiny)[0]
        self._left = 1.0
        self._report = report
        self._last = time.monotonic()

    def add(self, looked: tuple[Places, Places], parts: Sequence[tuple[Places, Places]], opened: Sequence[Box]) -> None:
        """Some boxes were looked at: what is left of them are these parts, and boxes that stay open."""
        if opened:
            parts = [*parts, _ends(opened)]
        self._left += sum(self._share(*each) for each in parts) - self._share(*looked)
        if time.monotonic() - self._last >= _OFTEN:
            self._last = time.monotonic()
            self._report(min(max(0.0, 1.0 - self._left), _MOST))

    def _share(self, low: Places, high: Places) -> float:
        return float((self._widths(low, high) / self._whole).prod(axis=1).sum())

    def _widths(self, low: Places, high: Places) -> Numbers:
        pairs = zip(self._orders, low.T, high.T, strict=True)
        return np.stack([_width(order, *ends) for order, *ends in pairs], axis=1)


def _ends(boxes: Sequence[Box]) -> tuple[Places, Places]:
    low, high = np.moveaxis(np.array(boxes, np.int64), 2, 0)
    return low, high


def _width(order: ValueOrder, low: Places, high: Places) -> Numbers:
    """Of a single value 1; of a range with others than numbers, that of its numbers."""
    sort = order.read_as
    if not isinstance(sort, Float) or sort.width not in (32, 64):
        return high.astype(np.float64) - low + 1.0
    largest = np.finfo(np.float64).max / 2
    numbers = (floats_at(sort, np.clip(end, ~sort.infinity, sort.infinity)) for end in (low, high))
    first, last = (np.clip(each / 2, -largest, largest) for each in numbers)
    return np.asarray(np.where(low == high, 1.0, last - first))
