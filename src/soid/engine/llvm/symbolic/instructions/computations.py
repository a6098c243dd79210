"""Instructions that compute: arithmetic, comparisons, conversions, selects. On vectors they work element by element."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from soid.engine.llvm.ir import instructions as ir
from soid.engine.llvm.ir.instructions import FAST_MATH
from soid.engine.llvm.ir.ir_types import FloatingType, IntegerType, Ptr, Type, VectorType
from soid.engine.llvm.symbolic.instructions.address_arithmetic import (
    address_arithmetic,
    cast_address,
    compare_distance,
    compare_pointers,
)
from soid.engine.llvm.symbolic.instructions.object_order import combined
from soid.engine.llvm.symbolic.memory.addresses import stored, typed
from soid.engine.llvm.symbolic.path_state import PathState, StackFrame
from soid.engine.llvm.symbolic.paths.path_end import NotModelled
from soid.engine.llvm.symbolic.values import number_arithmetic as arithmetic
from soid.engine.llvm.symbolic.values import number_conversions as converting
from soid.engine.llvm.symbolic.values import shadow_bits as shadows
from soid.engine.llvm.symbolic.values.extended_floats import SIZE, is_extended
from soid.engine.llvm.symbolic.values.float_bits import compared, digits
from soid.engine.llvm.symbolic.values.held_values import (
    NO_ORDER,
    UNSET_BRANCH,
    AddressNumber,
    Held,
    ObjectDistance,
    ObjectOrder,
    Partial,
    Pointer,
    Poisoned,
    lift,
    lower,
    number,
    spoiled,
    unknown,
)
from soid.engine.llvm.symbolic.values.number_arithmetic import NOT_FINITE, OTHER_SIGN, REMAINDER
from soid.engine.llvm.symbolic.values.poison import guarded, hopeless, poisoned, stripped
from soid.engine.llvm.symbolic.values.vector_bitcast import regrouped
from soid.formula import build
from soid.formula.term import Term

if TYPE_CHECKING:
    from soid.engine.llvm.symbolic.explorer import Explorer

INEXACT = "difference of pointers that is no whole number of elements"
_DIVISIONS = ("sdiv", "udiv", "srem", "urem")
_SHIFTS = ("shl", "lshr", "ashr")
_LOGICAL = ("and", "or", "xor")
_ADDRESS_CASTS = ("ptrtoint", "ptrtoaddr", "inttoptr", "addrspacecast")
_FINITE: Final = frozenset({"nnan", "ninf"})  # fast-math flags that promise something
_CHANGING: Final = FAST_MATH - _FINITE  # fast-math flags that allow other results


def by_element(kind: Type, compute: Callable[..., Held], *operands: Held) -> Held:
    """Run an operation on numbers, or on the elements of vectors."""
    if not isinstance(kind, VectorType):
        return compute(*operands)
    vectors = [operand for operand in operands if isinstance(operand, tuple)]
    if kind.scalable or len(vectors) != len(operands):
        raise NotModelled(f"a {kind} that is no vector of known length")
    return tuple(compute(*elements) for elements in zip(*vectors, strict=True))


def _computed(explorer: Explorer, kind: Type, compute: Callable[..., Held], *operands: Held) -> Held:
    """Run an operation by element; poison operands give poison."""
    return by_element(kind, lambda *parts: explorer.computed(parts, compute), *operands)


def element(kind: Type) -> Type:
    """The element type of a vector type; any other type itself."""
    return kind.element if isinstance(kind, VectorType) else kind


def refuse_fast(what: str, flags: frozenset[str]) -> None:
    """Refuse flags that let a compiler change floating-point results; flags that promise something are allowed."""
    if flags & _CHANGING:
        raise NotModelled(f"{what} with {' '.join(sorted(flags))}")


def promise_finite(explorer: Explorer, state: PathState, flags: frozenset[str], kind: Type, *values: Held) -> None:
    """Require what the flags `nnan` and `ninf` promise about operands and results."""
    if flags & _FINITE and isinstance(kind, FloatingType):
        for value in values:
            if isinstance(value, int | Term):
                explorer.oblige(state, arithmetic.finite(value, kind, flags), NOT_FINITE)


# --- arithmetic -------------------------------------------------------------------------------------------------


def binary(explorer: Explorer, state: PathState, frame: StackFrame, one: ir.BinaryOp) -> None:
    left, right = explorer.value(frame, one.left), explorer.value(frame, one.right)
    kind = element(one.result.type)
    refuse_fast(one.op, one.flags)

    def compute(a: Held, b: Held) -> Held:
        if isinstance(kind, FloatingType):
            return _float_binary(explorer, state, one, a, b, kind)
        if not isinstance(kind, IntegerType):
            raise NotModelled(f"{one.op} of {kind}")
        if isinstance(a, AddressNumber) or isinstance(b, AddressNumber):
            return address_arithmetic(explorer, state, one, a, b)
        ordered = combined(one.op, a, b) if one.op in _LOGICAL else None
        return _integer_binary(explorer, state, one, a, b, kind) if ordered is None else ordered

    def each(a: Held, b: Held) -> Held:
        if one.op in _DIVISIONS:
            b = explorer.sound(state, b)  # a poison divisor may be 0, so dividing by it is a failure at once
        return explorer.computed((a, b), compute)

    explorer.set(frame, one.result, by_element(one.result.type, each, left, right))


def _integer_binary(
    explorer: Explorer, state: PathState, one: ir.BinaryOp, a: Held, b: Held, kind: IntegerType
) -> Held:
    may_be_unset = (Partial,) if explorer.lazy else ()
    a, b = digits(explorer, state, a), digits(explorer, state, b)
    if one.op in _DIVISIONS:
        b = explorer.settled(state, b)
        if isinstance(a, may_be_unset):
            return unknown(kind.width)
        a = explorer.settled(state, a)
    elif one.op in _SHIFTS:
        if isinstance(b, may_be_unset):
            return unknown(kind.width)
        b = explorer.settled(state, b)
    if kind.width == 1 and one.op in ("and", "or"):
        settled = _one_side_settles(explorer, state, one.op, a, b)
        if settled is not None:
            return settled
    x, y = shadows.parts(a)[0], shadows.parts(b)[0]
    partial = isinstance(a, Partial) or isinstance(b, Partial)
    if not partial or one.op in _SHIFTS:
        for holds, what in arithmetic.obligations(one.op, x, y, kind, one.flags):
            if one.op in _DIVISIONS:  # undefined behaviour even where poison is a value: machines trap
                explorer.brancher.require(state, holds, what)
            else:
                explorer.oblige(state, holds, what)
    if "exact" in one.flags and one.op in _DIVISIONS:
        what = REMAINDER if explorer.lazy else INEXACT
        explorer.oblige(state, arithmetic.divides(one.op, x, y, kind), what)
    result = arithmetic.integer(one.op, x, y, kind)
    return shadows.binary(one.op, a, b, result, kind.width) if partial else result


def _one_side_settles(explorer: Explorer, state: PathState, op: str, a: Held, b: Held) -> Held | None:
    """`and` or `or` of a known i1 and an unset one: the result is known on the path where the known side decides it."""
    if not explorer.lazy or isinstance(a, Partial) == isinstance(b, Partial):
        return None
    known = b if isinstance(a, Partial) else a
    if not isinstance(known, Term):
        return None
    holds = explorer.brancher.holds(state, known)
    return int(holds) if holds == (op == "or") else a if isinstance(a, Partial) else b


def _float_binary(explorer: Explorer, state: PathState, one: ir.BinaryOp, a: Held, b: Held, kind: Type) -> Held:
    if isinstance(a, Partial) or isinstance(b, Partial):
        return spoiled(explorer.module.layout.bits(kind), a, b)
    result = arithmetic.floating(one.op, number(a), number(b), kind)
    promise_finite(explorer, state, one.flags, kind, a, b, result)
    return result


def fneg(explorer: Explorer, state: PathState, frame: StackFrame, one: ir.FNeg) -> None:
    kind = element(one.result.type)
    refuse_fast("fneg", one.flags)

    def compute(held: Held) -> Held:
        if isinstance(held, Partial):
            return held
        promise_finite(explorer, state, one.flags, kind, held)
        return arithmetic.negate(number(held), kind)

    explorer.set(frame, one.result, _computed(explorer, one.result.type, compute, explorer.value(frame, one.value)))


# --- comparisons ------------------------------------------------------------------------------------------------


def icmp(explorer: Explorer, state: PathState, frame: StackFrame, one: ir.ICmp) -> None:
    left, right = explorer.value(frame, one.left), explorer.value(frame, one.right)
    kind = element(one.left.type)

    def compute(a: Held, b: Held) -> Held:
        if isinstance(kind, Ptr) or isinstance(a, AddressNumber) or isinstance(b, AddressNumber):
            return compare_pointers(explorer, state, one, a, b)
        if isinstance(a, ObjectDistance):
            return compare_distance(one.predicate, a, b)
        if not isinstance(kind, IntegerType):
            raise NotModelled(f"icmp of {kind}")
        same = compared(explorer, state, one.predicate, a, b)
        if same is not None:
            return same
        a, b = digits(explorer, state, a), digits(explorer, state, b)
        x, y = shadows.parts(a)[0], shadows.parts(b)[0]
        result = arithmetic.compare(one.predicate, x, y, kind)
        if isinstance(a, Partial) or isinstance(b, Partial):
            return shadows.compared(one.predicate, a, b, result, kind.width)
        if "samesign" in one.flags:
            explorer.oblige(state, arithmetic.same_sign(x, y, kind), OTHER_SIGN)
        return result

    explorer.set(frame, one.result, _computed(explorer, one.left.type, compute, left, right))


def fcmp(explorer: Explorer, state: PathState, frame: StackFrame, one: ir.FCmp) -> None:
    left, right = explorer.value(frame, one.left), explorer.value(frame, one.right)
    kind = element(one.left.type)
    refuse_fast("fcmp", one.flags)

    def compute(a: Held, b: Held) -> Held:
        if isinstance(a, Partial) or isinstance(b, Partial):
            return spoiled(1, a, b)
        promise_finite(explorer, state, one.flags, kind, a, b)
        return arithmetic.compare_floats(one.predicate, number(a), number(b), kind)

    explorer.set(frame, one.result, _computed(explorer, one.left.type, compute, left, right))


# --- conversions ------------------------------------------------------------------------------------------------


def cast(explorer: Explorer, state: PathState, frame: StackFrame, one: ir.Cast) -> None:
    held = explorer.value(frame, one.value)
    source, target = one.value.type, one.result.type
    if one.op == "bitcast" and VectorType in (type(source), type(target)):
        explorer.set(frame, one.result, regrouped(explorer.module.layout, held, source, target))
        return
    source, target = element(source), element(target)

    def compute(held: Held) -> Held:
        if one.op in _ADDRESS_CASTS or isinstance(held, Pointer | AddressNumber):
            return cast_address(explorer, state, one, held, target)
        if one.op == "bitcast" and not isinstance(held, Partial):
            return typed(stored(held, source, SIZE) if is_extended(source) else held, target)
        held = digits(explorer, state, held)
        if isinstance(held, Partial):
            return _cast_partial(explorer, one.op, held, source, target)
        value = number(held)
        for holds, what in converting.obligations(one.op, value, source, target, one.flags):
            explorer.oblige(state, holds, what)
        return converting.convert(one.op, value, source, target)

    explorer.set(frame, one.result, _computed(explorer, one.result.type, compute, held))


def _cast_partial(explorer: Explorer, op: str, held: Partial, source: Type, target: Type) -> Held:
    if source == target:
        return held
    if isinstance(source, IntegerType) and isinstance(target, IntegerType):
        result = converting.convert(op, held.value, source, target)
        return shadows.converted(op, held, result, source.width, target.width)
    return spoiled(explorer.module.layout.bits(target), held)


# --- choices ----------------------------------------------------------------------------------------------------


def freeze(explorer: Explorer, state: PathState, frame: StackFrame, one: ir.Freeze) -> None:
    """freeze: poison and unset bits become some fixed value. It is not known, so a path that uses it is unexplored."""
    bits = explorer.module.layout.bits(element(one.result.type))

    def each(held: Held) -> Held:
        inner, flaws = stripped(held)
        if hopeless(flaws) is not None:
            return unknown(bits)
        if flaws and not explorer.brancher.holds(state, build.not_(build.any_of(flaw.holds for flaw in flaws))):
            return unknown(bits)
        if isinstance(inner, Partial):
            if not explorer.lazy:
                raise NotModelled("freezing an uninitialised value")
            return Partial(inner.value, inner.unset, exact=False)
        return inner

    explorer.set(frame, one.result, by_element(one.result.type, each, explorer.value(frame, one.value)))


def select(explorer: Explorer, state: PathState, frame: StackFrame, one: ir.Select) -> None:
    refuse_fast("select", one.flags)
    condition, then, otherwise = (explorer.value(frame, each) for each in (one.condition, one.then, one.otherwise))

    def each(condition: Held, then: Held, otherwise: Held) -> Held:
        return chosen(explorer, state, one, condition, then, otherwise)

    if isinstance(one.condition.type, VectorType):
        held = by_element(one.condition.type, each, condition, then, otherwise)
    elif isinstance(then, tuple) and isinstance(otherwise, tuple):
        held = tuple(each(condition, a, b) for a, b in zip(then, otherwise, strict=True))
    else:
        held = each(condition, then, otherwise)
    explorer.set(frame, one.result, held)


def _ordered(condition: ObjectOrder, then: Held, otherwise: Held) -> Held:
    """A choice by the order of two objects, as optimisers write `and` and `or`."""
    for op, decided, other in (("and", otherwise, then), ("or", then, otherwise)):
        if decided == int(op == "or") and isinstance(other, int | ObjectOrder):
            found = combined(op, condition, other)
            assert found is not None
            return found
    raise NotModelled(NO_ORDER)


def chosen(explorer: Explorer, state: PathState, one: ir.Select, condition: Held, then: Held, otherwise: Held) -> Held:
    """One of two values; flaws of the other do not count."""
    condition, doubts = stripped(condition)
    always = hopeless(doubts)
    if always is not None:
        return Poisoned(0, (always,))
    if isinstance(condition, Partial) and explorer.lazy:
        return then if then == otherwise else unknown(explorer.module.layout.bits(element(one.result.type)))
    if isinstance(condition, ObjectOrder):
        return poisoned(_ordered(condition, then, otherwise), doubts)
    which = explorer.settled(state, condition, UNSET_BRANCH)
    if isinstance(which, int):
        return poisoned(then if which else otherwise, doubts)
    first, second = stripped(then), stripped(otherwise)
    kind = element(one.result.type)
    if one.flags & _FINITE and explorer.lazy:
        raise NotModelled(f"select with {' '.join(sorted(one.flags))}")
    if isinstance(first[0], tuple) or isinstance(second[0], tuple):
        return poisoned(then if explorer.brancher.holds(state, which) else otherwise, doubts)
    # A side that is always poison has no value; the value of the other side takes its place.
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
