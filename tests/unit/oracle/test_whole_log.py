"""The check of a whole log: what fits, where log and program part, what was not logged, and why they differ."""

from __future__ import annotations

import json
import math
import random
import struct
from collections.abc import Callable, Iterable
from itertools import pairwise
from pathlib import Path
from typing import Any

from soid import Project
from soid.case.report.comparison_words import unlogged
from soid.oracle.whole_log import LogComparison, LogVerdict, check_log

PROGRAM = """
static int ticks;
struct in { float height; float speed; float angle; };
int decide(const struct in *i) {
    if (i->speed > 20.05f) ticks = ticks < 3 ? ticks + 1 : 3; else ticks = 0;
    if (i->angle > 0.6f) return 3;
    if (ticks == 3) return 2;
    return i->height > 30.0f;
}
"""
MANIFEST = """
[program]
engine = "llvm"
sources = ["p.c"]
entry = "decide"
[trace]
file = "log.jsonl"
{trace}
[variables]
{variables}
"""

Row = dict[str, Any]


def single(value: float) -> float:
    return float(struct.unpack("f", struct.pack("f", value))[0])


def rows_of(count: int = 120, *, ticks: int = 0, high: float = 30.0, fast: bool = False) -> list[Row]:
    """What the program does, run in Python; speeds stay high or low for a while."""
    chance = random.Random(0)
    rows = []
    for number in range(count):
        fast = not fast if chance.random() > 0.8 and number else fast
        speed = single(chance.uniform(20.1, 25) if fast else chance.uniform(15, 20))
        height, angle = single(chance.uniform(10, 90)), single(chance.uniform(0, 0.7))
        ticks = min(ticks + 1, 3) if speed > single(20.05) else 0
        gives = 3 if angle > single(0.6) else 2 if ticks == 3 else int(height > high)
        rows.append({"step": number, "i": {"height": height, "speed": speed, "angle": angle}, "return": gives})
    return rows


def checked(
    folder: Path,
    rows: Iterable[Row],
    *,
    trace: str = "from_start = true",
    variables: str = "",
    program: str = PROGRAM,
    ticks: str = "ticks = { domain = [0, 3] }",
) -> LogComparison:
    (folder / "p.c").write_text(program)
    (folder / "soid.toml").write_text(MANIFEST.format(trace=trace, variables=f"{ticks}\n{variables}"))
    (folder / "log.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    project = Project.open(folder, step=0)
    assert project.manifest is not None
    return check_log(project.trace, project.context(), from_start=project.manifest.from_start, seconds=600)


def explaining(found: LogComparison) -> list[str]:
    return [each.cause for each in found.causes if each.explains]


def changed(rows: list[Row], name: str, change: Callable[[float], float]) -> list[Row]:
    return [{**row, "i": {**row["i"], name: change(row["i"][name])}} for row in rows]


def test_a_log_of_the_program_fits_and_its_state_is_derived_from_the_first_call(tmp_path):
    found = checked(tmp_path, rows_of())
    assert (found.verdict, found.fits, found.explored) == (LogVerdict.FITS, 120, 0)
    (ticks,) = found.state
    assert (ticks.name, ticks.missing, ticks.derived, ticks.since) == ("ticks", 120, 120, "its first call")
    assert found.causes == ()


def test_an_input_that_is_no_state_is_listed_as_what_it_perceives(tmp_path):
    rows = [{**row, "i": {k: v for k, v in row["i"].items() if k != "height"}} for row in rows_of(10)]
    found = checked(tmp_path, rows, variables='"i.height" = { domain = [0.0, 100.0] }')
    assert [each.name for each in found.state] == ["ticks"]
    (height,) = found.perceived
    assert (height.name, height.missing, height.derived) == ("i.height", 10, 0)
    lines = list(unlogged(found))
    assert lines[-1].startswith("i.height (perceived input, not logged): known at 0 of the 10 steps")
    assert "ticks (state, not logged)" in lines[0]
    assert found.shortened(0).perceived[0].changes == ()


def test_decisions_that_are_not_logged_are_filled_in(tmp_path):
    rows = rows_of()
    found = checked(tmp_path, [row if row["step"] % 2 else {**row, "return": None} for row in rows])
    (decision,) = found.decisions
    assert (decision.missing, decision.derived) == (60, 60)
    given = iter(decision.changes)
    current = next(given)
    following = next(given, None)
    for row in rows[::2]:
        if following is not None and following.step == row["step"]:
            current, following = following, next(given, None)
        assert current.value == row["return"], row


def test_state_without_a_known_start_is_known_from_where_it_no_longer_matters(tmp_path):
    rows = rows_of(ticks=3)
    found = checked(tmp_path, rows, trace="")
    assert found.verdict is LogVerdict.FITS
    (ticks,) = found.state
    possible, known = {0, 1, 2, 3}, []
    for row in rows:
        known.append(len(possible) == 1)
        after = {state: min(state + 1, 3) if row["i"]["speed"] > single(20.05) else 0 for state in possible}
        fitting = {after[state] for state in possible if _gives(row, after[state]) == row["return"]}
        possible = fitting if len(fitting) == 1 else {0, 1, 2, 3}
    assert not known[0]
    assert ticks.since == f"step {known.index(True)}"
    assert ticks.derived == sum(known)


def _gives(row: Row, ticks: int) -> int:
    return 3 if row["i"]["angle"] > single(0.6) else 2 if ticks == 3 else int(row["i"]["height"] > 30)


def test_the_first_parting_is_named_with_line_log_and_program(tmp_path):
    rows = rows_of()
    rows[50]["return"] = 3 - rows[50]["return"]
    found = checked(tmp_path, rows)
    assert (found.verdict, found.differs) == (LogVerdict.DIFFERS, 1)
    (parting,) = found.partings
    assert (parting.step, parting.source.rpartition(":")[2]) == (50, "51")
    assert f"the log says return = {rows[50]['return']}, the program gives" in parting.words
    assert explaining(found) == []
    assert not any(each.cause == "version" for each in found.causes)  # one step is no other version


def test_without_a_logged_decision_nothing_is_shown(tmp_path):
    found = checked(tmp_path, [{**row, "return": None} for row in rows_of(10)])
    assert (found.verdict, found.values) == (LogVerdict.OPEN, 0)


def test_a_gap_ends_what_is_known(tmp_path):
    rows = rows_of()
    fast = next(row["step"] for row in rows if row["step"] > 20 and row["i"]["speed"] > 20.05)
    found = checked(tmp_path, [row for row in rows if row["step"] != fast])
    assert found.verdict is LogVerdict.FITS
    assert found.state[0].derived < found.state[0].missing


def test_a_decision_that_the_program_leaves_as_it_was_is_no_parting(tmp_path):
    program = "int mode; void decide(int level) { if (level > 2) mode = level; }"
    rows = [{"step": 0, "level": 3, "mode": 3}, {"step": 1, "level": 1, "mode": 7}, {"step": 2, "level": 4, "mode": 4}]
    (tmp_path / "p.c").write_text(program)
    (tmp_path / "log.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    text = '[program]\nengine = "llvm"\nsources = ["p.c"]\nentry = "decide"\n[trace]\nfile = "log.jsonl"\n'
    (tmp_path / "soid.toml").write_text(text)
    project = Project.open(tmp_path, step=0)
    found = check_log(project.trace, project.context(), from_start=False)
    assert (found.verdict, found.fits) == (LogVerdict.FITS, 3)


def test_a_step_in_which_the_program_fails_differs(tmp_path):
    program = "int decide(int level) { return 100 / level; }"
    text = '[program]\nengine = "llvm"\nsources = ["p.c"]\nentry = "decide"\n[trace]\nfile = "log.jsonl"\n'
    (tmp_path / "p.c").write_text(program)
    (tmp_path / "soid.toml").write_text(text)
    rows = [{"step": n, "level": 5 - n, "return": 100 // (5 - n) if n != 5 else 1} for n in range(10)]
    rows = [{**row, "return": int(100 / row["level"]) if row["level"] else 1} for row in rows]
    (tmp_path / "log.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    project = Project.open(tmp_path, step=0)
    found = check_log(project.trace, project.context(), from_start=False)
    assert (found.fits, found.differs, found.partings[0].step) == (9, 1, 5)
    assert "division by zero" in found.partings[0].words


class TestCauses:
    def test_a_column_in_feet(self, tmp_path):
        rows = changed(rows_of(), "height", lambda height: round(height / 0.3048, 3))
        found = checked(tmp_path, rows)
        assert found.verdict is LogVerdict.DIFFERS
        assert explaining(found) == ["unit"]
        assert any(
            "i.height read as ft instead of m" in each.words and "all 120 steps fit" in each.words
            for each in found.causes
        )

    def test_a_column_in_degrees(self, tmp_path):
        found = checked(tmp_path, changed(rows_of(), "angle", math.degrees))
        assert explaining(found) == ["unit"]
        assert any("i.angle read as deg instead of rad" in each.words for each in found.causes)

    def test_decisions_one_step_late(self, tmp_path):
        rows = rows_of()
        late = [{**row, "return": before["return"]} for before, row in pairwise(rows)]
        found = checked(tmp_path, [{**rows[0], "return": 0}, *late])
        assert explaining(found) == ["clock"]

    def test_decisions_one_step_early(self, tmp_path):
        rows = rows_of()
        early = [{**row, "return": after["return"]} for row, after in pairwise(rows)]
        found = checked(tmp_path, early)
        assert explaining(found) == ["clock"]
        assert any("one step early" in each.words for each in found.causes)

    def test_another_version(self, tmp_path):
        found = checked(tmp_path, rows_of(high=60.0))
        assert explaining(found) == []
        (version,) = [each for each in found.causes if each.cause == "version"]
        assert version.explains is None
        assert f"{found.differs} steps differ" in version.words

    def test_a_log_that_does_not_begin_at_the_first_call(self, tmp_path):
        found = checked(tmp_path, rows_of(60, ticks=3, fast=True))
        assert explaining(found) == ["unlogged state"]
        assert any("before step 0 instead of 0, 60 of 60 steps fit" in each.words for each in found.causes)

    def test_state_that_something_else_has_set(self, tmp_path):
        slow = next(count for count in range(30, 60) if rows_of(count)[-1]["i"]["speed"] < 20)
        before, after = rows_of(slow), rows_of(40, ticks=3, fast=True)
        found = checked(tmp_path, [*before, *({**row, "step": row["step"] + slow} for row in after)])
        assert explaining(found) == ["unlogged state"]
        assert any(f"before step {slow} instead of 0, 40 of 40 steps fit" in each.words for each in found.causes)

    def test_a_setting_that_is_not_logged(self, tmp_path):
        program = PROGRAM.replace("static int", "int most = 2; static int").replace("ticks == 3", "ticks >= most")
        found = checked(tmp_path, rows_of(), program=program)
        assert explaining(found) == ["unlogged state"]
        assert any("with most = 3 before step" in each.words and "instead of 2," in each.words for each in found.causes)

    def test_readings_that_make_a_column_matter_no_more_are_not_named(self, tmp_path):
        rows = [{"step": n, "i": {"height": 20.0 + n, "speed": 1.0, "angle": 0.0}, "return": 0} for n in range(40)]
        found = checked(tmp_path, rows)
        assert explaining(found) == []
        assert any(each.cause == "unit" and "too many" in each.words for each in found.causes)

    def test_a_program_without_numbers(self, tmp_path):
        program = "#include <stdbool.h>\nbool on; bool decide(bool a) { on = a != on; return !a; }"
        rows, on = [], False
        for number in range(9):
            rows.append({"step": number, "a": number % 3 == 0, "on": on})
            on = number % 3 != 0
        found = checked(tmp_path, rows, trace="", program=program, ticks="")
        assert found.verdict is LogVerdict.DIFFERS and explaining(found) == []
        assert [each.cause for each in found.causes] == ["version"]

    def test_too_few_decimals(self, tmp_path):
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

    def test_two_causes_at_once_are_not_taken_for_one(self, tmp_path):
        rows = changed(rows_of(), "height", lambda height: round(height / 0.3048, 3))
        both = [{**row, "return": before["return"]} for before, row in pairwise(rows)]
        found = checked(tmp_path, [{**rows[0], "return": 0}, *both])
        assert explaining(found) == []
        two = changed(rows_of(high=60.0), "angle", math.degrees)
        assert explaining(checked(tmp_path, two)) == []
