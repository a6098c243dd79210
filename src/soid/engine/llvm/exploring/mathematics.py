"""The mathematical functions whose results IEEE 754 defines to the bit: computed exactly, concrete or symbolic.

The minimum and maximum of opposite zeros, which the standard leaves open, are what this machine's library and
compiler give: the first argument.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from soid.engine.llvm import instructions as ir
from soid.engine.llvm.exploring.arithmetic import CONVERSION, Number, format_of, truth
from soid.engine.llvm.exploring.explorer import UNSET_USE, Explorer, External, location
from soid.engine.llvm.exploring.runtime import Held, Unsupported, bits_of, lift, lower, plain
from soid.engine.llvm.exploring.state import State
from soid.engine.llvm.types import IntType, Type
from soid.engine.summary import Location
from soid.formula import build
from soid.formula import softfloat as sf
from soid.formula.operators import integer_fits
from soid.formula.softfloat import Rounding
from soid.formula.sorts import BitVec, Float
from soid.formula.term import Term

Symbolic = Callable[..., Term]
Concrete = Callable[..., int]


def _exact(concrete: Concrete, symbolic: Symbolic) -> External:
    """A function of floats of one format, from its two forms."""

    def external(explorer: Explorer, state: State, call: ir.Call, arguments: list[Held]) -> Held:
        where = location(call.loc)
        kind = call.type.returns
        format = format_of(kind)
        numbers = [explorer.settled(argument, UNSET_USE, where) for argument in arguments]
        bits = [value for value in numbers if isinstance(value, int)]
        if len(bits) == len(numbers):
            return plain(format, concrete(format, *bits))
        return lower(symbolic(*(lift(value, kind) for value in numbers)))

    return external


def _rounding(mode: Rounding) -> External:
    return _exact(lambda f, a: sf.round_to_integral(f, mode, a), lambda a: build.fp_round(mode, a))


def _least(x: Term, y: Term) -> Term:
    return build.ite(build.fp_is_nan(x), y, build.ite(build.fp_lt(y, x), y, x))


def _greatest(x: Term, y: Term) -> Term:
    return build.ite(build.fp_is_nan(x), y, build.ite(build.fp_lt(x, y), y, x))


def _by_term(symbolic: Symbolic) -> External:
    """A function whose concrete form is its symbolic one, folded."""

    def concrete(format: Float, *bits: int) -> int:
        return int(symbolic(*(build.const(format, each) for each in bits)).value)

    return _exact(concrete, symbolic)


def _modulo(x: Term, y: Term) -> Term:
    """C's fmod from IEEE's remainder: the remainder of the magnitudes, lifted to be positive, with x's sign.

    Lifting adds |y| to a negative remainder; the sum is fmod's own result, which is always a float, so it is exact.
    """
    rest = build.fp_rem(build.fp_abs(x), build.fp_abs(y))
    lifted = build.ite(build.fp_is_negative(rest), build.fp_add(rest, build.fp_abs(y)), rest)
    positive = build.fp_abs(lifted)
    return build.ite(build.fp_is_negative(x), build.fp_neg(positive), positive)


def _difference(x: Term, y: Term) -> Term:
    zero = build.const(x.sort, 0)
    unordered = build.or_(build.fp_is_nan(x), build.fp_is_nan(y))
    return build.ite(build.or_(unordered, build.fp_lt(y, x)), build.fp_sub(x, y), zero)


def _copysign(explorer: Explorer, state: State, call: ir.Call, arguments: list[Held]) -> Held:
    where = location(call.loc)
    kind = call.type.returns
    format = format_of(kind)
    x, y = (explorer.settled(argument, UNSET_USE, where) for argument in arguments)
    if isinstance(x, int) and isinstance(y, int):
        return (x & ~format.sign_bit) | (y & format.sign_bit)
    negative = _sign(explorer, state, y, kind, where)
    size = build.fp_abs(lift(x, kind))
    return lower(build.ite(negative, build.fp_neg(size), size))


def _sign(explorer: Explorer, state: State, value: Number, kind: Type, where: Location | None) -> Term:
    """Whether the sign bit is set; of a computed NaN it is the machine's secret."""
    format = format_of(kind)
    if isinstance(value, int):
        return build.TRUE if value & format.sign_bit else build.FALSE
    bits = bits_of(value)
    if bits is not None:
        return build.eq(build.extract(bits, format.width - 1, format.width - 1), build.const(BitVec(1), 1))
    is_nan = build.fp_is_nan(value)
    if is_nan is build.TRUE or (not is_nan.is_const and explorer.brancher.choose(state, is_nan)):
        raise Unsupported("the sign of a computed NaN", where)
    return build.fp_is_negative(value)


_CLASSES: Final[tuple[tuple[int, Symbolic], ...]] = (
    # bits of llvm.is.fpclass's mask: the negative ones here, their positive twins mirrored below
    (2, lambda x: build.fp_is_inf(x)),
    (3, lambda x: build.fp_is_normal(x)),
    (4, lambda x: build.fp_is_subnormal(x)),
    (5, lambda x: build.fp_is_zero(x)),
)


def _fpclass(explorer: Explorer, state: State, call: ir.Call, arguments: list[Held]) -> Held:
    where = location(call.loc)
    kind = call.arguments[0].value.type
    value = explorer.settled(arguments[0], UNSET_USE, where)
    mask = arguments[1]
    assert isinstance(mask, int)
    if mask & 3 not in (0, 3):
        raise Unsupported("telling quiet and signalling NaNs apart", where)
    x = lift(value, kind)
    found = [build.fp_is_nan(x)] if mask & 3 else []
    for bit, test in _CLASSES:
        negative, positive = mask >> bit & 1, mask >> (11 - bit) & 1
        if negative and positive:
            found.append(test(x))
        elif negative:
            found.append(build.and_(test(x), build.fp_is_negative(x)))
        elif positive:
            found.append(build.and_(test(x), build.fp_is_positive(x)))
    return lower(build.any_of(found))


def _to_whole(mode: Rounding) -> External:
    """lrint, lround and the like: rounded, then converted; what does not fit is a failure."""

    def external(explorer: Explorer, state: State, call: ir.Call, arguments: list[Held]) -> Held:
        where = location(call.loc)
        source, target = call.arguments[0].value.type, call.type.returns
        assert isinstance(target, IntType)
        value = explorer.settled(arguments[0], UNSET_USE, where)
        if isinstance(value, int):
            number = sf.to_integer(format_of(source), mode, value)
            explorer.brancher.require(state, integer_fits(number, target.width, True), CONVERSION, where)
            assert number is not None
            return number & (1 << target.width) - 1
        fits = truth(build.fits_integer(mode, target.width, value, signed=True))
        explorer.brancher.require(state, fits, CONVERSION, where)
        return lower(build.fp_to_signed(mode, target.width, value))

    return external


def _absolute_integer(explorer: Explorer, state: State, call: ir.Call, arguments: list[Held]) -> Held:
    where = location(call.loc)
    kind = call.type.returns
    assert isinstance(kind, IntType)
    value = lift(explorer.settled(arguments[0], UNSET_USE, where), kind)
    least = build.const(value.sort, 1 << (kind.width - 1))
    explorer.brancher.require(state, truth(build.not_(build.eq(value, least))), "signed overflow", where)
    return lower(build.ite(build.bvslt(value, build.const(value.sort, 0)), build.bvneg(value), value))


_SPELLED: Final[dict[str, External]] = {
    "fabs": _exact(sf.absolute, build.fp_abs),
    "sqrt": _exact(sf.sqrt, build.fp_sqrt),
    "fma": _exact(sf.fma, build.fp_fma),
    "floor": _rounding(Rounding.RTN),
    "ceil": _rounding(Rounding.RTP),
    "trunc": _rounding(Rounding.RTZ),
    "rint": _rounding(Rounding.RNE),
    "nearbyint": _rounding(Rounding.RNE),
    "roundeven": _rounding(Rounding.RNE),
    "round": _rounding(Rounding.RNA),
    "fmin": _by_term(_least),
    "fmax": _by_term(_greatest),
    "fdim": _by_term(_difference),
    "fmod": _by_term(_modulo),
    "remainder": _exact(sf.remainder, build.fp_rem),
    "copysign": _copysign,
    "lrint": _to_whole(Rounding.RNE),
    "llrint": _to_whole(Rounding.RNE),
    "lround": _to_whole(Rounding.RNA),
    "llround": _to_whole(Rounding.RNA),
}

_INTRINSICS: Final = {"minnum": "fmin", "maxnum": "fmax"}


def mathematics() -> dict[str, External]:
    """Every spelling of every function: sqrt, sqrtf, llvm.sqrt.f64 ..."""
    found: dict[str, External] = {}
    for name, external in _SPELLED.items():
        found[name] = found[f"{name}f"] = external
    intrinsic = {name: name for name in _SPELLED} | _INTRINSICS
    for spelled, name in intrinsic.items():
        for suffix in ("f16", "f32", "f64", "i32.f32", "i32.f64", "i64.f32", "i64.f64"):
            found[f"llvm.{spelled}.{suffix}"] = _SPELLED[name]
    for suffix in ("f16", "f32", "f64"):
        found[f"llvm.is.fpclass.{suffix}"] = _fpclass
    for name in ("abs", "labs", "llabs"):
        found[name] = _absolute_integer
    return found
