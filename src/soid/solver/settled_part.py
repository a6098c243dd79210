"""Which part of a box a search has settled, for a report of its progress.

A part is one by measure (`soid.formula.measure`). It is computed in floats, since it is shown and nothing rests on it,
and only when it is shown: most searches are over before.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import cached_property
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
        self._box = whole
        self._orders = orders
        self._left = 1.0
        self._changes: list[tuple[int, Places, Places]] = []  # boxes to be added (1) or taken away (-1) when it is told
        self._report = report
        self._last = time.monotonic()

    def begin(self, low: Places, high: Places) -> None:
        """These boxes are left; the others were settled before."""
        self._left, self._changes = 0.0, [(1, low, high)]

    def add(self, looked: tuple[Places, Places], parts: Sequence[tuple[Places, Places]], opened: Sequence[Box]) -> None:
        """Some boxes were looked at: what is left of them are these parts, and boxes that stay open."""
        self._changes.append((-1, *looked))
        self._changes += [(1, *part) for part in (*parts, *([_ends(opened)] if opened else []))]
        if time.monotonic() - self._last >= _OFTEN:
            self._last = time.monotonic()
            self._left += sum(sign * self._share(*ends) for sign, *ends in self._changes)
            self._changes.clear()
            self._report(min(max(0.0, 1.0 - self._left), _MOST))

    @cached_property
    def _rulers(self) -> list[Ruler]:
        return [ruler_for(order, *ends) for order, ends in zip(self._orders, self._box, strict=True)]

    @cached_property
    def _whole(self) -> Numbers:
        return np.asarray(np.maximum(self._widths(*_ends([self._box])), np.finfo(float).tiny)[0])

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
