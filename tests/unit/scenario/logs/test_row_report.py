"""What is strange about a log: of a large one the same is found as of a small one, once all of it was read."""

from __future__ import annotations

import json
import os
from fractions import Fraction
from itertools import accumulate, pairwise
from pathlib import Path
from statistics import median_low

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from soid.formula.sorts import FLOAT32, FLOAT64
from soid.program.domain import Range
from soid.program.interface import Interface, Role, Variable
from soid.program.trace_table import LogClock, LogMapping, MappedColumn
from soid.program.types import FloatType, IntType
from soid.scenario.logs import text_log
from soid.scenario.logs.row_times import Rhythm, RowTimes, time_warnings
from soid.scenario.trace import Trace
from soid.scenario.trace_reader import read

KIND = IntType(32, signed=True)
INTERFACE = Interface(
    (
        Variable("x", Role.ENVIRONMENT, KIND, domain=Range(0, 5)),
        Variable("y", Role.ENVIRONMENT, KIND),
        Variable("z", Role.STATE, KIND),
    )
)


def in_pieces(file: Path, mapping: LogMapping, piece: int = 40) -> Trace:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_log, "LARGE", 0)
        patch.setattr(text_log, "PIECE", piece)
        return read(file, INTERFACE, mapping=mapping)


@settings(max_examples=60)
@given(
    st.lists(st.tuples(st.integers(0, 7), st.sampled_from(["", "1"])), min_size=1, max_size=60),
    st.dictionaries(st.integers(0, 59), st.sampled_from([0, 12, 15, 16, 40]), max_size=2),
    st.integers(1, 90),
    st.data(),
)
def test_pieces_tell_what_the_whole_tells(
    tmp_path_factory: pytest.TempPathFactory,
    rows: list[tuple[int, str]],
    odd: dict[int, int],
    piece: int,
    data: st.DataObject,
) -> None:
    """Of a clock that is regular but for a few distances: how far rows usually are apart is seen piece by piece."""
    file = tmp_path_factory.getbasetemp() / f"strange-{os.getpid()}.csv"
    times = list(accumulate(odd.get(at, 10) if len(rows) > 12 else 10 for at in range(len(rows))))
    file.write_text("t,x,y\n" + "".join(f"{t / 10},{x},{y}\n" for t, (x, y) in zip(times, rows, strict=True)))
    mapping = LogMapping(clock=LogClock("t"))
    small, large = read(file, INTERFACE, mapping=mapping), in_pieces(file, mapping, piece)
    order = data.draw(st.permutations(range(len(rows))))
    assert {large.steps[at].time for at in order} == set(range(len(rows)))
    assert large.warnings == small.warnings
    assert len(list(large)) == len(rows) and large.warnings == small.warnings  # nothing is counted twice
    lapses = [not 0 < later - time <= 15 for time, later in pairwise(times)]
    assert [step.lapse for step in small] == [*lapses, False] == [step.lapse for step in large]


@pytest.mark.parametrize("piece", [25, 45, 120, 400])
def test_a_stretch_without_every_second_row_is_gaps_in_pieces_too(tmp_path: Path, piece: int) -> None:
    """A piece alone would show nothing of it: its rows are as far apart as each other."""
    file = tmp_path / "log.csv"
    times = [at for at in range(200) if at < 120 or at % 2 == 0]
    file.write_text("t,x,y\n" + "".join(f"{time},1,1\n" for time in times))
    mapping = LogMapping(clock=LogClock("t"))
    small, large = read(file, INTERFACE, mapping=mapping), in_pieces(file, mapping, piece)
    expected = [later - time > 1 for time, later in pairwise(times)]
    assert [step.lapse for step in large] == [step.lapse for step in small] == [*expected, False]
    assert large.warnings == small.warnings


@pytest.mark.parametrize("piece", [20, 60])
def test_gaps_in_most_pieces_do_not_hide_each_other(tmp_path: Path, piece: int) -> None:
    """Long rows leave few of them to a piece."""
    file = tmp_path / "log.csv"
    times = [at for at in range(120) if at % 4]
    file.write_text("t,x,y\n" + "".join(f"{time},1,1\n" for time in times))
    trace = in_pieces(file, LogMapping(clock=LogClock("t")), piece)
    assert [step.lapse for step in trace] == [*(later - time > 1 for time, later in pairwise(times)), False]


def test_rows_that_are_there_twice_are_seen_where_pieces_have_few_rows(tmp_path: Path) -> None:
    file = tmp_path / "log.csv"
    times = [0, 1, 1, 2, 2, 3, 3, 4, 5]
    file.write_text("t,x,y\n" + "".join(f"{time},1,1\n" for time in times))
    for piece in (6, 12, 18, 200):  # of 12 bytes: a row, then two rows each
        trace = in_pieces(file, LogMapping(clock=LogClock("t")), piece)
        assert [step.lapse for step in trace] == [*(later == time for time, later in pairwise(times)), False]


def test_what_was_read_so_far(tmp_path: Path) -> None:
    file = tmp_path / "log.csv"
    file.write_text("t,x,y\n" + "".join(f"{at + (at > 80)},{9 if at in (50, 51) else 1},1\n" for at in range(100)))
    trace = in_pieces(file, LogMapping((MappedColumn("z", "zed"),), LogClock("t")))
    note, lacking = trace.warnings
    assert note.startswith("the log is large: 0 of its 100 rows were read, and what follows is about these; project")
    assert lacking == "no row that was read has the column zed, which [trace.columns] names"
    assert trace.steps[50].inputs["x"] == 9
    note, outside, _ = trace.warnings
    assert 0 < int(note.split()[4]) < 20
    assert outside.startswith(f"x is outside of its domain (0 to 5) in 2 steps, first at {file}:52: it is a fact")
    assert trace.steps[99].time == 99
    assert not any("gap" in warning for warning in trace.warnings)
    list(trace)
    gap, outside, _ = trace.warnings
    assert gap == f"1 gap in the log's times: the longest is 2 s before {file}:83, and 1 s is usual"


@given(st.lists(st.integers(0, 60), max_size=40), st.sampled_from([1, 3, 10, 7000]))
def test_the_figures_of_times_are_exact(numbers: list[int], unit: int) -> None:
    every = [Fraction(number, unit) for number in numbers]
    distances = list(map(float, every))
    told = list(time_warnings([RowTimes.of(distances, ["here"] * len(every), Rhythm.of(distances))]))
    if not every:
        assert told == []
        return
    usual = median_low(every)
    apart = usual or median_low([each for each in every if each] or [Fraction(1)])
    same, gaps = every.count(Fraction()), sum(each > apart * Fraction(3, 2) for each in every)
    uneven = sum(bool(d) and usual / 10 < abs(d - usual) <= usual / 2 for d in every if usual)
    uneven += 0 if usual else sum(0 < d <= apart * Fraction(3, 2) for d in every)
    figures = [f"{same:,} row", f"{gaps:,} gap", f"the log's times are irregular: {uneven} of"]
    expected = [figure for figure, count in zip(figures, (same, gaps, uneven), strict=True) if count]
    assert len(told) == len(expected)
    assert all(sentence.startswith(figure) for sentence, figure in zip(told, expected, strict=True))


FLOATS = Interface(
    (
        Variable("x", Role.ENVIRONMENT, FloatType(FLOAT32)),
        Variable("y", Role.ENVIRONMENT, FloatType(FLOAT64)),
        Variable("go", Role.DECISION, FloatType(FLOAT64)),
    )
)


@pytest.mark.parametrize("large", [False, True])
def test_nan_is_told_once_with_its_first_place_and_the_remedy(tmp_path: Path, large: bool) -> None:
    file = tmp_path / "log.csv"
    file.write_text("x,y,go\n1,2,3\n1,NaN,3\nNaN,nan,3\n1,NaN,3\n1,2,NaN\n")
    with pytest.MonkeyPatch.context() as patch:
        if large:
            patch.setattr(text_log, "LARGE", 0)
            patch.setattr(text_log, "PIECE", 12)
        trace = read(file, FLOATS)
        assert len(list(trace)) == 5
    remedy = 'that is taken as its value; if it stands for no value, say so: [trace] missing = ["NaN", "nan"]'
    assert trace.warnings == (
        f"y is NaN in 3 steps, first at {file}:3: {remedy}",
        f"x is NaN in one step, at {file}:4: {remedy}",
        f"go is NaN in one step, at {file}:6: {remedy}",
    )
    cleaned = read(file, FLOATS, mapping=LogMapping(missing=frozenset({"NaN", "nan"})))
    assert not any("is NaN" in each for each in cleaned.warnings) and cleaned.steps[1].unlogged == ("y",)


def test_nan_of_other_formats_is_told_as_it_is_written_there(tmp_path: Path) -> None:
    import pyarrow as pa

    lines = tmp_path / "log.jsonl"
    lines.write_text('{"x": 1, "y": "NaN", "go": 1}\n')
    assert 'missing = ["NaN"]' in read(lines, FLOATS).warnings[0]
    stored = pa.table({"x": [1.0], "y": [float("nan")], "go": [1.0]})
    (told,) = read(stored, FLOATS).warnings
    text = told.rpartition("missing = ")[2]
    assert told.startswith("y is NaN in one step")
    assert read(stored, FLOATS, mapping=LogMapping(missing=frozenset(json.loads(text)))).steps[0].unlogged == ("y",)
