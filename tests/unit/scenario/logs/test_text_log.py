"""A large log of text, read in pieces, is the same as one that is read whole."""

from __future__ import annotations

import csv
import io
import json
import os
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from soid.errors import TraceError
from soid.program.interface import Interface, Role, Variable
from soid.program.types import EnumType, IntType
from soid.scenario.log_formats import table_header
from soid.scenario.logs import text_log
from soid.scenario.logs.log_pieces import PiecewiseSequence
from soid.scenario.trace import Trace
from soid.scenario.trace_reader import read

NAMES = ("A", "B", "C")
INTERFACE = Interface(
    (
        Variable("x", Role.ENVIRONMENT, IntType(32, signed=True)),
        Variable("name", Role.ENVIRONMENT, EnumType("", 8, False, tuple((n, i) for i, n in enumerate(NAMES)))),
    )
)


def in_pieces(file: Path, large: int = 0, piece: int = 40) -> Trace:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_log, "LARGE", large)
        patch.setattr(text_log, "PIECE", piece)
        trace = read(file, INTERFACE, ignore=("note",))
        assert isinstance(trace.steps, PiecewiseSequence)
        return trace


def jsonl(count: int = 50, first: int = 3) -> str:
    rows = [{"step": first + 2 * at, "x": at, "name": NAMES[at % 3], "note": 'a "b"\n{}'} for at in range(count)]
    return "".join(json.dumps(row) + "\n" for row in rows)


NOTES = st.text('"\n\r,; ab', max_size=6)


@settings(max_examples=40)
@given(
    st.lists(st.tuples(st.integers(-(1 << 31), (1 << 31) - 1), st.sampled_from(NAMES), NOTES), min_size=1, max_size=30),
    st.sampled_from(["\r\n", "\n", "\n\n", "\n \n", "\r", "\r \n"]),
    st.integers(1, 120),
    st.sampled_from([csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC]),
    st.booleans(),
)
def test_a_table_in_pieces_is_the_table(
    tmp_path_factory: pytest.TempPathFactory,
    rows: list[tuple[int, str, str]],
    end: str,
    piece: int,
    quoting: int,
    mark: bool,
) -> None:
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator=end, quoting=quoting)  # type: ignore[arg-type]
    writer.writerow(["x", "name", "note"])
    writer.writerows(rows)
    file = tmp_path_factory.getbasetemp() / f"pieces-{os.getpid()}.csv"
    file.write_bytes((b"\xef\xbb\xbf" if mark else b"") + out.getvalue().encode())
    small = read(file, INTERFACE, ignore=("note",))
    large = in_pieces(file, piece=piece)
    assert large == small
    assert [step.source for step in large] == [step.source for step in small]
    assert large.steps[-1] == small.steps[-1]


SIGNS = [" ", "\t", "\r", "\n", "\r\n", "\v", "\f", "\u00a0", "\x1c", "\u2028", '"', '""', ",", ";", "a", "1", "\0"]


@pytest.mark.parametrize("table", [True, False])
@settings(max_examples=300)
@given(text=st.lists(st.sampled_from([*SIGNS, "{}", "\n{}\n"]), max_size=25).map("".join), piece=st.integers(1, 12))
@example(text="a\tb\n\t\n1\t2\n", piece=1)
@example(text="{}\n\u00a0\n{}\n", piece=1)
@example(text="a\n\u00a0\n1\n", piece=1)
def test_the_index_counts_what_is_read(
    tmp_path_factory: pytest.TempPathFactory, table: bool, text: str, piece: int
) -> None:
    """A count that is wrong would shift the numbers of all steps behind it."""
    file = tmp_path_factory.getbasetemp() / f"any-{os.getpid()}.txt"
    file.write_bytes(text.encode())
    try:
        whole = [(each.line, each.cells) for each in text_log.TextLog(file, frozenset(), table=table).records(0)]
    except TraceError:
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_log, "PIECE", piece)
        large = text_log.TextLog(file, frozenset(), table=table, large=-1)
        refused, sizes = "", []
        try:
            sizes = list(large.sizes)
        except TraceError as error:
            refused = str(error)
        if refused:  # a quote within a cell without quotes
            assert "not CSV" in refused
            return
        read_again = [[(each.line, each.cells) for each in large.records(at)] for at in range(len(sizes))]
    assert [len(each) for each in read_again] == sizes
    assert [one for each in read_again for one in each] == whole


@pytest.mark.parametrize("piece", [1, 7, 100, 10**6])
@pytest.mark.parametrize("blanks", ["\n", "\n\n", "\r\n", "\n \r\n"])
def test_json_lines_in_pieces_are_the_same(tmp_path: Path, piece: int, blanks: str) -> None:
    file = tmp_path / "log.jsonl"
    file.write_text("\ufeff" + jsonl().replace("\n", blanks).rstrip(), encoding="utf-8", newline="")
    small, large = read(file, INTERFACE, ignore=("note",)), in_pieces(file, piece=piece)
    assert large == small
    assert [step.source for step in large] == [step.source for step in small]
    assert large.step(4) is None
    assert large.step(53) == small.step(53) == large.steps[25]
    assert large.steps[10:13] == small.steps[10:13]
    assert [step.time for step in large.keyframe(5).trace or ()] == [step.time for step in small]


def test_only_what_is_asked_for_is_converted(tmp_path: Path) -> None:
    file = tmp_path / "log.jsonl"
    lines = jsonl(200).splitlines(keepends=True)
    lines[150] = lines[150].replace('"x": 150', '"x": "?"')
    file.write_text("".join(lines))
    trace = in_pieces(file, piece=300)
    assert trace.keyframe(3 + 2 * 20).inputs["x"] == 20
    with pytest.raises(TraceError, match=r"log\.jsonl:151: x: expected a whole number"):
        trace.keyframe(3 + 2 * 150)


@pytest.mark.parametrize(
    ("line", "new", "message"),
    [
        (0, '{"x": 1, "name": "A"}\n', "some steps have a step and some have none"),
        (120, '{"step": 5, "x": 1, "name": "A"}\n', "step 5 comes after step"),
        (120, '{"step": 2000, "x": 1, "name": "A"}\n', "comes after step 2000"),
        (120, "nothing\n", "not JSON at column 1"),
    ],
)
def test_a_large_log_that_is_out_of_order(tmp_path: Path, line: int, new: str, message: str) -> None:
    """Whatever piece it is in, it is told when that piece is read."""
    file = tmp_path / "log.jsonl"
    lines = jsonl(200).splitlines(keepends=True)
    lines[line] = new
    file.write_text("".join(lines))
    with pytest.raises(TraceError, match=message):
        list(in_pieces(file, piece=300))


def test_a_log_that_changes_under_the_reader(tmp_path: Path) -> None:
    file = tmp_path / "log.jsonl"
    file.write_text(jsonl())
    trace = in_pieces(file)
    file.write_text(jsonl(49))
    with pytest.raises(TraceError, match="it changed while it was read"):
        trace.keyframe(51)


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    file = tmp_path / "log.jsonl"
    data = jsonl().encode()
    at = data.rindex(b'"A"')
    file.write_bytes(data[:at] + b"\xff" + data[at:])
    with pytest.raises(TraceError, match=rf"byte {at} of the file is not UTF-8"):
        list(in_pieces(file))


def test_a_large_log_that_was_cut_off(tmp_path: Path) -> None:
    file = tmp_path / "log.jsonl"
    file.write_text(jsonl()[:-10])
    with pytest.raises(TraceError, match=r"log\.jsonl:50: the log ends in the middle of this line"):
        list(in_pieces(file))
    table = tmp_path / "log.csv"
    table.write_text('x,name,note\n1,A,""\n2,B,"never ends\n' + "3,C,\n" * 50)
    with pytest.raises(TraceError, match="not CSV: unexpected end of data"):
        in_pieces(table)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_many_short_lines_are_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, end: str) -> None:
    monkeypatch.setattr(text_log, "MANY", 20)
    monkeypatch.setattr(text_log, "PIECE", 16)
    file = tmp_path / "log.csv"
    for count, is_large in ((19, False), (21, True)):
        file.write_bytes(("x" + end + f"1{end}" * count).encode())
        trace = read(file, INTERFACE)
        assert isinstance(trace.steps, PiecewiseSequence) == is_large
        assert [step.inputs["x"] for step in trace] == [1] * count


def test_empty_lines_before_a_header_are_looked_through_a_few_times(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once for each line, millions of them would take hours."""
    looks: list[int] = []

    def counted(*given: object) -> object:
        looks.append(1)
        return table_header(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(text_log, "table_header", counted)
    file = tmp_path / "log.csv"
    file.write_text("\n" * 3000 + "x,name\n" + "7,B\n" * 30)
    trace = in_pieces(file)
    assert [step.inputs["x"] for step in trace] == [7] * 30
    assert trace.steps[0].source.endswith(":3002")
    assert len(looks) < 15


@pytest.mark.parametrize(("begins", "told"), [(b"PK\x03\x04", "a ZIP archive"), (b"\x1f\x8b", "compressed by gzip")])
@pytest.mark.parametrize("name", ["log.csv", "log.jsonl"])
def test_an_archive_that_is_called_like_a_log_is_refused_as_what_it_is(tmp_path, name, begins, told):
    (tmp_path / name).write_bytes(begins + b"A,B,C\n1,2,3\n")
    with pytest.raises(TraceError, match=f"this is {told}, and no log"):
        read(tmp_path / name, INTERFACE)
