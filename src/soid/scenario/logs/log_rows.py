"""The rows of a log: records with their numbers and times, joined with other files, converted and checked.

A small log is checked whole when it is opened. Of a large one each piece is checked when it is read; that its pieces
follow each other is checked when it is opened.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Final, final

from msgspec import Struct

from soid.allowance import look, paced
from soid.assumptions import Assumption, Ledger
from soid.errors import ManifestError, TraceError
from soid.program.manifest import FILE_NAME
from soid.program.trace_table import ISO, LogClock, LogMapping
from soid.scenario.columns import Columns, Converted
from soid.scenario.log_formats import Literal, LogRecord, fail, quoted
from soid.scenario.logs.joined_records import JoinedRecords
from soid.scenario.logs.log_pieces import LogSource, PiecewiseSequence, refuse_count
from soid.scenario.logs.logged_value import written
from soid.scenario.logs.renamed_columns import renamed
from soid.scenario.logs.row_report import RowReport, RowReporter
from soid.scenario.logs.row_times import Rhythm, RowTimes, is_local, refuse_backwards, refuse_zones, time_of
from soid.scenario.logs.series_part import PartReader, RowsBeside, SeriesPart
from soid.scenario.logs.written_column import WrittenColumn
from soid.scenario.step_times import RunningClock, StepTime
from soid.surface import Advice

_SHOWN: Final = 12  # mapped columns that an answer names
_FEW: Final = 8  # distances of rows that do not show by themselves how far apart rows usually are


_READS_ALL: Final = Advice(
    command="`soid log check` reads all of them", python="project.compare_log() reads all of them"
)


@final
class NumberedRow(Struct, frozen=True, gc=False):
    """A row of the log as a step: its number, its values, and where it is."""

    number: int
    values: Converted
    place: str  # file:line
    time: StepTime | None = None  # if the log has a clock
    lapse: bool = False  # by the times, a call may be missing between it and the next


@final
class _Start(Struct, frozen=True, gc=False):
    """What is known of a record before its values are read."""

    number: int
    time: Fraction | None
    record: LogRecord


@final
class LogRows:
    """Reads the rows of one log."""

    def __init__(
        self,
        source: LogSource,
        columns: Columns,
        step_column: str,
        mapping: LogMapping,
        clock: LogClock | None,
        joined: tuple[JoinedRecords, ...],
    ) -> None:
        self._source, self._columns, self._step = source, columns, step_column
        self._mapping, self._clock, self._joined = mapping, clock, joined
        if joined and clock is None:
            remedy = 'Say when its rows were logged: [trace] time = { column = "t", unit = "s" }.'
            raise ManifestError(f"{FILE_NAME}: [[trace.join]]: {source.name} has no time to join by", remedy)
        self._reporter = RowReporter(columns.interface)
        self._reports: dict[int, RowReport] = {}  # by piece, of those that were read
        self._first: _Start | None = None
        self._running: RunningClock | None = None  # from the first record on
        self._numbered = False
        self._parts: PartReader | None = None
        self._unended = ""  # where the last row is, if no line end follows it
        self._starts: list[int] = []
        self._following: list[_Start | None] = []  # by piece of a large log: the first record after it
        self._paces: list[float] = []  # how far apart rows are in each piece of a large log, in seconds
        self.begins: list[tuple[int, Fraction]] = []  # of a large log with a clock: its pieces' first places and times

    def whole(self) -> Iterator[NumberedRow]:
        """All rows of a small log."""
        yield from self._checked(0, 0)
        if self._columns.unseen and self._first is not None:
            column = self._columns.unseen[0]
            problem = f"{self._source.name}: no row has the column {quoted(column)}, which [trace.columns] names"
            known = self._first.record.columns or self._first.record.cells
            mapped = {each.column for each in self._mapping.columns}
            near = renamed(self._columns.unseen, [each for each in known if each not in mapped]).get(column)
            nearest = f" The nearest is {quoted(near)}." if near is not None else ""
            raise TraceError(problem, f"Its columns are: {', '.join(map(quoted, known))}.{nearest}")

    def open_pieces(self) -> None:
        """Check that the pieces of a large log follow each other."""
        sizes = self._source.sizes
        self._starts = [0, *itertools.accumulate(sizes)]
        firsts: list[_Start | None] = []
        before = None
        for piece in paced(range(len(sizes)), "reading the log"):
            starts = self._heading(piece)
            for start in starts:
                if before is not None:
                    self._refuse_order(before, start)
                before = start
            firsts.append(starts[0] if starts else None)
            self._paces += filter(None, _distances(starts))
        if self._running is not None:
            times = [(self._starts[at], first.time) for at, first in enumerate(firsts) if first is not None]
            self.begins = [(place, time - self._running.start) for place, time in times if time is not None]
            pairs = [(to - place, later - time) for (place, time), (to, later) in itertools.pairwise(self.begins)]
            self._paces += [float(apart / rows) for rows, apart in pairs if apart and (rows == 1 or rows >= _FEW)]
        later: list[_Start | None] = [None]  # from the last piece to the first: what begins after it
        for first in reversed(firsts):
            later.append(first or later[-1])
        self._following = later[-2::-1]

    def _heading(self, piece: int) -> list[_Start]:
        """The first record of a piece, and the second if it has few: one gap would make their mean distance wrong."""
        size = self._source.sizes[piece]
        records = itertools.islice(self._source.records(piece), min(size, 2 if size < _FEW else 1)) if size else ()
        return [self._started(record, at) for at, record in enumerate(records, start=self._starts[piece])]

    def piece(self, number: int) -> tuple[NumberedRow, ...]:
        """The rows of a piece of a large log."""
        look("reading the log")
        rows = tuple(self._checked(number, self._starts[number], self._following[number]))
        refuse_count(self._source, number, len(rows))
        return rows

    def part(self, number: int, names: Sequence[str]) -> SeriesPart:
        """Some variables of a piece of a large log. No report is made of it, and no other column is looked at."""
        look("reading the log")
        cells = None if self._joined else self._source.cells(number)
        if cells is not None and cells.count == self._source.sizes[number]:
            after = self._following[number]
            following = None if after is None else (after.number, after.time)
            reader = self._parts = self._parts or PartReader(self._columns, self._running)
            found = reader.part(cells, names, RowsBeside(self._starts[number], self._numbered, following))
            if found is not None:
                return found
        return _row_part(self.piece(number), names)

    def _checked(self, piece: int, row: int, following: _Start | None = None) -> Iterator[NumberedRow]:
        report = RowReport()
        found: list[tuple[_Start, Converted]] = []
        for at, record in enumerate(self._source.records(piece), start=row):
            if record.unended:
                self._unended = self._place(record)
            start = self._started(record, at)
            if found:
                self._refuse_order(found[-1][0], start)
            record = self._beside(start)
            found.append((start, self._columns.convert(record)))
            self._reporter.add(report, found[-1][1], self._place(record))
        starts = [start for start, _ in found]
        if starts and following is not None:
            self._refuse_order(starts[-1], following)
            starts.append(following)
        lapses = self._lapses(starts, report)
        self._reports[piece] = report
        for (start, values), lapse in zip(found, itertools.chain(lapses, itertools.repeat(False)), strict=False):
            yield NumberedRow(start.number, values, self._place(start.record), self._time(start), lapse)

    def _beside(self, start: _Start) -> LogRecord:
        """A record with what the further files have at its time."""
        record = start.record
        for joined in self._joined:
            assert start.time is not None
            record = joined.beside(self._source.name, record, start.time)
        return record

    def written(self, names: Sequence[str], count: int) -> dict[str, WrittenColumn]:
        """What the log writes for some variables, in each of its rows, of which there are `count`."""
        columns = {name: mapped for name in names if (mapped := self._columns.mapped(name)) is not None}
        keys = [mapped.column for mapped in columns.values()]
        rows: Sequence[tuple[Literal | None, ...]]
        if self._source.is_large:
            rows = PiecewiseSequence(self._source.sizes, lambda piece: self._cells(piece, self._starts[piece], keys))
        else:
            rows = self._cells(0, 0, keys)
            if len(rows) != count:
                problem = f"{self._source.name}: {len(rows)} rows were read where {count} were before"
                raise TraceError(problem, "It must not change while it is looked at: try again.")
        return {
            name: WrittenColumn(mapped, self._columns.is_mapped(name), rows, at)
            for at, (name, mapped) in enumerate(columns.items())
        }

    def _cells(self, piece: int, row: int, keys: Sequence[str]) -> tuple[tuple[Literal | None, ...], ...]:
        """What the rows of a piece write in some columns."""
        look("reading the log")
        starts = (self._started(record, at) for at, record in enumerate(self._source.records(piece), start=row))
        records = (self._beside(start) for start in starts)
        return tuple(tuple(self._columns.cell(record, key) for key in keys) for record in records)

    def _lapses(self, starts: list[_Start], report: RowReport) -> list[bool]:
        """Of each row with one after it: whether by their times a call may be missing between the two."""
        clock = self._clock
        if clock is None:
            return []
        distances = _distances(starts)
        rhythm = Rhythm.of(distances).within(Rhythm.of(self._paces), certain=len(distances) >= _FEW)
        report.times = RowTimes.of(distances, [self._place(start.record) for start in starts[1:]], rhythm)
        if clock.period is not None or self._mapping.every_call:  # then numbers tell, or the manifest
            return []
        return list(map(rhythm.is_lapse, distances))

    def _started(self, record: LogRecord, row: int) -> _Start:
        """The number and the time of a record, which is the row of that number."""
        file, clock = self._source.name, self._clock
        time = time_of(file, clock, record) if clock is not None else None
        logged = self._columns.number(record)
        if self._first is None:
            self._first, self._numbered = _Start(0, time, record), logged is not None
            self._running = None if clock is None or time is None else RunningClock(clock, time)
        if clock is not None and (clock.unit == ISO or self._first.record is record):  # others never have a zone
            self._refuse_zones(clock, record, self._first.record)
        if clock is not None and clock.period is not None:
            assert time is not None and self._first.time is not None
            return _Start(round((time - self._first.time) / clock.period), time, record)
        if self._numbered != (logged is not None):
            fail(file, record.line, f"some steps have a {self._step} and some have none", "Number all or none.")
        return _Start(row if logged is None else logged, time, record)

    def _time(self, start: _Start) -> StepTime | None:
        if self._running is None:
            return None
        return StepTime(written(start.record.cells[self._running.clock.column]), self._running)

    def _refuse_zones(self, clock: LogClock, record: LogRecord, first: LogRecord) -> None:
        """Dates without a zone are compared with each other only."""
        local = is_local(clock, record)
        joined = ((each.is_local, each.name) for each in self._joined)
        for other, place in ((is_local(clock, first), self._place(first)), *joined):
            if other is not None and local is not other:
                refuse_zones(self._source.name, record, place)

    def _refuse_order(self, before: _Start, start: _Start) -> None:
        file, record = self._source.name, start.record
        if before.time is not None and start.time is not None:
            refuse_backwards(file, record, before.time, start.time)
        if start.number <= before.number:
            problem = f"step {start.number} comes after step {before.number} ({self._place(before.record)})"
            remedy = "Number the steps so that each is greater than the one before."
            if self._clock is not None and self._clock.period is not None:
                remedy = "Two rows lie within one period: give a shorter one, or leave it out to count the rows."
            fail(file, record.line, problem, remedy)

    def _place(self, record: LogRecord) -> str:
        return f"{self._source.name}:{record.line}"

    @property
    def warnings(self) -> tuple[str, ...]:
        """What is strange about the log, as far as it was read, in sentences."""
        reports = self._reports.copy()  # other questions may read more of a large log
        cut = (f"{self._unended} has no line end: it may have been cut in its last cell",) if self._unended else ()
        own = self._reporter.warnings(reports[piece] for piece in sorted(reports))
        found = (*own, *(warning for each in self._joined for warning in each.warnings), *cut)
        if not self._source.is_large:
            return found
        read, rows = sum(self._source.sizes[piece] for piece in reports), self._starts[-1]
        missed = [
            f"no row that was read has the column {quoted(each)}, which [trace.columns] names"
            for each in self._columns.unseen
        ]
        if read == rows:
            return (*found, *missed)
        what = "and what follows is about these" if found or missed else "and nothing is strange about these"
        note = f"the log is large: {read:,} of its {rows:,} rows were read, {what}; {_READS_ALL}"
        return (note, *found, *missed)

    @property
    def relies_on(self) -> tuple[Assumption, ...]:
        """What every answer about this log takes for granted."""
        found: list[Assumption] = []
        mapped = [
            f"{each.name} is {quoted(each.column)}" + (f" in {each.unit}" if each.unit else "")
            for each in self._mapping.columns
        ]
        if mapped:
            more = [f"and {len(mapped) - _SHOWN} more"] if len(mapped) > _SHOWN else []
            found.append(Ledger.MAPPED.of(", ".join((*mapped[:_SHOWN], *more))))
        if self._mapping.joined:
            found.append(Ledger.JOINED.of(", ".join(each.file.name for each in self._mapping.joined)))
        if self._source.is_large or any(joined.is_large for joined in self._joined):
            found.append(Ledger.UNREAD.of())
        return tuple(found)

    @property
    def calls(self) -> Assumption:
        """What every answer takes for granted that goes from one row to the next."""
        if self._mapping.every_call:
            return Ledger.EVERY_CALL.of(", as its manifest says")
        by_clock = self._clock is not None and self._clock.period is not None
        numbers = " between two whose numbers follow each other" if self._numbered or by_clock else ""
        times = " where the times show no gap" if self._clock is not None and not by_clock else ""
        return Ledger.EVERY_CALL.of(numbers + times)


def _distances(starts: Sequence[_Start]) -> list[float]:
    """How far apart rows are, in seconds; nothing if there is no clock."""
    pairs = [(a.time, b.time) for a, b in itertools.pairwise(starts)]
    return [float(later - time) for time, later in pairs if time is not None and later is not None]


def _row_part(rows: Sequence[NumberedRow], names: Sequence[str]) -> SeriesPart:
    """Some variables of rows that were read one by one."""

    def value(row: NumberedRow, name: str) -> int | None:
        if name in row.values.unlogged:
            return None
        return row.values.inputs.get(name, row.values.outputs.get(name))

    def seconds(at: int) -> float:
        time = rows[at].time
        assert time is not None
        return time.seconds

    values = {name: [value(row, name) for row in rows] for name in names}
    return SeriesPart([row.number for row in rows], values, seconds if rows and rows[0].time is not None else None)
