"""States inside a program: each is visited for exactly the inputs of its condition, with the values that it names."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from soid.budget import UNLIMITED, Cancellation
from soid.engine.inside import Inside, InsideState, PointKind
from soid.engine.llvm.c_source import CSource
from soid.engine.llvm.llvm_engine import LlvmEngine
from soid.engine.llvm.symbolic.inside_recorder import MOST_STATES
from soid.engine.llvm.variables.discovery import discover
from soid.engine.protocol import Exploration
from soid.engine.summary import PathSummary
from soid.formula.build import TRUE
from soid.formula.checker import Open
from soid.formula.passes import evaluate
from tests.exhaustive import Exhaustive

SOURCE = """\
struct given { unsigned char level; _Bool armed; };

static int half(int whole)
{
    int part = whole / 2;
    return part;
}

int decide(const struct given *given)
{
    int sum = 0;
    for (int i = 0; i < (given->level & 3); i++)
        sum += half(i);
    if (given->armed)
        sum += half(given->level);
    return 100 / (sum - 5);
}
"""


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> LlvmEngine:
    folder = tmp_path_factory.mktemp("inside")
    (folder / "program.c").write_text(SOURCE)
    found = discover(CSource((Path("program.c"),), "decide"), folder)
    return LlvmEngine(found.interface, found.loaded, internals=found.internals)


@pytest.fixture(scope="module")
def explored(engine: LlvmEngine) -> tuple[Inside, PathSummary]:
    exploration = Exploration({}, TRUE, Exhaustive(), UNLIMITED.started(), Cancellation())
    inside = engine.inside(exploration)
    assert inside is not None
    return inside, engine.explore(exploration)


def visited(engine: LlvmEngine, inside: Inside, level: int, armed: int) -> list[InsideState]:
    bits = {engine.interface.variable("given.level").symbol: level}
    bits[engine.interface.variable("given.armed").symbol] = bool(armed)
    return [state for state in inside.states if evaluate(state.condition, bits)]


def test_each_input_visits_the_points_that_it_comes_to_and_no_other(engine, explored):
    inside, _ = explored
    for level in range(256):
        for armed in (0, 1):
            rounds = level & 3
            total = sum(i // 2 for i in range(rounds)) + (level // 2 if armed else 0)
            calls = rounds + armed
            kinds = Counter((state.point.function, state.point.kind) for state in visited(engine, inside, level, armed))
            assert kinds["decide", PointKind.ROUND] == rounds + 1  # with the look at which it ends
            assert kinds["half", PointKind.CALL] == kinds["half", PointKind.RETURN] == calls
            assert kinds["decide", PointKind.RETURN] == (total != 5)  # else it fails
            assert not kinds["decide", PointKind.CALL]  # the program's beginning is its boundary


def test_names_have_the_values_that_they_have_there(engine, explored):
    inside, _ = explored
    bits = {engine.interface.variable("given.level").symbol: 7, engine.interface.variable("given.armed").symbol: True}
    ways = [state for state in inside.states if evaluate(state.condition, bits)]
    returns = [state for state in ways if str(state.point) == "half returns"]
    told = [{v.path: evaluate(out.term, bits) for v, out in state.values} for state in returns]
    assert told == [{"half()": n // 2, "half:whole": n, "half:part": n // 2} for n in (0, 1, 2, 7)]
    rounds = [state for state in ways if state.point.kind is PointKind.ROUND]
    assert [str(state.point) for state in rounds] == [f"decide begins round {n} of a loop" for n in (1, 2, 3, 4)]
    sums = [{v.path: evaluate(out.term, bits) for v, out in state.values} for state in rounds]
    assert [each["decide:sum"] for each in sums] == [0, 0, 0, 1]
    assert returns[-1].point.where is not None and returns[-1].point.where.line == 6


def test_a_way_is_a_chain_and_ends_where_its_path_ends(explored):
    inside, summary = explored
    assert len(inside.ends) == len(summary.paths) and not inside.open
    for end, path in zip(inside.ends, summary.paths, strict=True):
        at = end
        parts = set(path.condition.args)
        while at is not None:
            state = inside.states[at]
            assert state.before is None or state.before < at
            conjuncts = {state.condition, *state.condition.args} & parts
            assert state.condition is TRUE or conjuncts  # what it assumes its path assumes
            at = state.before


def test_looking_inside_leaves_the_paths_as_they_are(engine, explored):
    exploration = Exploration({}, TRUE, Exhaustive(), UNLIMITED.started(), Cancellation())
    again = engine.explore(exploration)
    assert [(path.condition, path.ending) for path in again.paths] == [
        (path.condition, path.ending) for path in explored[1].paths
    ]


def test_what_is_too_much_is_said(tmp_path):
    (tmp_path / "program.c").write_text(
        "int decide(unsigned char n) { int s = 0; for (int i = 0; i < 999; i++) s += n; return s; }"
    )
    found = discover(CSource((Path("program.c"),), "decide"), tmp_path)
    engine = LlvmEngine(found.interface, found.loaded, internals=found.internals)
    exploration = Exploration({}, TRUE, Exhaustive(), UNLIMITED.started(), Cancellation())
    inside = engine.inside(exploration)
    assert inside is not None
    assert len(inside.states) == MOST_STATES and f"more than {MOST_STATES} states" in inside.open
    (tmp_path / "program.c").write_text(
        "int decide(unsigned short n) { int s = 0; for (int i = 0; i < 9; i++) if (n >> i & 1) s += i; return s; }"
    )
    found = discover(CSource((Path("program.c"),), "decide"), tmp_path)
    wide = LlvmEngine(found.interface, found.loaded, internals=found.internals).inside(
        Exploration({}, TRUE, lambda _: Open("not asked"), UNLIMITED.started(), Cancellation())
    )
    assert wide is not None and not wide.states and "more than 256 ways" in wide.open
