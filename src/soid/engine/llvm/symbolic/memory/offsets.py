"""Offsets inside objects, and the routes of getelementptr instructions that change them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, final

from msgspec import Struct
from msgspec.structs import replace

from soid.engine.llvm.ir.data_layout import DataLayout
from soid.engine.llvm.ir.ir_types import ArrayType, IntegerType, StructType, Type, VectorType
from soid.engine.llvm.ir.operands import ConstInt, Value
from soid.engine.llvm.symbolic.paths.path_end import NotModelled
from soid.engine.llvm.symbolic.values.held_values import Offset, Pointer, SymbolicIndex
from soid.formula import build
from soid.formula.operators import signed
from soid.formula.sorts import BitVec
from soid.formula.term import Term

WORD: Final = BitVec(64)


def shifted(offset: int | Offset, constant: int, index: SymbolicIndex | None = None) -> int | Offset:
    """An offset plus a constant, plus an index."""
    if index is None or index.scale == 0:
        if isinstance(offset, int):
            return offset + constant
        return replace(offset, constant=offset.constant + constant)
    old = (offset, ()) if isinstance(offset, int) else (offset.constant, offset.indices)
    return Offset(old[0] + constant, (*old[1], index))


def distance(offset: int | Offset) -> Term:
    """An offset as a 64-bit number."""
    if isinstance(offset, int):
        return build.const(WORD, offset)
    return build.bvadd(build.const(WORD, offset.constant), total(offset.indices, 1))


def total(indices: Sequence[SymbolicIndex], step: int) -> Term:
    """The sum of indices in units of `step` bytes."""
    total = build.const(WORD, 0)
    for index in indices:
        total = build.bvadd(total, build.bvmul(index.term, build.const(WORD, index.scale // step)))
    return total


def moved(pointer: Pointer, by: int) -> Pointer:
    """A pointer moved by a number of bytes."""
    return Pointer(pointer.object, shifted(pointer.offset, by), pointer.past_end)


def between(number: Term, least: int, most: int) -> Term:
    """Whether a signed 64-bit number lies between two others."""
    return build.and_(build.bvsle(build.const(WORD, least), number), build.bvsle(number, build.const(WORD, most)))


@final
class IndexStep(Struct, frozen=True):
    """One index of a getelementptr that is no constant."""

    index: int  # its place among the instruction's indices
    width: int  # bits of its type
    size: int  # bytes of one element
    count: int | None  # elements of the array that it indexes; None where the length is not known


@final
class Route(Struct, frozen=True):
    """The effect of a getelementptr: the first index counts whole sources, each later one selects a part."""

    constant: int  # bytes that the constant indices add
    steps: tuple[IndexStep, ...]
    stays: bool  # the first index is 0: a base past the end of its array stays past the end


def route_of(layout: DataLayout, source: Type, indices: Sequence[Value]) -> Route:
    """The route of an instruction.

    In C, an array of length 0 or 1 at the end of a struct may have more elements: it gets no bound here.
    """
    constant, steps, kind = 0, [], source
    for number, index in enumerate(indices):
        count = None
        if number and isinstance(kind, StructType):
            if kind.elements is None or not isinstance(index, ConstInt):
                raise NotModelled(f"an address inside of {kind}")
            constant += layout.offsets(kind)[index.value]
            kind = kind.elements[index.value]
            continue
        if number:
            if not isinstance(kind, ArrayType | VectorType):
                raise NotModelled(f"an address inside of {kind}")
            count = kind.count if kind.count > 1 else None
            kind = kind.element
        if isinstance(index, ConstInt) and (count is None or index.value < count):
            constant += index.signed * layout.size(kind)
        elif isinstance(index.type, IntegerType):
            steps.append(IndexStep(number, index.type.width, layout.size(kind), count))
        else:
            raise NotModelled(f"an index of type {index.type}")
    stays = isinstance(indices[0], ConstInt) and indices[0].value == 0
    return Route(constant, tuple(steps), stays)


def stepped(offset: int | Offset, index: int | Term, step: IndexStep, *, inside: bool) -> int | Offset:
    if isinstance(index, int):
        return shifted(offset, signed(index, step.width) * step.size)
    wide = build.sign_extend(index, 64 - step.width) if step.width < 64 else index
    return shifted(offset, 0, SymbolicIndex(wide, step.size, step.count if inside else None))
