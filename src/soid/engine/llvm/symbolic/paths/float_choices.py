"""Branches that only choose a float, such as `s > 0 ? s : 0` behind a sum of products: they need be no fork.

Which sides are possible is hard to say of a sum of products, and each ReLU of a network written in C would double the
paths. Both sides are run without that question, and become one path again where they meet (`state_merge.py`): the float
is the one where the condition holds, and the other elsewhere. A side that is not possible adds no state.

    if (s > 0.0f) h = s; else h = 0.0f;        one path, with h = (s > 0 ? s : 0)
"""

from __future__ import annotations

from typing import Final

from soid.engine.llvm.ir import instructions as ir
from soid.engine.llvm.ir.instructions import successors
from soid.engine.llvm.ir.ir_module import Function
from soid.engine.llvm.ir.ir_types import FloatingType
from soid.formula import operators as ops
from soid.formula.sorts import Float
from soid.formula.term import Term

_LOGIC: Final = (ops.NOT, ops.AND, ops.OR)
_PRODUCTS: Final = (ops.FP_MUL, ops.FP_FMA, ops.FP_DIV)
_MANY: Final = 2  # products: with fewer, solvers settle the sides at once
_LARGEST: Final = 8  # blocks between a branch and where its sides meet: `s < 0 ? 0 : s > 6 ? 6 : s` has 5
_FLOATS: Final = ("fadd", "fsub", "fmul", "fdiv")


def chooses_a_float(function: Function, block: int, meets: int) -> bool:
    """Whether nothing but floats is different behind a branch's sides; `meets`: the block at which they meet."""
    blocks, waiting, seen = function.blocks, list(successors(function.blocks[block].terminator)), set[int]()
    while waiting:
        each = waiting.pop()
        if each in (meets, *seen):
            continue
        seen.add(each)
        if each == block or len(seen) > _LARGEST or not all(map(_is_harmless, blocks[each].instructions)):
            return False
        waiting += successors(blocks[each].terminator)
    phis = [one for one in blocks[meets].instructions if isinstance(one, ir.Phi)]
    return all(map(_is_harmless, phis))


def _is_harmless(one: ir.Instruction) -> bool:
    """Whether it neither ends a path nor writes anything but a float."""
    match one:
        case ir.Phi(result):
            return isinstance(result.type, FloatingType)
        case ir.Store(value, volatile=volatile):
            return isinstance(value.type, FloatingType) and not volatile
        case ir.BinaryOp(op=op):
            return op in _FLOATS
        case ir.Load(volatile=volatile):
            return not volatile
        case ir.FNeg() | ir.FCmp() | ir.Gep() | ir.Cast() | ir.Select() | ir.Br() | ir.CondBr():
            return True
        case _:
            return False


def is_about_sums(condition: Term) -> bool:
    """Whether it compares floats that are made of products."""
    while condition.op in _LOGIC:
        condition = condition.args[0]
    if not condition.args or not all(isinstance(arg.sort, Float) for arg in condition.args):
        return False
    found, waiting, seen = 0, list(condition.args), set(condition.args)
    while waiting and found < _MANY:
        term = waiting.pop()
        found += term.op in _PRODUCTS
        below = [arg for arg in term.args if arg not in seen and isinstance(arg.sort, Float)]
        seen.update(below)
        waiting += below
    return found >= _MANY
