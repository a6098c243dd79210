"""Debug info: every C type, parameters as the ABI passes them, locals, globals, places in the source."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from soid.engine.llvm.compiler.compilation import Build, compile_ir
from soid.engine.llvm.debug.c_types import (
    CArray,
    CBase,
    CEnum,
    CFunction,
    CPointer,
    CStruct,
    CType,
    CTypedef,
    CUnion,
    CVoid,
    strip,
)
from soid.engine.llvm.debug.debug_info import DebugInfo
from soid.engine.llvm.ir.ir_module import Module
from soid.engine.llvm.ir.operands import Register
from soid.engine.llvm.reader.module_reader import read_module
from soid.errors import ProgramError

PROGRAM = """\
#include <stdbool.h>
#include <stdint.h>
enum mode { IDLE, RUN = 5, STOP = -1 };
typedef enum { LOW, HIGH = 4000000000u } level_t;
enum small { ONE = 1, TWO } __attribute__((packed));
struct node { struct node *next; const volatile int value; };
typedef struct world {
  struct { float x, y; };
  union { int i; double d; } u;
  unsigned flags : 3; int : 2; int bits : 5; bool on : 1;
  double grid[2][3];
  enum mode mode; level_t level; enum small small;
  const char *name; struct opaque *hidden; void *any; int (*f)(const struct node *, ...);
  _Float16 h; long double ld; _Complex float cf; unsigned char byte; signed char sc; char c; __int128 wide;
  float vec __attribute__((vector_size(8)));
  int flexible[];
} world_t;
world_t shared;
static int counter = 3;
const float limits[2] = {1, 2};
int decide(const world_t *const restrict w, enum mode m, uint8_t n) {
  static long calls;
  int best = 0;
  int vla[n + 1];
  for (int i = 0; i < n; i++) { int best = i; calls += best; }
  return best + m + vla[0] + counter + (int)shared.u.i + (int)limits[0] + w->c;
}
typedef struct { int x, y, z; } triple;
typedef struct { double d; float f; } mixed;
typedef struct { char c[3]; } odd;
typedef struct { float x, y; } point;
typedef struct { long a[5]; } big;
typedef struct { } empty;
triple by_value(triple t, mixed m, odd o, point p, big b, bool yes, int, empty e, short s) {
  t.x += o.c[0] + (int)m.f + (int)p.y + (int)b.a[0] + yes + s; return t;
}
static void nothing(void) {}
int variadic(int n, ...) { nothing(); return n; }
"""


@pytest.fixture(scope="module")
def module(tmp_path_factory: pytest.TempPathFactory) -> Module:
    root = tmp_path_factory.mktemp("debuginfo")
    (root / "p.c").write_text(PROGRAM)
    return read_module(compile_ir(Build((Path("p.c"),), root=root)).text)


@pytest.fixture(scope="module")
def info(module: Module) -> DebugInfo:
    return DebugInfo(module)


@pytest.fixture(scope="module")
def world(info: DebugInfo) -> dict[str, CType]:
    type_ = strip(info.globals["shared"].type)
    assert isinstance(type_, CStruct) and type_.name == "world" and type_.complete
    return {field.name: field.type for field in type_.fields}


def test_numbers(world: dict[str, CType]) -> None:
    expected = {
        "h": ("float", 2), "ld": ("float", 16), "cf": ("complex", 8), "byte": ("unsigned char", 1),
        "sc": ("signed char", 1), "c": ("signed char", 1), "wide": ("signed", 16), "on": ("bool", 1),
        "flags": ("unsigned", 4),
    }  # fmt: skip
    for name, (encoding, size) in expected.items():
        type_ = strip(world[name])
        assert isinstance(type_, CBase) and (type_.encoding, type_.size) == (encoding, size), name
    assert isinstance(world["c"], CBase) and world["c"].signed


def test_enums_have_their_labels(world: dict[str, CType]) -> None:
    mode, level, small = (strip(world[name]) for name in ("mode", "level", "small"))
    assert isinstance(mode, CEnum) and mode.enumerators == (("IDLE", 0), ("RUN", 5), ("STOP", -1))
    assert isinstance(mode.underlying, CBase) and mode.underlying.signed and str(mode) == "enum mode"
    assert isinstance(level, CEnum) and level.enumerators[1] == ("HIGH", 4000000000)
    assert isinstance(level.underlying, CBase) and not level.underlying.signed
    assert isinstance(small, CEnum) and small.size == 1


def test_structs_unions_and_bit_fields(info: DebugInfo, module: Module) -> None:
    type_ = strip(info.globals["shared"].type)
    assert isinstance(type_, CStruct)
    anonymous = type_.fields[0]
    assert anonymous.name == "" and isinstance(anonymous.type, CStruct)
    assert [(f.name, f.bit_offset) for f in anonymous.type.fields] == [("x", 0), ("y", 32)]
    by_name = {field.name: field for field in type_.fields}
    union = by_name["u"].type
    assert isinstance(union, CUnion) and union.size == 8 and {f.bit_offset for f in union.fields} == {0}
    assert [(n, by_name[n].bit_offset, by_name[n].bit_size) for n in ("flags", "bits", "on")] == [
        ("flags", 128, 3), ("bits", 133, 5), ("on", 138, 1),
    ]  # fmt: skip
    assert by_name["grid"].bit_size is None
    assert type_.size == module.layout.size(module.structs["struct.world"])


def test_arrays_and_vectors(world: dict[str, CType]) -> None:
    grid, flexible, vec = world["grid"], world["flexible"], world["vec"]
    assert isinstance(grid, CArray) and (grid.dims, grid.size, str(grid)) == ((2, 3), 48, "double[2][3]")
    assert isinstance(flexible, CArray) and (flexible.dims, flexible.size) == ((None,), None)
    assert isinstance(vec, CArray) and vec.dims == (2,)


def test_pointers(world: dict[str, CType]) -> None:
    name, hidden, any_, f = (world[n] for n in ("name", "hidden", "any", "f"))
    assert isinstance(name, CPointer) and name.const and str(name) == "const char *"
    assert isinstance(hidden, CPointer) and isinstance(hidden.target, CStruct) and not hidden.target.complete
    assert isinstance(any_, CPointer) and any_.target == CVoid()
    assert isinstance(f, CPointer) and isinstance(f.target, CFunction) and f.target.varargs
    node = f.target.params[0]
    assert isinstance(node, CPointer) and node.const and isinstance(node.target, CStruct)
    following, value = node.target.fields
    assert isinstance(following.type, CPointer) and following.type.target == node.target  # a struct of its own kind
    assert isinstance(value.type, CBase)


def test_functions_parameters_and_locals(info: DebugInfo) -> None:
    decide = info.function("decide")
    assert [(p.name, str(p.type)) for p in decide.params] == [
        ("w", "const world_t *"), ("m", "enum mode"), ("n", "uint8_t"),
    ]  # fmt: skip
    assert str(decide.type.returns) == "int"
    assert [(v.name, str(v.type), v.loc.location.line) for v in decide.locals] == [
        ("best", "int", 23), ("vla", "int[]", 24), ("i", "int", 25), ("best", "int", 25),
    ]  # fmt: skip
    assert all(isinstance(v.address, Register) for v in decide.locals)
    assert str(decide.loc) == "p.c:21"
    assert str(info.function("nothing").type) == "void (void)"
    assert info.function("variadic").type.varargs


def test_globals_and_static_locals(info: DebugInfo) -> None:
    calls = info.globals["decide.calls"]
    assert (calls.name, calls.function, str(calls.type)) == ("calls", "decide", "long")
    assert info.globals["counter"].function is None
    assert str(info.globals["shared"].loc) == "p.c:18"
    assert info.named("calls") == ("decide.calls",) and info.named("decide") == ("decide",)
    assert isinstance(info.globals["shared"].type, CTypedef)


def test_parameters_in_pieces(info: DebugInfo, module: Module) -> None:
    """On x86-64 small structs come in registers, large ones as a copy in memory, empty ones not at all."""
    params = info.function("by_value").params
    shown = {p.name: [(module.function("by_value").params[q.index].register.name, q.offset, q.by_address)
                      for q in p.pieces] for p in params}  # fmt: skip
    assert shown == {
        "t": [("t.coerce0", 0, False), ("t.coerce1", 8, False)],
        "m": [("m.coerce0", 0, False), ("m.coerce1", 8, False)],
        "o": [("o.coerce", 0, False)],
        "p": [("p.coerce", 0, False)],
        "b": [("b", 0, True)],
        "yes": [("yes", 0, False)],
        "": shown[""],
        "e": [],
        "s": [("s", 0, False)],
    }


def test_large_structs_come_by_address_on_arm(tmp_path: Path) -> None:
    (tmp_path / "p.c").write_text("struct big { long a[5]; }; long f(int n, struct big b) { return b.a[n]; }")
    build = Build((Path("p.c"),), root=tmp_path, target="aarch64-linux-gnu")
    n, b = DebugInfo(read_module(compile_ir(build).text)).function("f").params
    assert [(p.index, p.by_address) for p in (*n.pieces, *b.pieces)] == [(0, False), (1, True)]


def test_a_program_without_debug_info_says_so() -> None:
    with pytest.raises(ProgramError, match="no debug info"):
        DebugInfo(read_module("define void @f() {\n  ret void\n}\n")).function("f")
    with pytest.raises(ProgramError, match="defined are: f"):
        DebugInfo(read_module("define void @f() {\n  ret void\n}\n")).function("g")


def test_locals_in_a_header_are_placed_there(tmp_path: Path) -> None:
    (tmp_path / "h.h").write_text("static inline int twice(int x) {\n  int y = x + x;\n  return y;\n}\n")
    (tmp_path / "m.c").write_text('#include "h.h"\nint f(int a) { return twice(a); }\n')
    module = read_module(compile_ir(Build((Path("m.c"),), root=tmp_path)).text)
    (local,) = DebugInfo(module).function("twice").locals
    assert str(local.loc) == "./h.h:2"


def test_unsigned_char_targets(compile_c: Callable[..., Module]) -> None:
    module = compile_c("char c; enum e { A } x;", "-funsigned-char", "-fshort-enums")
    types = DebugInfo(module).globals
    assert isinstance(types["c"].type, CBase) and types["c"].type.encoding == "unsigned char"
    assert types["x"].type.size == 1
