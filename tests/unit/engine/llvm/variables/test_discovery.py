"""From a manifest and a C file to an interface: what is found, what the manifest changes, and its mistakes."""

from __future__ import annotations

from pathlib import Path

import pytest

from soid.engine.llvm.c_source import CSource
from soid.engine.llvm.variables.discovery import Discovered, discover
from soid.engine.manifest_reader import load
from soid.errors import ManifestError
from soid.program.domain import DEFAULT, Range
from soid.program.interface import Role
from soid.program.types import BoolType, EnumType, FloatType, IntType, parse

PROGRAM = """
#include <stdbool.h>
struct world { float dist[2]; int mode; float idle; };
struct plan { int reason; bool go; };
struct flags { unsigned lo : 3, hi : 5; };
int read_sensor(void);
double clock_now(void);
bool armed(void);
unsigned char level(void);
static struct flags flags = { 5, 9 };
int limit = -2;
static bool near(float d) { float margin = d - 1.0f; return margin < 2.0f; }
void decide(const struct world *w, struct plan *plan, double *values)
{
    plan->go = !near(w->dist[0]) && armed() && clock_now() > values[1];
    plan->reason = w->mode + read_sensor() + limit + level();
    flags.hi += flags.lo;
}
"""
HEAD = '[program]\nengine = "llvm"\nsources = ["decide.c"]\nentry = "decide"\n'
TABLES = """
[lengths]
values = 2
sensor = 2
[inputs_from]
read_sensor = "sensor"
clock_now = "now"
armed = "armed"
level = "level"
"""


def found(folder: Path, more: str = "", tables: str = TABLES) -> Discovered:
    (folder / "decide.c").write_text(PROGRAM)
    (folder / "soid.toml").write_text(HEAD + tables + more)
    source = load(folder).program.source
    assert isinstance(source, CSource)
    return discover(source, folder)


def test_what_is_found(tmp_path: Path) -> None:
    interface = found(tmp_path).interface
    roles = {v.path: v.role.value for v in interface if v.role is not Role.INTERNAL}
    assert roles == {
        "w.dist[0]": "environment", "w.mode": "environment", "plan.reason": "decision", "plan.go": "decision",
        "values[1]": "environment", "flags.lo": "environment", "flags.hi": "state", "limit": "environment",
        "sensor[0]": "environment", "sensor[1]": "environment", "now": "environment", "armed": "environment",
        "level": "environment",
    }  # fmt: skip
    assert interface.untouched == {"w.dist[1]", "w.idle", "values[0]"}


def test_a_global_starts_as_c_says(tmp_path: Path) -> None:
    interface = found(tmp_path).interface
    assert [interface.variable(path).initial for path in ("flags.lo", "flags.hi", "limit")] == [5, 9, 2**32 - 2]
    assert interface.variable("w.mode").initial is None


def test_what_happens_inside(tmp_path: Path) -> None:
    interface = found(tmp_path).interface
    inside = [variable for variable in interface if variable.role is Role.INTERNAL]
    assert [variable.path for variable in inside] == ["near()", "near:d", "near:margin"]
    assert inside[0].type == BoolType()


def test_functions_that_give_logged_inputs(tmp_path: Path) -> None:
    given = {each.function: each for each in found(tmp_path).described}
    assert [v.path for v in given["read_sensor"].variables] == ["sensor[0]", "sensor[1]"]
    assert (given["read_sensor"].repeats, given["clock_now"].repeats) == (False, True)
    kinds = [given[name].variables[0].type for name in ("read_sensor", "armed", "level")]
    assert kinds == [IntType(32, signed=True), BoolType(), IntType(8, signed=False)]
    assert "each call in turn of read_sensor gives the logged sensor" in given["read_sensor"].relies_on.text


def test_what_the_manifest_adds(tmp_path: Path) -> None:
    more = """
    [variables]
    "w->dist[*]" = { unit = "m", label = "distance", domain = [0.0, 50.0], initial = 3.5 }
    "w.dist[1]"  = { domain = [0.0, 1.0] }
    "w.mode"     = { labels = { SLOW = 0, FAST = 7 }, type = "enum", role = "state" }
    "plan.reason" = { type = "int32" }
    "near:margin" = { unit = "m" }
    """
    interface = found(tmp_path, more).interface
    first, second = (interface.variable(f"w.dist[{i}]") for i in (0, 1))
    assert (first.unit, first.label, first.initial) == ("m", "distance", parse(first.type, "3.5"))
    assert isinstance(second.type, FloatType)  # never touched, and there because the manifest names it
    assert (second.unit, second.domain) == ("m", Range(0, parse(second.type, "1.0")))
    mode = interface.variable("w.mode")
    assert (mode.role, mode.type) == (Role.STATE, EnumType("", 32, True, (("SLOW", 0), ("FAST", 7))))
    assert interface.variable("plan.reason").domain == DEFAULT
    assert interface.variable("near:margin").unit == "m"


MISTAKES = [
    ('"w.mod" = { unit = "m" }', "the program has no variable w.mod", "Did you mean w.mode?"),
    ('"w.mode" = { type = "float32" }', "in the program it is int32", "Leave the type out"),
    ('"w.mode" = { width = 8 }', "the program itself says what w.mode is: int32", "Leave width out."),
    ('"w.mode" = { labels = ["A"], width = 8 }', "in the program it is 32 bits wide", "Leave the width out."),
    ('"w.mode" = { labels = { A = 4000000000 } }', "A = 4000000000 does not fit int32", ""),
    ('"w.dist[0]" = { labels = ["A"] }', "labels are for integers, and in the program it is float32", ""),
    ('"w.dist[0]" = { domain = [2.0, 1.0] }', "no value lies from 2.0 to 1.0", "lower bound first"),
    ('"plan.go" = { initial = true }', "a variable of role decision has no initial value", ""),
    ('"w.mode" = { initial = "x" }', "expected a whole number, found 'x'", "Every value of initial"),
    ('"near()" = { role = "state" }', "near() cannot be state", "Leave the role out."),
    ('"w.mode" = { role = "internal" }', "w.mode cannot be internal", "Leave the role out."),
]


@pytest.mark.parametrize(("entry", "cause", "remedy"), MISTAKES)
def test_each_mistake_about_a_variable_has_its_line(tmp_path: Path, entry: str, cause: str, remedy: str) -> None:
    with pytest.raises(ManifestError) as caught:
        found(tmp_path, f"[variables]\n{entry}\n")
    assert caught.value.cause.startswith(f"{tmp_path / 'soid.toml'}:15: [variables] ")
    assert cause in caught.value.cause
    assert remedy in caught.value.remedy


@pytest.mark.parametrize(
    ("old", "new", "cause", "remedy"),
    [
        ("values = 2", '"w.other" = 2', "[lengths] w.other: no such pointer", "There are: w, plan, values."),
        (
            "read_sensor =",
            "read_sensors =",
            "[inputs_from] read_sensors: the program never calls it",
            "does not define",
        ),
        ("read_sensor =", "near =", "[inputs_from] near: the program defines it", "does not define"),
    ],
)
def test_mistakes_about_lengths_and_functions(tmp_path: Path, old: str, new: str, cause: str, remedy: str) -> None:
    with pytest.raises(ManifestError) as caught:
        found(tmp_path, tables=TABLES.replace(old, new))
    assert cause in caught.value.cause
    assert remedy in caught.value.remedy


READY = """
target triple = "x86_64-unknown-linux-gnu"
declare i32 @millis()
define i32 @decide(i32 %l) {
  %now = call i32 @millis()
  %sum = add i32 %now, %l
  ret i32 %sum
}
"""


@pytest.mark.parametrize("stated", ["uint32", "int32"])
def test_the_manifest_says_what_ready_made_ir_leaves_open(tmp_path: Path, stated: str) -> None:
    (tmp_path / "decide.ll").write_text(READY)
    head = '[program]\nengine = "llvm"\nsources = ["decide.ll"]\nentry = "decide"\nparameters = ["l: int32"]\n'
    head += '[inputs_from]\nmillis = "now"\n'
    (tmp_path / "soid.toml").write_text(head)
    source = load(tmp_path).program.source
    assert isinstance(source, CSource)
    with pytest.raises(ManifestError, match="not whether that is signed"):
        discover(source, tmp_path)
    (tmp_path / "soid.toml").write_text(f'{head}[variables]\nnow = {{ type = "{stated}" }}\n')
    source = load(tmp_path).program.source
    assert isinstance(source, CSource)
    (given,) = discover(source, tmp_path).described
    assert given.variables[0].type == IntType(32, signed=stated == "int32")


def test_a_function_of_cplusplus_goes_by_its_name_in_the_source(tmp_path: Path) -> None:
    (tmp_path / "decide.cpp").write_text(
        "namespace hal { unsigned sensor(int); }\nint decide(int x) { return hal::sensor(x) > 7; }\n"
    )
    (tmp_path / "soid.toml").write_text(
        '[program]\nengine = "llvm"\nsources = ["decide.cpp"]\nentry = "decide"\n[inputs_from]\n"hal::sensor" = "now"\n'
    )
    source = load(tmp_path).program.source
    assert isinstance(source, CSource)
    (given,) = discover(source, tmp_path).described
    assert given.variables[0].type == IntType(32, signed=False)
    assert given.relies_on.text.startswith("every call of hal::sensor(int) gives the logged now")


def test_statics_of_one_name_have_paths_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "left").mkdir()
    (tmp_path / "right").mkdir()
    (tmp_path / "count.h").write_text("static int seen;\n")
    for name in ("left/motor", "right/motor", "gate"):
        function = name.replace("/", "_")
        (tmp_path / f"{name}.c").write_text(
            f'#include "{"../" if "/" in name else ""}count.h"\nstatic int state; static int other_{function};\n'
            f"int {function}(int x) {{ if (x) {{ static int n; n++; return n; }}\n"
            f"  static int n; n += seen++; return n + state++ + other_{function}++; }}\n"
        )
    (tmp_path / "main.c").write_text(
        "int left_motor(int), right_motor(int), gate(int);\n"
        "int decide(int x) { return left_motor(x) + right_motor(x) + gate(x); }\n"
    )
    sources = ("left/motor.c", "right/motor.c", "gate.c", "main.c")
    found = discover(CSource(tuple(map(Path, sources)), "decide"), tmp_path).interface
    state = {variable.path for variable in found if variable.role is Role.STATE}
    assert {"left::motor::state", "right::motor::state", "gate::state"} <= state
    assert {"left::motor::seen", "right::motor::seen", "gate::seen"} <= state
    assert {"gate.L3.n", "gate.L4.n", "left_motor.L3.n", "left_motor.L4.n", "other_gate"} <= state
    assert len(state) == 15


def test_the_manifest_describes_a_variable_of_a_file_or_a_namespace(tmp_path: Path) -> None:
    (tmp_path / "a.cpp").write_text(
        "namespace car { int step(int x) { static int n; return n += x; } static int count; }\n"
        "int other(int);\nint decide(int x) { return car::step(x) + car::count++ + other(x); }\n"
    )
    (tmp_path / "b.cpp").write_text(
        "namespace car { static int count; }\nint other(int x) { return car::count += x; }\n"
    )
    head = '[program]\nengine = "llvm"\nsources = ["a.cpp", "b.cpp"]\nentry = "decide"\n[variables]\n'

    def discovered(entries: str) -> dict[str, str]:
        (tmp_path / "soid.toml").write_text(head + entries)
        source = load(tmp_path).program.source
        assert isinstance(source, CSource)
        return {v.path: v.domain_text for v in discover(source, tmp_path).interface if v.role is Role.STATE}

    paths = list(discovered(""))
    assert any("::" in path for path in paths)
    described = discovered("".join(f'"{path}" = {{ domain = [0, 7] }}\n' for path in paths))
    assert described == dict.fromkeys(paths, "0 to 7")
