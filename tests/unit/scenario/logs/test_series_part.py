"""What is read column by column is what the steps have; what is wrong with a row is told as its step tells it."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import feather, parquet

from soid.errors import TraceError
from soid.formula.sorts import FLOAT32, FLOAT64
from soid.program.interface import Interface, Role, Variable
from soid.program.trace_table import LogClock, LogMapping, MappedColumn
from soid.program.types import BoolType, EnumType, FloatType, IntType
from soid.scenario import log_series
from soid.scenario.log_series import parts_between, series_columns
from soid.scenario.logs import arrow_log, text_log
from soid.scenario.logs.log_rows import LogRows, NumberedRow
from soid.scenario.trace import Trace
from soid.scenario.trace_reader import read

SIGNAL = EnumType("signal", width=32, signed=False, labels=(("OFF", 0), ("LEFT", 1), ("RIGHT", 2)))
INTERFACE = Interface(
    (
        Variable("speed", Role.ENVIRONMENT, FloatType(FLOAT32), unit="m/s"),
        Variable("exact", Role.ENVIRONMENT, FloatType(FLOAT64)),
        Variable("gap", Role.ENVIRONMENT, IntType(16, signed=True)),
        Variable("seen.signal", Role.ENVIRONMENT, SIGNAL),
        Variable("count", Role.STATE, IntType(8, signed=False)),
        Variable("stop", Role.DECISION, BoolType()),
    )
)
MAPPING = LogMapping(
    columns=(MappedColumn("speed", "kmh", unit="km/h", decimals=1), MappedColumn("gap", "gap")),
    clock=LogClock("t", "ms"),
    missing=frozenset({"-"}),
)
ROWS = 60


def rows(seed: int) -> list[dict[str, Any]]:
    draw = random.Random(seed)
    found, step, time = [], draw.randrange(9), 1000
    for _ in range(ROWS):
        step, time = step + draw.choice((1, 1, 3)), time + draw.choice((0, 50, 100))
        row: dict[str, Any] = {
            "step": step,
            "t": time,
            "kmh": draw.choice((-3.5, 0.0, round(draw.uniform(-90, 90), 1))),
            "exact": draw.choice((-0.0, 1e300, draw.gauss(0, 1))),
            "gap": draw.randrange(-40, 40),
            "seen.signal": draw.choice(("OFF", "LEFT", "RIGHT")),
            "stop": draw.random() < 0.3,
            "note": "x: [1]",
        }
        found.append(row)
    return found


Rows = list[dict[str, Any]]
Change = Callable[[dict[str, Any]], dict[str, Any]]


def text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def csv(file: Path, found: Rows, end: str = "\n") -> None:
    lines = [",".join(found[0]), *(", ".join(map(text, row.values())) for row in found)]
    file.write_text(end.join([*lines, ""]), newline="")


def jsonl(file: Path, found: Rows) -> None:
    file.write_text("".join(json.dumps(row) + "\n" for row in found))


def arrow(file: Path, found: Rows) -> None:
    table = pa.Table.from_pylist(found)
    if file.suffix == ".parquet":
        parquet.write_table(table, file, row_group_size=25)
    else:
        feather.write_feather(table, file, chunksize=25)


def without(row: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in row.items() if key != name}


def some(found: Rows, change: Change) -> Rows:
    return [change(row) if n % 7 == 3 else row for n, row in enumerate(found)]


def nested(row: dict[str, Any]) -> dict[str, Any]:
    return {**without(row, "seen.signal"), "seen": {"signal": row["seen.signal"]}}


WRITERS: dict[str, Callable[[Path, Rows], None]] = {
    "log.csv": csv,
    "lines.csv": lambda file, found: csv(file, found, "\r\n"),
    "gaps.csv": lambda file, found: csv(file, some(found, lambda row: {**row, "gap": "-", "exact": ""})),
    "log.jsonl": jsonl,
    "nested.jsonl": lambda file, found: jsonl(file, list(map(nested, found))),
    "gaps.jsonl": lambda file, found: jsonl(file, some(found, lambda row: without(row, "gap"))),
    "log.parquet": arrow,
    "log.feather": arrow,
    "gaps.feather": lambda file, found: arrow(file, some(found, lambda row: {**row, "gap": None})),
}


@pytest.fixture
def pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every log is large, and its pieces are small."""
    monkeypatch.setattr(text_log, "LARGE", -1)
    monkeypatch.setattr(text_log, "PIECE", 300)
    monkeypatch.setattr(arrow_log, "LARGE", -1)
    monkeypatch.setattr(arrow_log, "_PIECE", 10)


@pytest.fixture
def read_slowly(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The pieces whose rows are read one by one."""
    found: list[int] = []
    piece = LogRows.piece

    def noted(rows: LogRows, number: int) -> tuple[NumberedRow, ...]:
        found.append(number)
        return piece(rows, number)

    monkeypatch.setattr(LogRows, "piece", noted)
    return found


def opened(file: Path) -> Trace:
    return read(file, INTERFACE, ignore=("note",), mapping=MAPPING)


def by_variable(trace: Trace, begin: int, end: int) -> tuple[list[int], dict[str, list[int | None]], list[float]]:
    columns = series_columns(trace.interface, ())
    numbers: list[int] = []
    values: dict[str, list[int | None]] = {column.name: [] for column in columns}
    seconds: list[float] = []
    for part in parts_between(trace, columns, begin, end):
        numbers += part.numbers
        for name, found in part.values.items():
            values[name] += found
        assert part.seconds is not None
        seconds += map(part.seconds, range(len(part.numbers)))
    return numbers, values, seconds


@pytest.mark.usefixtures("pieces")
@pytest.mark.parametrize("name", WRITERS)
def test_they_are_what_the_steps_have(name: str, tmp_path: Path, read_slowly: list[int]) -> None:
    columns = series_columns(INTERFACE, ())
    for seed in range(3):
        file = tmp_path / name
        WRITERS[name](file, rows(seed))
        trace = opened(file)
        assert trace.columns is not None and len(trace.columns[1]) > 4
        read_slowly.clear()
        by_variable(trace, 0, ROWS)
        assert len(set(read_slowly)) <= 1 or name == "gaps.feather"  # the first, which tells what the columns are
        for begin, end in ((0, ROWS), (7, 31), (ROWS - 1, ROWS)):
            steps = list(trace)[begin:end]
            numbers, values, seconds = by_variable(trace, begin, end)
            assert numbers == [step.time for step in steps]
            assert values == {column.name: [column.of(step) for step in steps] for column in columns}
            assert seconds == [step.when.seconds for step in steps if step.when is not None]


STORED_NUMBERS = (pa.float32(), pa.float64(), pa.timestamp("ms"), pa.duration("us"), pa.int32(), pa.large_string())


@pytest.mark.usefixtures("pieces")
@pytest.mark.parametrize("kind", STORED_NUMBERS, ids=str)
def test_numbers_of_steps_are_what_they_mean_and_not_what_they_are_stored_as(kind: pa.DataType, tmp_path: Path) -> None:
    file = tmp_path / "log.parquet"
    table = pa.Table.from_pylist(rows(4))
    stored = table["step"]
    if pa.types.is_temporal(kind):  # such a value is its number of seconds
        stored = pa.array([step * {"ms": 10**3, "us": 10**6}[kind.unit] for step in stored.to_pylist()])
    parquet.write_table(table.set_column(0, "step", stored.cast(kind)), file)
    trace = opened(file)
    assert by_variable(trace, 0, ROWS)[0] == [step.time for step in trace] == [row["step"] for row in rows(4)]


def late(change: Change, found: Rows) -> Rows:
    """The rows with one of the second half changed."""
    return [*found[:40], change(found[40]), *found[41:]]


WRONG: list[tuple[str, Change, str]] = [
    ("log.csv", lambda row: {**row, "gap": "3.5"}, "gap"),
    ("log.csv", lambda row: {**row, "gap": "99999"}, "gap"),
    ("log.csv", lambda row: {**row, "kmh": "1_0"}, "kmh"),
    ("log.csv", lambda row: {**row, "kmh": "3.25"}, "decimals"),
    ("log.csv", lambda row: {**row, "step": 3}, "comes after step"),
    ("log.csv", lambda row: {**row, "step": ""}, "some have none"),
    ("log.csv", lambda row: {**row, "t": 7}, "the clock runs back"),
    ("log.csv", lambda row: {**row, "t": "1_000_000"}, "expected a time"),
    ("log.csv", lambda row: {**row, "note": 'a"b', "gap": "x"}, "gap"),
    ("log.csv", lambda row: without(row, "note"), "the row has 7 cells"),
    ("log.jsonl", lambda row: {**row, "gap": "x"}, "gap"),
    ("log.jsonl", lambda row: {**row, "other": 3}, "other is no variable"),
    ("log.jsonl", lambda row: {**row, "seen": {"signal": "LEFT"}}, "given twice"),
    ("log.parquet", lambda row: {**row, "seen.signal": "UP"}, "UP"),
    ("log.parquet", lambda row: {**row, "step": 3}, "comes after step"),
    ("log.feather", lambda row: {**row, "t": 3}, "the clock runs back"),
]


@pytest.mark.usefixtures("pieces")
@pytest.mark.parametrize(("name", "change", "complaint"), WRONG)
def test_what_is_wrong_with_a_row_is_told_as_its_step_tells_it(
    name: str, change: Change, complaint: str, tmp_path: Path
) -> None:
    file = tmp_path / name
    WRITERS[name](file, late(change, rows(5)))
    told = []
    for do in (lambda trace: list(trace), lambda trace: by_variable(trace, 0, ROWS)):
        with pytest.raises(TraceError) as found:
            do(opened(file))
        told.append((found.value.cause, found.value.remedy))
    assert told[0] == told[1] and complaint in told[0][0]


def test_a_key_twice_is_told(tmp_path: Path, pieces: None) -> None:
    file = tmp_path / "log.jsonl"
    jsonl(file, rows(1))
    lines = file.read_text().splitlines(keepends=True)
    lines[40] = lines[40].replace('"note"', '"gap": 3, "note"')
    file.write_text("".join(lines))
    with pytest.raises(TraceError, match="given twice"):
        by_variable(opened(file), 0, ROWS)


def test_only_what_is_asked_for_is_converted(tmp_path: Path, pieces: None) -> None:
    file = tmp_path / "log.csv"
    csv(file, late(lambda row: {**row, "gap": "x"}, rows(5)))
    trace = opened(file)
    read_part, sizes = trace.columns or (None, ())
    assert read_part is not None
    found = [read_part(number, ["stop"]) for number in range(len(sizes))]
    assert sum(len(part.numbers) for part in found) == ROWS


def test_a_small_log_is_read_from_its_steps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_series, "_PART", 7)
    file = tmp_path / "log.csv"
    csv(file, rows(2))
    trace = opened(file)
    assert trace.columns is None
    numbers, _, seconds = by_variable(trace, 3, 33)
    assert numbers == [step.time for step in trace.steps[3:33]] and len(seconds) == 30
