"""Why log and program differ: which cause is named, what it says, and that what it says to write mends it."""

from __future__ import annotations

import dataclasses
import json
import math
from itertools import pairwise
from pathlib import Path

import pytest

from soid import Project
from soid.oracle.likely_cause import LikelyCause
from soid.oracle.whole_log import LogComparison, LogVerdict, check_log
from soid.scenario.logs import text_log
from tests.unit.oracle.test_whole_log import PROGRAM, changed, checked, explaining, rows_of, single


def told(found: LogComparison, cause: str) -> LikelyCause:
    (one,) = [each for each in found.causes if each.cause == cause]
    return one


def test_a_column_in_feet(tmp_path):
    rows = changed(rows_of(), "height", lambda height: round(height / 0.3048, 3))
    found = checked(tmp_path, rows)
    assert found.verdict is LogVerdict.DIFFERS
    assert explaining(found) == ["unit"]
    assert any(
        "i.height read as ft instead of m" in each.words and "all 120 steps fit" in each.words for each in found.causes
    )


def test_a_column_in_degrees(tmp_path):
    found = checked(tmp_path, changed(rows_of(), "angle", math.degrees))
    assert explaining(found) == ["unit"]
    assert any("i.angle read as deg instead of rad" in each.words for each in found.causes)


def test_decisions_one_step_late(tmp_path):
    rows = rows_of()
    late = [{**row, "return": before["return"]} for before, row in pairwise(rows)]
    found = checked(tmp_path, [{**rows[0], "return": 0}, *late])
    assert explaining(found) == ["clock"]


def test_decisions_one_step_early(tmp_path):
    rows = rows_of()
    early = [{**row, "return": after["return"]} for row, after in pairwise(rows)]
    found = checked(tmp_path, early)
    assert explaining(found) == ["clock"]
    assert any("one step early" in each.words for each in found.causes)


def test_another_version(tmp_path):
    found = checked(tmp_path, rows_of(high=60.0))
    assert explaining(found) == []
    version = told(found, "version")
    assert version.explains is None
    assert f"{found.differs} steps differ, and no other cause" in version.words
    always = "each time the log says return = 0 and the program gives return = 1"
    assert f"{always}; where the log says return = 0, i.height is " in version.words
    logged = [row["i"]["height"] for row in rows_of(high=60.0) if row["return"] == 0]
    above, below = min(each for each in logged if each > 30), max(each for each in logged if each <= 30)
    assert f"at least {above:.6f}"[:14] in version.words and f"at most {below:.6f}"[:13] in version.words


def test_a_log_that_does_not_begin_at_the_first_call(tmp_path):
    found = checked(tmp_path, rows_of(60, ticks=3, fast=True))
    assert explaining(found) == ["unlogged state"]
    state, version = told(found, "unlogged state"), told(found, "version")
    assert "instead of 0 before step 0, all 60 steps fit; then `from_start` is wrong" in state.words
    assert [each.cause for each in found.causes][:2] == ["unlogged state", "version"]
    assert version.words.startswith("if the log begins with the program's first call, as `from_start` says, another")


def test_state_does_not_jump_in_the_middle_of_a_log(tmp_path):
    slow = next(count for count in range(30, 60) if rows_of(count)[-1]["i"]["speed"] < 20)
    before, after = rows_of(slow), rows_of(40, ticks=3, fast=True)
    found = checked(tmp_path, [*before, *({**row, "step": row["step"] + slow} for row in after)])
    assert explaining(found) == []
    assert told(found, "unlogged state").explains is False
    assert told(found, "version").explains is None


def test_a_setting_that_is_not_logged(tmp_path):
    program = PROGRAM.replace("static int", "int most = 2; static int").replace("ticks == 3", "ticks >= most")
    found = checked(tmp_path, rows_of(), program=program)
    assert explaining(found) == ["unlogged state"]
    assert "with most = 3 instead of 2 in all steps, all 120 steps fit" in told(found, "unlogged state").words


def test_readings_that_make_a_column_matter_no_more_are_not_named(tmp_path):
    rows = [{"step": n, "i": {"height": 20.0 + n, "speed": 1.0, "angle": 0.0}, "return": 0} for n in range(40)]
    found = checked(tmp_path, rows)
    assert explaining(found) == []
    assert any(each.cause == "unit" and "too many" in each.words for each in found.causes)


def test_a_program_without_numbers(tmp_path):
    program = "#include <stdbool.h>\nbool on; bool decide(bool a) { on = a != on; return !a; }"
    rows, on = [], False
    for number in range(9):
        rows.append({"step": number, "a": number % 3 == 0, "on": on})
        on = number % 3 != 0
    found = checked(tmp_path, rows, trace="", program=program, ticks="")
    assert found.verdict is LogVerdict.DIFFERS and explaining(found) == []
    assert [each.cause for each in found.causes] == ["version"]


def test_too_few_decimals(tmp_path):
    rows = rows_of()
    near = iter([20.02, 20.04, 20.06, 20.01] * 40)
    rows = changed(rows, "speed", lambda _: single(next(near)))
    ticks = 0
    for row in rows:
        ticks = min(ticks + 1, 3) if row["i"]["speed"] > single(20.05) else 0
        high = int(row["i"]["height"] > 30)
        row["return"] = 3 if row["i"]["angle"] > single(0.6) else 2 if ticks == 3 else high
    rows[40]["i"] |= {"height": 29.96}
    rows[40]["return"] = 3 if rows[40]["i"]["angle"] > single(0.6) else 0
    rows[41]["i"] |= {"height": 30.04, "angle": 0.1}
    rows[41]["return"] = 1
    rounded = changed(rows, "height", lambda height: round(height, 1))
    found = checked(tmp_path, rounded)
    assert found.verdict is LogVerdict.DIFFERS
    assert explaining(found) == ["rounding"]
    assert any('"i.height" = { logged = { decimals = 1 } }' in each.words for each in found.causes)
    told = checked(tmp_path, rounded, variables='"i.height" = { logged = { decimals = 1 } }')
    assert told.verdict is LogVerdict.FITS
    assert told.possible > 0


def test_two_causes_at_once_are_not_taken_for_one(tmp_path):
    rows = changed(rows_of(), "height", lambda height: round(height / 0.3048, 3))
    both = [{**row, "return": before["return"]} for before, row in pairwise(rows)]
    found = checked(tmp_path, [{**rows[0], "return": 0}, *both])
    assert explaining(found) == []
    two = changed(rows_of(high=60.0), "angle", math.degrees)
    assert explaining(checked(tmp_path, two)) == []


# --- what the manifest says is wrong

FLIGHT = """
int decide(float height, int level) { return height > 30.04f ? 2 : level > 5; }
"""
OF_FLIGHT = """
[program]
engine = "llvm"
sources = ["p.c"]
entry = "decide"
[trace]
file = "log.csv"
[trace.columns]
height = {height}
level = {level}
[variables]
height = { unit = "m" }
level = { unit = "cm" }
"""
RIGHT = {"height": '{ column = "h", unit = "ft", decimals = 1 }', "level": '{ column = "l", unit = "mm" }'}


def flown(folder: Path, **lines: str) -> Path:
    """A project whose log is in ft and mm, with some lines of its manifest."""
    rows = ["step,h,l,return"]
    for number in range(60):
        height, level = 30.0 + 0.0013 * number, number * 7 % 11
        mode = 2 if single(height) > single(30.04) else int(level > 5)
        rows.append(f"{number},{height / 0.3048:.1f},{level * 10},{mode}")
    (folder / "log.csv").write_text("\n".join(rows) + "\n")
    (folder / "p.c").write_text(FLIGHT)
    text = OF_FLIGHT
    for name, line in {**RIGHT, **lines}.items():
        text = text.replace(f"{{{name}}}", line)
    (folder / "soid.toml").write_text(text)
    return folder


def compared(folder: Path) -> LogComparison:
    project = Project.open(folder, step=0)
    return check_log(project.trace, project.context(), from_start=False, seconds=600)


@pytest.mark.parametrize("large", [False, True])
@pytest.mark.parametrize(
    ("name", "line", "cause", "words"),
    [
        ("height", '{ column = "h", unit = "m", decimals = 1 }', "unit", "height read as ft instead of m"),
        ("height", '{ column = "h", decimals = 1 }', "unit", "height read as ft instead of m"),
        ("height", '{ column = "h", unit = "yd", decimals = 1 }', "unit", "height read as ft instead of yd"),
        ("level", '"l"', "unit", "level read as mm instead of cm"),
        ("level", '{ column = "l", unit = "dm" }', "unit", "level read as mm instead of dm"),
        ("height", '{ column = "h", unit = "ft", decimals = 4 }', "rounding", "height as rounded to 1 decimal"),
        ("height", '{ column = "h", unit = "ft" }', "rounding", "height as rounded to 1 decimal"),
    ],
)
def test_what_it_says_to_write_in_the_manifest_mends_it(monkeypatch, tmp_path, name, line, cause, words, large):
    if large:
        monkeypatch.setattr(text_log, "LARGE", -1)
        monkeypatch.setattr(text_log, "PIECE", 64)
    found = compared(flown(tmp_path, **{name: line}))
    assert found.verdict is LogVerdict.DIFFERS
    assert explaining(found) == [cause]
    said, remedy = told(found, cause).words.split(": ", maxsplit=1)
    assert said == f"with {words}, all 60 steps fit"
    table, _, entry = remedy.partition(" ")
    assert table == "[trace.columns]"
    key, _, value = entry.partition(" = ")
    assert compared(flown(tmp_path, **{json.loads(key): value})).verdict is LogVerdict.FITS


def test_a_table_of_python(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    csv = pytest.importorskip("pyarrow.csv")
    folder = flown(tmp_path, height='{ column = "h", unit = "m", decimals = 1 }')
    table = csv.read_csv(folder / "log.csv", convert_options=csv.ConvertOptions(column_types={"h": pyarrow.float64()}))
    project = Project.open(folder, step=0, trace=table)
    found = check_log(project.trace, project.context(), from_start=False, seconds=600)
    assert explaining(found) == ["unit"]
    assert "height read as ft instead of m, all 60 steps fit" in told(found, "unit").words


def test_steps_that_were_read_from_nothing_are_what_is_written(tmp_path):
    rows = changed(rows_of(), "height", lambda height: round(height / 0.3048, 3))
    checked(tmp_path, rows)
    project = Project.open(tmp_path, step=0)
    bare = dataclasses.replace(project.trace, written=None)
    found = check_log(bare, project.context(), from_start=True, seconds=600)
    assert explaining(found) == ["unit"]
    assert "i.height read as ft instead of m" in told(found, "unit").words


def test_digits_that_are_far_from_the_first_difference_count(tmp_path):
    folder = flown(tmp_path, height='{ column = "h", unit = "m" }')
    heading, *rows = (folder / "log.csv").read_text().splitlines()
    idle = [f"{number},80,0,0" for number in range(300)]
    later = [f"{300 + number},{row.split(',', maxsplit=1)[1]}" for number, row in enumerate(rows)]
    (folder / "log.csv").write_text("\n".join([heading, *idle, *later]) + "\n")
    found = compared(folder)
    assert explaining(found) == ["unit"]
    assert told(found, "unit").words.endswith('"height" = { column = "h", unit = "ft", decimals = 1 }')


def test_a_unit_with_which_every_larger_value_fits_is_not_named(tmp_path):
    program = "int decide(float volts) { return volts > 11.2f; }"
    rows = [{"step": n, "volts": 11.0 + n % 7 * 0.25, "return": 1} for n in range(30)]
    unit = 'volts = {{ unit = "V"{} }}'
    found = checked(tmp_path, rows, trace="", program=program, ticks=unit.format(""))
    assert explaining(found) == []
    assert "volts read as kV instead of V, but so it does with values that are larger" in told(found, "unit").words
    found = checked(tmp_path, rows, trace="", program=program, ticks=unit.format(", domain = [0.0, 13.0]"))
    assert "volts read as kV instead of V, but its values are outside of their domain" in told(found, "unit").words
    assert told(found, "version").explains is None


# --- another version


@pytest.mark.parametrize("start", ["from_start = true", ""])
def test_another_limit_of_a_counter_is_told_as_another_version(tmp_path, start):
    program = PROGRAM.replace("ticks < 3 ? ticks + 1 : 3", "ticks < 2 ? ticks + 1 : 2").replace("== 3", "== 2")
    found = checked(tmp_path, rows_of(), trace=start, program=program, ticks="ticks = { domain = [0, 2] }")
    assert found.verdict is LogVerdict.DIFFERS
    assert explaining(found) == []
    assert told(found, "unlogged state").explains is False
    version = told(found, "version")
    assert found.causes[0] == version and version.explains is None
    assert "each time the program gives return = 2" in version.words


def test_a_start_that_no_domain_limits(tmp_path):
    found = checked(tmp_path, rows_of(60, ticks=3, fast=True), ticks="")
    assert explaining(found) == ["unlogged state"]
    program = PROGRAM.replace("ticks == 3", "ticks == 2")
    found = checked(tmp_path, rows_of(), program=program, ticks="")
    assert explaining(found) == []
    assert told(found, "unlogged state").explains is False  # a slow step has reset it


def test_after_a_gap_no_state_was_taken_for_granted(tmp_path):
    slow = next(row["step"] for row in rows_of() if row["step"] > 40 and row["i"]["speed"] < 20)
    rows = rows_of(high=60.0)
    rows[:slow] = rows_of()[:slow]
    found = checked(tmp_path, [row for row in rows if row["step"] != slow])
    state = told(found, "unlogged state")
    assert state.explains is False
    assert f"whatever ticks was before step {slow + 1}, after a gap in the log" in state.words


def test_a_shift_that_only_leaves_out_what_differs_explains_nothing(tmp_path):
    rows = [{"step": n, "i": {"height": 20.0, "speed": 1.0, "angle": 0.0}, "return": int(n == 0)} for n in range(20)]
    found = checked(tmp_path, rows)
    assert found.differs == 1
    assert told(found, "clock").explains is not True
