"""State that follows from running the program over its log: long logs are run in few pieces, and time is bounded."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, overload

import pytest
from msgspec.structs import replace

from soid import Project
from soid.engine.replay import Replayer
from soid.oracle import inquiry, log_run
from soid.oracle.inquiry import Context, Settings
from soid.oracle.log_run import LogRun
from soid.program.trace_table import LogClock
from soid.scenario.step_times import RunningClock, StepTime
from soid.scenario.trace import Step, Trace

PROGRAM = "static int n; int decide(int x) { n = x > 2 ? n + 1 : 0; return n > 2; }"
MANIFEST = """
[program]
engine = "llvm"
sources = ["p.c"]
entry = "decide"
[trace]
file = "log.jsonl"
from_start = true
"""
LONG = 100_000


@pytest.fixture
def project(tmp_path: Path) -> Project:
    (tmp_path / "p.c").write_text(PROGRAM)
    (tmp_path / "soid.toml").write_text(MANIFEST)
    (tmp_path / "log.jsonl").write_text(json.dumps({"step": 0, "x": 3}) + "\n")
    return Project.open(tmp_path)


class Levels(Sequence[Step]):
    """A log in which `x` is above 2 from a step on."""

    def __init__(self, count: int, reset: int) -> None:
        self.length, self.reset = count, reset

    def __len__(self) -> int:
        return self.length

    @overload
    def __getitem__(self, place: int) -> Step: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Step]: ...
    def __getitem__(self, place: int | slice) -> Step | Sequence[Step]:
        if isinstance(place, slice):
            return [self[each] for each in range(*place.indices(self.length))]
        if not -self.length <= place < self.length:
            raise IndexError(place)
        time = place % self.length
        return Step(time, {"x": 1 if time <= self.reset else 5, "n": 0}, {}, unlogged=("n",))


class Counting:
    """A replayer that counts its runs."""

    def __init__(self, runs: Replayer) -> None:
        self.how = runs.how
        self.replay_failure = runs.replay_failure
        self._runs = runs
        self.calls = 0

    def replay(self, inputs, environments=()):
        self.calls += 1
        return self._runs.replay(inputs, environments)


def counted(project: Project) -> tuple[Counting, Context]:
    assert project.replayer is not None
    counting = Counting(project.replayer)
    return counting, replace(project.context(), replayer=counting)


def test_a_hundred_thousand_steps_are_run_in_a_few_pieces(project):
    counting, context = counted(project)
    run = LogRun(Trace(project.trace.interface, Levels(LONG, LONG - 500)), context, from_start=True)
    moment = run.keyframe(LONG - 1)
    assert (moment.inputs["n"], moment.derived["n"]) == (498, "its first call")
    assert counting.calls <= LONG // 4096 + 2
    before = counting.calls
    assert run.keyframe(LONG - 3).inputs["n"] == 496  # from where the first run came past, not from the start
    assert counting.calls - before <= 2


class Late(Levels):
    """A log of which only the end may be read."""

    def __getitem__(self, place):
        assert isinstance(place, slice) or place % self.length in (0, *range(self.length - 400, self.length))
        return super().__getitem__(place)


def test_late_in_a_long_log_a_near_step_is_looked_for_first(project):
    _, context = counted(project)
    run = LogRun(Trace(project.trace.interface, Late(10_000_000, 10_000_000 - 50)), context, from_start=True)
    moment = run.keyframe(9_999_999)
    assert moment.inputs["n"] == 48 and moment.derived["n"] == "step 9999743"


def test_a_run_that_would_not_end_in_time_is_not_begun_for_long(project, monkeypatch):
    monkeypatch.setattr(log_run, "_ESTIMATED", 0.0)
    monkeypatch.setattr(log_run, "_WINDOWS", (4,))
    counting, context = counted(project)
    context = replace(context, settings=Settings(seconds=20.0))
    run = LogRun(Trace(project.trace.interface, Levels(10**9, 10**9 - 50)), context, from_start=True)
    moment = run.keyframe(10**9 - 1)
    assert moment.assumed == ("n",) and "There was no time to run the program over all 999,999,999" in moment.underived
    assert counting.calls <= 2


def test_state_does_not_follow_across_a_lapse(project):
    steps = [Step(at, {"x": 5, "n": 0}, {}, unlogged=("n",), lapse=at == 3) for at in range(10)]
    times = (StepTime(str(at + (at > 3)), RunningClock(LogClock("t"), Fraction())) for at in range(10))
    steps = [dataclasses.replace(step, when=when) for step, when in zip(steps, times, strict=True)]
    run = LogRun(Trace(project.trace.interface, steps), project.context(), from_start=True)
    assert run.keyframe(3).inputs["n"] == 3 and not run.keyframe(3).assumed
    for step in (4, 5, 9):
        assert run.keyframe(step).assumed == ("n",)
        assert run.keyframe(step).underived.startswith("Calls may be missing between step 3 and step 4, which were")
    steps[6] = dataclasses.replace(steps[6], inputs={"x": 1, "n": 0})
    again = LogRun(Trace(project.trace.interface, steps), project.context(), from_start=True)
    assert again.keyframe(9).inputs["n"] == 2 and again.keyframe(9).derived["n"].startswith("step 5")


def test_deriving_ends_with_its_time_and_nothing_is_derived_then(project, monkeypatch):
    monkeypatch.setattr(inquiry, "LEAST_OPENING", 0.0)
    counting, context = counted(project)
    context = replace(context, settings=Settings(seconds=0.0))
    run = LogRun(Trace(project.trace.interface, Levels(1000, 500)), context, from_start=True)
    moment = run.keyframe(999)
    assert moment.assumed == ("n",) and not moment.derived
    assert counting.calls == 0


def test_a_log_with_another_start_does_not_begin_at_the_first_call(tmp_path):
    (tmp_path / "p.c").write_text("static int n, m; int decide(int x) { n++; m += x; return n + m; }")
    (tmp_path / "soid.toml").write_text(MANIFEST)
    rows = [{"step": 0, "x": 1, "m": 4}, {"step": 1, "x": 1, "m": 5}]
    (tmp_path / "log.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    project = Project.open(tmp_path, step=1)
    assert project.keyframe.assumed == ("n",)
    found = project.compare_log()
    assert (found.verdict.value, found.partings[0].step) == ("differs", 0)
    assert any(each.explains and "`from_start`" in each.words for each in found.causes)
    assert "before the first call the log says m = 4, the program starts with 0" in found.partings[0].words


def test_what_is_logged_later_may_show_that_the_log_begins_elsewhere(tmp_path):
    (tmp_path / "p.c").write_text("static int n; int decide(int x) { n = x > 2 ? n + 1 : n; return n > 4; }")
    (tmp_path / "soid.toml").write_text(MANIFEST + "[variables]\nn = { domain = [0, 9] }\n")
    rows = [{"step": step, "x": 3, "return": int(step >= 2)} for step in range(5)]  # n was 2 before the first
    (tmp_path / "log.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = Project.open(tmp_path, step=0).keyframe
    assert found.assumed == ("n",)
    assert found.underived.startswith("A run from the program's first call does not give what is logged at step 2,")
    other = rows[:2] + [{**row, "return": 0} for row in rows[2:4]] + [{**rows[4], "return": 7}]  # no state gives 7
    (tmp_path / "log.jsonl").write_text("".join(json.dumps(row) + "\n" for row in other))
    assert Project.open(tmp_path, step=1).keyframe.derived == {"n": "its first call"}


def test_a_decision_that_is_kept_does_not_end_what_is_known(tmp_path):
    (tmp_path / "p.c").write_text("static int n; int mode; void decide(int x) { n++; if (x > 2) mode = x; }")
    (tmp_path / "soid.toml").write_text(MANIFEST)
    rows = [{"step": 0, "x": 3, "mode": 3}, {"step": 1, "x": 1, "mode": 7}, {"step": 2, "x": 4, "mode": 4}]
    (tmp_path / "log.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = Project.open(tmp_path, step=2).keyframe
    assert (found.inputs["n"], found.derived["n"]) == (2, "its first call")


OUTPUTS = """
static int n; int mode, speed, warm, kept;
void decide(int x, float level) {
    n = x > 2 ? n + 1 : 0; mode = n > 2; speed = x; warm = level > 20.4f; if (x > 8) kept = 1;
}
"""


def outputs(folder: Path, rows: list[dict[str, Any]], step: int, *, from_start: bool = False) -> dict[str, int]:
    """What follows for the outputs of a step."""
    (folder / "p.c").write_text(OUTPUTS)
    manifest = MANIFEST.replace("from_start = true", "") if not from_start else MANIFEST
    more = "[trace.columns]\nlevel = { decimals = 1 }\n[variables]\nn = { domain = [0, 100] }\n"
    (folder / "soid.toml").write_text(manifest + more)
    (folder / "log.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = Project.open(folder, step=step).keyframe.with_outputs()
    assert found.followed is not None
    return dict(found.followed)


def test_outputs_that_are_not_logged_follow_from_what_is_known(tmp_path):
    rows: list[dict[str, Any]] = [{"step": at, "x": 5, "level": 21.0} for at in range(4)]
    assert outputs(tmp_path, rows, 3, from_start=True) == {"mode": 1, "speed": 5, "warm": 1, "n'": 4}


def test_an_output_that_another_state_would_change_does_not_follow(tmp_path):
    rows: list[dict[str, Any]] = [{"step": 0, "x": 5, "level": 21.0}]
    assert outputs(tmp_path, rows, 0) == {"speed": 5, "warm": 1}
    assert outputs(tmp_path, [{"step": 0, "x": 1, "level": 21.0}], 0) == {"mode": 0, "speed": 1, "warm": 1, "n'": 0}


def test_an_output_that_lost_digits_would_change_does_not_follow(tmp_path):
    rows: list[dict[str, Any]] = [{"step": 0, "x": 5, "level": 20.4}]
    assert outputs(tmp_path, rows, 0, from_start=True) == {"mode": 0, "speed": 5, "n'": 1}


def test_an_output_that_keeps_its_value_does_not_follow(tmp_path):
    assert "kept" not in outputs(tmp_path, [{"step": 0, "x": 5, "level": 1.0}], 0)
    assert outputs(tmp_path, [{"step": 0, "x": 9, "level": 1.0}], 0)["kept"] == 1


def test_nothing_follows_from_a_step_at_which_log_and_program_differ(tmp_path):
    assert outputs(tmp_path, [{"step": 0, "x": 5, "level": 21.0, "speed": 6}], 0, from_start=True) == {}
    rows: list[dict[str, Any]] = [{"step": 0, "x": 5, "level": 21.0}, {"step": 1, "x": 5, "level": 21.0, "n": 7}]
    assert outputs(tmp_path, rows, 0, from_start=True) == {}  # the state that is logged next is not what it leaves


def test_what_is_logged_decides_what_follows(tmp_path):
    found = outputs(tmp_path, [{"step": 0, "x": 5, "level": 20.4, "warm": 1}], 0)
    assert found == {"speed": 5}  # warm is logged, and not among them
    rows: list[dict[str, Any]] = [{"step": 0, "x": 5, "level": 21.0}, {"step": 1, "x": 1, "level": 21.0, "n": 7}]
    assert outputs(tmp_path, rows, 0) == {"mode": 1, "speed": 5, "warm": 1, "n'": 7}


def test_outputs_are_looked_for_only_where_they_are_shown(project, monkeypatch):
    calls = []

    def following(self, moment):
        calls.append(moment.step)
        return {}

    monkeypatch.setattr(LogRun, "_following", following)
    moment = project.keyframe
    project.ask("did return == 1")
    assert calls == []
    assert "return = not known" in moment.describe() and "return = not known" in moment.describe()
    assert calls == [0]


def test_a_moment_describes_what_follows(project):
    assert project.keyframe.describe().splitlines()[1:] == [
        "  x = 3",
        "  n = 0 (derived)",
        "  return = 0 (derived)",
        "  n' = 1 (derived)",
    ]
    assert "return" not in project.logged.describe()
