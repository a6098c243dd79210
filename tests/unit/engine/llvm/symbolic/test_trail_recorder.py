"""The way of one run through the source: each branch with its line, its side and what it depended on."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from soid.budget import UNLIMITED, Cancellation
from soid.engine.llvm.c_source import CSource
from soid.engine.llvm.llvm_engine import LlvmEngine
from soid.engine.llvm.variables.discovery import discover
from soid.engine.protocol import Exploration
from soid.engine.trail import Trail
from soid.formula.build import TRUE
from tests.exhaustive import Exhaustive

SOURCE = """\
typedef int (*rule)(int);
static int twice(int n) { return 2 * n; }
static int same(int n) { return n; }
struct given { _Bool armed; int level; float speed; };
static int seen;
struct result { int row; };

int decide(const struct given *given, struct result *result)
{
    static const rule rules[2] = {twice, same};
    float limit = 2.5f;
    result->row = rules[given->armed](given->level);
    if (!given->armed)
        return 0;
    switch (given->level) {
    case -1:
        seen = 1;
        return 1;
    case 2:
        break;
    }
    while (seen < 2 && given->speed > limit)
        seen++;
    return 10 / (given->level - 3);
}
"""


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> LlvmEngine:
    folder = tmp_path_factory.mktemp("trail")
    (folder / "program.c").write_text(SOURCE)
    found = discover(CSource((Path("program.c"),), "decide"), folder)
    return LlvmEngine(found.interface, found.loaded)


def trail(engine: LlvmEngine, *, armed: int, level: int, speed: int = 0x40400000, steps: int = 1) -> Trail:
    inputs: Mapping[str, int] = {
        "given.armed": armed,
        "given.level": level % (1 << 32),
        "given.speed": speed,
        "seen": 0,
    }
    deadline = UNLIMITED.started()
    return engine.trail(Exploration(inputs, TRUE, Exhaustive(), deadline, Cancellation(), steps=steps))


def said(found: Trail) -> list[tuple[int, str, str]]:
    return [(branch.where.line, branch.condition, branch.side) for branch in found.branches if branch.where]


def test_a_branch_says_its_line_and_which_variable_it_looked_at(engine):
    (called, armed) = trail(engine, armed=0, level=5).branches
    assert (str(called.where), called.side) == ("program.c:12", "calls twice")
    assert (str(armed.where), armed.function, armed.text) == ("program.c:13", "decide", "if (!given->armed)")
    # the compiler branches on `armed` and turns the sides round
    assert (armed.condition, armed.side) == ("given.armed", "false")
    assert str(armed.goes_to) == "program.c:14"


def test_comparisons_show_both_values_and_the_names_that_they_have(engine):
    assert said(trail(engine, armed=1, level=2)) == [
        (12, "", "calls same"),
        (13, "given.armed", "true"),
        (15, "given.level 2", "case 2"),
        (22, "seen 0 < 2", "true"),
        (22, "given.speed 3.0 > limit 2.5", "true"),
        (22, "seen 1 < 2", "true"),
        (22, "given.speed 3.0 > limit 2.5", "true"),
        (22, "seen 2 < 2", "false"),
        (22, "", "false"),
    ]


def test_a_case_is_told_from_the_default(engine):
    assert said(trail(engine, armed=1, level=-1))[-1] == (15, "given.level -1", "case -1")
    assert (15, "given.level 7", "default") in said(trail(engine, armed=1, level=7))


def test_a_run_that_fails_has_a_trail_up_to_there(engine):
    found = trail(engine, armed=1, level=3, speed=0)
    assert said(found)[-1] == (22, "given.speed 0.0 > limit 2.5", "false")
    assert "return" not in found.set_at


def test_outputs_know_where_they_got_their_values(engine):
    stayed, left = trail(engine, armed=1, level=2, speed=0), trail(engine, armed=1, level=-1)
    assert {name: str(where) for name, where in stayed.set_at.items()} == {
        "result.row": "program.c:12",
        "return": "program.c:24",
    }
    assert str(left.set_at["seen'"]) == "program.c:17"
    assert str(left.set_at["return"]) == "program.c:18"


def test_a_condition_whose_origin_cannot_be_told_goes_without_words(tmp_path):
    source = "int decide(int a, int b, int c) { while (a && (b > 1 && c > 1)) b--; return b; }"
    (tmp_path / "program.c").write_text(source)
    found = discover(CSource((Path("program.c"),), "decide"), tmp_path)
    inputs = {"a": 1, "b": 2, "c": 3}
    exploration = Exploration(inputs, TRUE, Exhaustive(), UNLIMITED.started(), Cancellation())
    said_of = [branch.condition for branch in LlvmEngine(found.interface, found.loaded).trail(exploration).branches]
    assert said_of == ["a 1 != 0", "b 2 > 1", "", "a 1 != 0", "b 1 > 1", ""]


def test_where_the_source_is_gone_places_are_still_known(tmp_path):
    source = tmp_path / "program.c"
    source.write_text(SOURCE)
    found = discover(CSource((Path("program.c"),), "decide"), tmp_path)
    source.unlink()
    (_, armed) = trail(LlvmEngine(found.interface, found.loaded), armed=0, level=5).branches
    assert (str(armed.where), armed.text) == ("program.c:13", "")


VIRTUAL = """\
struct rule { virtual int apply(int n) const = 0; };
struct twice : rule { int apply(int n) const override { return 2 * n; } };
struct same : rule { int apply(int n) const override { return n; } };

extern "C" int decide(bool doubled, int n)
{
    twice one;
    same other;
    const rule &chosen = doubled ? static_cast<const rule &>(one) : static_cast<const rule &>(other);
    try {
        return chosen.apply(n);
    } catch (...) {
        return 0;
    }
}
"""


def test_calls_that_may_throw_say_which_function_they_went_to(tmp_path):
    (tmp_path / "program.cpp").write_text(VIRTUAL)
    found = discover(CSource((Path("program.cpp"),), "decide"), tmp_path)
    engine = LlvmEngine(found.interface, found.loaded)
    for doubled, expected in ((0, "calls same::apply"), (1, "calls twice::apply")):
        inputs = {"doubled": doubled, "n": 3}
        exploration = Exploration(inputs, TRUE, Exhaustive(), UNLIMITED.started(), Cancellation())
        (last,) = [branch for branch in engine.trail(exploration).branches if branch.side.startswith("calls")]
        assert last.side.startswith(expected) and str(last.where) == "program.cpp:11"


def test_branches_of_later_steps_say_so(engine):
    found = trail(engine, armed=0, level=2, steps=2)
    assert [branch.step for branch in found.branches] == [0, 0, 1, 1]


def test_a_computed_goto_says_which_label_it_went_to(tmp_path):
    table = "static void *const to[] = {&&up, &&down};"
    source = f"int decide(unsigned n) {{ {table} goto *to[n & 1]; up: return 1; down: return 2; }}"
    (tmp_path / "program.c").write_text(source)
    found = discover(CSource((Path("program.c"),), "decide"), tmp_path)
    engine = LlvmEngine(found.interface, found.loaded)
    sides = []
    for n in (0, 3):
        exploration = Exploration({"n": n}, TRUE, Exhaustive(), UNLIMITED.started(), Cancellation())
        sides += [branch.side for branch in engine.trail(exploration).branches]
    assert sides == ["goes to up", "goes to down"]
