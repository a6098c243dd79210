"""What a log writes, as it is: before units, digits and joined files become values."""

from __future__ import annotations

from pathlib import Path

import pytest

from soid.errors import TraceError
from soid.formula.sorts import FLOAT32
from soid.program.interface import Interface, Role, Variable
from soid.program.trace_table import JoinedLog, LogClock, LogMapping, MappedColumn
from soid.program.types import FloatType, IntType
from soid.scenario.logs import text_log
from soid.scenario.trace import Trace
from soid.scenario.trace_reader import read

INTERFACE = Interface(
    (
        Variable("height", Role.ENVIRONMENT, FloatType(FLOAT32), unit="m", initial=0),
        Variable("s.sats", Role.ENVIRONMENT, IntType(32, True), initial=0),
        Variable("mode", Role.DECISION, IntType(32, True)),
    )
)
HEIGHT = MappedColumn("height", "h", "ft", {}, 2)


def cells(trace: Trace, name: str) -> list[object]:
    assert trace.written is not None
    column = trace.written(["height", "s.sats", "mode"])[name]
    return [column.cell(place) for place in range(len(trace))]


@pytest.mark.parametrize("large", [False, True])
def test_a_table_and_a_joined_file(monkeypatch, tmp_path: Path, large: bool):
    if large:
        monkeypatch.setattr(text_log, "LARGE", -1)
        monkeypatch.setattr(text_log, "PIECE", 8)
    (tmp_path / "log.csv").write_text("t,h,mode\n0,1.50,1\n1,NA,0\n2,2.25,1\n3,,0\n")
    (tmp_path / "gps.csv").write_text("t,sats\n0,7\n2,9\n")
    joined = JoinedLog(tmp_path / "gps.csv", LogClock("t"), "gps.")
    columns = (HEIGHT, MappedColumn("s.sats", "gps.sats"))
    mapping = LogMapping(columns, LogClock("t"), (joined,), missing=frozenset({"NA"}))
    trace = read(tmp_path / "log.csv", INTERFACE, mapping=mapping)
    assert trace.steps[0].decisions["mode"] == 1  # the names of columns that are not mapped are known from rows
    assert cells(trace, "height") == ["1.50", None, "2.25", None]
    assert cells(trace, "s.sats") == ["7", "7", "9", "9"]
    assert cells(trace, "mode") == ["1", "0", "1", "0"]
    assert trace.written is not None
    found = trace.written(["height", "mode", "nothing"])
    assert (found["height"].mapped, found["height"].is_mapped) == (HEIGHT, True)
    assert (found["mode"].mapped, found["mode"].is_mapped) == (MappedColumn("mode", "mode"), False)
    assert "nothing" not in found


def test_a_column_is_called_as_the_log_spells_it(tmp_path: Path):
    (tmp_path / "log.jsonl").write_text('{"height": 1.5, "s": {"sats": 3}, "mode": 1}\n')
    trace = read(tmp_path / "log.jsonl", INTERFACE)
    assert trace.written is not None
    column = trace.written(["s.sats"])["s.sats"]
    assert (column.mapped.column, column.cell(0)) == ("s.sats", "3")


def test_a_log_that_has_changed_since_is_refused(tmp_path: Path):
    file = tmp_path / "log.csv"
    file.write_text("height,s.sats,mode\n1,2,3\n")
    trace = read(file, INTERFACE)
    file.write_text("height,s.sats,mode\n1,2,3\n1,2,3\n")
    assert trace.written is not None
    with pytest.raises(TraceError, match="2 rows were read where 1 were before"):
        trace.written(["mode"])
