"""A column that the manifest maps and that has another name in the log: the error tells that it is missing."""

from __future__ import annotations

from pathlib import Path

import pytest

from soid.errors import TraceError
from soid.program.interface import Interface, Role, Variable
from soid.program.trace_table import EVERYTHING, LogMapping, MappedColumn
from soid.program.types import IntType
from soid.scenario.logs import arrow_log, mcap_log, text_log
from soid.scenario.trace_reader import read
from tests.unit.scenario.logs.test_log_source import jsonl_file, mcap_file

KIND = IntType(32, signed=True)
INTERFACE = Interface(
    (
        Variable("s.altitude", Role.ENVIRONMENT, KIND),
        Variable("s.sats", Role.ENVIRONMENT, KIND),
        Variable("go", Role.DECISION, KIND),
    )
)
MAPPING = LogMapping((MappedColumn("s.altitude", "alt_ft"), MappedColumn("s.sats", "sats")))


def parquet_file(file: Path, rows: list[dict[str, int]]) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    parquet.write_table(pa.Table.from_pylist(rows), file)


def written_csv(file: Path, rows: list[dict[str, int]]) -> None:
    lines = [",".join(map(str, row.values())) for row in rows]
    file.write_text("\n".join([",".join(rows[0]), *lines, ""]))


WRITERS = {"csv": written_csv, "jsonl": jsonl_file, "parquet": parquet_file, "mcap": mcap_file}


def refused(file: Path, mapping: LogMapping = MAPPING, ignore: tuple[str, ...] = ()) -> TraceError:
    with pytest.raises(TraceError) as caught:
        list(read(file, INTERFACE, mapping=mapping, ignore=ignore))
    return caught.value


@pytest.mark.parametrize("large", [False, True])
@pytest.mark.parametrize("ending", WRITERS)
def test_a_renamed_column_is_told_as_the_mapped_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: str, large: bool
) -> None:
    if large:
        for module in (text_log, arrow_log, mcap_log):
            monkeypatch.setattr(module, "LARGE", 0)
    file = tmp_path / f"log.{ending}"
    WRITERS[ending](file, [{"alt_feet": 12, "sats": 5, "go": 1}] * 3)
    error = refused(file)
    assert error.cause.startswith(f"{file}:")
    assert error.cause.endswith("there is no column alt_ft, which [trace.columns] names")
    assert error.remedy == 'If alt_feet is what alt_ft was: [trace.columns] "s.altitude" with column = "alt_feet".'


def test_of_several_unknown_columns_the_near_one_is_proposed(tmp_path: Path) -> None:
    file = tmp_path / "log.csv"
    written_csv(file, [{"note": 0, "AltFt": 12, "sats": 5}])
    error = refused(file)
    assert 'If AltFt is what alt_ft was: [trace.columns] "s.altitude"' in error.remedy
    assert "No variables of the program are: note; [trace] ignore leaves columns out." in error.remedy


def test_nothing_is_proposed_where_none_is_near(tmp_path: Path) -> None:
    file = tmp_path / "log.csv"
    written_csv(file, [{"note": 0, "hoehe": 12, "sats": 5}])
    error = refused(file)
    assert "no column alt_ft" in error.cause
    assert error.remedy.startswith("No variables of the program are: note, hoehe;")


def test_where_all_mapped_columns_are_there_a_column_is_told_as_no_variable(tmp_path: Path) -> None:
    file = tmp_path / "log.csv"
    written_csv(file, [{"alt_ft": 12, "sats": 5, "note": 1}])
    assert "note is no variable of the program" in refused(file).cause


def test_where_other_columns_are_ignored_the_nearest_is_told(tmp_path: Path) -> None:
    file = tmp_path / "log.csv"
    written_csv(file, [{"alt_feet": 12, "sats": 5, "note": 1}])
    error = refused(file, ignore=(EVERYTHING,))
    assert "no row has the column alt_ft" in error.cause and error.remedy.endswith("The nearest is alt_feet.")
