"""Operations on integers that compilers offer beside C: checked arithmetic, counting bits, turning bytes round."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from soid.engine.llvm import instructions as ir
from soid.engine.llvm.exploring.arithmetic import fits, integer, truth
from soid.engine.llvm.exploring.explorer import UNSET_USE, Explorer, External, location
from soid.engine.llvm.exploring.runtime import Held, Unsupported, lift, lower
from soid.engine.llvm.exploring.state import State
from soid.engine.llvm.types import IntType
from soid.formula import build
from soid.formula.sorts import BitVec
from soid.formula.term import Term

ZERO_COUNT: Final = "counting the leading or trailing zeros of 0"
_WIDTHS: Final = (8, 16, 32, 64, 128)


def _width(call: ir.Call) -> IntType:
    kind = call.arguments[0].value.type
    if not isinstance(kind, IntType):
        raise Unsupported(f"an intrinsic on {kind}", location(call.loc))
    return kind


def _numbers(explorer: Explorer, call: ir.Call, arguments: Sequence[Held]) -> list[int | Term]:
    return [explorer.settled(argument, UNSET_USE, location(call.loc)) for argument in arguments]


def _checked(op: str, *, is_signed: bool) -> External:
    """The result cut to its width, and whether that cut anything off."""

    def external(explorer: Explorer, state: State, call: ir.Call, arguments: list[Held]) -> Held:
        kind = _width(call)
        a, b = _numbers(explorer, call, arguments)
        exact = fits(op, a, b, kind, is_signed=is_signed)
        over: int | Term = int(not exact) if isinstance(exact, bool) else lower(build.not_(exact))
        return (integer(op, a, b, kind), over)

    return external


def _on_bits(compute: Callable[[list[Term]], Term]) -> External:
    """An operation on numbers of one width."""

    def external(explorer: Explorer, state: State, call: ir.Call, arguments: list[Held]) -> Held:
        kind = _width(call)
        return lower(compute([lift(value, kind) for value in _numbers(explorer, call, arguments)]))

    return external


def _bit(a: Term, index: int) -> Term:
    return build.extract(a, index, index)


def _bits(a: Term) -> int:
    assert isinstance(a.sort, BitVec)  # lifted from an IntType wider than 1
    return a.sort.width


def _population(args: list[Term]) -> Term:
    (a,) = args
    width = _bits(a)
    total = build.const(a.sort, 0)
    for i in range(width):
        total = build.bvadd(total, build.zero_extend(_bit(a, i), width - 1))
    return total


def _zeros(a: Term, *, leading: bool) -> Term:
    """Nested choices over the position of the first bit that is set, the last one to be asked inside."""
    width = _bits(a)
    found = build.const(a.sort, width)
    for i in range(width - 1, -1, -1):
        is_set = build.eq(_bit(a, width - 1 - i if leading else i), build.const(BitVec(1), 1))
        found = build.ite(is_set, build.const(a.sort, i), found)
    return found


def _count_zeros(*, leading: bool) -> External:
    def external(explorer: Explorer, state: State, call: ir.Call, arguments: list[Held]) -> Held:
        kind = _width(call)
        a = lift(_numbers(explorer, call, arguments[:1])[0], kind)
        if arguments[1]:  # of 0 the result is undefined
            nonzero = build.not_(build.eq(a, build.const(a.sort, 0)))
            explorer.brancher.require(state, truth(nonzero), ZERO_COUNT, location(call.loc))
        return lower(_zeros(a, leading=leading))

    return external


def _turned(step: int) -> Callable[[list[Term]], Term]:
    """The pieces of a number, each of some bits, in the opposite order."""

    def compute(args: list[Term]) -> Term:
        (a,) = args
        pieces = [build.extract(a, i + step - 1, i) for i in range(0, _bits(a), step)]
        whole = pieces[0]
        for piece in pieces[1:]:
            whole = build.concat(whole, piece)
        return whole

    return compute


def _funnel(*, left: bool) -> Callable[[list[Term]], Term]:
    """A window over two numbers behind each other: a rotation where they are the same."""

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


_NAMED: Final[dict[str, External]] = {
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
    f"llvm.{name}.i{width}": external for name, external in _NAMED.items() for width in _WIDTHS
}
