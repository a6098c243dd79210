"""C++: names as its programmers write them, what is found of classes, exceptions with their types, static objects."""

from __future__ import annotations

from pathlib import Path

import pytest

from soid.budget import UNLIMITED, Cancellation
from soid.engine.llvm.c_source import CSource
from soid.engine.llvm.ir.symbol_names import demangled
from soid.engine.llvm.llvm_engine import LlvmEngine, open_c
from soid.engine.llvm.variables.discovery import discover
from soid.engine.protocol import Exploration
from soid.engine.summary import ConcreteRun, Decided, Failed, Unexplored
from soid.errors import ProgramError
from soid.formula.build import TRUE
from soid.formula.checker import Possible
from soid.program.interface import Interface, Role
from soid.program.types import EnumType
from soid.query.language.query_parser import parse

WORLD = """
namespace car {
enum class Mode : unsigned char { STOP, GO };
struct Pos { double x, y; };
struct Agent { Pos pos; Mode mode; };
class Base { protected: int weight; };
class World : public Base {
public:
    Agent agents[2];
    static int worlds;
    int heavy() const { return weight > 3; }
    virtual int speed() const { return 1; }
};
int calls;
static int twice(int x) { return 2 * x; }
int decide(const World &world, int &brake) {
    ++calls;
    brake = world.agents[1].mode == Mode::GO ? world.heavy() : 0;
    return world.agents[1].pos.x > 1.0 ? twice(3) : 4;
}
int decide(int x) { return x; }
struct Controller { int gain; int decide(int x) { return gain * x; } };
int use(Controller &c, int x) { return c.decide(x); }
}
"""


def _source(folder: Path, text: str, entry: str, *flags: str) -> CSource:
    (folder / "p.cpp").write_text(text)
    return CSource((Path("p.cpp"),), entry, flags=flags)


def _run(opened: tuple[Interface, LlvmEngine], **inputs: int) -> ConcreteRun:
    interface, engine = opened
    bits = {v.path: v.initial if v.initial is not None else inputs[v.path] for v in interface.inputs}
    found = engine.explore(Exploration(bits, TRUE, lambda _: Possible({}), UNLIMITED.started(), Cancellation()))
    return found.run({})


def test_variables_are_called_what_a_programmer_calls_them(tmp_path: Path) -> None:
    (tmp_path / "p.cpp").write_text(WORLD)
    interface = discover(CSource((Path("p.cpp"),), "_ZN3car6decideERKNS_5WorldERi"), tmp_path).interface
    roles = {v.path: v.role.value for v in interface if v.role is not Role.INTERNAL}
    assert roles == {
        "world.weight": "environment",
        "world.agents[1].pos.x": "environment",
        "world.agents[1].mode": "environment",
        "car::calls": "state",
        "brake": "decision",
        "return": "decision",
    }
    mode = interface.variable("world.agents[1].mode").type
    assert isinstance(mode, EnumType) and mode.name == "car::Mode" and mode.labels == (("STOP", 0), ("GO", 1))
    behavior = parse("did car::calls' == 1 and world.agents[1].mode == GO", interface).behavior
    assert behavior.names == {"GO", "car::calls", "world.agents[1].mode"}


def test_an_entry_is_found_by_its_name_its_class_or_its_symbol(tmp_path: Path) -> None:
    (tmp_path / "p.cpp").write_text(WORLD)

    def entry(name: str) -> str:
        return discover(CSource((Path("p.cpp"),), name), tmp_path).loaded.entry.name

    assert entry("_ZN3car6decideEi") == "_ZN3car6decideEi"
    assert entry("car::use") == entry("use") == "_ZN3car3useERNS_10ControllerEi"
    assert entry("car::Controller::decide") == "_ZN3car10Controller6decideEi"
    with pytest.raises(ProgramError, match="there are 2 functions car::decide") as caught:
        entry("car::decide")
    assert "car::decide(car::World const&, int&)" in str(caught.value.remedy)


def test_names_that_cannot_be_read_stay_as_they_are() -> None:
    assert [demangled(name) for name in ("_Zxx", "main", "_ZSt9terminatev")] == ["_Zxx", "main", "std::terminate()"]


@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_an_exception_that_leaves_the_entry_fails_with_its_type_and_place(level: str, tmp_path: Path) -> None:
    text = """
    struct Crash { int code; };
    namespace far { struct Off : Crash {}; }
    static int check(int x) { if (x == 1) throw far::Off(); if (x == 2) throw Crash{3}; return x; }
    int decide(int x) {
        try { return check(x); }
        catch (const Crash &crash) { if (crash.code == 3) return -1; throw; }
    }
    """
    opened = open_c(_source(tmp_path, text, "decide", level), tmp_path)
    assert _run(opened, x=5).outputs["return"] == 5
    assert _run(opened, x=2).outputs["return"] == 2**32 - 1
    thrown = _run(opened, x=1).path.ending
    assert isinstance(thrown, Failed) and thrown.kind == "throws far::Off"
    assert thrown.where is not None and thrown.where.line == 4


def test_objects_are_destroyed_where_an_exception_passes(tmp_path: Path) -> None:
    text = """
    struct Note { int &to; int mark; ~Note() { to = to * 10 + mark; } };
    static void fail(int &seen) { Note a{seen, 3}; throw 1.5f; }
    int decide(int x) {
        int seen = 0;
        try { Note b{seen, 4}; if (x) fail(seen); } catch (float f) { return f > 1 ? seen : -1; }
        return seen;
    }
    """
    opened = open_c(_source(tmp_path, text, "decide"), tmp_path)
    assert _run(opened, x=1).outputs["return"] == 34
    assert _run(opened, x=0).outputs["return"] == 4


@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_what_is_thrown_again_lives_until_its_last_handler_ends(level: str, tmp_path: Path) -> None:
    text = """
    static int gone;
    struct Trouble { int code; Trouble(int c) : code(c) {} ~Trouble() { gone += 1; code = -5; } };
    int decide(int x) {
        gone = 0;
        int seen = 0;
        try {
            try { throw Trouble(x); } catch (Trouble &trouble) { if (trouble.code == 3) throw; seen = 7; }
        } catch (Trouble &trouble) { seen = trouble.code * 10 + gone; }
        return seen * 100 + gone;
    }
    """
    opened = open_c(_source(tmp_path, text, "decide", level), tmp_path)
    assert _run(opened, x=3).outputs["return"] == 3001
    assert _run(opened, x=4).outputs["return"] == 701


def test_a_base_that_is_not_public_or_is_there_twice_catches_nothing(tmp_path: Path) -> None:
    text = """
    struct Base { int code; Base(int c) : code(c) {} };
    struct Hidden : private Base { Hidden() : Base(1) {} };
    struct Kept : protected Base { Kept() : Base(2) {} };
    struct Deep : Hidden {};
    struct Left : Base { Left() : Base(3) {} };
    struct Right : Base { Right() : Base(4) {} };
    struct Twice : Left, Right {};
    struct Other { int weight = 8; };
    struct Once : Other, Right {};
    int decide(int x) {
        try {
            if (x == 1) throw Hidden();
            if (x == 2) throw Kept();
            if (x == 3) throw Deep();
            if (x == 4) throw Twice();
            if (x == 5) throw Once();
        } catch (const Base &base) { return base.code; } catch (...) { return 100; }
        return 0;
    }
    """
    opened = open_c(_source(tmp_path, text, "decide"), tmp_path)
    assert [_run(opened, x=x).outputs["return"] for x in range(6)] == [0, 100, 100, 100, 100, 4]


def test_making_a_standard_exception_leaves_its_neighbours_alone(tmp_path: Path) -> None:
    text = """
    #include <new>
    struct Data { int code; Data(int c) : code(c) {} };
    struct Full : Data, std::bad_alloc { Full() : Data(6) {} };
    int decide(int x) { try { if (x) throw Full(); } catch (const Full &full) { return full.code; } return 0; }
    """
    opened = open_c(_source(tmp_path, text, "decide"), tmp_path)
    assert _run(opened, x=1).outputs["return"] == 6


def test_static_objects_are_there_before_the_first_call(tmp_path: Path) -> None:
    text = """
    int base(int x) { return x + 4; }
    struct Limits { int low, high; Limits(int l) : low(base(l)), high(low * 2) {} };
    Limits limits(3);
    int decide(int x) { limits.low++; return x > limits.high; }
    """
    interface, engine = open_c(_source(tmp_path, text, "decide"), tmp_path)
    assert {v.path: v.initial for v in interface.inputs} == {"x": None, "limits.low": 7, "limits.high": 14}
    assert _run((interface, engine), x=15).outputs["return"] == 1


def test_a_static_object_that_cannot_be_initialised_keeps_the_program_from_being_explored(tmp_path: Path) -> None:
    text = "int sensor(); int first = sensor(); int decide(int x) { return x + first; }"
    interface, engine = open_c(_source(tmp_path, text, "decide"), tmp_path)
    ending = _run((interface, engine), x=1, first=0).path.ending
    assert isinstance(ending, Unexplored) and "initialising the program's static variables" in ending.reason


def test_a_static_of_a_function_that_has_a_value_already_is_not_made_anew(tmp_path: Path) -> None:
    """Whether it was made before is not in the log; what it is says so, and then nothing may overwrite it."""
    text = """
    static int first(int x) { return x + 40; }
    int decide(int x) { static int count = first(x); count += 1; return count; }
    """
    interface, engine = open_c(_source(tmp_path, text, "decide"), tmp_path)

    def run(count: int) -> ConcreteRun:
        bits = {"x": 1, "decide.count": count}
        return engine.explore(Exploration(bits, TRUE, lambda _: Possible({}), UNLIMITED.started(), Cancellation())).run(
            {}
        )

    assert {v.path for v in interface.inputs} == {"x", "decide.count"}
    assert run(0).outputs["return"] == 42
    ending = run(60).path.ending
    assert isinstance(ending, Unexplored) and "has a value already at p.cpp:3" in str(ending)


def test_what_lies_behind_a_virtual_function_table_that_is_given_is_not_guessed(tmp_path: Path) -> None:
    text = """
    struct Policy { virtual int act(int x) const { return x; } int bias; };
    int decide(const Policy &policy, int x) { return x > 3 ? policy.bias : policy.act(x); }
    """
    opened = open_c(_source(tmp_path, text, "decide"), tmp_path)
    assert isinstance(_run(opened, x=4, **{"policy.bias": 9}).path.ending, Decided)
    assert isinstance(_run(opened, x=1, **{"policy.bias": 9}).path.ending, Unexplored)
