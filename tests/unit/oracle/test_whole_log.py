"""The check of a whole log: what fits, where log and program part, what was not logged, and why they differ."""

from __future__ import annotations

import json
import random
import struct
from collections.abc import Callable, Iterable
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
    (version,) = [each for each in found.causes if each.cause == "version"]
    assert version.explains is None and "a row that was logged wrongly is left, or another version" in version.words
    assert "all 69 steps after it give what is logged" in version.words


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
