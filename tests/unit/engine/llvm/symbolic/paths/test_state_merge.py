"""Paths that meet again: what one path says is what all of them said, and where it could not be said they stay apart.

Bytes around the programs' constants are tried: each state lies on exactly one path, and has there what it has when
paths are followed one by one.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from soid.budget import UNLIMITED, Budget, Cancellation
from soid.engine.llvm import llvm_engine as engines
from soid.engine.llvm.c_source import CSource
from soid.engine.llvm.llvm_engine import LlvmEngine
from soid.engine.llvm.symbolic.explorer import ExplorationLimits
from soid.engine.llvm.variables.discovery import discover
from soid.engine.protocol import Exploration
from soid.engine.summary import Failed, PathSummary, Undecided, Unexplored
from soid.formula.build import TRUE
from soid.formula.term import Term
from soid.recipe import Mechanisms
from tests.clock import set_up
from tests.differential.families import Trying

BYTES = (*range(12), 100, 101, 255)


def engine(source: str, folder: Path, window: int | None = None) -> LlvmEngine:
    (folder / "program.c").write_text(source)
    found = discover(CSource((Path("program.c"),), "decide"), folder)
    return LlvmEngine(found.interface, found.loaded, ExplorationLimits(window=window))


def explored(made: LlvmEngine, *, merging: bool = True, seconds: float | None = None) -> PathSummary:
    deadline = UNLIMITED.started() if seconds is None else Budget(seconds).started()
    mechanisms = Mechanisms(merging=merging)
    return made.explore(Exploration({}, TRUE, Trying(states(made)), deadline, Cancellation(), mechanisms=mechanisms))


def states(made: LlvmEngine) -> list[dict[Term, Any]]:
    symbols = [variable.symbol for variable in made.interface.inputs]
    return [dict(zip(symbols, values, strict=True)) for values in product(BYTES, repeat=len(symbols))]


def outcome(summary: PathSummary, state: Mapping[Term, Any]) -> tuple[object, ...]:
    run = summary.run(state)
    return run.path.ending, dict(run.outputs)


@pytest.fixture
def always(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engines, "FEW_PATHS", 0)


def same(made: LlvmEngine) -> PathSummary:
    """The merged paths, which say of every state what single paths say."""
    merged, single = explored(made), explored(made, merging=False)
    assert all(outcome(merged, state) == outcome(single, state) for state in states(made))
    assert len(merged.paths) <= len(single.paths)
    return merged


BODIES = {
    "diamonds": ("if (a > 3) x = 1; else x = a; if (b > 9) x += b; return x;", 1),
    "fails inside": ("if (a > 3) x = 100 / b; else x = 2; return x + a;", 2),
    "fails behind": ("if (a > 3) x = b; else x = 2; return 100 / x;", 2),
    "early return": ("if (a == 7) return 1; if (b > a) x = 4; else x = 5; return x * 2;", 1),
    "switch": ("switch (a) { case 1: x = b; break; case 2: case 3: x = 7; break; default: x = 9; } return x;", 1),
    "nested": ("if (a > 3) { if (b > 4) x = 1; else x = 2; } else if (b < 9) x = 3; else x = 4; return x;", 1),
    "and, or": ("x = (a > 3 && b > 4) || a == b; return x;", 1),
    "choice": ("x = a > b ? a - b : b - a; return x;", 1),
    "loop": ("x = 0; for (int i = 0; i < (a & 7); i++) { x += b; if (x > 300) break; } return x;", 1),
    "goto": ("x = 0; again: x++; if (x < 3 && a > x) goto again; return x + (b > 2);", 1),
    "calls": ("if (a > 3) x = twice(b); else x = -twice(a); return x;", 1),
    "array": ("int y[4] = {0, 1, 2, 3}; if (a > 3) y[1] = b; y[a & 3] += 1; return y[1] + y[2];", 1),
    "bytes": ("union { int w; unsigned char c[4]; } u = {0}; if (a > 3) u.c[1] = b; else u.w = a; return u.w;", None),
    "floats": ("float f = 1.5f; if (a > 3) f = b / 4.0f; return (int)(f * 2);", 1),
    "pointers": ("int y = 1, z = 2, *p; if (a > 3) p = &y; else p = &z; *p += b; return y * 1000 + z;", None),
    "heap": ("int *p = 0; if (a > 3) { p = malloc(4); *p = b; } x = p ? *p : -1; free(p); return x;", None),
    "set in one": ("if (a > 3) x = b; if (a > 3) return x; return 2;", None),
    "never set": ("if (a > 3) x = b; return x;", None),
}
HEAD = "#include <stdlib.h>\nstatic int twice(int n) { return n > 100 ? 2 * n : n + n; }\n"


@pytest.mark.usefixtures("always")
@pytest.mark.parametrize(("body", "paths"), BODIES.values(), ids=BODIES)
def test_every_state_has_what_it_has_without_merging(body: str, paths: int | None, tmp_path: Path) -> None:
    made = engine(f"{HEAD}int decide(unsigned char a, unsigned char b) {{ int x; {body} }}", tmp_path)
    merged = same(made)
    assert paths is None or len(merged.paths) == paths


@pytest.mark.usefixtures("always")
def test_what_fails_is_named_with_its_place(tmp_path: Path) -> None:
    source = "int decide(unsigned char a) {\n int x = 0;\n if (a > 3)\n  x = 100 / (a - 9);\n return x;\n}"
    (failed,) = (path.ending for path in same(engine(source, tmp_path)).paths if isinstance(path.ending, Failed))
    assert failed.kind == "division by zero" and failed.where is not None and failed.where.line == 4


@pytest.mark.usefixtures("always")
def test_what_may_not_have_been_set_is_found_out_path_by_path(tmp_path: Path) -> None:
    """A merged path would not know it, so the paths are followed one by one after all."""
    made = engine("int decide(unsigned char a) { int x; if (a > 3) x = 1; if (a > 7) return x; return 2; }", tmp_path)
    assert same(made).is_explored


@pytest.mark.usefixtures("always")
@pytest.mark.parametrize("window", [0, 1, 2, 5])
def test_the_window_counts_as_it_does_without_merging(window: int, tmp_path: Path) -> None:
    source = (
        "int decide(unsigned char a) { int x = 0; for (int i = 0; i < (a & 3); i++) x += i; return x > 1 ? 7 : x; }"
    )
    merged = same(engine(source, tmp_path, window))
    assert any(isinstance(path.ending, Undecided) for path in merged.paths) == (window < 3)


def test_many_ways_are_one_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engines, "FEW_PATHS", 8)
    ifs = " ".join(f"if (a & {1 << bit}) x += {bit}; if (a > {bit}) x ^= {bit};" for bit in range(6))
    made = engine(f"int decide(unsigned char a) {{ unsigned x = 0; {ifs} return x; }}", tmp_path)
    merged = same(made)
    assert len(merged.paths) == 1 and merged.settled_by["merging"] > 0


def test_few_paths_are_not_merged(tmp_path: Path) -> None:
    merged = explored(engine("int decide(unsigned char a) { if (a > 3) return 1; return 2; }", tmp_path))
    assert len(merged.paths) == 2 and not merged.settled_by["merging"]


def test_those_that_wait_to_be_merged_when_the_time_ends_are_unexplored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ifs = " ".join(f"if (a > {n}) x += {n};" for n in range(250))
    made = engine(f"int decide(unsigned char a) {{ unsigned x = 0; {ifs} return x; }}", tmp_path)
    set_up(monkeypatch, tick=1.0)
    summary = explored(made, seconds=20.0)
    assert any(isinstance(path.ending, Unexplored) for path in summary.paths)
    for state in states(made):
        assert summary.run(state).path in summary.paths  # none is lost
