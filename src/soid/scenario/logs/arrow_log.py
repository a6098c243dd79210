"""Logs that pyarrow reads: Parquet, Arrow and Feather files, and tables of pandas, polars and pyarrow.

A large one is read in pieces: of a file only the row groups or batches with the steps that are asked for. Whole
numbers become text and floats stay as they are stored, so nothing is rounded on the way. A timestamp or duration is its
number of seconds. Structs and lists are nested values, as in JSON. A null is not logged. pandas writes missing numbers
as NaN, and pyarrow takes its NaN for a null: a NaN that was logged is kept in polars and arrow tables, and in files.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any, Final, final

from soid.errors import EnvironmentalError, TraceError
from soid.formula import softfloat as sf
from soid.formula.sorts import FLOAT16, FLOAT32, FLOAT64
from soid.scenario.log_formats import Literal, LogRecord, StoredFloat, flat_cells, quoted
from soid.scenario.logs.cell_columns import CellColumn, CellColumns
from soid.scenario.logs.text_log import opened

try:
    import pyarrow as pa
    from pyarrow import ipc, parquet
except ImportError as missing:
    problem = f"reading this log needs pyarrow, which is not installed ({missing.name})"
    raise EnvironmentalError(problem, "Install it with: pip install 'soid[logs]'") from missing

_PIECE: Final = 4096  # rows of a piece
_PART: Final = 1 << 18  # rows of a row group that are read at once
LARGE: Final = 1 << 17  # rows from which on a table is large
_FLOATS: Final = {
    pa.float16(): (FLOAT16, pa.uint16()),
    pa.float32(): (FLOAT32, pa.uint32()),
    pa.float64(): (FLOAT64, pa.uint64()),
}
_PER_SECOND: Final = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}


@final
class ArrowLog:
    """A table in blocks of rows."""

    def __init__(
        self,
        name: str,
        names: Sequence[str],
        blocks: Sequence[int],
        block: Callable[[int], Any],
        ignore: frozenset[str],
    ) -> None:
        self.name = name
        self._names, self._ignore = tuple(names), ignore
        self._block = block  # gives the rows of a block as a table
        self._held: tuple[int, Any] | None = None  # the block that was read last
        for column in names:
            if names.count(column) > 1:
                problem = f"{name}: there are two columns {quoted(column)}"
                raise TraceError(problem, "Give each variable one column.")
        self.is_large = sum(blocks) > LARGE
        step = _PIECE if self.is_large else max(sum(blocks), 1)
        cuts = [
            (at, start, min(step, rows - start)) for at, rows in enumerate(blocks) for start in range(0, rows, step)
        ]
        self._pieces = cuts
        self._starts = [0, *itertools.accumulate(blocks)]

    @classmethod
    def of_table(cls, table: Any, ignore: frozenset[str]) -> ArrowLog:
        try:
            whole = pa.table(table)
        except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
            raise TraceError(f"the table cannot be read: {error}", "Give each column values of one type.") from None
        return cls("the table", whole.column_names, [whole.num_rows], lambda _: whole, ignore)

    @classmethod
    def of_file(cls, path: Path, ignore: frozenset[str]) -> ArrowLog:
        opened(path).close()  # errors say what is wrong with the file
        try:
            return _parquet(path, ignore) if path.suffix.lower() in (".parquet", ".pq") else _batches(path, ignore)
        except (pa.ArrowException, OSError, ValueError) as error:
            raise _unreadable(path, error) from None

    @property
    def sizes(self) -> Sequence[int]:
        return [count for _, _, count in self._pieces]

    def records(self, piece: int) -> Iterator[LogRecord]:
        if self.is_large:
            yield from self._cut(self._pieces[piece])
        else:
            for cut in self._pieces:
                yield from self._cut(cut)

    def cells(self, piece: int) -> CellColumns | None:
        block, start, count = self._pieces[piece]
        try:
            rows = self._rows(block, start, count)
        except (pa.ArrowException, OSError, ValueError):
            return None
        if any(pa.types.is_nested(kind) for kind in rows.schema.types):
            return None
        keys = tuple(name for name in self._names if name not in self._ignore)
        return CellColumns(keys, count, lambda key: _cell_column(rows.column(key)))

    def _cut(self, cut: tuple[int, int, int]) -> Iterator[LogRecord]:
        block, start, count = cut
        line = self._starts[block] + start + 1
        for part, rows in ((start, 1), (start + 1, count - 1)):  # often only the first row of a piece is wanted
            for row in zip(*self._columns(block, part, rows), strict=True):
                cells = dict(zip(self._names, row, strict=True))
                yield LogRecord(line, flat_cells(self.name, line, cells, self._ignore), line, columns=self._names)
                line += 1

    def _columns(self, block: int, start: int, count: int) -> list[list[Any]]:
        try:
            rows = self._rows(block, start, count)
            return [_values(self.name, name, rows.column(name)) for name in self._names]
        except (pa.ArrowException, OSError, ValueError, OverflowError) as error:
            raise _unreadable(self.name, error) from None

    def _rows(self, block: int, start: int, count: int) -> Any:
        held = self._held
        if held is None or held[0] != block:
            held = block, self._block(block)
            # pyarrow takes places in a damaged file as they are, and reads the memory beyond it
            held[1].validate(full=True)
            self._held = held
        return held[1].slice(start, count)


def _unreadable(path: Path | str, error: Exception) -> TraceError:
    remedy = "Get the whole file: the end of such a file says what is in it."
    return TraceError(f"{path}: cannot be read: {(str(error).splitlines() or [type(error).__name__])[0][:200]}", remedy)


def _parquet(path: Path, ignore: frozenset[str]) -> ArrowLog:
    file = parquet.ParquetFile(path, memory_map=True)
    names = [name for name in file.schema_arrow.names if name not in ignore]
    groups = [file.metadata.row_group(at).num_rows for at in range(file.num_row_groups)]
    parts = [(at, start, min(_PART, rows - start)) for at, rows in enumerate(groups) for start in range(0, rows, _PART)]
    reader = _GroupReader(file, names)
    return ArrowLog(str(path), names, [count for _, _, count in parts], lambda at: reader.read(*parts[at]), ignore)


@final
class _GroupReader:
    """Reads parts of the row groups of a Parquet file; a part before the last one takes reading its group again."""

    def __init__(self, file: Any, names: Sequence[str]) -> None:
        self._file, self._names = file, names
        self._group, self._row = -1, 0  # where the batches go on
        self._batches: Iterator[Any] = iter(())
        self._lock = threading.Lock()  # several questions may look at one log

    def read(self, group: int, start: int, count: int) -> Any:
        with self._lock:
            return pa.Table.from_batches(self._taken(group, start, count))

    def _taken(self, group: int, start: int, count: int) -> list[Any]:
        if group != self._group or start < self._row:
            self._group, self._row = group, 0
            self._batches = self._file.iter_batches(_PART, row_groups=[group], columns=self._names)
        found: list[Any] = []
        while count and (batch := next(self._batches, None)) is not None:
            part = batch.slice(start - self._row, count)  # a batch may have fewer rows than were asked for
            rest = batch.slice(start - self._row + part.num_rows)
            self._row += batch.num_rows - rest.num_rows
            if rest.num_rows:
                self._batches = itertools.chain([rest], self._batches)
            start, count = max(start, self._row), count - part.num_rows
            if part.num_rows:  # else it would keep the memory of a batch that is passed over
                found.append(part)
        if count:
            raise OSError("a row group has fewer rows than the file says")
        return found


def _batches(path: Path, ignore: frozenset[str]) -> ArrowLog:
    memory = pa.memory_map(str(path))
    try:
        reader = ipc.open_file(memory)
    except pa.ArrowInvalid:  # it is no file with an index: it may be a stream
        memory.seek(0)
        whole = ipc.open_stream(memory).read_all()
        return ArrowLog(str(path), whole.column_names, [whole.num_rows], lambda _: whole, ignore)
    rows: list[int] = []
    for at in range(reader.num_record_batches):
        batch = reader.get_batch(at)
        batch.validate()  # else it may say that it has more rows than there is memory for
        rows.append(batch.num_rows)
    return ArrowLog(str(path), reader.schema.names, rows, reader.get_batch, ignore)


def _values(file: str, name: str, column: Any) -> list[Any]:
    """The values of a column as cells, or as nested values of cells; None: not logged."""
    kind = column.type
    if pa.types.is_dictionary(kind):
        column = column.cast(kind.value_type)
        kind = column.type
    if kind in _FLOATS:
        form, bits = _FLOATS[kind]
        chunks = column.chunks if isinstance(column, pa.ChunkedArray) else [column]
        stored = [value for chunk in chunks for value in chunk.view(bits).to_pylist()]
        return [None if value is None else StoredFloat(form, value) for value in stored]
    if pa.types.is_timestamp(kind) or pa.types.is_duration(kind) or pa.types.is_time(kind):
        wide = pa.int32() if pa.types.is_time32(kind) else pa.int64()
        counts = column.cast(wide).to_pylist()
        return [None if value is None else _seconds(value, _PER_SECOND[kind.unit]) for value in counts]
    return [_cell(file, name, kind, value) for value in column.to_pylist()]


#: how a buffer of whole numbers is read
_NUMBERS: Final = {
    pa.int8(): "b", pa.int16(): "h", pa.int32(): "i", pa.int64(): "q",
    pa.uint8(): "B", pa.uint16(): "H", pa.uint32(): "I", pa.uint64(): "Q",
}  # fmt: skip


def _cell_column(column: Any) -> CellColumn | None:
    """A column as plain numbers of Python; None if it has missing values, or others than numbers, labels and words.

    The buffers are read as they are: a value of pyarrow's own for each cell takes ten times as long.
    """
    array = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    kind = array.type
    if array.null_count:
        return None
    if kind in _FLOATS:
        form, bits = _FLOATS[kind]
        return CellColumn(_plain(array.view(bits)), lambda cell: StoredFloat(form, cell), form)
    if kind in _NUMBERS:
        return CellColumn(_plain(array), str)
    if pa.types.is_boolean(kind):
        return CellColumn(_plain(array.cast(pa.uint8())), bool)
    if pa.types.is_timestamp(kind) or pa.types.is_duration(kind):
        per_second = _PER_SECOND[kind.unit]
        return CellColumn(_plain(array.cast(pa.int64())), lambda cell: _seconds(cell, per_second))
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        array = array.dictionary_encode()
    elif not (pa.types.is_dictionary(kind) and pa.types.is_string(kind.value_type)):
        return None
    words = array.dictionary.to_pylist()
    places = _plain(array.indices.cast(pa.int64()))
    return None if None in words else CellColumn(list(map(words.__getitem__, places)), str)


def _plain(array: Any) -> list[int]:
    """The whole numbers of an array without nulls."""
    size = array.type.bit_width // 8
    data = memoryview(array.buffers()[1])[array.offset * size : (array.offset + len(array)) * size]
    numbers: list[int] = data.cast(_NUMBERS[array.type]).tolist()  # type: ignore[call-overload]  # such formats
    return numbers


def _cell(file: str, name: str, kind: Any, value: Any) -> Any:
    """A value that pyarrow gives as a value of Python."""
    if value is None or isinstance(value, str | bool):
        return value
    if isinstance(value, int):
        return str(value)
    if isinstance(value, Decimal):
        return format(value, "f")
    if isinstance(value, float):
        form, bits = _FLOATS[kind][0], sf.float_to_bits64(value)
        return StoredFloat(form, bits if form == FLOAT64 else sf.convert(FLOAT64, form, bits))
    if pa.types.is_struct(kind) and isinstance(value, dict):
        return {key: _cell(file, name, kind.field(key).type, inner) for key, inner in value.items()}
    if isinstance(value, list) and hasattr(kind, "value_type"):
        return [_cell(file, name, kind.value_type, inner) for inner in value]
    problem = f"{file}: the column {quoted(name)} has values of the type {kind}, which no variable has"
    raise TraceError(problem, f'Leave it out: [trace] ignore = ["{quoted(name)}"].')


def _seconds(count: int, per_second: int) -> Literal:
    """So many parts of a second in seconds, exactly."""
    whole, part = divmod(abs(count), per_second)
    digits = f".{part:0{len(str(per_second)) - 1}d}" if part else ""
    return f"{'-' if count < 0 else ''}{whole}{digits}"
