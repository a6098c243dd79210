"""What is proved of a whole region by splitting ReLUs, while a search cuts it into boxes.

Both ways are gone in turns, for as long each: which of them ends first is not known before. Cuts are better with few
free inputs, and the signs of ReLUs with many. As soon as a number is proved to be above what a condition compares it
with in the whole region, or below, this holds in all boxes of it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final, final

import numpy as np
from msgspec.structs import replace

from soid.engine.learned.networks.blas_threads import one_thread
from soid.engine.learned.networks.float_errors import Numbers
from soid.engine.learned.networks.network_bounds import NetworkRanges
from soid.engine.learned.networks.relu_splits import ReluSearch, beyond

_FREE: Final = 8  # columns: with fewer that vary, cuts alone are better
_FIRST: Final = 0.3  # seconds of cuts, before ReLUs are split
_EASIER: Final = 1.01  # times as far from what was met: a border that is looked at beside a nearer one


@final
class RegionProofs:
    """Numbers of one region that are proved to be on one side of what they are compared with."""

    def __init__(
        self,
        whole: NetworkRanges,
        met: Callable[[], Numbers],
        borders: Sequence[Sequence[float]],
        varying: int,
        search: Callable[[int, int, float], ReluSearch | None],
    ) -> None:
        """`borders`: by number what it is compared with; `met`: the numbers at points.

        `search` makes a search whether a number times a sign is above a target, if there can be one.
        """
        self._low, self._high = whole.low[0].copy(), whole.high[0].copy()
        self._spent, self._used = 0.0, 0.0  # seconds, with cuts and with ReLUs
        self._search = search
        self._waiting: list[tuple[int, int, float | ReluSearch]] = []  # number, sign, and a target or its search
        open_ = [
            [border for border in own if low <= border <= high]
            for own, low, high in zip(borders, self._low, self._high, strict=True)
        ]
        if not any(open_) or varying <= _FREE or whole.unclear.any():
            return
        values = met()
        for number, own in enumerate(open_):
            for sign in (1, -1):
                least = float((sign * values[:, number]).min())
                self._waiting += [(number, sign, beyond(each)) for each in _targets([sign * at for at in own], least)]

    @contextmanager
    def timed(self) -> Iterator[None]:
        """The time of what is done inside counts as time of cuts."""
        began = time.monotonic()
        yield
        self._spent += time.monotonic() - began

    def narrowed(self, found: NetworkRanges) -> NetworkRanges:
        """Bounds in boxes of the region, with what is known of all of it."""
        if self._waiting and self._spent > _FIRST:
            self._go_on()
        return replace(found, low=np.maximum(found.low, self._low), high=np.minimum(found.high, self._high))

    def _go_on(self) -> None:
        """Split ReLUs until as much time was spent as with cuts."""
        while self._waiting and self._used < self._spent:
            number, sign, search = self._waiting.pop(0)
            began = time.monotonic()
            if not isinstance(search, ReluSearch):
                made = self._search(number, sign, search)
                if made is None:
                    continue
                search = made
            with one_thread():
                search.run(max(0.2, (self._spent - self._used) / (1 + len(self._waiting))))
            self._used += time.monotonic() - began
            if search.is_proved:
                if sign > 0:
                    self._low[number] = max(self._low[number], search.least)
                else:
                    self._high[number] = min(self._high[number], -search.least)
            elif not search.is_over:
                self._waiting.append((number, sign, search))


def _targets(borders: Sequence[float], least: float) -> list[float]:
    """The borders below the least number that was met, without those that are hardly easier to prove than another."""
    found: list[float] = []
    for border in sorted((each for each in borders if each < least), reverse=True):
        if not found or least - border > _EASIER * (least - found[-1]):
            found.append(border)
    return found
