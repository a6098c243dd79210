"""LLVM's intrinsics on integers: checked and saturating arithmetic, bit counts, byte swaps, reductions of vectors."""

from __future__ import annotations

from collections.abc import Callable
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


def _width(call: ir.Call) -> IntegerType:
    kind = call.arguments[0].value.type
    if not isinstance(kind, IntegerType):
        raise NotModelled(f"an intrinsic on {kind}")
    return kind


def _checked(op: str, *, is_signed: bool) -> External:
    """Checked arithmetic: the wrapped result, and whether it overflowed."""

    def external(explorer: Explorer, state: PathState, call: ir.Call, arguments: list[Held]) -> Held:
        kind = _width(call)
        a, b = explorer.numbers(state, arguments)
        exact = fits(op, a, b, kind, is_signed=is_signed)
        over: int | Term = int(not exact) if isinstance(exact, bool) else lower(build.not_(exact))
        return (integer(op, a, b, kind), over)

    return external


def _on_bits(compute: Callable[[list[Term]], Term]) -> External:
    """An operation on numbers of one width."""

    def external(explorer: Explorer, state: PathState, call: ir.Call, arguments: list[Held]) -> Held:
        kind = _width(call)
        return lower(compute([lift(value, kind) for value in explorer.numbers(state, arguments)]))

    return external


def _bit(a: Term, index: int) -> Term:
    return build.extract(a, index, index)


def _bits(a: Term) -> int:
    assert isinstance(a.sort, BitVec)  # the intrinsics are modelled for widths above 1 only
    return a.sort.width


def _population(args: list[Term]) -> Term:
    (a,) = args
    width = _bits(a)
    total = build.const(a.sort, 0)
    for i in range(width):
        total = build.bvadd(total, build.zero_extend(_bit(a, i), width - 1))
    return total


def _zeros(a: Term, *, leading: bool) -> Term:
    """The number of leading or trailing zeros, as nested if-then-else terms over the position of the first set bit."""
    width = _bits(a)
    found = build.const(a.sort, width)
    for i in range(width - 1, -1, -1):
        is_set = build.eq(_bit(a, width - 1 - i if leading else i), build.const(BitVec(1), 1))
        found = build.ite(is_set, build.const(a.sort, i), found)
    return found


def _count_zeros(*, leading: bool) -> External:
    def external(explorer: Explorer, state: PathState, call: ir.Call, arguments: list[Held]) -> Held:
        kind = _width(call)
        a = lift(explorer.numbers(state, arguments[:1])[0], kind)
        if arguments[1]:  # the result for 0 is undefined
            nonzero = build.not_(build.eq(a, build.const(a.sort, 0)))
            explorer.oblige(state, truth(nonzero), ZERO_COUNT)
        return lower(_zeros(a, leading=leading))

    return external


def _turned(step: int) -> Callable[[list[Term]], Term]:
    """The groups of `step` bits of a number in reverse order."""

    def compute(args: list[Term]) -> Term:
        (a,) = args
        pieces = [build.extract(a, i + step - 1, i) for i in range(0, _bits(a), step)]
        whole = pieces[0]
        for piece in pieces[1:]:
            whole = build.concat(whole, piece)
        return whole

    return compute


def _funnel(*, left: bool) -> Callable[[list[Term]], Term]:
    """A funnel shift: part of two concatenated numbers; a rotation if they are equal."""

    def compute(args: list[Term]) -> Term:
        high, low, by = args
        width = _bits(high)
        both = build.concat(high, low)
        count = build.zero_extend(build.bvurem(by, build.const(by.sort, width)), width)
        if left:
            return build.extract(build.bvshl(both, count), 2 * width - 1, width)
        return build.extract(build.bvlshr(both, count), width - 1, 0)

    return compute


def _extreme(less: Callable[[Term, Term], Term], *, greatest: bool) -> Callable[[list[Term]], Term]:
    return lambda args: build.ite(less(args[0], args[1]), args[1 if greatest else 0], args[0 if greatest else 1])


def _saturated(op: str, *, is_signed: bool) -> External:
    """Saturating arithmetic: the nearest number that fits."""

    def external(explorer: Explorer, state: PathState, call: ir.Call, arguments: list[Held]) -> Held:
        kind = _width(call)
        a, b = explorer.numbers(state, arguments)
        exact = fits(op, a, b, kind, is_signed=is_signed)
        result = integer(op, a, b, kind)
        if exact is True:
            return result
        low, high = _ends(kind, is_signed)
        # which end: for signed numbers that of the first operand's sign; unsigned sums overflow, differences underflow
        x = lift(a, kind)
        below = build.bvslt(x, build.const(x.sort, 0)) if is_signed else build.TRUE if op == "sub" else build.FALSE
        end = build.ite(below, build.const(x.sort, low), build.const(x.sort, high))
        return lower(end if exact is False else build.ite(exact, lift(result, kind), end))

    return external


def _ends(kind: IntegerType, is_signed: bool) -> tuple[int, int]:
    half = 1 << kind.width - 1
    return (half, half - 1) if is_signed else (0, 2 * half - 1)


def _three_way(less: Callable[[Term, Term], Term]) -> External:
    """A three-way comparison: -1, 0 or 1."""

    def external(explorer: Explorer, state: PathState, call: ir.Call, arguments: list[Held]) -> Held:
        kind, result = _width(call), call.type.returns
        if not isinstance(result, IntegerType) or result.width == 1:
            raise NotModelled(f"a comparison to {result}")
        x, y = (lift(value, kind) for value in explorer.numbers(state, arguments))
        sort = BitVec(result.width)
        above = build.ite(less(y, x), build.const(sort, 1), build.const(sort, 0))
        return lower(build.ite(less(x, y), build.const(sort, -1), above))

    return external


def _reduced(op: str) -> External:
    """A reduction: one operation over all elements of a vector."""

    def external(explorer: Explorer, state: PathState, call: ir.Call, arguments: list[Held]) -> Held:
        kind = call.type.returns
        *starts, vector = arguments
        if not isinstance(vector, tuple):
            raise NotModelled("a reduction of what is no vector")
        parts: list[Held] = [*starts, *vector]
        total = parts[0]
        for each in parts[1:]:
            total = explorer.computed((total, each), lambda a, b: _joined(explorer, state, op, a, b, kind))
        return total

    return external


def _joined(explorer: Explorer, state: PathState, op: str, a: Held, b: Held, kind: Type) -> Held:
    if explorer.lazy and (isinstance(a, Partial) or isinstance(b, Partial)):
        return unknown(explorer.module.layout.bits(kind))
    x, y = explorer.numbers(state, (a, b))
    return _together(op, x, y, kind)


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
    "sadd.sat": _saturated("add", is_signed=True),
    "uadd.sat": _saturated("add", is_signed=False),
    "ssub.sat": _saturated("sub", is_signed=True),
    "usub.sat": _saturated("sub", is_signed=False),
    "sadd.with.overflow": _checked("add", is_signed=True),
    "uadd.with.overflow": _checked("add", is_signed=False),
    "ssub.with.overflow": _checked("sub", is_signed=True),
    "usub.with.overflow": _checked("sub", is_signed=False),
    "smul.with.overflow": _checked("mul", is_signed=True),
    "umul.with.overflow": _checked("mul", is_signed=False),
    "ctpop": _on_bits(_population),
    "ctlz": _count_zeros(leading=True),
    "cttz": _count_zeros(leading=False),
    "bswap": _on_bits(_turned(8)),
    "bitreverse": _on_bits(_turned(1)),
    "fshl": _on_bits(_funnel(left=True)),
    "fshr": _on_bits(_funnel(left=False)),
    "smax": _on_bits(_extreme(build.bvslt, greatest=True)),
    "smin": _on_bits(_extreme(build.bvslt, greatest=False)),
    "umax": _on_bits(_extreme(build.bvult, greatest=True)),
    "umin": _on_bits(_extreme(build.bvult, greatest=False)),
}

INTRINSICS: Final[dict[str, External]] = {
    **{f"llvm.{name}.i{width}": external for name, external in _NAMED.items() for width in _WIDTHS},
    **{
        f"llvm.{name}.i{result}.i{width}": _three_way(less)
        for name, less in (("scmp", build.bvslt), ("ucmp", build.bvult))
        for result in (2, *_WIDTHS)
        for width in _WIDTHS
    },
    **{
        f"llvm.vector.reduce.{op}.v{count}{kind}": _reduced(op)
        for op in _REDUCED
        for count in (2, 3, 4, 8, 16, 32, 64)
        for kind in (("f32", "f64") if op in ("fadd", "fmul") else ("i1", "i8", "i16", "i32", "i64"))
    },
}
