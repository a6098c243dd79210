"""Constants: initial values read from the IR are, byte for byte, what the compiled program has in memory."""

from __future__ import annotations

import ctypes
import math
import struct
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from soid.engine.llvm.compiler.compilation import Build, compile_ir, compile_native
from soid.engine.llvm.compiler.module_linker import canonical_text
from soid.engine.llvm.ir.constant_image import address_of, memory_image
from soid.engine.llvm.ir.ir_module import Module
from soid.engine.llvm.ir.operands import ConstData, ConstFloat
from soid.engine.llvm.reader.module_reader import read_module
from soid.errors import ProgramError

PROGRAM = r"""
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
enum mode { IDLE, RUN = 5, STOP = -1 };
struct inner { float x; unsigned a : 3; int b : 5; unsigned long c : 33; };
struct outer { struct inner in[2]; enum mode m; bool on; char name[8]; const void *p; union { int i; double d; } u; };
typedef float vec4 __attribute__((vector_size(16)));

signed char i8 = -5; unsigned short i16 = 65535; int i32 = -2147483647 - 1; unsigned long i64 = 1ul << 63;
__int128 i128 = ((__int128)-7 << 64) | 99; bool yes = true;
float f_tenth = 0.1f, f_inf = -INFINITY, f_nan = NAN, f_small = 1e-45f, f_zero = -0.0f, f_max = 3.4028235e38f;
double d_tenth = 0.1, d_inf = INFINITY, d_nan = -NAN, d_small = 5e-324, d_zero = -0.0, d_third = 1.0 / 3;
_Float16 h_half = (_Float16)0.1; long double x87 = 0.1L; __float128 quad = 0.1L;
double table[4][2] = {{1, 2}, {3.5, -4}, {0.1, 1e300}};
float row[5] = {1, 2.5f, 0.1f};
const char text[] = "a \"quote\", a \\ and \x01\xff";
unsigned wide[3] = {1u, 0xffffffffu}; int none[100];
struct outer made = {.in = {{1.5f, 5, -3, 0x123456789ul}, {2.0f}}, .m = STOP, .on = 1, .name = "hi", .u = {.d = 2.5}};
struct outer many[2] = {[1] = {.m = RUN}};
vec4 vector = {1, 2, 0.1f, -0.0f};
uintptr_t number = 4096; int *odd = (int *)16;
_Complex double complex_number = 1.0 + 2.0i;
"""
POINTERS = """
int numbers[4]; struct pair { int x; int *p; } pair = {1, &numbers[3]};
const char *words[] = {"one", 0}; int f(int a) { return a; } int (*fs[])(int) = {0, f};
char *inside = (char *)&pair.p + 1; unsigned long as_number = (unsigned long)&numbers[1];
"""


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory) -> Build:
    root = tmp_path_factory.mktemp("constants")
    (root / "c.c").write_text(PROGRAM)
    return Build((Path("c.c"),), root=root)


@pytest.fixture(scope="module")
def module(build: Build) -> Module:
    return read_module(compile_ir(build).text)


def test_every_initial_value_is_what_the_compiled_program_holds(build: Build, module: Module) -> None:
    library = ctypes.CDLL(str(compile_native(build)))
    checked = 0
    for variable in module.globals.values():
        assert variable.initializer is not None
        image = memory_image(variable.initializer, module.layout)
        assert not image.addresses
        native = bytes((ctypes.c_char * len(image.data)).in_dll(library, variable.name))
        assert native == image.data, variable.name
        checked += 1
    assert checked > 30


def test_tables_are_kept_as_numbers(module: Module) -> None:
    row = module.globals["row"].initializer
    assert isinstance(row, ConstData)
    assert [struct.unpack("<f", value.to_bytes(4, "little"))[0] for value in row.values[:2]] == [1.0, 2.5]
    assert isinstance(module.globals["text"].initializer, ConstData)


def test_addresses_are_a_name_and_an_offset(tmp_path: Path) -> None:
    (tmp_path / "p.c").write_text(POINTERS)
    module = read_module(compile_ir(Build((Path("p.c"),), root=tmp_path)).text)

    def addresses(name: str) -> list[tuple[int, str, int]]:
        initializer = module.globals[name].initializer
        assert initializer is not None
        return [(a.offset, a.name, a.addend) for a in memory_image(initializer, module.layout).addresses]

    assert addresses("pair") == [(8, "numbers", 12)]
    assert addresses("fs") == [(8, "f", 0)]
    assert addresses("inside") == [(0, "pair", 9)]
    assert addresses("as_number") == [(0, "numbers", 4)]
    ((offset, name, addend),) = addresses("words")
    assert (offset, addend) == (0, 0)
    literal = module.globals[name].initializer
    assert isinstance(literal, ConstData) and bytes(literal.values) == b"one\0"


def test_an_initial_value_that_is_no_number_and_no_address_is_refused() -> None:
    difference = "sub (i64 ptrtoint (ptr @a to i64), i64 ptrtoint (ptr @b to i64))"
    text = f"@a = global i32 0\n@b = global i32 0\n@d = global i64 {difference}\n"
    module = read_module(canonical_text([text.encode()]))
    initializer = module.globals["d"].initializer
    assert initializer is not None and address_of(initializer, module.layout) is None
    with pytest.raises(ProgramError, match="not supported as an initial value"):
        memory_image(initializer, module.layout)


def _constants(kind: str, patterns: list[int], digits: int) -> list[int]:
    """Bit patterns as LLVM prints and the reader reads them."""
    lines = [f"@g{i} = global {kind} bitcast (i{digits} {bits} to {kind})" for i, bits in enumerate(patterns)]
    module = read_module(canonical_text(["\n".join(lines).encode()]))
    found = []
    for variable in module.globals.values():
        assert isinstance(variable.initializer, ConstFloat)
        found.append(variable.initializer.bits)
    return found


@given(st.lists(st.integers(0, 2**64 - 1), min_size=1, max_size=20))
def test_doubles_keep_every_bit(patterns: list[int]) -> None:
    assert _constants("double", patterns, 64) == patterns


@given(st.lists(st.integers(0, 2**32 - 1), min_size=1, max_size=20))
def test_floats_keep_every_bit(patterns: list[int]) -> None:
    # LLVM itself turns signalling NaNs quiet when it prints a float as a double
    found = _constants("float", patterns, 32)
    for ours, theirs in zip(found, patterns, strict=True):
        signalling = math.isnan(struct.unpack("<f", struct.pack("<I", theirs))[0]) and not theirs & 1 << 22
        assert ours == theirs or (signalling and ours == theirs | 1 << 22)


@given(st.lists(st.integers(0, 2**16 - 1), min_size=1, max_size=20))
def test_halves_keep_every_bit(patterns: list[int]) -> None:
    assert _constants("half", patterns, 16) == patterns


@given(st.lists(st.integers(0, 2**128 - 1), min_size=1, max_size=8))
def test_quadruples_keep_every_bit(patterns: list[int]) -> None:
    assert _constants("fp128", patterns, 128) == patterns
