"""What a log's columns hold: digits, ranges, dates, order, and numbers that soid does not read."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

from soid.errors import EmptyTraceError, TraceError
from soid.proposal.column_survey import survey_log
from soid.proposal.log_columns import row_meaning
from tests.unit.proposal.conftest import survey_of


def test_numbers_texts_and_dates(tmp_path: Path) -> None:
    survey = survey_of(
        tmp_path,
        {
            "a": ["1.50", "-2.25", "nan"],
            "n": ["3", "3", "4"],
            "text": ["x", "y", ""],
            "when": ["2026-01-02T03:04:05Z", "2026-01-02T03:04:06Z", "2026-01-02T03:04:05.5Z"],
            "comma": ["1,5", "2,25", "3"],
            "power": ["1e3", "2e3", "1.5"],
        },
    )
    known = {column.name: column for column in survey.columns}
    assert (known["a"].decimals, known["a"].low, known["a"].high) == (2, Decimal("-2.25"), Decimal("1.50"))
    assert known["n"].is_whole and known["n"].is_rising and not known["n"].is_strict and not known["a"].is_whole
    assert known["text"].rows == 2 and not known["text"].is_number
    assert known["when"].is_date and not known["when"].is_rising
    assert known["comma"].has_commas and not known["comma"].is_number and not known["text"].has_commas
    assert known["power"].is_number and known["power"].decimals is None


def test_words_for_no_value_among_numbers(tmp_path: Path) -> None:
    survey = survey_of(tmp_path, {"a": ["1.5", "NA", "-"], "b": ["x", "-", "y"], "c": ["-", "-", "-"]})
    a, b, c = survey.columns
    assert a.is_number and a.blanks == ("NA", "-") and a.rows == 1
    assert b.blanks == c.blanks == () and b.texts == ("x", "-", "y")


def test_a_log_that_writes_all_digits_rounds_nothing(tmp_path: Path) -> None:
    assert survey_of(tmp_path, {"a": ["0.100000001", "2"], "b": ["43.5999985", "3"]}).writes_all_digits
    assert survey_of(tmp_path, {"a": ["0.30000000000000004", "2"]}).writes_all_digits
    assert not survey_of(tmp_path, {"lat": ["48.1234567", "48.1"], "lon": ["11.1234567", "2"]}).writes_all_digits
    assert not survey_of(tmp_path, {"a": ["11.40", "11.39"]}).writes_all_digits


def test_a_long_log_is_looked_at_in_places(tmp_path: Path) -> None:
    file = tmp_path / "log.csv"
    file.write_text("a,pad\n" + "".join(f"{number},{'x' * 400}\n" for number in range(45_000)))
    survey = survey_log(file)
    (column, _) = survey.columns
    assert not survey.is_whole and survey.rows <= 20_000
    assert column.low == 0 and column.high is not None and column.high > 44_000 and column.is_strict


def test_an_empty_log_and_one_that_is_none(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text("")
    with pytest.raises(EmptyTraceError):
        survey_log(tmp_path / "a.jsonl")
    (tmp_path / "b.json").write_text("{\n")
    with pytest.raises(TraceError, match="not JSON"):
        survey_log(tmp_path / "b.json")


@pytest.mark.parametrize(
    ("name", "values", "unit"),
    [
        ("time_ms", ["1", "2"], "ms"),
        ("t [s]", ["0.5", "1.0"], "s"),
        ("timestamp", ["1778338800000", "1778338800200"], "ms"),
        ("ts", ["1778338800000000", "1778338800200000"], "us"),
        ("time", ["2026-01-02 03:04:05", "2026-01-02 03:04:06"], "iso"),
        ("time", ["3", "4"], "s"),
    ],
)
def test_the_clock(name: str, values: list[str], unit: str, tmp_path: Path) -> None:
    found = row_meaning(survey_of(tmp_path, {name: values, "x": ["1", "2"]}), ())
    assert found.clock is not None and (found.clock.column, found.clock.unit) == (name, unit)
    assert found.guessed_unit == (values == ["3", "4"])


def test_a_clock_that_runs_back_and_a_column_that_numbers_steps(tmp_path: Path) -> None:
    back = row_meaning(survey_of(tmp_path, {"time": ["3", "2"], "frame": ["7", "8"]}), ())
    assert back.clock is None and back.backwards == "time" and back.step_column == "frame"
    assert row_meaning(survey_of(tmp_path, {"frame": ["7", "7"]}), ()).step_column is None
    assert row_meaning(survey_of(tmp_path, {"time": ["1", "2"]}), ("time",)).clock is None
