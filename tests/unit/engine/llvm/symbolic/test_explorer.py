"""What ends an exploration early: every state that was not explored is on an unexplored path that says why."""

from __future__ import annotations

import re
import threading
from collections.abc import Sequence
from pathlib import Path

import pytest

from soid.budget import UNLIMITED, Budget, Cancellation, Deadline
from soid.engine.llvm.c_source import CSource
from soid.engine.llvm.llvm_engine import LlvmEngine
from soid.engine.llvm.symbolic.explorer import ExplorationLimits
from soid.engine.llvm.variables.discovery import discover
from soid.engine.protocol import Exploration, ExplorationProgress
from soid.engine.summary import Decided, PathSummary, Unexplored
from soid.formula import build
from soid.formula.build import TRUE
from soid.formula.checker import Open, Possibility
from soid.formula.passes import evaluate
from soid.formula.term import Term
from tests.clock import set_up
from tests.exhaustive import Exhaustive

BRANCHES = "int decide(unsigned char n) { int t = 0; " + "".join(f"if (n > {k}) t += {k};" for k in range(0, 250, 10))
BRANCHES += " return t; }"


def engine(source: str, folder: Path, limits: ExplorationLimits | None = None) -> LlvmEngine:
    (folder / "program.c").write_text(source)
    found = discover(CSource((Path("program.c"),), "decide"), folder)
    return LlvmEngine(found.interface, found.loaded, limits)


def explore(
    made: LlvmEngine, *, deadline: Deadline | None = None, cancel: Cancellation | None = None, **more: object
) -> PathSummary:
    return made.explore(
        Exploration(
            {},
            TRUE,
            Exhaustive(),
            deadline or UNLIMITED.started(),
            cancel or Cancellation(),
            **more,  # type: ignore[arg-type]
        )
    )


def reasons(summary: PathSummary) -> set[str]:
    return {path.ending.reason for path in summary.paths if isinstance(path.ending, Unexplored)}


def covers_everything_once(made: LlvmEngine, summary: PathSummary) -> bool:
    symbol = made.interface.inputs[0].symbol
    return all(sum(bool(evaluate(path.condition, {symbol: n})) for path in summary.paths) == 1 for n in range(256))


def test_without_a_limit_every_path_is_explored(tmp_path: Path) -> None:
    made = engine(BRANCHES, tmp_path)
    summary = explore(made)
    assert len(summary.paths) == 26 and not reasons(summary)
    assert covers_everything_once(made, summary)


def test_a_limit_on_paths_leaves_the_rest_unexplored(tmp_path: Path) -> None:
    made = engine(BRANCHES, tmp_path)
    summary = explore(made, paths=5)
    assert reasons(summary) == {"more than 5 paths"}
    assert sum(isinstance(path.ending, Decided) for path in summary.paths) == 5
    assert covers_everything_once(made, summary)


def test_a_limit_on_memory_leaves_the_rest_unexplored(tmp_path: Path) -> None:
    made = engine(BRANCHES, tmp_path)
    summary = explore(made, memory=1 << 20)
    assert reasons(summary) == {"the memory budget of 1 MiB ended"}
    assert covers_everything_once(made, summary)


def test_progress_tells_paths_frontier_and_the_share_of_solving(tmp_path: Path) -> None:
    told: list[ExplorationProgress] = []
    explore(engine(BRANCHES, tmp_path), progress=told.append)
    assert told[-1].paths == 26 and told[-1].frontier == 0
    assert all(0.0 <= each.solving <= 1.0 for each in told)


def test_a_deadline_that_is_over_leaves_everything_unexplored(tmp_path: Path) -> None:
    made = engine(BRANCHES, tmp_path)
    summary = explore(made, deadline=Budget(0.0).started())
    assert reasons(summary) == {"the time budget ended"}
    assert covers_everything_once(made, summary)


def test_a_deadline_ends_a_loop_that_never_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = engine("int decide(int n) { while (n == n) n ^= 1; return n; }", tmp_path)
    set_up(monkeypatch, tick=1.0)
    summary = explore(made, deadline=Budget(20.0).started())
    (reason,) = reasons(summary)
    assert re.fullmatch(r"the time budget ended after [\d,]+ rounds of loops and calls; a window ends .*", reason)
    (path,) = summary.paths
    assert isinstance(path.ending, Unexplored) and path.ending.where is not None and path.ending.where.line == 1


def test_cancelling_takes_effect_inside_a_path(tmp_path: Path) -> None:
    made = engine("int decide(int n) { for (;;) n ^= 1; return n; }", tmp_path)
    cancel = Cancellation()
    timer = threading.Timer(0.2, cancel.cancel)
    timer.start()
    summary = explore(made, cancel=cancel)
    timer.join()
    (reason,) = reasons(summary)
    assert re.fullmatch(
        r"cancelled after [\d,]+ rounds of loops and calls; a window ends such paths as undecided", reason
    )


def test_cancelling_between_paths(tmp_path: Path) -> None:
    made = engine(BRANCHES, tmp_path)
    cancel = Cancellation()

    def stop(progress: ExplorationProgress) -> None:
        if progress.paths >= 3:
            cancel.cancel()

    summary = explore(made, cancel=cancel, progress=stop)
    assert reasons(summary) == {"cancelled"}
    assert covers_everything_once(made, summary)


def test_progress_tells_of_paths_and_of_those_that_wait(tmp_path: Path) -> None:
    seen: list[ExplorationProgress] = []
    explore(engine(BRANCHES, tmp_path), progress=seen.append)
    assert [each.paths for each in seen] == sorted(each.paths for each in seen)
    assert seen[-1].paths == 26 and seen[-1].frontier == 0


def test_recursion_without_end_is_left_unexplored(tmp_path: Path) -> None:
    source = "static int f(int n) { return f(n) + 1; } int decide(int n) { return n > 3 ? f(n) : n; }"
    made = engine(source, tmp_path, ExplorationLimits(depth=50))
    summary = made.explore(Exploration({"n": 9}, TRUE, Exhaustive(), UNLIMITED.started(), Cancellation()))
    assert reasons(summary) == {"more than 50 calls deep"}


def test_a_branch_that_the_checker_leaves_open_is_followed_on_both_sides(tmp_path: Path) -> None:
    def leaves_open(conjuncts: Sequence[Term], /) -> Possibility:
        return Open("no solver")

    made = engine("int decide(unsigned char n) { return n > 3 ? 1 : 2; }", tmp_path)
    summary = made.explore(Exploration({}, TRUE, leaves_open, UNLIMITED.started(), Cancellation()))
    assert covers_everything_once(made, summary)
    assert {type(path.ending) for path in summary.paths} == {Decided}


def test_a_precondition_that_nothing_satisfies_has_no_paths(tmp_path: Path) -> None:
    made = engine(BRANCHES, tmp_path)
    nothing = Exploration({}, build.FALSE, Exhaustive(), UNLIMITED.started(), Cancellation())
    assert made.explore(nothing).paths == ()
