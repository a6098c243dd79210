"""Arithmetic on addresses as integers: differences, moved addresses, comparisons, and casts to and from pointers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from soid.engine.llvm.ir import instructions as ir
from soid.engine.llvm.ir.ir_types import IntegerType, Type
from soid.engine.llvm.symbolic.memory.offsets import distance, shifted
from soid.engine.llvm.symbolic.path_state import PathState
from soid.engine.llvm.symbolic.paths.path_end import NotModelled, PathEnd
from soid.engine.llvm.symbolic.values.held_values import (
    AddressNumber,
    Held,
    ObjectDistance,
    Partial,
    Pointer,
    SymbolicIndex,
    address_number,
    lower,
    spoiled,
)
from soid.engine.llvm.symbolic.values.number_arithmetic import compare
from soid.engine.summary import Failed
from soid.formula import build
from soid.formula.operators import signed
from soid.formula.term import Term

if TYPE_CHECKING:
    from soid.engine.llvm.symbolic.explorer import Explorer

FAR_APART: Final = "difference of pointers into different objects"
TOUCHING: Final = "comparing the end of one object with the beginning of another"
_I64: Final = IntegerType(64)
_NEAR: Final = 1 << 32  # bytes; 2**64 minus the distance of two objects is always greater


def address_arithmetic(explorer: Explorer, state: PathState, one: ir.BinaryOp, a: Held, b: Held) -> Held:
    """The difference of addresses in one object, or an address moved by a number: C defines nothing more."""
    if one.op == "sub" and isinstance(a, AddressNumber) and isinstance(b, AddressNumber):
        if a.pointer.object != b.pointer.object:
            if explorer.lazy:  # LLVM defines it, but only bounds of it are known
                return _distance(state, a.pointer, b.pointer)
            raise PathEnd(Failed(FAR_APART, state.where))
        return lower(build.bvsub(distance(a.pointer.offset), distance(b.pointer.offset)))
    if one.op == "add" and isinstance(b, AddressNumber):
        a, b = b, a
    if one.op in ("add", "sub") and isinstance(a, AddressNumber) and isinstance(b, int | Term):
        sign, pointer = -1 if one.op == "sub" else 1, a.pointer
        by, index = (sign * signed(b, 64), None) if isinstance(b, int) else (0, SymbolicIndex(b, sign))
        return AddressNumber(Pointer(pointer.object, shifted(pointer.offset, by, index)))
    raise NotModelled(f"{one.op} with the number of an address")


def _distance(state: PathState, a: Pointer, b: Pointer) -> ObjectDistance:
    """The distance of addresses in two objects, which do not overlap. Compilers compute it before a vectorised loop."""
    sizes = []
    for pointer in (a, b):
        thing = state.memory.objects.get(pointer.object)
        known = thing is not None and thing.alive and thing.kind.has_content
        if thing is None or not known or not isinstance(pointer.offset, int) or not 0 <= pointer.offset <= thing.size:
            raise NotModelled(FAR_APART)
        sizes.append(thing.size)
    assert isinstance(a.offset, int) and isinstance(b.offset, int)
    return ObjectDistance(sizes[1] - b.offset + a.offset, sizes[0] - a.offset + b.offset)


def compare_distance(predicate: str, distance: ObjectDistance, limit: Held) -> Held:
    """Compare a distance as an unsigned number with a small one: a negative distance is a very large number."""
    if isinstance(limit, int) and 0 < limit <= distance.least and limit < _NEAR and distance.least_back > 0:
        if predicate in ("ult", "uge"):
            return int(predicate == "uge")
        if predicate in ("ule", "ugt") and limit < distance.least:
            return int(predicate == "ugt")
    raise NotModelled(FAR_APART)


def compare_pointers(explorer: Explorer, state: PathState, one: ir.ICmp, a: Held, b: Held) -> Held:
    if isinstance(a, Partial) or isinstance(b, Partial):
        return spoiled(1, a, b)
    x, y = _as_pointer(a), _as_pointer(b)
    if x.object == y.object:
        return compare(one.predicate, lower(distance(x.offset)), lower(distance(y.offset)), _I64)
    if one.predicate in ("eq", "ne"):
        if explorer.lazy and _may_touch(state, x, y):
            raise NotModelled(TOUCHING)
        return int(one.predicate == "ne")
    if explorer.lazy:
        raise NotModelled("order of pointers into different objects")
    raise PathEnd(Failed("order of pointers into different objects", state.where))


def _may_touch(state: PathState, x: Pointer, y: Pointer) -> bool:
    """Whether one of two pointers may lie outside its object, where another may begin; null equals no other address."""
    return x.object != 0 and y.object != 0 and (_outside(state, x) or _outside(state, y))


def _outside(state: PathState, pointer: Pointer) -> bool:
    thing = state.memory.objects[pointer.object]
    if not thing.kind.has_content:
        return pointer.offset != 0
    return not isinstance(pointer.offset, int) or not 0 <= pointer.offset < max(1, thing.size)


def _as_pointer(held: Held) -> Pointer:
    if isinstance(held, Pointer):
        return held
    if isinstance(held, AddressNumber):
        return held.pointer
    if isinstance(held, int):
        return Pointer(0, held)
    raise NotModelled("comparing an address with a number")


def cast_address(one: ir.Cast, held: Held, target: Type) -> Held:
    if isinstance(held, Partial):
        return held
    if one.op in ("ptrtoint", "ptrtoaddr") and isinstance(held, Pointer) and target == _I64:
        return address_number(held)
    if one.op == "inttoptr" and isinstance(held, AddressNumber | int):
        return _as_pointer(held)
    raise NotModelled(f"{one.op} to {target}")
