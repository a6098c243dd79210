"""Minimum and maximum of two floats, as C and LLVM define them in several ways.

C leaves open which of two opposite zeros `fmin` and `fmax` return, so the library is asked. LLVM's `llvm.minnum` and
`llvm.maxnum` leave it open to each back end, so those states stay unexplored.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from soid.engine.llvm.ir import instructions as ir
from soid.engine.llvm.symbolic.explorer import Explorer
from soid.engine.llvm.symbolic.library.exact.float_parts import signalling
from soid.engine.llvm.symbolic.path_state import PathState
from soid.engine.llvm.symbolic.values.held_values import Held, format_of, lift, lower
from soid.formula import build
from soid.formula import softfloat as sf
from soid.formula.sorts import Float
from soid.formula.term import Term

Before = Callable[[Term, Term], Term]  # whether the first of two different numbers is the result

LEFT_OPEN: Final = "minimum or maximum of opposite zeros or of a signalling NaN"


least: Final[Before] = build.fp_lt


def greatest(x: Term, y: Term) -> Term:
    return build.fp_lt(y, x)


def _zeros(x: Term, y: Term) -> Term:
    """Whether both are zeros with opposite signs."""
    return build.and_(build.fp_is_zero(x), build.fp_is_zero(y), build.not_(build.eq(x, y)))


def _of_numbers(before: Before, x: Term, y: Term, at_zeros: Term) -> Term:
    """The minimum or maximum; if one is a quiet NaN, the other."""
    chosen = build.ite(_zeros(x, y), at_zeros, build.ite(before(x, y), x, y))
    return build.ite(build.fp_is_nan(x), y, build.ite(build.fp_is_nan(y), x, chosen))


def of_library(
    name: str, before: Before, explorer: Explorer, state: PathState, call: ir.Call, arguments: list[Held]
) -> Held:
    """`fmin` and `fmax`."""
    kind = call.type.returns
    format = format_of(kind)
    numbers = explorer.numbers(state, arguments)
    loud = build.any_of(signalling(number, format) for number in numbers)
    x, y = (lift(number, kind) for number in numbers)
    chosen = _of_numbers(before, x, y, _asked(explorer, name, format, x, y))
    return lower(build.ite(loud, build.const(format, format.nan), chosen))


def _asked(explorer: Explorer, name: str, format: Float, x: Term, y: Term) -> Term:
    """What the library returns for opposite zeros."""
    if _zeros(x, y) is build.FALSE:
        return x
    zero, negative = 0, format.sign_bit
    library = explorer.approximations.library(name)
    first, second = (library.call(name, format, *pair) for pair in ((zero, negative), (negative, zero)))
    return build.ite(build.fp_is_negative(x), build.const(format, second), build.const(format, first))


def of_compiler(before: Before, explorer: Explorer, state: PathState, call: ir.Call, arguments: list[Held]) -> Held:
    """`llvm.minnum` and `llvm.maxnum`."""
    kind = call.type.returns
    numbers = explorer.numbers(state, arguments)
    x, y = (lift(number, kind) for number in numbers)
    left_open = build.or_(_zeros(x, y), *(signalling(number, format_of(kind)) for number in numbers))
    explorer.explore_only(state, build.not_(left_open), LEFT_OPEN)
    return lower(_of_numbers(before, x, y, x))


def of_numbers(before: Before, x: Term, y: Term) -> Term:
    """`llvm.minimumnum` and `llvm.maximumnum`: if one is a NaN, the other; -0.0 is below +0.0."""
    return _of_numbers(before, x, y, _by_sign(before, x, y))


def ordered(before: Before, x: Term, y: Term) -> Term:
    """`llvm.minimum` and `llvm.maximum`: if one is a NaN, a NaN; -0.0 is below +0.0."""
    assert isinstance(x.sort, Float)
    missing = build.or_(build.fp_is_nan(x), build.fp_is_nan(y))
    chosen = build.ite(_zeros(x, y), _by_sign(before, x, y), build.ite(before(x, y), x, y))
    return build.ite(missing, build.const(x.sort, x.sort.nan), chosen)


def _by_sign(before: Before, x: Term, y: Term) -> Term:
    format = x.sort
    assert isinstance(format, Float)
    minus, plus = (build.const(format, sf.from_integer(format, number)) for number in (-1, 1))
    first = before(*(build.ite(build.fp_is_negative(each), minus, plus) for each in (x, y)))
    return build.ite(first, x, y)
