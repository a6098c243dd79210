"""The mathematical functions whose results IEEE 754 and C define to the bit, computed exactly.

`mathematics` lists every spelling of every function, those of `approximated` included: the library's names, with an `f`
for float, and the intrinsics that the compiler uses instead (`llvm.floor.f64`).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import product
from typing import Final

from soid.assumptions import Ledger
from soid.engine.llvm.ir import instructions as ir
from soid.engine.llvm.ir.ir_types import IntegerType, Type
from soid.engine.llvm.symbolic.explorer import Explorer, External
from soid.engine.llvm.symbolic.library import float_functions as floats
from soid.engine.llvm.symbolic.library.approximated.approximated_calls import approximated
from soid.engine.llvm.symbolic.path_state import PathState
from soid.engine.llvm.symbolic.paths.path_end import NotModelled
from soid.engine.llvm.symbolic.values.held_values import Held, bits_of, format_of, lift, lower, plain
from soid.engine.llvm.symbolic.values.number_arithmetic import OVERFLOW, Number, floating, modulo, truth
from soid.formula import build
from soid.formula import softfloat as sf
from soid.formula.softfloat import Rounding
from soid.formula.sorts import FLOAT32, FLOAT64, BitVec
from soid.formula.term import Term

#: what glibc's __signbit and __signbitf return for a set sign; C only says that it is not 0
OPEN_RESULT: Final = "rounding a number to an integer type that does not hold it"
_SIGN_SET: Final = {FLOAT64: 128, FLOAT32: 8}

Symbolic = Callable[..., Term]
Concrete = Callable[..., int]


def _exact(
    concrete: Concrete, symbolic: Symbolic, explorer: Explorer, state: PathState, call: ir.Call, arguments: list[Held]
) -> Held:
    """A function of floats of one format, given on plain numbers and on terms."""
    kind = call.type.returns
    format = format_of(kind)
    numbers = explorer.numbers(state, arguments)
    bits = [value for value in numbers if isinstance(value, int)]
    if len(bits) == len(numbers):
        return plain(format, concrete(format, *bits))
    return lower(symbolic(*(lift(value, kind) for value in numbers)))


def _rounding(mode: Rounding) -> External:
    return partial(_exact, lambda f, a: sf.round_to_integral(f, mode, a), lambda a: build.fp_round(mode, a))


def _by_term(symbolic: Symbolic, explorer: Explorer, state: PathState, call: ir.Call, arguments: list[Held]) -> Held:
    """A function of floats of one format, given on terms; constant terms fold to its concrete results."""
    kind = call.arguments[0].value.type
    return lower(symbolic(*(lift(value, kind) for value in explorer.numbers(state, arguments))))


def _difference(x: Term, y: Term) -> Term:
    zero = build.const(x.sort, 0)
    unordered = build.or_(build.fp_is_nan(x), build.fp_is_nan(y))
    return build.ite(build.or_(unordered, build.fp_lt(y, x)), build.fp_sub(x, y), zero)


def _copysign(explorer: Explorer, state: PathState, call: ir.Call, arguments: list[Held]) -> Held:
    kind = call.type.returns
    format = format_of(kind)
    x, y = explorer.numbers(state, arguments)
    if isinstance(x, int) and isinstance(y, int):
        return (x & ~format.sign_bit) | (y & format.sign_bit)
    negative = _sign(explorer, state, y, kind)
    size = build.fp_abs(lift(x, kind))
    return lower(build.ite(negative, build.fp_neg(size), size))


def _sign(explorer: Explorer, state: PathState, value: Number, kind: Type) -> Term:
    """Whether the sign bit is set; for a computed NaN it depends on the machine and is refused."""
    format = format_of(kind)
    if isinstance(value, int):
        return build.TRUE if value & format.sign_bit else build.FALSE
    bits = bits_of(value)
    if bits is not None:
        return build.eq(build.extract(bits, format.width - 1, format.width - 1), build.const(BitVec(1), 1))
    if explorer.brancher.holds(state, build.fp_is_nan(value)):
        raise NotModelled("the sign of a computed NaN")
    return build.fp_is_negative(value)


#: classes of llvm.is.fpclass, from bit 2 of its mask on for negative numbers; those for positive numbers are mirrored
_CLASSES: Final = (build.fp_is_inf, build.fp_is_normal, build.fp_is_subnormal, build.fp_is_zero)


def _fpclass(explorer: Explorer, state: PathState, call: ir.Call, arguments: list[Held]) -> Held:
    x = lift(explorer.settled(state, arguments[0]), call.arguments[0].value.type)
    mask = arguments[1]
    assert isinstance(mask, int)
    if mask & 3 not in (0, 3):
        raise NotModelled("telling quiet and signalling NaNs apart")
    found = [build.fp_is_nan(x)] if mask & 3 else []
    for bit, test in enumerate(_CLASSES, 2):
        negative, positive = mask >> bit & 1, mask >> (11 - bit) & 1
        if negative and positive:
            found.append(test(x))
        elif negative:
            found.append(build.and_(test(x), build.fp_is_negative(x)))
        elif positive:
            found.append(build.and_(test(x), build.fp_is_positive(x)))
    return lower(build.any_of(found))


def _to_whole(mode: Rounding, explorer: Explorer, state: PathState, call: ir.Call, arguments: list[Held]) -> Held:
    """lrint, lround and the like: round, then convert; C leaves open what they give where the result does not fit."""
    target = call.type.returns
    assert isinstance(target, IntegerType)
    value = lift(explorer.settled(state, arguments[0]), call.arguments[0].value.type)
    explorer.explore_only(state, build.fits_integer(mode, target.width, value, signed=True), OPEN_RESULT)
    return lower(build.fp_to_signed(mode, target.width, value))


def _saturated(signed: bool, explorer: Explorer, state: PathState, call: ir.Call, arguments: list[Held]) -> Held:
    """A saturating conversion to an integer; NaN becomes 0."""
    target = call.type.returns
    assert isinstance(target, IntegerType)
    if target.width == 1:
        raise NotModelled("a saturating conversion to single bits")
    value = lift(explorer.settled(state, arguments[0]), call.arguments[0].value.type)
    width, sort = target.width, BitVec(target.width)
    least, greatest = (1 << width - 1, (1 << width - 1) - 1) if signed else (0, (1 << width) - 1)
    convert = build.fp_to_signed if signed else build.fp_to_unsigned
    fits = build.fits_integer(Rounding.RTZ, width, value, signed=signed)
    nearest = build.ite(build.fp_is_negative(value), build.const(sort, least), build.const(sort, greatest))
    outside = build.ite(build.fp_is_nan(value), build.const(sort, 0), nearest)
    return lower(build.ite(fits, convert(Rounding.RTZ, width, value), outside))


def _multiply_add(explorer: Explorer, state: PathState, call: ir.Call, arguments: list[Held]) -> Held:
    """`llvm.fmuladd` rounds once where the processor has an instruction for it, else twice."""
    features = dict(state.frame.function.attributes.strings).get("target-features", "").split(",")
    if not explorer.module.triple.startswith("x86_64"):
        raise NotModelled(f"llvm.fmuladd on {explorer.module.triple}")
    if "+fma" in features or "+fma4" in features:
        return _SPELLED["fma"](explorer, state, call, arguments) or 0
    kind = call.type.returns
    explorer.relies_on[Ledger.ROUNDED_TWICE.of()] = None
    x, y, z = explorer.numbers(state, arguments)
    return floating("fadd", floating("fmul", x, y, kind), z, kind)


def _absolute_integer(explorer: Explorer, state: PathState, call: ir.Call, arguments: list[Held]) -> Held:
    """abs and llvm.abs. The least number has no absolute value; llvm.abs's second argument can allow it."""
    kind = call.type.returns
    assert isinstance(kind, IntegerType)
    value = lift(explorer.settled(state, arguments[0]), kind)
    least = build.const(value.sort, 1 << (kind.width - 1))
    if len(arguments) == 1 or arguments[1]:
        explorer.oblige(state, truth(build.not_(build.eq(value, least))), OVERFLOW)
    return lower(build.ite(build.bvslt(value, build.const(value.sort, 0)), build.bvneg(value), value))


def _scaled(explorer: Explorer, state: PathState, call: ir.Call, arguments: list[Held]) -> Held:
    kind, by = call.type.returns, call.arguments[1].value.type
    x, n = explorer.numbers(state, arguments)
    return lower(floats.scaled(lift(x, kind), lift(n, by)))


def _two_results(
    compute: Callable[[Term], tuple[Term, Term]],
    second: Type | None,
    explorer: Explorer,
    state: PathState,
    call: ir.Call,
    arguments: list[Held],
) -> Held:
    """A function with two results: C's stores the second through a pointer, LLVM's intrinsic returns both.

    `second` is the type of the second result; None: that of the argument.
    """
    kind = call.arguments[0].value.type
    returned, left = (lower(term) for term in compute(lift(explorer.settled(state, arguments[0]), kind)))
    if len(arguments) == 1:
        return (returned, left)
    explorer.addresses.store(state, arguments[1], left, second or kind)
    return returned


def _signbit(explorer: Explorer, state: PathState, call: ir.Call, arguments: list[Held]) -> Held:
    kind = call.arguments[0].value.type
    value = explorer.settled(state, arguments[0])
    return lower(build.ite(_sign(explorer, state, value, kind), _whole(_SIGN_SET[format_of(kind)]), _whole(0)))


def _nan(explorer: Explorer, state: PathState, call: ir.Call, arguments: list[Held]) -> Held:
    format = format_of(call.type.returns)
    return build.const(format, format.nan)


def _whole(number: int) -> Term:
    return build.const(BitVec(32), number)


def _is(*tests: Symbolic) -> External:
    return partial(_by_term, lambda x: build.ite(build.any_of(test(x) for test in tests), _whole(1), _whole(0)))


def _infinite(x: Term) -> Term:
    signed = build.ite(build.fp_is_negative(x), _whole(-1), _whole(1))
    return build.ite(build.fp_is_inf(x), signed, _whole(0))


def _classified(x: Term) -> Term:
    """fpclassify with glibc's numbers: NaN, infinite, zero, subnormal, normal."""
    tests = (build.fp_is_nan(x), build.fp_is_inf(x), build.fp_is_zero(x), build.fp_is_subnormal(x))
    found = _whole(len(tests))
    for number, test in reversed(list(enumerate(tests))):
        found = build.ite(test, _whole(number), found)
    return found


_SPELLED: Final[dict[str, External]] = {
    "fabs": partial(_exact, sf.absolute, build.fp_abs),
    "sqrt": partial(_exact, sf.sqrt, build.fp_sqrt),
    "fma": partial(_exact, sf.fma, build.fp_fma),
    "floor": _rounding(Rounding.RTN),
    "ceil": _rounding(Rounding.RTP),
    "trunc": _rounding(Rounding.RTZ),
    "rint": _rounding(Rounding.RNE),
    "nearbyint": _rounding(Rounding.RNE),
    "roundeven": _rounding(Rounding.RNE),
    "round": _rounding(Rounding.RNA),
    "fmin": partial(floats.of_library, "fmin", floats.least),
    "fmax": partial(floats.of_library, "fmax", floats.greatest),
    "fdim": partial(_by_term, _difference),
    "fmod": partial(_by_term, modulo),
    "remainder": partial(_exact, sf.remainder, build.fp_rem),
    "drem": partial(_exact, sf.remainder, build.fp_rem),
    "copysign": _copysign,
    "nextafter": partial(_by_term, floats.next_after),
    "ldexp": _scaled,
    "scalbn": _scaled,
    "scalbln": _scaled,
    "frexp": partial(_two_results, floats.fraction_and_exponent, IntegerType(32)),
    "modf": partial(_two_results, floats.rest_and_whole, None),
    "logb": partial(_by_term, floats.exponent_float),
    "ilogb": partial(_by_term, floats.exponent_integer),
    "lrint": partial(_to_whole, Rounding.RNE),
    "llrint": partial(_to_whole, Rounding.RNE),
    "lround": partial(_to_whole, Rounding.RNA),
    "llround": partial(_to_whole, Rounding.RNA),
    "nan": _nan,
    "finite": _is(build.fp_is_normal, build.fp_is_subnormal, build.fp_is_zero),
    "isnan": _is(build.fp_is_nan),
    "isinf": partial(_by_term, _infinite),
    "__finite": _is(build.fp_is_normal, build.fp_is_subnormal, build.fp_is_zero),
    "__isnan": _is(build.fp_is_nan),
    "__isinf": partial(_by_term, _infinite),
    "__signbit": _signbit,
    "__fpclassify": partial(_by_term, _classified),
}

#: intrinsics without a C function of the same name
_INTRINSICS: Final[dict[str, External]] = {
    "minnum": partial(floats.of_compiler, floats.least),
    "maxnum": partial(floats.of_compiler, floats.greatest),
    "minimum": partial(_by_term, partial(floats.ordered, floats.least)),
    "maximum": partial(_by_term, partial(floats.ordered, floats.greatest)),
    "minimumnum": partial(_by_term, partial(floats.of_numbers, floats.least)),
    "maximumnum": partial(_by_term, partial(floats.of_numbers, floats.greatest)),
    "is.fpclass": _fpclass,
    "fmuladd": _multiply_add,
    "fptosi.sat": partial(_saturated, True),
    "fptoui.sat": partial(_saturated, False),
}
_ALSO_INTRINSIC: Final = (
    *("fabs", "sqrt", "fma", "floor", "ceil", "trunc", "rint", "nearbyint", "roundeven", "round", "copysign"),
    *("ldexp", "frexp", "modf", "lrint", "llrint", "lround", "llround"),
)


#: functions that are known for long double too; none of them asks this machine's library
_ALSO_LONG: Final = (
    *("fabs", "sqrt", "floor", "ceil", "trunc", "rint", "nearbyint", "roundeven", "round", "fdim", "fmod", "remainder"),
    *("copysign", "ldexp", "scalbn", "scalbln", "lrint", "llrint", "lround", "llround", "modf"),
)


def mathematics() -> dict[str, External]:
    """Every spelling of every function: sqrt, sqrtf, sqrtl, llvm.sqrt.f64 ..."""
    found = approximated()
    for name in _ALSO_LONG:
        found[f"{name}l"] = found[f"llvm.{name}.f80"] = found[f"llvm.{name}.f128"] = _SPELLED[name]
        for integer, long in product(("i32", "i64"), ("f80", "f128")):
            found[f"llvm.{name}.{integer}.{long}"] = found[f"llvm.{name}.{long}.{integer}"] = _SPELLED[name]
    found["llvm.is.fpclass.f80"] = found["llvm.is.fpclass.f128"] = _fpclass
    for name, external in _SPELLED.items():
        found[name] = found[f"{name}f"] = external
    for name, external in ({name: _SPELLED[name] for name in _ALSO_INTRINSIC} | _INTRINSICS).items():
        for suffix in ("f16", "f32", "f64"):
            found[f"llvm.{name}.{suffix}"] = external
            for integer in ("i8", "i16", "i32", "i64"):  # first for lrint, last for ldexp and frexp
                found[f"llvm.{name}.{integer}.{suffix}"] = found[f"llvm.{name}.{suffix}.{integer}"] = external
    for name in ("abs", "labs", "llabs", "imaxabs", *(f"llvm.abs.i{width}" for width in (8, 16, 32, 64))):
        found[name] = _absolute_integer
    return found
