"""What a stretch of a log does not have and what follows is filled in, and marked; the rest stays open."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from soid import Project
from soid.oracle import derived_series
from soid.oracle.derived_series import DerivedLog, derived_log
from soid.scenario.log_series import read_series

PROGRAM = "static int n; int mode, twice; void decide(int x) { n = x > 2 ? n + 1 : 0; mode = n > 2; twice = 2 * x; }"
MANIFEST = """
[program]
engine = "llvm"
sources = ["p.c"]
entry = "decide"
[trace]
file = "log.jsonl"
from_start = true
[variables]
n = { domain = [0, 100] }
x = { domain = [0, 100] }
"""
XS = (5, 5, 5, 5, 1, 5)


def filled(
    folder: Path,
    rows: list[dict[str, Any]],
    *,
    first: int | None = None,
    last: int | None = None,
    from_start: bool = True,
) -> DerivedLog:
    (folder / "p.c").write_text(PROGRAM)
    (folder / "soid.toml").write_text(MANIFEST)
    (folder / "log.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    project = Project.open(folder)
    log = read_series(project.trace, first=first, last=last)
    return derived_log(log, project.trace, project.context(), from_start=from_start)


def values(found: DerivedLog) -> dict[str, list[int | None]]:
    return {each.name: list(each.values) for each in found.log.series}


def marks(found: DerivedLog) -> dict[str, list[int]]:
    return {each.name: list(each.derived) for each in found.log.series}


def test_what_was_never_logged_is_filled_in(tmp_path):
    found = filled(tmp_path, [{"x": x} for x in XS])
    assert values(found) == {
        "mode": [0, 0, 1, 1, 0, 0],
        "twice": [10, 10, 10, 10, 2, 10],
        "x": list(XS),
        "n": [0, 1, 2, 3, 4, 0],
    }
    assert marks(found) == {"mode": [1] * 6, "twice": [1] * 6, "x": [], "n": [1] * 6} and not found.log.absent


def test_what_was_logged_at_some_steps_stays_as_it_was_logged(tmp_path):
    found = filled(tmp_path, [{"x": x, **({"twice": 2 * x} if at % 2 else {})} for at, x in enumerate(XS)])
    assert values(found)["twice"] == [10, 10, 10, 10, 2, 10] and marks(found)["twice"] == [1, 0, 1, 0, 1, 0]


def test_without_the_first_call_only_what_surely_follows_is_filled_in(tmp_path):
    found = filled(tmp_path, [{"x": x} for x in XS], from_start=False)
    assert values(found)["n"] == [None] * 5 + [0] and values(found)["twice"] == [10, 10, 10, 10, 2, 10]
    assert marks(found)["n"] == [0] * 5 + [1]
    assert values(found)["mode"] == [None, None, None, None, 0, 0]


def test_nothing_is_filled_in_where_log_and_program_differ(tmp_path):
    rows = [{"x": x, "twice": 2 * x + (at == 2)} for at, x in enumerate(XS)]
    found = filled(tmp_path, rows)
    assert values(found)["mode"] == [0, 0, None, None, 0, 0] and values(found)["n"] == [0, 1, 2, None, None, 0]


def test_nothing_follows_from_a_start_that_the_log_refutes(tmp_path):
    rows = [{"x": x, **({"mode": 1} if at == 1 else {})} for at, x in enumerate(XS)]  # n was 1 or more before the first
    found = filled(tmp_path, rows)
    assert values(found)["n"] == [None] * 5 + [0] and values(found)["mode"][1] == 1
    assert values(filled(tmp_path, rows, last=0)) == {"twice": [10], "x": [5]}  # what comes after it shows that


def test_a_part_is_filled_in_as_in_the_whole(tmp_path):
    found = filled(tmp_path, [{"x": x} for x in XS], first=3)
    assert values(found)["n"] == [3, 4, 0]


def test_a_log_that_is_too_long_is_left_as_it_is(tmp_path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(derived_series, "MOST_DERIVED", 5)
    monkeypatch.setattr(derived_series, "_EXPLORED", 5)
    found = filled(tmp_path, [{"x": x} for x in XS])
    assert found.unasked and set(found.log.absent) == {"mode", "twice", "n"}
    monkeypatch.setattr(derived_series, "_LEAD", 2)  # of a part, the steps before it are enough for some
    late = filled(tmp_path, [{"x": x} for x in XS], first=5)
    assert values(late)["n"] == [0] and not late.unasked


def test_a_log_that_has_everything_is_not_gone_through(tmp_path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(derived_series, "LogWalk", None)
    rows = [{"x": 5, "mode": 0, "twice": 10, "n": 0}, {"x": 5, "mode": 0, "twice": 10, "n": 1}]
    found = filled(tmp_path, rows)
    assert all(not any(marked) for marked in marks(found).values()) and not found.unasked
