"""A further file of a log: at each step of the first one, what this one logged last.

The program can only have known what was there before it decided, so nothing is interpolated and nothing is taken from
later. What is older than the manifest allows counts as not logged, and the step says so.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from fractions import Fraction
from typing import Final, final

from msgspec.structs import replace

from soid.errors import ManifestError, TraceError
from soid.program.manifest import FILE_NAME
from soid.program.trace_table import JoinedLog, LogClock
from soid.scenario.log_formats import LogRecord, fail, quoted
from soid.scenario.logs.log_pieces import LogSource
from soid.scenario.logs.row_times import is_local, refuse_backwards, refuse_zones, shown, time_of

MOST: Final = 1 << 21  # rows of a joined file


@final
class JoinedRecords:
    """The records of a further file, by time."""

    def __init__(self, joined: JoinedLog, source: LogSource, clock: LogClock | None) -> None:
        self._joined, self.name = joined, source.name
        self.is_local: bool | None = None  # its dates have no zone; None: it has no row
        if clock is None:
            problem = f"{FILE_NAME}: [[trace.join]] {joined.file.name} has no time"
            raise ManifestError(problem, 'Say which column has it: time = { column = "t", unit = "s" }.')
        self._times: list[Fraction] = []
        self._records: list[LogRecord] = []
        for record in _all(source):
            now = time_of(self.name, clock, record)
            if self._times and self.is_local is not is_local(clock, record):
                refuse_zones(self.name, record, f"{self.name}:{self._records[0].line}")
            self.is_local = is_local(clock, record)
            if self._times:
                refuse_backwards(self.name, record, self._times[-1], now)
            self._times.append(now)
            if len(self._times) > MOST:
                problem = f"{self.name}: it has more than {MOST:,} rows, and a joined file is read whole"
                raise TraceError(problem, "Cut it to the part that matters, or join the files before.")
            cells = {joined.prefix + name: cell for name, cell in record.cells.items() if name != clock.column}
            self._records.append(replace(record, cells=cells))

    def beside(self, file: str, record: LogRecord, time: Fraction) -> LogRecord:
        """A record of the first file together with what this one logged last."""
        at = bisect_right(self._times, time) - 1
        limit = self._joined.within
        if at < 0:
            return replace(record, gap=f"{self.name} begins later")
        if limit is not None and time - self._times[at] > limit:
            age = f"{self.name} has logged nothing for {shown(time - self._times[at])}"
            return replace(record, gap=age)
        found = self._records[at]
        twice = next((name for name in found.cells if name in record.cells), None)
        if twice is not None:
            problem = f"{quoted(twice)} is a column of {file} and of {self.name} too"
            fail(file, record.line, problem, 'Call those of one file differently: [[trace.join]] as = "gps".')
        place = f"{self.name}:{found.line}"
        cells, places = {**record.cells, **found.cells}, {**record.elsewhere, **dict.fromkeys(found.cells, place)}
        return replace(record, cells=cells, elsewhere=places)


def _all(source: LogSource) -> Iterator[LogRecord]:
    for piece in range(len(source.sizes) if source.is_large else 1):
        yield from source.records(piece)
