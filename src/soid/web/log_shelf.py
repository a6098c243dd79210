"""The shelf: logs that were read by variable, for the plots of all pages and for the API.

Reading a log takes time once. Of a log with more values than are kept, a stretch around a moment is read.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import Final, final

from soid.scenario.log_series import LogSeries, read_series
from soid.scenario.trace import Trace

_MOST: Final = 1 << 22  # values of a stretch: those of 100,000 steps with 40 variables
_NEAR: Final = 1 << 12  # steps around a moment, which are read at once
_KEPT: Final = 8  # stretches


@final
class LogReading:
    """A stretch of a log, which the first that needs it reads, and others wait for. Any thread may use it."""

    def __init__(self, trace: Trace, begin: int, end: int) -> None:
        self.begin, self.end = begin, end  # places of its steps: of the first one, and the one after the last
        self.share = 0.0  # that is read
        self._trace = trace
        self._lock = threading.Lock()
        self._read: LogSeries | None = None

    @property
    def is_whole(self) -> bool:
        return self.end - self.begin == len(self._trace)

    @property
    def is_read(self) -> bool:
        return self._read is not None

    def series(self) -> LogSeries:
        with self._lock:
            if self._read is None:
                steps = self._trace.steps
                first, last = steps[self.begin].time, steps[self.end - 1].time
                self._read = read_series(self._trace, first=first, last=last, progress=self._reached)
            return self._read

    def _reached(self, share: float) -> None:
        self.share = share


@final
class LogShelf:
    """The last stretches that were read."""

    def __init__(self, most: int = _MOST) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._kept: OrderedDict[tuple[int, int, int], tuple[Trace, LogReading]] = OrderedDict()

    def around(self, trace: Trace, step: int) -> LogReading:
        """The whole log, or the stretch with a step in its middle if the log has too many values."""
        logged = len(trace.interface.inputs) + len(trace.interface.outputs)
        room = max(self._most // max(logged, 1), 1)
        if len(trace) <= room:
            return self._reading(trace, 0, len(trace))
        return self._middle(trace, step, room)

    def near(self, trace: Trace, step: int) -> LogReading:
        """A short stretch around a step, to be shown until `around` is read."""
        return self._middle(trace, step, min(_NEAR, len(trace)))

    def _middle(self, trace: Trace, step: int, room: int) -> LogReading:
        block = max(room // 2, 1)  # stretches begin at few places, so that near moments share one
        begin = min(max(trace.place(step) // block * block - block // 2, 0), len(trace) - room)
        return self._reading(trace, begin, begin + room)

    def _reading(self, trace: Trace, begin: int, end: int) -> LogReading:
        key = id(trace), begin, end
        with self._lock:
            known, found = self._kept.get(key, (None, None))
            if found is None or known is not trace:
                found = LogReading(trace, begin, end)
                self._kept[key] = trace, found
            self._kept.move_to_end(key)
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
            return found
