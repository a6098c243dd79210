"""Instructions that compute: arithmetic, comparisons, conversions, choices; of vectors, element by element."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from soid.engine.llvm import instructions as ir
from soid.engine.llvm.exploring import arithmetic, converting, shadows
from soid.engine.llvm.exploring.addresses import distance, shifted
from soid.engine.llvm.exploring.arithmetic import NOT_FINITE, OTHER_SIGN, REMAINDER
from soid.engine.llvm.exploring.poison import guarded, hopeless, poisoned, stripped
from soid.engine.llvm.exploring.regrouping import regrouped
from soid.engine.llvm.exploring.runtime import (
    UNSET_BRANCH,
    UNSET_USE,
    Address,
    Apart,
    Held,
    Index,
    Partial,
    PathEnd,
    Pointer,
    Poisoned,
    Unsupported,
    lift,
    location,
    lower,
    number,
    spoiled,
)
from soid.engine.llvm.exploring.state import Frame, State
from soid.engine.llvm.instructions import FAST_MATH
from soid.engine.llvm.types import IntType, Ptr, Type, VectorType, is_floating
from soid.engine.summary import Failed, Location
from soid.formula import build
from soid.formula.operators import signed
from soid.formula.term import Term

if TYPE_CHECKING:
    from soid.engine.llvm.exploring.explorer import Explorer

INEXACT = "difference of pointers that is no whole number of elements"
FAR_APART: Final = "difference of pointers into different objects"
TOUCHING: Final = "comparing the end of one object with the beginning of another"
_DIVISIONS = ("sdiv", "udiv", "srem", "urem")
_SHIFTS = ("shl", "lshr", "ashr")
_FINITE: Final = frozenset({"nnan", "ninf"})  # the fast-math flags that are promises
_CHANGING: Final = FAST_MATH - _FINITE  # the others change results
_I64 = IntType(64)
_NEAR: Final = 1 << 32  # bytes; no two objects are 2^64 less so few apart


def by_element(kind: Type, compute: Callable[..., Held], *operands: Held) -> Held:
    """An operation on numbers, or on vectors element by element."""
    if not isinstance(kind, VectorType):
        return compute(*operands)
    vectors = [operand for operand in operands if isinstance(operand, tuple)]
    if kind.scalable or len(vectors) != len(operands):
        raise Unsupported(f"a {kind} that is no vector of known length")
    return tuple(compute(*elements) for elements in zip(*vectors, strict=True))


def element(kind: Type) -> Type:
    """The type of a vector's elements, or the type itself."""
    return kind.element if isinstance(kind, VectorType) else kind


def refuse_fast(what: str, flags: frozenset[str], where: Location | None) -> None:
    """Flags that let a compiler change floating-point results are refused; those that promise something are kept."""
    if flags & _CHANGING:
        raise Unsupported(f"{what} with {' '.join(sorted(flags))}", where)


def promise_finite(
    explorer: Explorer, state: State, flags: frozenset[str], kind: Type, where: Location | None, *values: Held
) -> None:
    """What `nnan` and `ninf` promise of operands and results that are floats."""
    if flags & _FINITE and is_floating(kind):
        for value in values:
            if isinstance(value, int | Term):
                explorer.oblige(state, arithmetic.finite(value, kind, flags), NOT_FINITE, where)


# --- arithmetic -------------------------------------------------------------------------------------------------


def binary(explorer: Explorer, state: State, frame: Frame, one: ir.BinaryOp) -> None:
    left, right = explorer.value(frame, one.left), explorer.value(frame, one.right)
    kind, where = element(one.result.type), location(one.loc)
    refuse_fast(one.op, one.flags, where)

    def compute(a: Held, b: Held) -> Held:
        if is_floating(kind):
            return _float_binary(explorer, state, one, a, b, kind)
        if not isinstance(kind, IntType):
            raise Unsupported(f"{one.op} of {kind}", where)
        if isinstance(a, Address) or isinstance(b, Address):
            return _address_arithmetic(explorer, state, one, a, b, where)
        return _integer_binary(explorer, state, one, a, b, kind, where)

    def each(a: Held, b: Held) -> Held:
        if one.op in _DIVISIONS:
            b = explorer.sound(state, b)  # who divides by poison may divide by 0
        return explorer.computed((a, b), compute)

    explorer.set(frame, one.result, by_element(one.result.type, each, left, right))


def _integer_binary(
    explorer: Explorer, state: State, one: ir.BinaryOp, a: Held, b: Held, kind: IntType, where: Location | None
) -> Held:
    unknown = (Partial,) if explorer.lazy else ()
    if one.op in _DIVISIONS:
        b = explorer.settled(b, UNSET_USE, where)
        if isinstance(a, unknown):
            return Partial(0, (1 << kind.width) - 1, exact=False)
        a = explorer.settled(a, UNSET_USE, where)
    elif one.op in _SHIFTS:
        if isinstance(b, unknown):
            return Partial(0, (1 << kind.width) - 1, exact=False)
        b = explorer.settled(b, UNSET_USE, where)
    if kind.width == 1 and one.op in ("and", "or"):
        settled = _one_side_settles(explorer, state, one.op, a, b)
        if settled is not None:
            return settled
    x, y = shadows.parts(a)[0], shadows.parts(b)[0]
    partial = isinstance(a, Partial) or isinstance(b, Partial)
    if not partial or one.op in _SHIFTS:
        for holds, what in arithmetic.obligations(one.op, x, y, kind, one.flags):
            if one.op in _DIVISIONS:  # no value to go on with, and machines stop
                explorer.brancher.require(state, holds, what, where)
            else:
                explorer.oblige(state, holds, what, where)
    if "exact" in one.flags and one.op in _DIVISIONS:
        what = REMAINDER if explorer.lazy else INEXACT
        explorer.oblige(state, arithmetic.divides(one.op, x, y, kind), what, where)
    result = arithmetic.integer(one.op, x, y, kind)
    return shadows.binary(one.op, a, b, result, kind.width) if partial else result


def _one_side_settles(explorer: Explorer, state: State, op: str, a: Held, b: Held) -> Held | None:
    """`and` and `or` of a truth with one that nobody knows: where the known one settles the result, it does."""
    if not explorer.lazy or isinstance(a, Partial) == isinstance(b, Partial):
        return None
    known = b if isinstance(a, Partial) else a
    if not isinstance(known, Term):
        return None
    holds = explorer.brancher.holds(state, known)
    return int(holds) if holds == (op == "or") else a if isinstance(a, Partial) else b


def _float_binary(explorer: Explorer, state: State, one: ir.BinaryOp, a: Held, b: Held, kind: Type) -> Held:
    if isinstance(a, Partial) or isinstance(b, Partial):
        return spoiled(explorer.module.layout.bits(kind), a, b)
    result = arithmetic.floating(one.op, number(a), number(b), kind)
    promise_finite(explorer, state, one.flags, kind, location(one.loc), a, b, result)
    return result


def _apart(state: State, a: Pointer, b: Pointer, where: Location | None) -> Apart:
    """How far addresses in two objects are apart at least, as those do not overlap: compilers ask before a loop."""
    sizes = []
    for pointer in (a, b):
        thing = state.memory.objects.get(pointer.object)
        known = thing is not None and thing.alive and thing.kind not in ("opaque", "function", "unmodelled")
        if thing is None or not known or not isinstance(pointer.offset, int) or not 0 <= pointer.offset <= thing.size:
            raise Unsupported(FAR_APART, where)
        sizes.append(thing.size)
    assert isinstance(a.offset, int) and isinstance(b.offset, int)
    return Apart(sizes[1] - b.offset + a.offset, sizes[0] - a.offset + b.offset)


def _compare_distance(predicate: str, distance: Apart, limit: Held, where: Location | None) -> Held:
    """A distance compared, as a number without a sign, with one that is small: backwards it is far greater."""
    if isinstance(limit, int) and 0 < limit <= distance.least and limit < _NEAR and distance.least_back > 0:
        if predicate in ("ult", "uge"):
            return int(predicate == "uge")
        if predicate in ("ule", "ugt") and limit < distance.least:
            return int(predicate == "ugt")
    raise Unsupported(FAR_APART, where)


def _address_arithmetic(
    explorer: Explorer, state: State, one: ir.BinaryOp, a: Held, b: Held, where: Location | None
) -> Held:
    """Differences of addresses in one object, and addresses moved by a number: all that C can rely on."""
    if one.op == "sub" and isinstance(a, Address) and isinstance(b, Address):
        if a.pointer.object != b.pointer.object:
            if explorer.lazy:  # it is a number, and nobody knows which
                return _apart(state, a.pointer, b.pointer, where)
            raise PathEnd(Failed(FAR_APART, where))
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
    kind, where = element(one.result.type), location(one.loc)
    refuse_fast("fneg", one.flags, where)

    def compute(held: Held) -> Held:
        if isinstance(held, Partial):
            return held
        promise_finite(explorer, state, one.flags, kind, where, held)
        return arithmetic.negate(number(held), kind)

    def each(held: Held) -> Held:
        return explorer.computed((held,), compute)

    explorer.set(frame, one.result, by_element(one.result.type, each, explorer.value(frame, one.value)))


# --- comparisons ------------------------------------------------------------------------------------------------


def icmp(explorer: Explorer, state: State, frame: Frame, one: ir.ICmp) -> None:
    left, right = explorer.value(frame, one.left), explorer.value(frame, one.right)
    kind, where = element(one.left.type), location(one.loc)

    def compute(a: Held, b: Held) -> Held:
        if isinstance(kind, Ptr) or isinstance(a, Address) or isinstance(b, Address):
            return _compare_pointers(explorer, state, one, a, b, where)
        if isinstance(a, Apart):
            return _compare_distance(one.predicate, a, b, where)
        if not isinstance(kind, IntType):
            raise Unsupported(f"icmp of {kind}", where)
        x, y = shadows.parts(a)[0], shadows.parts(b)[0]
        result = arithmetic.compare(one.predicate, x, y, kind)
        if isinstance(a, Partial) or isinstance(b, Partial):
            return shadows.compared(one.predicate, a, b, result, kind.width)
        if "samesign" in one.flags:
            explorer.oblige(state, arithmetic.same_sign(x, y, kind), OTHER_SIGN, where)
        return result

    def each(a: Held, b: Held) -> Held:
        return explorer.computed((a, b), compute)

    explorer.set(frame, one.result, by_element(one.left.type, each, left, right))


def _compare_pointers(explorer: Explorer, state: State, one: ir.ICmp, a: Held, b: Held, where: Location | None) -> Held:
    if isinstance(a, Partial) or isinstance(b, Partial):
        return spoiled(1, a, b)
    x, y = _as_pointer(a, where), _as_pointer(b, where)
    if x.object == y.object:
        return arithmetic.compare(one.predicate, lower(distance(x.offset)), lower(distance(y.offset)), _I64)
    if one.predicate in ("eq", "ne"):
        if explorer.lazy and _may_touch(state, x, y):
            raise Unsupported(TOUCHING, where)
        return int(one.predicate == "ne")
    if explorer.lazy:
        raise Unsupported("order of pointers into different objects", where)
    raise PathEnd(Failed("order of pointers into different objects", where))


def _may_touch(state: State, x: Pointer, y: Pointer) -> bool:
    """Whether one of two pointers may lie outside of its object, where another object may be; null is nowhere."""
    return x.object != 0 and y.object != 0 and (_outside(state, x) or _outside(state, y))


def _outside(state: State, pointer: Pointer) -> bool:
    thing = state.memory.objects[pointer.object]
    if thing.kind in ("opaque", "function", "unmodelled"):
        return pointer.offset != 0
    return not isinstance(pointer.offset, int) or not 0 <= pointer.offset < max(1, thing.size)


def _as_pointer(held: Held, where: Location | None) -> Pointer:
    if isinstance(held, Pointer):
        return held
    if isinstance(held, Address):
        return held.pointer
    if isinstance(held, int):
        return Pointer(0, held)
    raise Unsupported("comparing an address with a number", where)


def fcmp(explorer: Explorer, state: State, frame: Frame, one: ir.FCmp) -> None:
    left, right = explorer.value(frame, one.left), explorer.value(frame, one.right)
    kind, where = element(one.left.type), location(one.loc)
    refuse_fast("fcmp", one.flags, where)

    def compute(a: Held, b: Held) -> Held:
        if isinstance(a, Partial) or isinstance(b, Partial):
            return spoiled(1, a, b)
        promise_finite(explorer, state, one.flags, kind, where, a, b)
        return arithmetic.compare_floats(one.predicate, number(a), number(b), kind)

    def each(a: Held, b: Held) -> Held:
        return explorer.computed((a, b), compute)

    explorer.set(frame, one.result, by_element(one.left.type, each, left, right))


# --- conversions ------------------------------------------------------------------------------------------------


def cast(explorer: Explorer, state: State, frame: Frame, one: ir.Cast) -> None:
    held = explorer.value(frame, one.value)
    source, target = one.value.type, one.result.type
    where = location(one.loc)
    if one.op == "bitcast" and VectorType in (type(source), type(target)):
        explorer.set(frame, one.result, regrouped(explorer.module.layout, held, source, target))
        return
    source, target = element(source), element(target)

    def compute(held: Held) -> Held:
        if one.op in ("ptrtoint", "ptrtoaddr", "inttoptr", "addrspacecast") or isinstance(held, Pointer | Address):
            return _cast_address(one, held, target, where)
        if isinstance(held, Partial):
            return _cast_partial(explorer, one.op, held, source, target)
        value = number(held)
        for holds, what in converting.obligations(one.op, value, source, target, one.flags):
            explorer.oblige(state, holds, what, where)
        return converting.convert(one.op, value, source, target)

    def each(held: Held) -> Held:
        return explorer.computed((held,), compute)

    explorer.set(frame, one.result, by_element(one.result.type, each, held))


def _cast_partial(explorer: Explorer, op: str, held: Partial, source: Type, target: Type) -> Held:
    if isinstance(source, IntType) and isinstance(target, IntType):
        result = converting.convert(op, held.value, source, target)
        return shadows.converted(op, held, result, source.width, target.width)
    return Partial(0, (1 << explorer.module.layout.bits(target)) - 1, held.exact)


def _cast_address(one: ir.Cast, held: Held, target: Type, where: Location | None) -> Held:
    if isinstance(held, Partial):
        return held
    if one.op in ("ptrtoint", "ptrtoaddr") and isinstance(held, Pointer) and target == _I64:
        return held.offset if held.object == 0 and isinstance(held.offset, int) else Address(held)
    if one.op == "inttoptr":
        if isinstance(held, Address):
            return held.pointer
        if isinstance(held, int):
            return Pointer(0, held)
    raise Unsupported(f"{one.op} to {target}", where)


# --- choices ----------------------------------------------------------------------------------------------------


def freeze(explorer: Explorer, state: State, frame: Frame, one: ir.Freeze) -> None:
    """Poison becomes some value or other: who looks at it gets what nobody knows."""
    where, bits = location(one.loc), explorer.module.layout.bits(element(one.result.type))

    def each(held: Held) -> Held:
        inner, flaws = stripped(held)
        if hopeless(flaws) is not None:
            return Partial(0, (1 << bits) - 1, exact=False)
        if flaws and not explorer.brancher.holds(state, build.not_(build.any_of(flaw.holds for flaw in flaws))):
            return Partial(0, (1 << bits) - 1, exact=False)
        if isinstance(inner, Partial):
            if not explorer.lazy:
                raise Unsupported("freezing an uninitialised value", where)
            return Partial(inner.value, inner.unset, exact=False)
        return inner

    explorer.set(frame, one.result, by_element(one.result.type, each, explorer.value(frame, one.value)))


def select(explorer: Explorer, state: State, frame: Frame, one: ir.Select) -> None:
    where = location(one.loc)
    refuse_fast("select", one.flags, where)
    condition, then, otherwise = (explorer.value(frame, each) for each in (one.condition, one.then, one.otherwise))

    def each(condition: Held, then: Held, otherwise: Held) -> Held:
        return chosen(explorer, state, one, condition, then, otherwise)

    by = one.condition.type if isinstance(one.condition.type, VectorType) else one.result.type
    if isinstance(one.condition.type, VectorType):
        held = by_element(by, each, condition, then, otherwise)
    elif isinstance(then, tuple) and isinstance(otherwise, tuple):
        held = tuple(each(condition, a, b) for a, b in zip(then, otherwise, strict=True))
    else:
        held = each(condition, then, otherwise)
    explorer.set(frame, one.result, held)


def chosen(explorer: Explorer, state: State, one: ir.Select, condition: Held, then: Held, otherwise: Held) -> Held:
    """One of two values; what is wrong with the other does not matter."""
    where = location(one.loc)
    condition, doubts = stripped(condition)
    always = hopeless(doubts)
    if always is not None:
        return Poisoned(0, (always,))
    if isinstance(condition, Partial) and explorer.lazy:
        return then if then == otherwise else _either(explorer, one)
    which = explorer.settled(condition, UNSET_BRANCH, where)
    if isinstance(which, int):
        return poisoned(then if which else otherwise, doubts)
    first, second = stripped(then), stripped(otherwise)
    kind = element(one.result.type)
    if one.flags & _FINITE and explorer.lazy:
        raise Unsupported(f"select with {' '.join(sorted(one.flags))}", where)
    if isinstance(first[0], tuple) or isinstance(second[0], tuple):
        return poisoned(then if explorer.brancher.holds(state, which) else otherwise, doubts)
    # A side that is never any good has no value to speak of: the other side's stands in for it.
    values = [value for value, flaws in (first, second) if hopeless(flaws) is None]
    if not values:
        return then
    left, right = (values * 2)[:2]
    if not isinstance(left, int | Term) or not isinstance(right, int | Term):
        if len(values) == 2:
            return poisoned(then if explorer.brancher.holds(state, which) else otherwise, doubts)
        held: Held = left
    else:
        held = lower(build.ite(which, lift(left, kind), lift(right, kind)))
    flaws = (*guarded(first[1], which), *guarded(second[1], build.not_(which)))
    return poisoned(held, (*doubts, *flaws))


def _either(explorer: Explorer, one: ir.Select) -> Held:
    return Partial(0, (1 << explorer.module.layout.bits(element(one.result.type))) - 1, exact=False)
