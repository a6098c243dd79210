"""Branches that choose a float by a sum of products: one path, where each state has what it has on several."""

from __future__ import annotations

import struct
from pathlib import Path
from random import Random
from typing import Final

import pytest

from soid import Project
from soid.budget import UNLIMITED, Cancellation
from soid.engine.llvm.c_source import CSource
from soid.engine.llvm.llvm_engine import LlvmEngine
from soid.engine.llvm.variables.discovery import discover
from soid.engine.protocol import Exploration
from soid.engine.summary import PathSummary
from soid.formula.build import TRUE
from soid.formula.checker import Open, Possibility
from soid.formula.term import Term
from soid.oracle.answer import Verdict
from soid.recipe import Mechanisms

#: what is made of a sum, in ways in which people and exporters write it
WAYS: Final = {
    "relu": "h = s > 0.0f ? s : 0.0f;",
    "relu, not below": "h = s < 0.0f ? 0.0f : s;",
    "relu, in place": "if (s < 0) s = 0; h = s;",
    "leaky": "h = s > 0.0f ? s : 0.01f * s;",
    "leaky, with else": "if (s > 0) h = s; else h = 0.2f * s;",
    "relu6": "h = s < 0.0f ? 0.0f : s > 6.0f ? 6.0f : s;",
    "clamp": "if (s > 1.0f) s = 1.0f; else if (s < -1.0f) s = -1.0f; h = s;",
    "absolute": "h = s < 0.0f ? -s : s;",
    "greater": "float t = 0.5f * x - 0.25f * y; h = s > t ? s : t;",
    "not a number": "h = s > 0.0f ? s : (s == s ? 0.0f : -7.0f);",
}
NUMBERS: Final = (0.0, -0.0, 1.0, -1.0, 0.5, -3.0, 1e-45, 3e38, -3e38, float("inf"), float("-inf"), float("nan"), 7.25)


def engine(folder: Path, way: str) -> LlvmEngine:
    body = f"float s = 0.5f * x + 0.75f * y - 0.25f; float h; {way} return h;"
    (folder / "program.c").write_text(f"float decide(float x, float y) {{ {body} }}")
    found = discover(CSource((Path("program.c"),), "decide"), folder)
    return LlvmEngine(found.interface, found.loaded)


def asks_nothing(conjuncts: object, /) -> Possibility:
    assert conjuncts == [TRUE]  # whether the family is empty; of a side of a branch nothing is asked
    return Open("nobody was asked")


def open_check(conjuncts: object, /) -> Possibility:
    return Open("nobody was asked")


def explored(made: LlvmEngine, *, merging: bool) -> PathSummary:
    mechanisms, check = Mechanisms(merging=merging), asks_nothing if merging else open_check
    return made.explore(Exploration({}, TRUE, check, UNLIMITED.started(), Cancellation(), mechanisms=mechanisms))


def states(made: LlvmEngine) -> list[dict[Term, int]]:
    random, found = Random(1), []
    for _ in range(150):
        drawn = [random.choice((*NUMBERS, random.gauss(0, 1), random.gauss(0, 20))) for _ in made.interface.inputs]
        bits = [int(struct.unpack("<I", struct.pack("<f", each))[0]) for each in drawn]
        found.append({variable.symbol: each for variable, each in zip(made.interface.inputs, bits, strict=True)})
    return found


@pytest.mark.parametrize("way", WAYS.values(), ids=list(WAYS))
def test_each_state_has_on_one_path_what_it_has_on_several(way: str, tmp_path: Path) -> None:
    made = engine(tmp_path, way)
    one, several = explored(made, merging=True), explored(made, merging=False)
    assert len(one.paths) == 1 < len(several.paths)
    for state in states(made):
        run, other = one.run(state), several.run(state)
        assert (run.path.ending, dict(run.outputs)) == (other.path.ending, dict(other.outputs)), state


@pytest.mark.parametrize(
    "way",
    [
        "h = x > 0.0f ? x : 0.0f;",  # no sum: solvers settle that at once
        "int n = 0; if (s > 0.0f) n = 1; h = n;",
        "h = 0; if (s > 0.0f) for (int i = 0; i < 2; i++) h += s;",
    ],
)
def test_other_branches_are_forks_as_ever(way: str, tmp_path: Path) -> None:
    made = engine(tmp_path, way)
    mechanisms = Mechanisms(merging=True)
    summary = made.explore(
        Exploration({}, TRUE, open_check, UNLIMITED.started(), Cancellation(), mechanisms=mechanisms)
    )
    assert len(summary.paths) > 1


def test_sides_that_fail_are_told_apart(tmp_path: Path) -> None:
    """A side that divides integers may fail: its branch is a fork."""
    (tmp_path / "program.c").write_text(
        "float decide(float x, float y, int n) { float s = x * 0.5f + y * 0.25f; return s > 0 ? s : (float)(7 / n); }"
    )
    found = discover(CSource((Path("program.c"),), "decide"), tmp_path)
    made = LlvmEngine(found.interface, found.loaded)
    endings = {
        str(each.ending)
        for each in made.explore(Exploration({}, TRUE, open_check, UNLIMITED.started(), Cancellation())).paths
    }
    assert len(endings) > 1 and any("division by zero" in each for each in endings)


GUARDED: Final = """
static const float table[4] = {1, 2, 3, 4};
float decide(float x, float y, int i) {
  float s = x * 0.5f + y * 0.25f;
  if (i > 3 || i < 0) s = -1.0f;
  return s > 0 ? table[i] : 0.0f;
}
"""


def test_a_side_that_is_never_taken_where_it_would_fail_does_not_fail(tmp_path: Path) -> None:
    (tmp_path / "net.c").write_text(GUARDED)
    program = '[program]\nengine = "c"\nsources = ["net.c"]\nentry = "decide"\n[trace]\nfile = "log.jsonl"\n'
    (tmp_path / "soid.toml").write_text(program)
    (tmp_path / "log.jsonl").write_text('{"x": 0.5, "y": 0.5, "i": 1}\n')
    project = Project.open(tmp_path, step=0)
    within = "-1 <= x <= 1 and -1 <= y <= 1 and i is anything"
    assert project.ask(f"might fails if {within}").verdict is Verdict.NO
    assert project.ask(f"would return <= 4 if {within}").verdict is Verdict.YES
    project.solver.close()
