"""Where variables lie: paths as a C programmer writes them, types, offsets."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from soid.engine.llvm.compiler.compilation import Build
from soid.engine.llvm.loaded_program import load
from soid.engine.llvm.variables.variable_layout import VariableLayout, VariablePlace
from soid.errors import ProgramError
from soid.formula.sorts import FLOAT32, FLOAT64
from soid.program.types import BoolType, EnumType, FloatType, IntType

TYPES = """
#include <stdbool.h>
#include <stdint.h>
typedef float metres;
enum signal { OFF, LEFT = 4, BACK = -1 };
struct agent { metres pos[2]; enum signal signal; };
struct world { struct agent agents[2]; bool wet; struct { int8_t a; uint16_t b; }; };
struct bits { unsigned lo : 3; int mid : 5; bool on : 1; };
struct node { int value; struct node *next; };
struct odd { int v; long double big; _Complex double z; void *ctx; int (*call)(int); union { float f; int i; } u; };
"""


def places(folder: Path, text: str, lengths: Mapping[str, int] | None = None) -> VariableLayout:
    (folder / "program.c").write_text(TYPES + text)
    return load(Build((Path("program.c"),), root=folder), "decide", lengths).places


def paths(found: VariableLayout) -> list[str]:
    return [place.path for place in found.places]


def test_nested_structs_arrays_typedefs_enums_and_anonymous_members(tmp_path: Path) -> None:
    found = places(tmp_path, "void decide(struct world *w) { w->wet = 1; }")
    assert paths(found) == [
        "w.agents[0].pos[0]", "w.agents[0].pos[1]", "w.agents[0].signal",
        "w.agents[1].pos[0]", "w.agents[1].pos[1]", "w.agents[1].signal",
        "w.wet", "w.a", "w.b",
    ]  # fmt: skip
    by_path = found.by_path()
    signal = EnumType("signal", 32, True, (("OFF", 0), ("LEFT", 4), ("BACK", -1)))
    assert by_path["w.agents[1].signal"] == VariablePlace("w.agents[1].signal", signal, 0, 20, 4)
    assert by_path["w.agents[1].pos[1]"] == VariablePlace("w.agents[1].pos[1]", FloatType(FLOAT32), 0, 16, 4)
    assert by_path["w.wet"] == VariablePlace("w.wet", BoolType(), 0, 24, 1)
    assert by_path["w.b"] == VariablePlace("w.b", IntType(16, signed=False), 0, 28, 2)


def test_bit_fields(tmp_path: Path) -> None:
    lo, mid, on = places(tmp_path, "void decide(struct bits *s) { s->lo = 1; }").places
    assert lo == VariablePlace("s.lo", IntType(3, signed=False), 0, 0, 1, (0, 3))
    assert mid == VariablePlace("s.mid", IntType(5, signed=True), 0, 0, 1, (3, 5))
    assert on == VariablePlace("s.on", BoolType(), 0, 1, 1, (0, 1))


def test_pointers_to_scalars_lengths_and_what_lies_behind_pointers_in_structs(tmp_path: Path) -> None:
    text = "struct p { double *x; struct agent *a; }; void decide(int *n, float *f, struct p *p) { *n = p->x[1] + *f; }"
    found = places(tmp_path, text, {"p.x": 2, "f": 1})
    assert paths(found) == ["*n", "*f", "p.x[0]", "p.x[1]", "p.a.pos[0]", "p.a.pos[1]", "p.a.signal"]
    assert found.by_path()["p.x[1]"].type == FloatType(FLOAT64)
    assert found.pointers == ["n", "f", "p", "p.x", "p.a"]


def test_parameters_results_globals_and_statics(tmp_path: Path) -> None:
    text = """
    int level; static int hidden; const int limit = 3;
    static int tick(void) { static int n; return ++n; }
    struct agent decide(int a, struct bits b)
    {
        struct agent r = { { a, b.lo } };
        r.pos[0] += tick() + hidden++;
        return r;
    }
    """
    found = set(paths(places(tmp_path, text)))
    assert found == {
        "a", "b.lo", "b.mid", "b.on", "level", "hidden", "tick.n", "return.pos[0]", "return.pos[1]", "return.signal",
    }  # fmt: skip


def test_what_has_no_plain_value_is_kept_apart(tmp_path: Path) -> None:
    found = places(tmp_path, "int decide(struct odd *o, struct node *n, void *any) { return o->v + n->value + !any; }")
    assert paths(found) == [
        *("o.v", "o.u.f", "o.u.i", *(f"o.u.bytes[{i}]" for i in range(4))),
        *("n.value", "return"),
    ]
    assert list(found.refused) == ["o.big", "o.z"]
    assert [path for _, _, path in found.opaque] == ["o.ctx", "o.call", "n.next"]


def test_an_entry_that_is_not_there_names_those_that_are(tmp_path: Path) -> None:
    (tmp_path / "program.c").write_text("static int f(void) { return 1; } int main(void) { return f(); }")
    for entry, cause in (("decide", "there is no function decide"), ("", "no entry was named")):
        with pytest.raises(ProgramError, match=cause) as caught:
            load(Build((Path("program.c"),), root=tmp_path), entry)
        assert caught.value.remedy == "The program defines: f, main."


def test_pointers_in_globals_stay_as_the_program_starts_them(tmp_path: Path) -> None:
    source = tmp_path / "policy.c"
    source.write_text(
        "static int slow(int x) { return x / 2; }\n"
        "static int (*policy)(int) = slow;\n"
        "static int *limit = 0;\n"
        "int decide(int x) { return limit && x > *limit ? *limit : policy(x); }\n",
        encoding="utf-8",
    )
    loaded = load(Build((source,)), "decide")
    assert loaded.places.kept == ["limit"]
    assert loaded.places.by_path()["policy"].functions == ("slow",)  # a function pointer is a variable
    declared = load(Build((source,)), "decide", {"limit": 1})
    assert "*limit" in declared.places.by_path()
    assert declared.places.kept == []
