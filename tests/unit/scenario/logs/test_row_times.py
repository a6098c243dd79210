"""Clocks of logs: units, dates, distances, and numbers of steps that follow the clock."""

from __future__ import annotations

from datetime import datetime
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from soid.assumptions import Ledger
from soid.errors import TraceError
from soid.program.interface import Interface, Role, Variable
from soid.program.trace_table import LogClock, LogMapping
from soid.program.types import IntType
from soid.program.units import unit
from soid.scenario.logs.row_times import seconds_of
from soid.scenario.trace import Trace
from soid.scenario.trace_reader import read

INTERFACE = Interface((Variable("x", Role.ENVIRONMENT, IntType(8, signed=True)),))


@given(st.datetimes(min_value=datetime(1900, 1, 1)), st.sampled_from(["", "Z", "+00:00"]))
def test_dates(moment: datetime, zone: str) -> None:
    text = moment.isoformat(timespec="microseconds") + zone
    distance = moment - datetime(1970, 1, 1)
    expected = Fraction(distance.days * 86400 + distance.seconds) + Fraction(distance.microseconds, 10**6)
    assert seconds_of(LogClock("t", "iso"), text) == expected


@given(st.integers(-(10**35), 10**35), st.sampled_from(["s", "ms", "min"]))
def test_counts_are_what_the_same_decimals_are(count: int, name: str) -> None:
    clock = LogClock("t", name)
    assert seconds_of(clock, str(count)) == seconds_of(clock, f"{count}.0") == count * unit(name).factor


def test_dates_have_zones_and_many_digits() -> None:
    clock = LogClock("t", "iso")
    assert seconds_of(clock, "1970-01-01 02:00:00.000000001+02:00") == Fraction(1, 10**9)
    for wrong in ("yesterday", "1970-13-01T00:00:00", "1970-01-01", "12.5"):
        with pytest.raises(ValueError, match="expected a date"):
            seconds_of(clock, wrong)


def logged(
    folder: Path, times: list[str], unit: str = "s", period: str | None = None, *, every_call: bool = False
) -> Trace:
    file = folder / "log.csv"
    file.write_text("t,x\n" + "".join(f"{time},1\n" for time in times))
    clock = LogClock("t", unit, None if period is None else Fraction(period))
    return read(file, INTERFACE, mapping=LogMapping(clock=clock, every_call=every_call))


def test_a_regular_clock_has_no_warnings(tmp_path: Path) -> None:
    trace = logged(tmp_path, ["0", "100", "200", "301", "400"], "ms")
    assert trace.warnings == ()
    assert [step.time for step in trace] == [0, 1, 2, 3, 4]


def test_gaps_duplicates_and_irregular_times_are_told(tmp_path: Path) -> None:
    trace = logged(tmp_path, ["0", "1", "2", "3", "3", "4.2", "5.2", "9", "10"])
    place = tmp_path / "log.csv"
    assert trace.warnings == (
        f"1 row at the same time as the row before, first at {place}:6",
        f"1 gap in the log's times: the longest is 3.8 s before {place}:9, and 1 s is usual",
        "the log's times are irregular: 1 of 8 distances differ from 1 s by more than a tenth",
    )
    assert len(trace) == 9


def test_dates_with_and_without_a_zone_are_not_mixed(tmp_path: Path) -> None:
    local, zoned = "2026-03-29T01:59:59", "2026-03-29T03:00:00+02:00"
    assert not logged(tmp_path, [local, "2026-03-29T02:00:00"], "iso").warnings
    for times in ([local, zoned], [zoned, local]):
        with pytest.raises(TraceError, match=r"log\.csv:3: of this time and that of .*:2 one alone is a date without"):
            logged(tmp_path, times, "iso")


def test_rows_may_be_missing_or_there_twice(tmp_path: Path) -> None:
    def lapses(times: list[str], period: str | None = None, *, every_call: bool = False) -> list[int]:
        return [step.time for step in logged(tmp_path, times, period=period, every_call=every_call) if step.lapse]

    assert lapses(["0", "1", "2.2", "3.2"]) == []
    assert lapses(["0", "1", "2", "9"]) == [2]
    assert lapses(["0", "1", "1", "2"]) == [1]
    assert lapses(["0", "1", "2", "9"], period="1") == []  # the next step is 9: numbers tell
    assert lapses(["0", "1", "1", "2", "9"], every_call=True) == []
    assert lapses(["0", "0", "0", "1", "1", "1", "2", "2", "4", "4"]) == [7]  # a coarse clock


def test_what_is_taken_for_granted_from_row_to_row(tmp_path: Path) -> None:
    times = ["0", "1", "2", "9"]
    assert logged(tmp_path, times).calls == Ledger.EVERY_CALL.of(" where the times show no gap")
    numbered = logged(tmp_path, times, period="1").calls
    assert numbered == Ledger.EVERY_CALL.of(" between two whose numbers follow each other")
    assert logged(tmp_path, times, every_call=True).calls == Ledger.EVERY_CALL.of(", as its manifest says")


def test_the_clock_numbers_the_steps(tmp_path: Path) -> None:
    trace = logged(tmp_path, ["1000", "1098", "1201", "1502"], "epoch ms", "0.1")
    assert [step.time for step in trace] == [0, 1, 2, 5]
    with pytest.raises(TraceError, match=r"log\.csv:4: step 1 comes after step 1") as caught:
        logged(tmp_path, ["1000", "1098", "1102"], "ms", "0.1")
    assert "within one period" in caught.value.remedy


@pytest.mark.parametrize(
    ("times", "message"),
    [
        (["1", "3", "2"], r"log\.csv:4: the clock runs back, from 3 s to 2 s"),
        (["1", "", "2"], r"log\.csv:3: the column t, which \[trace\] time names, has no value"),
        (["1", "noon"], r"log\.csv:3: t: expected a time in s, found noon"),
        (["1", "1e999999"], r"log\.csv:3: t: expected a time in s, found 1e999999"),
    ],
)
def test_clocks_that_make_no_sense(tmp_path: Path, times: list[str], message: str) -> None:
    with pytest.raises(TraceError, match=message) as caught:
        logged(tmp_path, times)
    assert caught.value.remedy
