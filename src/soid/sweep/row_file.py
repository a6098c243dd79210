"""The file of a sweep: rows are written as they come, and a sweep that was stopped goes on there.

JSONL and CSV grow row by row. Parquet cannot: its rows are kept beside it as JSONL until the sweep is done, or stopped.
What the rows are about (program, logs, questions) is kept beside the file too, so that no rows of another program are
taken for these.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, final

from msgspec import DecodeError, convert
from msgspec.json import Encoder, decode

from soid.cache import write_atomically
from soid.documents import json_of
from soid.errors import EnvironmentalError, InputError
from soid.sweep.sweep_row import SweepRow

if TYPE_CHECKING:
    import pyarrow as pa

_PARQUET: Final = (".parquet", ".pq")
_CSV: Final = ".csv"
_JSONL: Final = (".jsonl", ".ndjson")
COLUMNS: Final = SweepRow.__struct_fields__
_ABOUT: Final = ".about.json"
_ROWS: Final = ".rows.jsonl"  # of a Parquet file that is not written yet
_SEPARATOR: Final = "; "  # between names of inputs in a cell


@final
class RowFile:
    """Where the rows of a sweep are written, or nowhere."""

    def __init__(self, file: Path | None, about: Mapping[str, Any], *, resume: bool = False) -> None:
        self.file = file
        self.known: tuple[SweepRow, ...] = ()
        self._rows: list[SweepRow] = []
        if file is None:
            return
        self._journal = file.with_name(file.name + _ROWS) if _is_parquet(file) else file
        self._about = file.with_name(file.name + _ABOUT)
        if not _is_parquet(file) and file.suffix.lower() not in (_CSV, *_JSONL):
            raise InputError(
                f"{file}: rows are written as CSV, JSONL or Parquet", "Let it end in .csv, .jsonl or .parquet."
            )
        if _is_parquet(file):
            arrow()  # to say now that it is missing, and not in the end
        exists = any(each.exists() for each in (file, self._journal))
        if exists and not resume:
            raise InputError(f"{file} exists already", "Go on there with --resume, or name another file.")
        try:
            self.known = self._read(about) if exists else ()
            self._open(about)
        except OSError as cause:
            raise InputError(f"{file} cannot be written: {cause.strerror or cause}", "Name another file.") from cause

    def _read(self, about: Mapping[str, Any]) -> tuple[SweepRow, ...]:
        """The rows that are there, after a check that they are about the same."""
        try:
            before = json.loads(self._about.read_bytes())
        except (OSError, ValueError):
            problem = f"{self.file} is no sweep that can go on: {self._about.name} is not beside it"
            raise InputError(problem, "Name another file.") from None
        for name, value in about.items():
            if value is None or before.get(name) != value:
                problem = f"the rows of {self.file} are about another {name.removesuffix('s')}"
                raise InputError(problem, "Sweep into another file.")
        assert self.file is not None
        place = self._journal if self._journal.exists() else self.file
        return tuple(
            _from_csv(place)
            if place.suffix == _CSV
            else _from_parquet(place)
            if _is_parquet(place)
            else _from_json(place)
        )

    def _open(self, about: Mapping[str, Any]) -> None:
        """Write what is there anew, which leaves out a row that was cut off; then go on behind it."""
        write_atomically(self._about, json.dumps(about, indent=1).encode(), 0o644)
        begin = self._text([COLUMNS]) if self._journal.suffix == _CSV else ""
        write_atomically(self._journal, (begin + "".join(map(self._line, self.known))).encode(), 0o644)

    def write(self, row: SweepRow) -> None:
        self._rows.append(row)
        if self.file is not None:
            with self._journal.open("a", encoding="utf-8", newline="") as journal:
                journal.write(self._line(row))

    def close(self) -> tuple[SweepRow, ...]:
        """All rows, those of earlier runs first; a Parquet file is written."""
        rows = (*self.known, *self._rows)
        if self.file is not None and self._journal != self.file:
            arrow().parquet.write_table(table(rows), self.file)
            self._journal.unlink()
        return rows

    def _line(self, row: SweepRow) -> str:
        return self._text([_cells(row)]) if self._journal.suffix == _CSV else _JSON.encode(row).decode() + "\n"

    def _text(self, rows: Iterable[Sequence[object]]) -> str:
        written = io.StringIO()
        csv.writer(written, lineterminator="\n").writerows(rows)
        return written.getvalue()


def table(rows: Sequence[SweepRow]) -> pa.Table:
    """The rows as an Arrow table: what is changed as a list, the scenario as JSON."""
    pa = arrow().pa
    kinds = {"step": pa.int64(), "seconds": pa.float64(), "changed": pa.list_(pa.string())}
    schema = pa.schema([(name, kinds.get(name, pa.string())) for name in COLUMNS])
    columns = [json_of(row) | {"witness": _JSON.encode(row.witness).decode()} for row in rows]
    return pa.Table.from_pylist(columns, schema=schema)


@final
class _Arrow:
    """pyarrow, which is an extra."""

    def __init__(self) -> None:
        import pyarrow as pa
        from pyarrow import parquet

        self.pa, self.parquet = pa, parquet


def arrow() -> _Arrow:
    try:
        return _Arrow()
    except ImportError as missing:
        problem = f"a sweep as Parquet or as an Arrow table needs pyarrow, which is not installed ({missing.name})"
        raise EnvironmentalError(
            problem, "Install it with: pip install 'soid[logs]'. CSV and JSONL need nothing."
        ) from missing


_JSON: Final = Encoder()


def _is_parquet(file: Path) -> bool:
    return file.suffix.lower() in _PARQUET


def _cells(row: SweepRow) -> list[object]:
    """A row as cells of a CSV file."""
    cells = {**json_of(row), "changed": _SEPARATOR.join(row.changed), "witness": _JSON.encode(row.witness).decode()}
    return ["" if cells[name] is None else cells[name] for name in COLUMNS]


def _from_json(file: Path) -> Iterator[SweepRow]:
    with file.open("rb") as lines:
        for line in lines:
            with suppress(DecodeError):  # the last one, which was cut off
                yield decode(line, type=SweepRow)


def _from_csv(file: Path) -> Iterator[SweepRow]:
    whole, _, _ = file.read_text(encoding="utf-8").rpartition("\n")  # the last line may have been cut off
    for cells in csv.DictReader(io.StringIO(whole)):
        yield _row(
            {
                **cells,
                "step": int(cells["step"]) if cells["step"] else None,
                "seconds": float(cells["seconds"]),
                "changed": cells["changed"].split(_SEPARATOR) if cells["changed"] else [],
            }
        )


def _from_parquet(file: Path) -> Iterator[SweepRow]:
    return map(_row, arrow().parquet.read_table(file).to_pylist())


def _row(cells: Mapping[str, Any]) -> SweepRow:
    return convert({**cells, "witness": json.loads(cells["witness"])}, SweepRow)
