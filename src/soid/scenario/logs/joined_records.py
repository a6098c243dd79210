"""A further file of a log: at each step of the first one, what this one logged last.

The program can only have known what was there before it decided, so nothing is interpolated and nothing is taken from
later. What is older than the manifest allows counts as not logged, and the step says so.

A large file is read where steps need it: it is known when each of its pieces begins, so one piece holds the row that is
looked for. That its pieces follow each other is checked when it is opened, and each piece when it is read.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from typing import Final, final

from msgspec import Struct
from msgspec.structs import replace

from soid.allowance import look, paced
from soid.errors import ManifestError
from soid.program.manifest import FILE_NAME
from soid.program.trace_table import JoinedLog, LogClock
from soid.scenario.log_formats import LogRecord, fail, quoted
from soid.scenario.logs.log_pieces import HeldPieces, LogSource, refuse_count
from soid.scenario.logs.row_times import (
    Rhythm,
    RowTimes,
    is_local,
    refuse_backwards,
    refuse_zones,
    shown,
    time_of,
    time_warnings,
)

_HELD: Final = 2  # pieces that are kept: steps need this file in its order


@final
class _TimedRecord(Struct, frozen=True):
    """A record of the further file; its cells have the names that the manifest gives them."""

    time: Fraction
    record: LogRecord


@final
class JoinedRecords:
    """The records of a further file, by time."""

    def __init__(self, joined: JoinedLog, source: LogSource, clock: LogClock | None) -> None:
        self._joined, self._source, self.name = joined, source, source.name
        self.is_local: bool | None = None  # its dates have no zone; None: no row was read
        self._first_date = ""  # where the first row is that was read
        if clock is None:
            problem = f"{FILE_NAME}: [[trace.join]] {joined.file.name} has no time"
            raise ManifestError(problem, 'Say which column has it: time = { column = "t", unit = "s" }.')
        self._clock = clock
        self.is_large = source.is_large
        self._numbers = [at for at, size in enumerate(source.sizes) if size] if source.is_large else [0]
        self._pieces = HeldPieces(self._piece, _HELD)
        self._reports: dict[int, RowTimes] = {}  # of the pieces that were read
        self._oldest = Fraction(), ""  # how long before a step something was logged that it has, and where the step is
        self._firsts: list[_TimedRecord] = []  # of these pieces
        if source.is_large:
            self._open_pieces()
        else:
            self._firsts = list(self._pieces[0][:1])  # this checks the whole file, whatever is asked
        self._starts = [first.time for first in self._firsts]

    def _open_pieces(self) -> None:
        for number in paced(self._numbers, "reading the log"):
            first = next(self._timed(self._source.records(number)), None)
            if first is None:
                refuse_count(self._source, number, 0)
                continue
            if self._firsts:
                refuse_backwards(self.name, first.record, self._firsts[-1].time, first.time)
            self._firsts.append(first)

    def _piece(self, at: int) -> tuple[_TimedRecord, ...]:
        """The records of a piece; the first one after it must not be earlier."""
        look("reading the log")
        number = self._numbers[at]
        found = tuple(self._timed(self._source.records(number)))
        if self.is_large:
            refuse_count(self._source, number, len(found))
        following = self._firsts[at + 1 : at + 2]
        for each in following:
            refuse_backwards(self.name, each.record, found[-1].time, each.time)
        timed = [*found, *following]
        distances = [float(later.time - earlier.time) for earlier, later in pairwise(timed)]
        places = [f"{self.name}:{each.record.line}" for each in timed[1:]]
        self._reports[at] = RowTimes.of(distances, places, Rhythm.of(distances))
        return found

    @property
    def warnings(self) -> Iterator[str]:
        """What is strange about its times, as far as it was read, in sentences."""
        reports = self._reports.copy()  # other questions may read more of a large file
        age, place = self._oldest
        for warning in time_warnings([reports[at] for at in sorted(reports)]):
            yield f"{self.name}: {warning}"
        if age and any(report.gaps[0] for report in reports.values()):
            told = f"{place} has what {self.name} logged {shown(age)} before it, and no step has anything older"
            yield told if self._joined.within is not None else f"{told}: [[trace.join]] within limits that"

    def _timed(self, records: Iterator[LogRecord]) -> Iterator[_TimedRecord]:
        before: Fraction | None = None
        clock, prefix = self._clock, self._joined.prefix
        for record in records:
            now = time_of(self.name, clock, record)
            self._refuse_zones(record)
            if before is not None:
                refuse_backwards(self.name, record, before, now)
            before = now
            cells = {prefix + name: cell for name, cell in record.cells.items() if name != clock.column}
            yield _TimedRecord(now, replace(record, cells=cells))

    def _refuse_zones(self, record: LogRecord) -> None:
        """Dates without a zone are compared with each other only."""
        local = is_local(self._clock, record)
        if self.is_local is None:
            self.is_local, self._first_date = local, f"{self.name}:{record.line}"
        elif local is not self.is_local:
            refuse_zones(self.name, record, self._first_date)

    def _last(self, time: Fraction) -> _TimedRecord | None:
        """What was logged last, then or before."""
        at = bisect_right(self._starts, time) - 1
        if at < 0:
            return None
        piece = self._pieces[at]
        return piece[bisect_right(piece, time, key=lambda known: known.time) - 1]

    def beside(self, file: str, record: LogRecord, time: Fraction) -> LogRecord:
        """A record of the first file together with what this one logged last."""
        last = self._last(time)
        limit = self._joined.within
        if last is None:
            return replace(record, gap=f"{self.name} begins later")
        if limit is not None and time - last.time > limit:
            return replace(record, gap=f"{self.name} has logged nothing for {shown(time - last.time)}")
        self._oldest = max(self._oldest, (time - last.time, f"{file}:{record.line}"), key=lambda known: known[0])
        found = last.record
        twice = next((name for name in found.cells if name in record.cells), None)
        if twice is not None:
            problem = f"{quoted(twice)} is a column of {file} and of {self.name} too"
            fail(file, record.line, problem, 'Call those of one file differently: [[trace.join]] as = "gps".')
        place = f"{self.name}:{found.line}"
        cells, places = {**record.cells, **found.cells}, {**record.elsewhere, **dict.fromkeys(found.cells, place)}
        return replace(record, cells=cells, elsewhere=places)
