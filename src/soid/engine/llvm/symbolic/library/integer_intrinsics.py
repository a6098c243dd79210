"""LLVM's intrinsics on integers: checked and saturating arithmetic, bit counts, byte swaps, reductions of vectors."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, reduce
from typing import Final

from soid.engine.llvm.ir import instructions as ir
from soid.engine.llvm.ir.ir_types import IntegerType, Type
from soid.engine.llvm.symbolic.explorer import Explorer, External
from soid.engine.llvm.symbolic.path_state import PathState
from soid.engine.llvm.symbolic.paths.path_end import NotModelled
from soid.engine.llvm.symbolic.values.held_values import Held, Partial, lift, lower, unknown
from soid.engine.llvm.symbolic.values.number_arithmetic import compare, fits, floating, integer, truth
from soid.formula import build
from soid.formula.sorts import BitVec
from soid.formula.term import Term

ZERO_COUNT: Final = "counting the leading or trailing zeros of 0"
_WIDTHS: Final = (8, 16, 32, 64, 128)

Compute = Callable[..., Term]


def _width(call: ir.Call) -> IntegerType:
    kind = call.arguments[0].value.type
    if not isinstance(kind, IntegerType):
        raise NotModelled(f"an intrinsic on {kind}")
    return kind


def _checked(op: str, signed: bool, explorer: Explorer, state: PathState, call: ir.Call, arguments: list[Held]) -> Held:
    """Checked arithmetic: the wrapped result, and whether it overflowed."""
    kind = _width(call)
    a, b = explorer.numbers(state, arguments)
    exact = fits(op, a, b, kind, is_signed=signed)
    over: int | Term = int(not exact) if isinstance(exact, bool) else lower(build.not_(exact))
    return (integer(op, a, b, kind), over)


def _saturated(
    op: str, signed: bool, explorer: Explorer, state: PathState, call: ir.Call, arguments: list[Held]
) -> Held:
    """Saturating arithmetic: the nearest number that fits."""
    kind = _width(call)
    a, b = explorer.numbers(state, arguments)
    exact = fits(op, a, b, kind, is_signed=signed)
    result = integer(op, a, b, kind)
    if exact is True:
        return result
    half = 1 << kind.width - 1
    low, high = (half, half - 1) if signed else (0, 2 * half - 1)
    # which end: for signed numbers that of the first operand's sign; unsigned sums overflow, differences underflow
    x = lift(a, kind)
    below = build.bvslt(x, build.const(x.sort, 0)) if signed else build.TRUE if op == "sub" else build.FALSE
    end = build.ite(below, build.const(x.sort, low), build.const(x.sort, high))
    return lower(end if exact is False else build.ite(exact, lift(result, kind), end))


def _three_way(less: Compute, explorer: Explorer, state: PathState, call: ir.Call, arguments: list[Held]) -> Held:
    """A three-way comparison: -1, 0 or 1."""
    kind, result = _width(call), call.type.returns
    if not isinstance(result, IntegerType) or result.width == 1:
        raise NotModelled(f"a comparison to {result}")
    x, y = (lift(value, kind) for value in explorer.numbers(state, arguments))
    sort = BitVec(result.width)
    above = build.ite(less(y, x), build.const(sort, 1), build.const(sort, 0))
    return lower(build.ite(less(x, y), build.const(sort, -1), above))


# --- bits -------------------------------------------------------------------------------------------------------


def _on_bits(compute: Compute, explorer: Explorer, state: PathState, call: ir.Call, arguments: list[Held]) -> Held:
    """An operation on numbers of one width."""
    kind = _width(call)
    return lower(compute(*(lift(value, kind) for value in explorer.numbers(state, arguments))))


def _bit(a: Term, index: int) -> Term:
    return build.extract(a, index, index)


def _bits(a: Term) -> int:
    assert isinstance(a.sort, BitVec)  # the intrinsics are modelled for widths above 1 only
    return a.sort.width


def _population(a: Term) -> Term:
    width = _bits(a)
    total = build.const(a.sort, 0)
    for i in range(width):
        total = build.bvadd(total, build.zero_extend(_bit(a, i), width - 1))
    return total


def _zeros(leading: bool, explorer: Explorer, state: PathState, call: ir.Call, arguments: list[Held]) -> Held:
    """The number of leading or trailing zeros, as nested if-then-else terms over the position of the first set bit."""
    a = lift(explorer.settled(state, arguments[0]), _width(call))
    if arguments[1]:  # the result for 0 is undefined
        explorer.oblige(state, truth(build.not_(build.eq(a, build.const(a.sort, 0)))), ZERO_COUNT)
    width = _bits(a)
    found = build.const(a.sort, width)
    for i in range(width - 1, -1, -1):
        is_set = build.eq(_bit(a, width - 1 - i if leading else i), build.const(BitVec(1), 1))
        found = build.ite(is_set, build.const(a.sort, i), found)
    return lower(found)


def _turned(step: int, a: Term) -> Term:
    """The groups of `step` bits of a number in reverse order."""
    pieces = [build.extract(a, i + step - 1, i) for i in range(0, _bits(a), step)]
    return reduce(build.concat, pieces)


def _funnel(high: Term, low: Term, by: Term, *, left: bool) -> Term:
    """A funnel shift: part of two concatenated numbers; a rotation if they are equal."""
    width = _bits(high)
    both = build.concat(high, low)
    count = build.zero_extend(build.bvurem(by, build.const(by.sort, width)), width)
    if left:
        return build.extract(build.bvshl(both, count), 2 * width - 1, width)
    return build.extract(build.bvlshr(both, count), width - 1, 0)


# --- vectors ----------------------------------------------------------------------------------------------------


def _reduced(op: str, explorer: Explorer, state: PathState, call: ir.Call, arguments: list[Held]) -> Held:
    """A reduction: one operation over all elements of a vector."""
    kind = call.type.returns
    *starts, vector = arguments
    if not isinstance(vector, tuple):
        raise NotModelled("a reduction of what is no vector")

    def compute(a: Held, b: Held) -> Held:
        if explorer.lazy and (isinstance(a, Partial) or isinstance(b, Partial)):
            return unknown(explorer.module.layout.bits(kind))
        x, y = explorer.numbers(state, (a, b))
        return _together(op, x, y, kind)

    return reduce(lambda total, each: explorer.computed((total, each), compute), (*starts, *vector))


def _together(op: str, a: int | Term, b: int | Term, kind: Type) -> int | Term:
    if op in ("fadd", "fmul"):
        return floating(op, a, b, kind)
    assert isinstance(kind, IntegerType)
    if op in _LESS:
        first = compare(_LESS[op], a, b, kind)
        if isinstance(first, int):
            return a if first else b
        return lower(build.ite(first, lift(a, kind), lift(b, kind)))
    return integer(op, a, b, kind)


_LESS: Final = {"smin": "slt", "smax": "sgt", "umin": "ult", "umax": "ugt"}
_REDUCED: Final = ("add", "mul", "and", "or", "xor", "smin", "smax", "umin", "umax", "fadd", "fmul")

_NAMED: Final[dict[str, External]] = {
    **{f"{sign}{op}.sat": partial(_saturated, op, sign == "s") for sign in "su" for op in ("add", "sub")},
    **{
        f"{sign}{op}.with.overflow": partial(_checked, op, sign == "s") for sign in "su" for op in ("add", "sub", "mul")
    },
    "ctpop": partial(_on_bits, _population),
    "ctlz": partial(_zeros, True),
    "cttz": partial(_zeros, False),
    "bswap": partial(_on_bits, partial(_turned, 8)),
    "bitreverse": partial(_on_bits, partial(_turned, 1)),
    "fshl": partial(_on_bits, partial(_funnel, left=True)),
    "fshr": partial(_on_bits, partial(_funnel, left=False)),
    "smax": partial(_on_bits, lambda a, b: build.ite(build.bvslt(a, b), b, a)),
    "smin": partial(_on_bits, lambda a, b: build.ite(build.bvslt(a, b), a, b)),
    "umax": partial(_on_bits, lambda a, b: build.ite(build.bvult(a, b), b, a)),
    "umin": partial(_on_bits, lambda a, b: build.ite(build.bvult(a, b), a, b)),
}

INTRINSICS: Final[dict[str, External]] = {
    **{f"llvm.{name}.i{width}": external for name, external in _NAMED.items() for width in _WIDTHS},
    **{
        f"llvm.{name}.i{result}.i{width}": partial(_three_way, less)
        for name, less in (("scmp", build.bvslt), ("ucmp", build.bvult))
        for result in (2, *_WIDTHS)
        for width in _WIDTHS
    },
    **{
        f"llvm.vector.reduce.{op}.v{count}{kind}": partial(_reduced, op)
        for op in _REDUCED
        for count in (2, 3, 4, 8, 16, 32, 64)
        for kind in (("f32", "f64") if op in ("fadd", "fmul") else ("i1", "i8", "i16", "i32", "i64"))
    },
}
