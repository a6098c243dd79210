"""Traits of a function that decide which assumptions an answer relies on once the function has run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from soid.engine.llvm.flow.bit_fields import registers_of
from soid.engine.llvm.ir import instructions as ir
from soid.engine.llvm.ir.ir_module import Function
from soid.engine.llvm.ir.ir_types import FloatingType, VectorType
from soid.engine.llvm.ir.operands import ConstInt

#: conversions that round; the arithmetic on floats does too
_ROUNDING: Final = frozenset({"fptrunc", "sitofp", "uitofp"})
_SIGN: Final = frozenset({"eq", "ne", "slt", "sle", "sgt", "sge"})


def rounds_floats(function: Function) -> bool:
    """Whether a function has an instruction whose result depends on how the processor rounds floats."""
    return any(map(_rounds, _instructions(function)))


def _rounds(one: ir.Instruction) -> bool:
    match one:
        case ir.BinaryOp() | ir.Call():
            kind = one.result.type if one.result is not None else None
            return isinstance(kind.element if isinstance(kind, VectorType) else kind, FloatingType)
        case ir.Cast(op=op):
            return op in _ROUNDING
        case _:
            return False


def might_fuse(function: Function, triple: str) -> bool:
    """Whether a compiler might have computed a * b + c in one step: the explored code never does."""
    features = dict(function.attributes.strings).get("target-features", "").split(",")
    able = not triple.startswith(("x86_64", "i386", "i686")) or "+fma" in features or "+fma4" in features
    ops = {one.op for one in _instructions(function) if isinstance(one, ir.BinaryOp)}
    return able and "fmul" in ops and not ops.isdisjoint({"fadd", "fsub"})


def uses_sign_only(function: Function, call: ir.Call) -> bool:
    """Whether a function only compares the result of a call with 0."""
    if call.result is None:
        return True
    uses = (one for one in _instructions(function) if any(each.slot == call.result.slot for each in registers_of(one)))
    return all(_tests_sign(one) for one in uses)


def _tests_sign(one: ir.Instruction) -> bool:
    if not isinstance(one, ir.ICmp) or one.predicate not in _SIGN:
        return False
    return isinstance(one.right, ConstInt) and one.right.value == 0


def _instructions(function: Function) -> Iterator[ir.Instruction]:
    return (one for block in function.blocks for one in block.instructions)
