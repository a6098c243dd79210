"""Instructions that compute: arithmetic, comparisons, conversions, choices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from soid.engine.llvm import instructions as ir
from soid.engine.llvm.exploring import arithmetic, shadows
from soid.engine.llvm.exploring.addresses import distance, shifted
from soid.engine.llvm.exploring.runtime import (
    UNSET_BRANCH,
    UNSET_USE,
    Address,
    Held,
    Index,
    Partial,
    PathEnd,
    Pointer,
    Unsupported,
    lift,
    location,
    lower,
    number,
    spoiled,
)
from soid.engine.llvm.exploring.state import Frame, State
from soid.engine.llvm.instructions import FAST_MATH
from soid.engine.llvm.types import IntType, Ptr, is_floating
from soid.engine.summary import Failed, Location
from soid.formula import build
from soid.formula.operators import signed
from soid.formula.term import Term

if TYPE_CHECKING:
    from soid.engine.llvm.exploring.explorer import Explorer

INEXACT = "difference of pointers that is no whole number of elements"
_DIVISIONS = ("sdiv", "udiv", "srem", "urem")
_SHIFTS = ("shl", "lshr", "ashr")
_I64 = IntType(64)


def binary(explorer: Explorer, state: State, frame: Frame, one: ir.BinaryOp) -> None:
    where = location(one.loc)
    kind = one.result.type
    a, b = explorer.value(frame, one.left), explorer.value(frame, one.right)
    if is_floating(kind):
        if one.flags & FAST_MATH:
            raise Unsupported(f"{one.op} with {' '.join(sorted(one.flags))}", where)
        explorer.set(frame, one.result, _float_binary(explorer, one, a, b))
        return
    if not isinstance(kind, IntType):
        raise Unsupported(f"{one.op} of {kind}", where)
    if isinstance(a, Address) or isinstance(b, Address):
        explorer.set(frame, one.result, _address_arithmetic(one, a, b, where))
        return
    explorer.set(frame, one.result, _integer_binary(explorer, state, one, a, b, kind, where))


def _integer_binary(
    explorer: Explorer, state: State, one: ir.BinaryOp, a: Held, b: Held, kind: IntType, where: Location | None
) -> Held:
    if one.op in _DIVISIONS:
        a, b = explorer.settled(a, UNSET_USE, where), explorer.settled(b, UNSET_USE, where)
    elif one.op in _SHIFTS:
        b = explorer.settled(b, UNSET_USE, where)
    x, y = shadows.parts(a)[0], shadows.parts(b)[0]
    partial = isinstance(a, Partial) or isinstance(b, Partial)
    if not partial or one.op in _SHIFTS:
        for holds, what in arithmetic.obligations(one.op, x, y, kind, one.flags & {"nsw", "nuw"}):
            explorer.brancher.require(state, holds, what, where)
    if "disjoint" in one.flags:
        raise Unsupported(f"{one.op} with disjoint", where)
    if "exact" in one.flags:
        explorer.brancher.require(state, arithmetic.divides(one.op, x, y, kind), INEXACT, where)
    result = arithmetic.integer(one.op, x, y, kind)
    return shadows.binary(one.op, a, b, result, kind.width) if partial else result


def _float_binary(explorer: Explorer, one: ir.BinaryOp, a: Held, b: Held) -> Held:
    if isinstance(a, Partial) or isinstance(b, Partial):
        return spoiled(explorer.module.layout.bits(one.result.type), a, b)
    return arithmetic.floating(one.op, number(a), number(b), one.result.type)


def _address_arithmetic(one: ir.BinaryOp, a: Held, b: Held, where: Location | None) -> Held:
    """Differences of addresses in one object, and addresses moved by a number: all that C can rely on."""
    if one.op == "sub" and isinstance(a, Address) and isinstance(b, Address):
        if a.pointer.object != b.pointer.object:
            raise PathEnd(Failed("difference of pointers into different objects", where))
        return lower(build.bvsub(distance(a.pointer.offset), distance(b.pointer.offset)))
    if one.op == "add" and isinstance(b, Address):
        a, b = b, a
    if one.op in ("add", "sub") and isinstance(a, Address) and isinstance(b, int | Term):
        return Address(_moved(a.pointer, b, negative=one.op == "sub"))
    raise Unsupported(f"{one.op} with the number of an address", where)


def _moved(pointer: Pointer, by: int | Term, *, negative: bool) -> Pointer:
    if isinstance(by, int):
        number = signed(by, 64)
        return Pointer(pointer.object, shifted(pointer.offset, -number if negative else number))
    return Pointer(pointer.object, shifted(pointer.offset, 0, Index(by, -1 if negative else 1)))


def fneg(explorer: Explorer, state: State, frame: Frame, one: ir.FNeg) -> None:
    held = explorer.value(frame, one.value)
    if isinstance(held, Partial):
        explorer.set(frame, one.result, held)
    else:
        explorer.set(frame, one.result, arithmetic.negate(number(held), one.result.type))


def icmp(explorer: Explorer, state: State, frame: Frame, one: ir.ICmp) -> None:
    where = location(one.loc)
    a, b = explorer.value(frame, one.left), explorer.value(frame, one.right)
    kind = one.left.type
    if isinstance(kind, Ptr) or isinstance(a, Address) or isinstance(b, Address):
        explorer.set(frame, one.result, _compare_pointers(one.predicate, a, b, where))
        return
    if not isinstance(kind, IntType) or one.flags:
        raise Unsupported(f"icmp of {kind} {' '.join(sorted(one.flags))}".rstrip(), where)
    x, y = shadows.parts(a)[0], shadows.parts(b)[0]
    result = arithmetic.compare(one.predicate, x, y, kind)
    if isinstance(a, Partial) or isinstance(b, Partial):
        explorer.set(frame, one.result, shadows.compared(one.predicate, a, b, result, kind.width))
    else:
        explorer.set(frame, one.result, result)


def _compare_pointers(predicate: str, a: Held, b: Held, where: Location | None) -> Held:
    if isinstance(a, Partial) or isinstance(b, Partial):
        return spoiled(1, a, b)
    x, y = _as_pointer(a, where), _as_pointer(b, where)
    if x.object == y.object:
        return arithmetic.compare(predicate, lower(distance(x.offset)), lower(distance(y.offset)), _I64)
    if predicate in ("eq", "ne"):
        return int(predicate == "ne")
    raise PathEnd(Failed("order of pointers into different objects", where))


def _as_pointer(held: Held, where: Location | None) -> Pointer:
    if isinstance(held, Pointer):
        return held
    if isinstance(held, Address):
        return held.pointer
    if isinstance(held, int):
        return Pointer(0, held)
    raise Unsupported("comparing an address with a number", where)


def fcmp(explorer: Explorer, state: State, frame: Frame, one: ir.FCmp) -> None:
    if one.flags & FAST_MATH:
        raise Unsupported(f"fcmp with {' '.join(sorted(one.flags))}", location(one.loc))
    a, b = explorer.value(frame, one.left), explorer.value(frame, one.right)
    if isinstance(a, Partial) or isinstance(b, Partial):
        explorer.set(frame, one.result, spoiled(1, a, b))
        return
    explorer.set(frame, one.result, arithmetic.compare_floats(one.predicate, number(a), number(b), one.left.type))


def cast(explorer: Explorer, state: State, frame: Frame, one: ir.Cast) -> None:
    where = location(one.loc)
    held = explorer.value(frame, one.value)
    source, target = one.value.type, one.result.type
    if one.op in ("ptrtoint", "ptrtoaddr", "inttoptr", "addrspacecast") or isinstance(held, Pointer | Address):
        explorer.set(frame, one.result, _cast_address(one, held, where))
        return
    if isinstance(held, Partial):
        explorer.set(frame, one.result, _cast_partial(explorer, one, held))
        return
    value = number(held)
    for holds, what in arithmetic.cast_obligations(one.op, value, source, target, one.flags):
        explorer.brancher.require(state, holds, what, where)
    explorer.set(frame, one.result, arithmetic.cast(one.op, value, source, target))


def _cast_partial(explorer: Explorer, one: ir.Cast, held: Partial) -> Held:
    source, target = one.value.type, one.result.type
    if isinstance(source, IntType) and isinstance(target, IntType):
        result = arithmetic.cast(one.op, held.value, source, target)
        return shadows.converted(one.op, held, result, source.width, target.width)
    return Partial(0, (1 << explorer.module.layout.bits(target)) - 1, held.exact)


def _cast_address(one: ir.Cast, held: Held, where: Location | None) -> Held:
    if isinstance(held, Partial):
        return held
    if one.op in ("ptrtoint", "ptrtoaddr") and isinstance(held, Pointer) and one.result.type == _I64:
        return held.offset if held.object == 0 and isinstance(held.offset, int) else Address(held)
    if one.op == "inttoptr":
        if isinstance(held, Address):
            return held.pointer
        if isinstance(held, int):
            return Pointer(0, held)
    raise Unsupported(f"{one.op} to {one.result.type}", where)


def freeze(explorer: Explorer, state: State, frame: Frame, one: ir.Freeze) -> None:
    held = explorer.value(frame, one.value)
    if isinstance(held, Partial):
        raise Unsupported("freezing an uninitialised value", location(one.loc))
    explorer.set(frame, one.result, held)


def select(explorer: Explorer, state: State, frame: Frame, one: ir.Select) -> None:
    where = location(one.loc)
    condition = explorer.settled(explorer.value(frame, one.condition), UNSET_BRANCH, where)
    then, otherwise = explorer.value(frame, one.then), explorer.value(frame, one.otherwise)
    if isinstance(condition, int):
        explorer.set(frame, one.result, then if condition else otherwise)
    elif isinstance(then, int | Term) and isinstance(otherwise, int | Term):
        kind = one.result.type
        explorer.set(frame, one.result, lower(build.ite(condition, lift(then, kind), lift(otherwise, kind))))
    else:
        chosen = explorer.brancher.holds(state, condition)
        explorer.set(frame, one.result, then if chosen else otherwise)
