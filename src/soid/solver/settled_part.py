"""Which part of a box a search has settled, for a report of its progress.

A part is one by measure (`soid.formula.measure`). It is computed in floats, since it is shown and nothing rests on it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Final, final

import numpy as np

from soid.formula.function_arguments import Numbers, Places, floats_at
from soid.formula.interval_program import Box
from soid.formula.measure import Ruler, Scale, ruler_for
from soid.formula.sorts import Float
from soid.formula.value_order import ValueOrder

_OFTEN: Final = 0.1  # seconds
_MOST: Final = 0.999  # while something is open it is not all, whatever floats make of it

Report = Callable[[float], None]


@final
class SettledPart:
    """What is left of a box, as a share."""

    def __init__(self, whole: Box, orders: Sequence[ValueOrder], report: Report) -> None:
        self._rulers = [ruler_for(order, *ends) for order, ends in zip(orders, whole, strict=True)]
        self._whole = np.maximum(self._widths(*_ends([whole])), np.finfo(float).tiny)[0]
        self._left = 1.0
        self._report = report
        self._last = time.monotonic()

    def begin(self, low: Places, high: Places) -> None:
        """These boxes are left; the others were settled before."""
        self._left = self._share(low, high)

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
        pairs = zip(self._rulers, low.T, high.T, strict=True)
        return np.stack([_width(ruler, *ends) for ruler, *ends in pairs], axis=1)


def _ends(boxes: Sequence[Box]) -> tuple[Places, Places]:
    low, high = np.moveaxis(np.array(boxes, np.int64), 2, 0)
    return low, high


def _width(ruler: Ruler, low: Places, high: Places) -> Numbers:
    sort = ruler.order.read_as
    if ruler.scale is Scale.NUMBER or not isinstance(sort, Float) or sort.width not in (32, 64):
        return high.astype(np.float64) - low + 1.0
    first, last = (floats_at(sort, np.clip(end, ~sort.infinity, sort.infinity)) for end in (low, high))
    if ruler.scale is Scale.LENGTH:
        return np.asarray(last / 2 - first / 2)
    return _magnitudes(last) - _magnitudes(first)


def _magnitudes(numbers: Numbers) -> Numbers:
    """The positions of numbers by order of magnitude; infinity is one doubling beyond the largest."""
    sizes = np.minimum(np.abs(numbers), np.finfo(np.float64).max)
    digits, exponents = np.frexp(sizes)  # of digits from a half to 1
    found = np.where(sizes < 1.0, sizes, 2.0 * digits + exponents - 1.0) + np.isinf(numbers)
    return np.asarray(np.copysign(found, numbers))
