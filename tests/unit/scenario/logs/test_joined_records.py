"""Several files joined by time: each step has what was logged last, compared with a search through all rows."""

from __future__ import annotations

import os
import re
from fractions import Fraction
from itertools import accumulate
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from soid.errors import TraceError
from soid.program.interface import Interface, Role, Variable
from soid.program.trace_table import JoinedLog, LogClock, LogMapping
from soid.program.types import IntType
from soid.scenario.logs import text_log
from soid.scenario.trace import Trace
from soid.scenario.trace_reader import read

KIND = IntType(32, signed=True)
INTERFACE = Interface((Variable("x", Role.ENVIRONMENT, KIND), Variable("gps.y", Role.ENVIRONMENT, KIND, initial=0)))


def joined(folder: Path, log: str, gps: str, within: Fraction | None = None, prefix: str = "gps.") -> Trace:
    tag = os.getpid()
    first, second = folder / f"log-{tag}.csv", folder / f"gps-{tag}.csv"
    first.write_text(log)
    second.write_text(gps)
    join = JoinedLog(second, LogClock("t", "ms"), prefix, within)
    return read(first, INTERFACE, mapping=LogMapping(clock=LogClock("t", "ms"), joined=(join,)))


TIMES = st.lists(st.integers(0, 40), min_size=1, max_size=12).map(sorted)


@settings(max_examples=60)
@given(TIMES, TIMES, st.none() | st.integers(1, 10))
def test_each_step_has_what_was_logged_last(
    tmp_path_factory: pytest.TempPathFactory, steps: list[int], others: list[int], within: int | None
) -> None:
    log = "t,x\n" + "".join(f"{time},1\n" for time in steps)
    gps = "t,y\n" + "".join(f"{time},{at + 1}\n" for at, time in enumerate(others))
    limit = None if within is None else Fraction(within, 1000)
    trace = joined(tmp_path_factory.getbasetemp(), log, gps, limit)
    for step, time in zip(trace, steps, strict=True):
        known = [(at + 1, other) for at, other in enumerate(others) if other <= time]
        fresh = known and (within is None or time - known[-1][1] <= within)
        assert step.inputs["gps.y"] == (known[-1][0] if fresh else 0)
        assert step.unlogged == (() if fresh else ("gps.y",))


@pytest.mark.parametrize(("within", "oldest"), [(None, "0.032"), (Fraction(20, 1000), "0.012")])
def test_a_gap_in_a_joined_file_is_told(tmp_path: Path, within: Fraction | None, oldest: str) -> None:
    log = "t,x\n" + "".join(f"{time},1\n" for time in range(2, 100, 10))
    gps = "t,y\n" + "".join(f"{time},1\n" for time in (0, 10, 20, 30, 40, 80, 90))
    trace = joined(tmp_path, log, gps, within)
    file = trace.source.replace("log-", "gps-")
    gap, old = (warning for warning in trace.warnings if "gps-" in warning and "not logged" not in warning)
    assert gap == f"{file}: 1 gap in the log's times: the longest is 0.04 s before {file}:7, and 0.01 s is usual"
    assert f" has what {file} logged {oldest} s before it, and no step has anything older" in old
    assert old.endswith(": [[trace.join]] within limits that") is (within is None)


@pytest.mark.parametrize(
    ("log", "gps", "message"),
    [
        ("t,x\n5,1\n", "t,y\n4,1\n3,1\n", r"gps-\d+\.csv:3: the clock runs back, from 0\.004 s to 0\.003 s"),
        ("t,x\n5,1\n", "t,y\n4,one\n", r"gps-\d+\.csv:2: gps\.y: expected a whole number, found 'one'"),
        ("t,x\n5,1\n", "t,z\n4,1\n", r"gps\.z is no variable of the program"),
        ("t,x,gps.y\n5,1,1\n", "t,y\n4,1\n", r"gps\.y is a column of .*log-\d+\.csv and of .*gps-\d+\.csv too"),
    ],
)
def test_files_that_do_not_fit(tmp_path: Path, log: str, gps: str, message: str) -> None:
    with pytest.raises(TraceError, match=message) as caught:
        joined(tmp_path, log, gps)
    assert caught.value.remedy


MANY = st.lists(st.sampled_from([0, 0, 1, 1, 1, 2, 7, 40]), min_size=1, max_size=40)  # duplicates, gaps, jitter


@settings(max_examples=80)
@given(
    MANY, MANY, st.integers(0, 60), st.none() | st.integers(1, 12), st.integers(1, 60), st.sampled_from("jc"), st.data()
)
def test_large_files_are_joined_as_small_ones_are(
    tmp_path_factory: pytest.TempPathFactory,
    steps: list[int],
    others: list[int],
    later: int,
    within: int | None,
    piece: int,
    kind: str,
    data: st.DataObject,
) -> None:
    folder, tag = tmp_path_factory.getbasetemp(), os.getpid()
    first, second = folder / f"first-{tag}.csv", folder / f"second-{tag}.{'csv' if kind == 'c' else 'jsonl'}"
    first.write_text("t,x\n" + "".join(f"{time},{at}\n" for at, time in enumerate(accumulate(steps))))
    rows = [(time + later - 20, at) for at, time in enumerate(accumulate(others))]
    blank = data.draw(st.sampled_from(["", "\n", "\n" * 70]))  # a piece may have no row
    if kind == "c":
        second.write_text("t,y\n" + blank.join(f"{time},{at}\n" for time, at in rows))
    else:
        second.write_text(blank.join(f'{{"t": {time}, "y": {at}}}\n' for time, at in rows))
    join = JoinedLog(second, LogClock("t", "ms"), "gps.", None if within is None else Fraction(within, 1000))
    mapping = LogMapping(clock=LogClock("t", "ms"), joined=(join,))
    small = read(first, INTERFACE, mapping=mapping)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_log, "LARGE", data.draw(st.sampled_from([0, first.stat().st_size])))  # one, or both
        patch.setattr(text_log, "PIECE", piece)
        large = read(first, INTERFACE, mapping=mapping)
        wanted = data.draw(st.integers(0, len(steps) - 1))  # in any order
        for found, expected in ((large.steps[wanted], small.steps[wanted]), *zip(large, small, strict=True)):
            assert found == expected
            assert (found.unlogged, found.source) == (expected.unlogged, expected.source)


def test_a_large_joined_file_is_checked_where_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_log, "LARGE", 210)  # the first file is small
    monkeypatch.setattr(text_log, "PIECE", 40)
    for wrong in (*range(20, 30), 25):  # the ends of a piece, and at last a row within one
        gps = "t,y\n" + "".join(f"{at + 8 if at == wrong else at + 10},{at}\n" for at in range(40))
        with pytest.raises(TraceError, match=rf"gps-\d+\.csv:{wrong + 2}: the clock runs back, from"):
            joined(tmp_path, "t,x\n" + "".join(f"{time},1\n" for time in range(10, 50)), gps)
    trace = joined(tmp_path, "t,x\n13,1\n", gps)
    assert trace.steps[0].inputs["gps.y"] == 3
    assert [each.id for each in trace.relies_on] == ["joined", "unread"]


def test_what_is_missing_says_why(tmp_path: Path) -> None:
    interface = Interface((Variable("x", Role.ENVIRONMENT, KIND), Variable("y", Role.ENVIRONMENT, KIND)))
    first, second = tmp_path / "log.csv", tmp_path / "gps.csv"
    first.write_text("t,x\n5,1\n")
    second.write_text("t,y\n6,1\n")
    clock = LogClock("t")
    mapping = LogMapping(clock=clock, joined=(JoinedLog(second, clock),))
    (warning,) = read(first, interface, mapping=mapping).warnings
    assert re.search(r"^y is not logged in one step, at .*log\.csv:2 \(.*gps\.csv begins later\)", warning)
    second.write_text("t,y\n1,1\n")
    mapping = LogMapping(clock=clock, joined=(JoinedLog(second, clock, within=Fraction(2)),))
    (warning,) = read(first, interface, mapping=mapping).warnings
    assert re.search(r"^y is not logged .* \(.*gps\.csv has logged nothing for 4 s\)", warning)


def test_a_file_with_zones_is_not_joined_to_one_without(tmp_path: Path) -> None:
    local, zoned = "2026-03-29T02:00:00", "2026-03-29T02:00:00+02:00"
    first, second = tmp_path / "log.csv", tmp_path / "gps.csv"
    join = JoinedLog(second, LogClock("t", "iso"), "gps.")
    for here, there in ((local, zoned), (zoned, local), (local, local), (zoned, zoned)):
        first.write_text(f"t,x\n{here},1\n")
        second.write_text(f"t,y\n{there},1\n")
        mapping = LogMapping(clock=LogClock("t", "iso"), joined=(join,))
        if here == there:
            assert len(read(first, INTERFACE, mapping=mapping)) == 1
        else:
            with pytest.raises(TraceError, match=r"one alone is a date without a zone"):
                read(first, INTERFACE, mapping=mapping)
    second.write_text(f"t,y\n{local},1\n{zoned},2\n")
    with pytest.raises(TraceError, match=r"gps\.csv:3: of this time and that of .*gps\.csv:2"):
        read(first, INTERFACE, mapping=mapping)
