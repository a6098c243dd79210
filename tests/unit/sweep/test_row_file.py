import json

import pytest

from soid.errors import InputError
from soid.oracle.answer import Verdict
from soid.sweep.row_file import COLUMNS, RowFile, table
from soid.sweep.sweep_row import SweepRow

ABOUT = {"program": "p", "questions": ["did move"], "logs": {}}
ROWS = (
    SweepRow("a, b.csv", 3, 'did x == "q"', Verdict.NO, "so; it", ("s.pilot", "y"), {"s.pilot": "X", "y": 0.1}, 0.2),
    SweepRow("a, b.csv", None, "did move", Verdict.ERROR, "no such file", (), {}, 0.0),
)  # fmt: skip
ENDINGS = pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])


def write(file, rows, **settings):
    made = RowFile(file, ABOUT, **settings)
    for row in rows:
        made.write(row)
    return made


@ENDINGS
def test_rows_are_read_as_they_were_written_and_gone_on_with(tmp_path, ending):
    file = tmp_path / f"rows.{ending}"
    assert write(file, ROWS[:1]).close() == ROWS[:1]
    again = write(file, ROWS[1:], resume=True)
    assert again.known == ROWS[:1]
    assert again.close() == ROWS
    assert RowFile(file, ABOUT, resume=True).known == ROWS


@ENDINGS
def test_a_killed_sweep_loses_no_row_but_the_one_that_was_cut_off(tmp_path, ending):
    file = tmp_path / f"rows.{ending}"
    write(file, ROWS)  # never closed
    journal = file if ending != "parquet" else tmp_path / "rows.parquet.rows.jsonl"
    journal.write_bytes(journal.read_bytes()[:-5])
    again = write(file, ROWS[1:], resume=True)
    assert again.known == ROWS[:1]
    assert again.close() == ROWS


@ENDINGS
def test_rows_of_another_program_and_files_of_others_are_refused(tmp_path, ending):
    file = tmp_path / f"rows.{ending}"
    write(file, ROWS).close()
    with pytest.raises(InputError, match="exists already"):
        RowFile(file, ABOUT)
    with pytest.raises(InputError, match="another program"):
        RowFile(file, ABOUT | {"program": "q"}, resume=True)
    (tmp_path / f"rows.{ending}.about.json").unlink()
    with pytest.raises(InputError, match="can go on"):
        RowFile(file, ABOUT, resume=True)


def test_a_program_that_is_not_known_for_certain_is_not_gone_on_with(tmp_path):
    unknown = ABOUT | {"program": None}
    RowFile(tmp_path / "rows.csv", unknown).close()
    with pytest.raises(InputError, match="another program"):
        RowFile(tmp_path / "rows.csv", unknown, resume=True)


def test_other_endings_and_places_that_cannot_be_written_are_refused(tmp_path):
    with pytest.raises(InputError, match="CSV, JSONL or Parquet"):
        RowFile(tmp_path / "rows.txt", ABOUT)
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="cannot be written"):
        RowFile(tmp_path / "file" / "rows.csv", ABOUT)


def test_an_arrow_table_has_the_columns_of_a_row():
    made = table(ROWS)
    assert tuple(made.column_names) == COLUMNS
    first, second = made.to_pylist()
    assert first["changed"] == ["s.pilot", "y"] and json.loads(first["witness"]) == {"s.pilot": "X", "y": 0.1}
    assert second["step"] is None and second["verdict"] == "error"
    assert table(()).schema == made.schema
