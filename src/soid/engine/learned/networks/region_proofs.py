"""What is proved of a whole region by splitting ReLUs, while a search cuts it into boxes.

Both ways are gone in turns, for as long each: which of them ends first is not known before. Cuts are better with few
free inputs, and the signs of ReLUs with many. As soon as a number is proved to be above 0 in the whole region, or
below, this holds in all boxes of it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, final

import numpy as np
from msgspec.structs import replace

from soid.engine.learned.networks.blas_threads import one_thread
from soid.engine.learned.networks.float_errors import Numbers
from soid.engine.learned.networks.network_bounds import NetworkRanges
from soid.engine.learned.networks.relu_splits import ReluSearch

_FREE: Final = 8  # columns: with fewer that vary, cuts alone are better
_FIRST: Final = 0.3  # seconds of cuts, before ReLUs are split


@final
class RegionProofs:
    """Numbers of one region that are proved to have a sign."""

    def __init__(
        self,
        whole: NetworkRanges,
        met: Callable[[], Numbers],
        rows: Numbers | None,
        varying: int,
        search: Callable[[Numbers], ReluSearch | None],
    ) -> None:
        """`rows`: the combinations of the last vector that are asked about; `met`: their values at points."""
        self._low, self._high = whole.low[0].copy(), whole.high[0].copy()
        self._spent, self._used = 0.0, 0.0  # seconds, with cuts and with ReLUs
        self._search = search
        self._waiting: list[tuple[int, int, Numbers | ReluSearch]] = []  # row, sign, and what is still to be searched
        if rows is None or varying <= _FREE or whole.unclear.any():
            return
        values = met()
        for row in np.flatnonzero((self._low <= 0) & (self._high >= 0)).tolist():
            for sign in (1, -1):
                if (sign * values[:, row] > 0).all():  # else it has both signs
                    self._waiting.append((row, sign, sign * rows[row]))

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
            row, sign, search = self._waiting.pop(0)
            began = time.monotonic()
            if not isinstance(search, ReluSearch):
                made = self._search(search)
                if made is None:
                    self._waiting.clear()
                    return
                search = made
            with one_thread():
                search.run(max(0.2, (self._spent - self._used) / (1 + len(self._waiting))))
            self._used += time.monotonic() - began
            if search.is_proved:
                if sign > 0:
                    self._low[row] = max(self._low[row], search.least)
                else:
                    self._high[row] = min(self._high[row], -search.least)
            elif not search.is_over:
                self._waiting.append((row, sign, search))
