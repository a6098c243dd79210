"""The comparison of a whole log with the program, against every run that the program could have made.

A machine with two counters writes a log, in which some decisions are missing and some are false. All states that fit
the log are enumerated: a log that "fits" has a run, one that "differs" has none, and what is derived is in every run.
"""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path

import pytest

from soid import Project
from soid.oracle import step_runs
from soid.oracle.log_walk import ComparedStep, Fit
from soid.oracle.whole_log import LogVerdict, check_log
from tests.differential.test_assumed_state import HEAT, LEVELS, MANIFEST, MODES, TICKS, Machine

State = tuple[int, int]
EVERY = {(ticks, heat) for ticks in TICKS for heat in HEAT}


def logged(machine: Machine, chance: random.Random, start: State, count: int) -> list[dict[str, int]]:
    rows, state = [], start
    for number in range(count):
        level = chance.choice(LEVELS)
        mode, ticks, heat = machine.run(level, *state)
        row = {"step": number, "level": level}
        if chance.random() < 0.7:
            row["return"] = mode if chance.random() < 0.93 else chance.choice(MODES)
        if chance.random() < 0.2:
            row["heat"] = state[1]
        rows.append(row)
        state = (ticks, heat)
    gap = chance.randrange(count) if chance.random() < 0.3 else None
    return [row for row in rows if row["step"] != gap]


@pytest.fixture(autouse=True)
def _seen_through(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """In half of the logs intervals come before the first exploration of a step."""
    if request.getfixturevalue("seed") % 2:
        monkeypatch.setattr(step_runs, "ONE_BY_ONE", 0)


@pytest.mark.parametrize("seed", range(16))
def test_what_is_said_of_a_log_holds_of_every_run(seed, tmp_path):
    chance = random.Random(100 + seed)
    machine = Machine(chance)
    from_start = chance.random() < 0.5
    start = (0, 0) if from_start and chance.random() < 0.8 else (chance.choice(TICKS), chance.choice(HEAT))
    rows = logged(machine, chance, start, chance.randrange(2, 40))
    if rows[0]["step"] != 0:
        from_start = False
    _write(tmp_path, machine, rows, from_start=from_start)
    steps: list[ComparedStep] = []
    project = Project.open(tmp_path, step=rows[0]["step"])
    found = check_log(
        project.trace, project.context(), from_start=from_start, seconds=600, causes=False, note=steps.append
    )
    about = machine.text, rows, found
    states = {(0, 0)} if from_start else EVERY
    for place, (row, step) in enumerate(zip(rows, steps, strict=True)):
        if place and row["step"] != rows[place - 1]["step"] + 1:
            states = EVERY
        states = {state for state in states if state[1] == row.get("heat", state[1])}
        given = {state: machine.run(row["level"], *state) for state in states}
        fitting = {state for state in states if given[state][0] == row.get("return", given[state][0])}
        following = rows[place + 1] if place + 1 < len(rows) else {}
        if following.get("step") == row["step"] + 1 and "heat" in following:
            fitting = {state for state in fitting if given[state][2] == following["heat"]}
        if step.fit is not Fit.DIFFERS:
            _compare(step, fitting, {given[state][0] for state in fitting}, about)
        states = {given[state][1:] for state in fitting}
        if not states:
            break
    runs = _has_run(machine, rows, from_start)
    assert found.verdict is not (LogVerdict.DIFFERS if runs else LogVerdict.FITS), about
    if not found.values:
        return
    if not runs and from_start and all(after["step"] == before["step"] + 1 for before, after in pairwise(rows)):
        assert found.verdict is LogVerdict.DIFFERS, about  # all is known there, up to where they part


def _has_run(machine: Machine, rows: list[dict[str, int]], from_start: bool) -> bool:
    states: set[State] = {(0, 0)} if from_start else EVERY
    for place, row in enumerate(rows):
        if place and row["step"] != rows[place - 1]["step"] + 1:
            states = EVERY
        states = {state for state in states if state[1] == row.get("heat", state[1])}
        given = [machine.run(row["level"], *state) for state in states]
        states = {(ticks, heat) for mode, ticks, heat in given if mode == row.get("return", mode)}
        if not states:
            return False
    return True


def _compare(step: ComparedStep, fitting: set[State], modes: set[int], about: object) -> None:
    """What is derived at a step, with what all runs up to there have."""
    known: Mapping[str, int] = step.known
    for at, name in enumerate(("ticks", "heat")):
        if name in known and fitting:
            assert {state[at] for state in fitting} == {known[name]}, (name, step, about)
    if "return" in step.decided and fitting:
        assert modes == {step.decided["return"]}, (step, about)


def _write(folder: Path, machine: Machine, rows: list[dict[str, int]], *, from_start: bool) -> None:
    (folder / "p.c").write_text(machine.text)
    (folder / "soid.toml").write_text(MANIFEST.format(start="from_start = true" if from_start else ""))
    (folder / "log.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


ROUNDED = """
static int n;
int decide(float a, float b) {{
    if (a > {low}f) n = n < 3 ? n + 1 : 3; else if (b < {high}f) n = 0;
    return n == 3 ? 2 : b > {high}f;
}}
"""
OF_ROUNDED = """
[program]
engine = "llvm"
sources = ["p.c"]
entry = "decide"
[trace]
file = "log.jsonl"
from_start = true
[variables]
n = { domain = [0, 3] }
a = { domain = [0.0, 1.0], logged = { decimals = 1 } }
b = { domain = [0.0, 1.0], logged = { decimals = 1 } }
"""


@pytest.mark.parametrize("seed", range(8))
def test_what_is_said_of_a_rounded_log_holds_of_all_that_rounds_to_it(seed, tmp_path):
    """Thresholds lie between decimals, so each comparison has one of two outcomes, or both; these are enumerated."""
    chance = random.Random(seed)
    low, high = chance.choice((0.33, 0.46, 0.52)), chance.choice((0.27, 0.61, 0.74))
    rows, n = [], 0
    for number in range(chance.randrange(5, 40)):
        a, b = round(chance.random(), 4), round(chance.random(), 4)
        n = _count(n, a > low, b < high)
        row = {"step": number, "a": round(a, 1), "b": round(b, 1), "return": 2 if n == 3 else int(b > high)}
        if chance.random() < 0.03:
            row["return"] = chance.choice((0, 1, 2))
        rows.append(row if chance.random() < 0.7 else {key: row[key] for key in ("step", "a", "b")})
    (tmp_path / "p.c").write_text(ROUNDED.format(low=low, high=high))
    (tmp_path / "soid.toml").write_text(OF_ROUNDED)
    (tmp_path / "log.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    project, steps = Project.open(tmp_path, step=0), list[ComparedStep]()
    found = check_log(project.trace, project.context(), from_start=True, seconds=600, causes=False, note=steps.append)
    about = low, high, rows, found
    states, runs = {0}, True
    for row, step in zip(rows, steps, strict=True):
        ways = {(state, *each) for state in states for each in _outcomes(row, low, high)}
        given = {(before, _count(before, over, below), not below) for before, over, below in ways}
        fitting = {each for each in given if _mode(*each[1:]) == row.get("return", _mode(*each[1:]))}
        if step.fit is not Fit.DIFFERS and fitting:
            if "n" in step.known:
                assert states == {step.known["n"]}, (step, about)
            if "return" in step.decided:
                assert {_mode(*each[1:]) for each in fitting} == {step.decided["return"]}, (step, about)
        states = {after for _, after, _ in fitting}
        if not states:
            runs = False
            break
    assert found.verdict is not (LogVerdict.DIFFERS if runs else LogVerdict.FITS), about


def _count(n: int, over: bool, below: bool) -> int:
    return min(n + 1, 3) if over else 0 if below else n


def _mode(n: int, above: bool) -> int:
    return 2 if n == 3 else int(above)


def _outcomes(row: dict[str, float], low: float, high: float) -> set[tuple[bool, bool]]:
    """How `a > low` and `b < high` may come out for all that rounds to a row, within the domain."""
    over = {max(0, min(1, row["a"] + each)) > low for each in (-0.0499, 0.0499)}
    below = {max(0, min(1, row["b"] + each)) < high for each in (-0.0499, 0.0499)}
    return {(one, other) for one in over for other in below}
