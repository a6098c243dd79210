"""Sizes, alignments and offsets against LLVM's own, and against the compiler's sizeof and offsetof."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from llvmlite import binding

from soid.engine.llvm.ir.data_layout import DataLayout
from soid.engine.llvm.ir.ir_module import Module
from soid.engine.llvm.ir.ir_types import (
    DOUBLE,
    FLOAT,
    FP128,
    HALF,
    PTR,
    VOID,
    X86_FP80,
    ArrayType,
    IntegerType,
    StructType,
    Type,
    VectorType,
)
from soid.engine.llvm.ir.operands import ConstData
from soid.errors import ProgramError

X86 = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
ARM = "e-m:e-p:32:32-Fi8-i64:64-v128:64:128-a:0:32-n32-S64"
I386 = "e-m:e-p:32:32-p270:32:32-p271:32:32-p272:64:64-i128:128-f64:32:64-f80:32-n8:16:32-S128"
BIG = "E-m:e-p:32:32-i64:64-n32"

SCALARS = st.one_of(
    st.integers(1, 130).map(IntegerType),
    st.sampled_from([HALF, FLOAT, DOUBLE, X86_FP80, FP128, PTR]),
)
VECTORS = st.builds(
    VectorType,
    st.integers(1, 9),
    st.sampled_from([IntegerType(1), IntegerType(8), IntegerType(32), FLOAT, DOUBLE]),
)


def _nested(inner: st.SearchStrategy[Type]) -> st.SearchStrategy[Type]:
    elements = st.lists(inner, max_size=5).map(tuple)
    return st.one_of(
        st.builds(ArrayType, st.integers(0, 4), inner), st.builds(StructType, st.none(), elements, st.booleans())
    )


TYPES: st.SearchStrategy[Type] = st.recursive(st.one_of(SCALARS, VECTORS), _nested, max_leaves=8)


def _llvm(type_: Type, layout: str) -> tuple[Any, Any]:
    module = binding.parse_assembly(f'target datalayout = "{layout}"\n@x = external global {type_}')
    return binding.create_target_data(layout), module.get_global_variable("x").global_value_type


@pytest.mark.parametrize("text", [X86, ARM, I386, BIG, ""])
@given(type_=TYPES)
def test_sizes_and_alignments_are_llvms(text: str, type_: Type) -> None:
    ours, (theirs, reference) = DataLayout.parse(text), _llvm(type_, text)
    assert ours.size(type_) == theirs.get_abi_size(reference)
    assert ours.align(type_) == theirs.get_abi_alignment(reference)
    if isinstance(type_, StructType) and type_.elements:
        expected = [theirs.get_element_offset(reference, index) for index in range(len(type_.elements))]
        assert list(ours.offsets(type_)) == expected


PROGRAM = """
#include <stddef.h>
#include <stdbool.h>
struct a { char c; double d; short s; };
struct b { struct a inner[3]; bool on; long long l; char tail[5]; };
struct __attribute__((packed)) c { char c; int i; struct a a; };
struct d { unsigned x : 3; unsigned y : 7; char z; long double w; };
struct e { __int128 q; char c; };
struct f { int n; float flexible[]; };
union u { char c[9]; double d; };
struct a va; struct b vb; struct c vc; struct d vd; struct e ve; struct f vf; union u vu;
const unsigned long sizes[] = {sizeof va, sizeof vb, sizeof vc, sizeof vd, sizeof ve, sizeof vf, sizeof vu};
const unsigned long aligns[] = {_Alignof(struct a), _Alignof(struct b), _Alignof(struct c), _Alignof(struct d),
  _Alignof(struct e), _Alignof(struct f), _Alignof(union u)};
const unsigned long b_offsets[] = {offsetof(struct b, inner), offsetof(struct b, on), offsetof(struct b, l),
  offsetof(struct b, tail)};
const unsigned long c_offsets[] = {offsetof(struct c, c), offsetof(struct c, i), offsetof(struct c, a)};
"""


def test_structs_lie_as_the_compiler_lays_them(compile_c: Callable[..., Module]) -> None:
    module = compile_c(PROGRAM)

    def numbers(name: str) -> list[int]:
        data = module.globals[name].initializer
        assert isinstance(data, ConstData)
        return list(data.values)

    names = ["struct.a", "struct.b", "struct.c", "struct.d", "struct.e", "struct.f", "union.u"]
    layout = module.layout
    assert [layout.size(module.structs[name]) for name in names] == numbers("sizes")
    assert [layout.align(module.structs[name]) for name in names] == numbers("aligns")
    assert list(layout.offsets(module.structs["struct.b"])) == numbers("b_offsets")
    assert list(layout.offsets(module.structs["struct.c"])) == numbers("c_offsets")


def test_what_has_no_size_says_so() -> None:
    layout = DataLayout.parse("")
    for type_ in (VOID, StructType("s", None, packed=False), VectorType(2, IntegerType(8), scalable=True)):
        with pytest.raises(ProgramError):
            layout.size(type_)
    with pytest.raises(ProgramError, match="i8:x"):
        DataLayout.parse("e-i8:x")
