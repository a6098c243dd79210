"""One log in every format that soid reads gives one and the same trace."""

from __future__ import annotations

import contextlib
import json
import os
import struct
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mcap.writer import Writer
from pyarrow import feather, ipc, parquet

from soid.errors import TraceError
from soid.formula import softfloat as sf
from soid.formula.sorts import FLOAT32, FLOAT64
from soid.program.interface import Interface, Role, Variable
from soid.program.trace_table import LogMapping
from soid.program.types import BoolType, EnumType, FloatType, IntType, VariableType
from soid.scenario.logs import arrow_log, mcap_log
from soid.scenario.trace import Trace
from soid.scenario.trace_reader import read

MODE = EnumType("", 8, False, (("IDLE", 0), ("RTH", 1)))
INTERFACE = Interface(
    (
        Variable("s.height", Role.ENVIRONMENT, FloatType(FLOAT64)),
        Variable("s.speed", Role.ENVIRONMENT, FloatType(FLOAT32)),
        Variable("s.points[0]", Role.ENVIRONMENT, IntType(64, signed=True)),
        Variable("s.points[1]", Role.ENVIRONMENT, IntType(64, signed=True)),
        Variable("armed", Role.ENVIRONMENT, BoolType()),
        Variable("mode", Role.STATE, MODE),
        Variable("go", Role.DECISION, BoolType()),
    )
)
Row = dict[str, Any]
SCHEMA = pa.schema(
    {
        "step": pa.int64(),
        "s": pa.struct({"height": pa.float64(), "speed": pa.float32(), "points": pa.list_(pa.int64())}),
        "armed": pa.bool_(),
        "mode": pa.string(),
        "go": pa.bool_(),
    }
)


def single(x: float) -> float:
    return float(struct.unpack("<f", struct.pack("<f", x))[0])


@st.composite
def logs(draw: st.DrawFn) -> list[Row]:
    whole = st.integers(-(1 << 63), (1 << 63) - 1)
    count = draw(st.integers(1, 4))
    speeds = st.floats(width=32, allow_nan=False, allow_infinity=False)
    return [
        {
            "step": 3 * at,
            "s": {
                "height": draw(st.floats(allow_nan=False, allow_infinity=False)),
                "speed": draw(speeds),
                "points": [draw(whole), draw(whole)],
            },
            "armed": draw(st.booleans()),
            "mode": draw(st.sampled_from(["IDLE", "RTH"])),
            "go": draw(st.booleans() | st.none()),
        }
        for at in range(count)
    ]


def flat(row: Row) -> Row:
    inner = row["s"]
    numbers = {"s.height": repr(inner["height"]), "s.speed": repr(inner["speed"])}
    points = {f"s.points[{at}]": point for at, point in enumerate(inner["points"])}
    rest = {name: value for name, value in row.items() if name != "s"}
    return {**rest, **numbers, **points}


def csv_file(file: Path, rows: list[Row]) -> None:
    flats = [flat(row) for row in rows]
    lines = [",".join("" if value is None else str(value) for value in row.values()) for row in flats]
    file.write_text("\n".join([",".join(flats[0]), *lines]))


def jsonl_file(file: Path, rows: list[Row]) -> None:
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))


def table(rows: list[Row]) -> Any:
    return pa.Table.from_pylist(rows, schema=SCHEMA)


def arrow_file(file: Path, rows: list[Row]) -> None:
    with ipc.new_file(str(file), SCHEMA) as writer:
        for row in rows:  # a batch for each
            writer.write_table(table([row]))


def stream_file(file: Path, rows: list[Row]) -> None:
    with ipc.new_stream(str(file), SCHEMA) as writer:
        writer.write_table(table(rows))


def mcap_file(file: Path, rows: list[Row]) -> None:
    with file.open("wb") as out:
        writer = Writer(out)
        writer.start()
        schema = writer.register_schema("Row", "jsonschema", b"{}")
        channel = writer.register_channel("/decisions", "json", schema)
        for at, row in enumerate(rows):
            writer.add_message(channel, log_time=at, publish_time=at, data=json.dumps(row).encode())
        writer.finish()


FILES: dict[str, Callable[[Path, list[Row]], None]] = {
    "jsonl": jsonl_file,
    "csv": csv_file,
    "parquet": lambda file, rows: parquet.write_table(table(rows), file, row_group_size=2),
    "arrow": arrow_file,
    "ipc": stream_file,
    "feather": lambda file, rows: feather.write_feather(table(rows), str(file)),
    "mcap": mcap_file,
}


# pandas and polars are loaded where they are needed: every test process collects this file, and few run these tests


def polars_table(rows: list[Row]) -> Any:
    import polars

    return polars.from_arrow(table(rows))


def pandas_table(rows: list[Row]) -> Any:
    import pandas

    return pandas.DataFrame(table(rows).to_pandas(types_mapper=pandas.ArrowDtype))


TABLES: dict[str, Callable[[list[Row]], Any]] = {"pyarrow": table, "polars": polars_table, "pandas": pandas_table}


@settings(max_examples=10)
@given(logs())
def test_every_format_gives_the_same_trace(tmp_path_factory: pytest.TempPathFactory, rows: list[Row]) -> None:
    folder = tmp_path_factory.getbasetemp()
    traces: dict[str, Trace] = {}
    for ending, write in FILES.items():
        file = folder / f"same-{os.getpid()}.{ending}"
        write(file, rows)
        traces[ending] = read(file, INTERFACE)
    for name, made in TABLES.items():
        traces[name] = read(made(rows), INTERFACE)
    for name, trace in traces.items():
        assert trace == traces["jsonl"], name
        assert all(a.rounded == {} for a in trace), name
    assert [step.time for step in traces["arrow"]] == [row["step"] for row in rows]


@pytest.mark.parametrize("large", [1, 3, 10**6])
@pytest.mark.parametrize("ending", ["parquet", "arrow", "feather"])
def test_a_large_table_is_read_in_pieces(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: str, large: int
) -> None:
    monkeypatch.setattr(arrow_log, "LARGE", large)
    monkeypatch.setattr(arrow_log, "_PIECE", 3)
    inner = {"height": 1.5, "speed": 2.5, "points": [1, 2]}
    rows = [{"step": 2 * at, "s": inner, "armed": at % 2 == 0, "mode": "RTH", "go": None} for at in range(11)]
    FILES[ending](tmp_path / f"log.{ending}", rows)
    trace = read(tmp_path / f"log.{ending}", INTERFACE)
    assert len(trace) == 11
    assert [step.time for step in trace] == [2 * at for at in range(11)]
    step = trace.step(14)
    assert step is not None and step.inputs["armed"] == 0
    assert step.source.endswith(f"log.{ending}:8")
    assert trace.step(15) is None
    assert trace.keyframe(20).step == 20
    assert bool(trace.relies_on) == (large < 11)


@given(st.integers(1, 12), st.integers(1, 5), st.lists(st.integers(0, 10), min_size=1))
@settings(max_examples=30)
def test_a_row_group_is_read_in_parts(
    tmp_path_factory: pytest.TempPathFactory, group: int, part: int, wanted: list[int]
) -> None:
    file = tmp_path_factory.getbasetemp() / f"groups-{os.getpid()}.parquet"
    file.unlink(missing_ok=True)  # what a reader has mapped must not change under it
    parquet.write_table(pa.table({"x": range(11)}), file, row_group_size=group)
    interface = Interface((Variable("x", Role.ENVIRONMENT, IntType(64, signed=True)),))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(arrow_log, "LARGE", 1)
        patch.setattr(arrow_log, "_PIECE", 2)
        patch.setattr(arrow_log, "_PART", part)
        trace = read(file, interface)
        assert [trace.steps[at].inputs["x"] for at in wanted] == wanted
        assert [step.inputs["x"] for step in trace] == list(range(11))
        assert [step.source for step in trace] == [f"{file}:{at + 1}" for at in range(11)]


def test_narrow_floats_stand_for_all_that_are_stored_so() -> None:
    interface = Interface((Variable("x", Role.ENVIRONMENT, FloatType(FLOAT64)),))
    step = read(pa.table({"x": pa.array([0.1], pa.float32())}), interface).steps[0]
    assert step.inputs["x"] == sf.float_to_bits64(single(0.1))
    ends = step.rounded["x"]
    low, high = (sf.bits64_to_float(end) for end in (ends.low, ends.high))
    assert low < 0.1 < single(0.1) < high
    assert single(low + 1e-17) == single(high - 1e-17) == single(0.1)


def test_nan_and_null_are_kept_apart() -> None:
    import pandas
    import polars

    interface = Interface((Variable("x", Role.ENVIRONMENT, FloatType(FLOAT64)),))
    assert read(polars.DataFrame({"x": [float("nan")]}), interface).steps[0].inputs["x"] == FLOAT64.nan
    for nothing in (polars.DataFrame({"x": [None]}), pandas.DataFrame({"x": [1.0, None]})):
        assert read(nothing, interface).steps[-1].unlogged == ("x",)


def test_columns_whose_names_look_nested(tmp_path: Path) -> None:
    kind = IntType(64, signed=True)
    interface = Interface(tuple(Variable(name, Role.ENVIRONMENT, kind) for name in ("s.b", "s.c", "t.x")))
    table = pa.table({"t": [{"x": 3}], "s.c": [2], "s.b": [1], "s.a": [9], "s": [{"z": 8}]})
    parquet.write_table(table, tmp_path / "log.parquet")
    feather.write_feather(table, str(tmp_path / "log.feather"))
    for log in (table, tmp_path / "log.parquet", tmp_path / "log.feather"):
        found = read(log, interface, ignore=("s.a", "s.z")).steps[0].inputs
        assert found == {"s.b": 1, "s.c": 2, "t.x": 3}


def test_what_stands_for_no_value(tmp_path: Path) -> None:
    interface = Interface((Variable("x", Role.ENVIRONMENT, FloatType(FLOAT64), initial=7),))
    mapping = LogMapping(missing=frozenset({"NA", "-999.0"}))
    (tmp_path / "log.csv").write_text("step,x\n1,NA\n2,-999.0\n3,-999\n")
    table = pa.table({"step": [1, 2, 3], "x": [None, -999.0, -998.0]})
    for log in (tmp_path / "log.csv", table):
        assert [step.unlogged for step in read(log, interface, mapping=mapping)] == [("x",), ("x",), ()]


def test_other_types_of_columns() -> None:
    kinds: list[VariableType] = [IntType(64, signed=True), FloatType(FLOAT64), MODE, IntType(8, signed=True)]
    interface = Interface(
        tuple(Variable(name, Role.ENVIRONMENT, kind) for name, kind in zip("abcd", kinds, strict=True))
    )
    columns = {
        "a": pa.array([7.0]),  # pandas makes such a column of whole numbers with one missing
        "b": pa.array([1_500], pa.timestamp("ms")),
        "c": pa.array(["RTH"]).dictionary_encode(),
        "d": pa.array([3]).cast(pa.decimal128(20, 0)),
    }
    assert read(pa.table(columns), interface).steps[0].inputs == {
        "a": 7,
        "b": sf.float_to_bits64(1.5),
        "c": 1,
        "d": 3,
    }
    with pytest.raises(TraceError, match="the column e has values of the type binary"):
        read(pa.table({**columns, "e": pa.array([b"x"])}), interface)


@pytest.mark.parametrize("ending", ["parquet", "arrow", "feather", "mcap"])
@pytest.mark.parametrize("cut", [0, 1, 9, 60, 10**6])
def test_a_file_that_was_cut_off(tmp_path: Path, ending: str, cut: int) -> None:
    file = tmp_path / f"log.{ending}"
    inner = {"height": 1.5, "speed": 2.5, "points": [1, 2]}
    FILES[ending](file, [{"step": 1, "s": inner, "armed": True, "mode": "RTH", "go": None}])
    data = file.read_bytes()
    file.write_bytes(data[: len(data) - cut] if cut else b"")
    with pytest.raises(TraceError) as caught:
        read(file, INTERFACE)
    assert "cannot be read" in str(caught.value) and caught.value.remedy


def test_places_beyond_the_data_of_a_column_are_refused(tmp_path: Path) -> None:
    """What lies in the memory there would be read: words of another program, or nothing at all."""
    one, two = (pa.py_buffer(struct.pack("<3i", 0, end, 2)) for end in (1, 4000))
    damaged: dict[str, pa.Array] = {
        "text": pa.StringArray.from_buffers(2, two, pa.py_buffer(b"ab")),
        "encoding": pa.StringArray.from_buffers(2, one, pa.py_buffer(b"a\xff")),
        "list": pa.ListArray.from_buffers(pa.list_(pa.int64()), 2, [None, two], children=[pa.array([1, 2])]),
    }
    interface = Interface((Variable("x", Role.ENVIRONMENT, IntType(64, signed=True)),))
    for name, column in damaged.items():
        table = pa.table({"x": [1, 2], name: column})
        feather.write_feather(table, str(tmp_path / "log.feather"))
        with ipc.new_stream(tmp_path / "log.arrow", table.schema) as stream:
            stream.write_table(table)
        for log in (table, tmp_path / "log.feather", tmp_path / "log.arrow"):
            with pytest.raises(TraceError, match="cannot be read"):
                read(log, interface, ignore=(name,))


@pytest.mark.parametrize("ending", ["parquet", "arrow", "feather", "mcap"])
@given(data=st.data())
@settings(max_examples=15)
def test_a_damaged_file_is_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, ending: str, data: st.DataObject
) -> None:
    file = tmp_path_factory.getbasetemp() / f"damaged-{os.getpid()}.{ending}"
    inner = {"height": 1.5, "speed": 2.5, "points": [1, 2]}
    FILES[ending](file, [{"step": 1, "s": inner, "armed": True, "mode": "RTH", "go": None}])
    whole = bytearray(file.read_bytes())
    whole[data.draw(st.integers(0, len(whole) - 1))] ^= data.draw(st.integers(1, 255))
    file.unlink()  # what a reader has mapped must not change under it
    file.write_bytes(whole)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(mcap_log, "LARGE", data.draw(st.sampled_from([0, 1000])))
        with contextlib.suppress(TraceError):  # it is read or refused in words; any other error fails
            list(read(file, INTERFACE))


def test_several_threads_read_one_row_group(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrow_log, "LARGE", 1)
    monkeypatch.setattr(arrow_log, "_PIECE", 16)
    monkeypatch.setattr(arrow_log, "_PART", 64)
    parquet.write_table(pa.table({"x": range(2000)}), tmp_path / "log.parquet")
    trace = read(tmp_path / "log.parquet", Interface((Variable("x", Role.ENVIRONMENT, IntType(64, signed=True)),)))
    with ThreadPoolExecutor(4) as pool:
        walks = [pool.submit(lambda: [step.inputs["x"] for step in trace]) for _ in range(4)]
        asked = [trace.steps[at].inputs["x"] for at in range(0, 2000, 37)]
        assert all(walk.result() == list(range(2000)) for walk in walks)
    assert asked == list(range(0, 2000, 37))


def test_what_is_no_table_is_refused_in_words() -> None:
    class Wide:
        def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
            raise OverflowError("Python int too large to convert to C long")

    interface = Interface((Variable("x", Role.ENVIRONMENT, IntType(64, signed=True)),))
    with pytest.raises(TraceError, match="the table cannot be read: Python int too large"):
        read(Wide(), interface)
    no_table: Any = {"x": [1]}
    with pytest.raises(TraceError, match="a log is a file or a table, and not a dict") as caught:
        read(no_table, interface)
    assert "pandas" in caught.value.remedy
