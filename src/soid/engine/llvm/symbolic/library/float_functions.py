"""Functions of floats as terms: minimum and maximum, neighbours, parts, powers of two. IEEE 754 and C define each bit.

C leaves open which of two opposite zeros `fmin` and `fmax` return, so the library is asked. LLVM's `llvm.minnum` and
`llvm.maxnum` leave it open to each back end, so those states stay unexplored.

Powers of two are exact for every number: they are computed in a format of the same precision with a wider exponent,
where scaling never rounds. The conversion back rounds once, as C requires.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Final

from soid.engine.llvm.ir import instructions as ir
from soid.engine.llvm.symbolic.explorer import Explorer
from soid.engine.llvm.symbolic.path_state import PathState
from soid.engine.llvm.symbolic.values.held_values import Held, format_of, lift, lower
from soid.formula import build
from soid.formula import operators as ops
from soid.formula import softfloat as sf
from soid.formula.sorts import BitVec, Float
from soid.formula.term import Term

Before = Callable[[Term, Term], Term]  # whether the first of two different numbers is the result

LEFT_OPEN: Final = "minimum or maximum of opposite zeros or of a signalling NaN"
_INT: Final = BitVec(32)


def _format(x: Term) -> Float:
    assert isinstance(x.sort, Float)
    return x.sort


def signalling(number: int | Term, format: Float) -> Term:
    """Whether a number is a signalling NaN. Arithmetic never returns one; copies and sign changes preserve one.

    Terms have a single NaN, but the machine has two kinds, and a few functions distinguish them.
    """
    place = format.significand - 2  # of the bit that a quiet NaN has
    if isinstance(number, int):
        return build.TRUE if sf.is_nan(format, number) and not number >> place & 1 else build.FALSE
    if number.op is ops.FP_FROM_BITS:
        (bits,) = number.args
        unset = build.eq(build.extract(bits, place, place), build.const(BitVec(1), 0))
        return build.and_(build.fp_is_nan(number), unset)
    if number.op is ops.FP_NEG or number.op is ops.FP_ABS:
        return signalling(number.args[0], format)
    if number.op is ops.ITE:
        condition, then, otherwise = number.args
        return build.ite(condition, signalling(then, format), signalling(otherwise, format))
    return build.FALSE


def rest_and_whole(x: Term) -> tuple[Term, Term]:
    """C's modf: the fractional and the integral part, both with x's sign."""
    whole = build.fp_round(sf.Rounding.RTZ, x)
    rest = build.ite(build.fp_is_inf(x), build.const(x.sort, 0), build.fp_abs(build.fp_sub(x, whole)))
    return build.ite(build.fp_is_negative(x), build.fp_neg(rest), rest), whole


# --- minimum and maximum ----------------------------------------------------------------------------------------


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


# --- neighbours -------------------------------------------------------------------------------------------------


def next_after(x: Term, y: Term) -> Term:
    """C's nextafter: the float next to x in the direction of y; y if they are equal."""
    format = _format(x)
    missing = build.or_(build.fp_is_nan(x), build.fp_is_nan(y))
    up = build.fp_lt(x, y)
    # The magnitude moves away from zero or towards it; the sign is applied afterwards.
    outwards = build.or_(build.fp_is_zero(x), build.eq(up, build.fp_is_positive(x)))
    size = build.fp_abs(x)
    # Towards zero, an infinity becomes the greatest number; this is not for zero itself.
    greatest = build.const(format, format.max_finite)
    inwards = build.ite(build.fp_is_inf(size), greatest, _moved(size, build.fp_sub))
    moved = build.ite(outwards, _moved(size, build.fp_add), inwards)
    negative = build.ite(build.fp_is_zero(x), build.not_(up), build.fp_is_negative(x))
    stepped = build.ite(negative, build.fp_neg(moved), moved)
    same = build.ite(build.fp_eq(x, y), y, stepped)
    return build.ite(missing, build.const(format, format.nan), same)


def _moved(size: Term, move: Callable[[Term, Term], Term]) -> Term:
    """The next greater or the next smaller magnitude.

    A small one moves by the least float, which is exact. Others move by more than half a unit in the last place and
    less than one and a half, then they are rounded: they move by a fixed share of themselves, half a unit at a power of
    two, one unit just below the next power of two.
    """
    format = _format(size)
    small = build.fp_lt(size, build.const(format, 2 << (format.significand - 1)))
    room = Float(format.exponent + 2, 2 * format.significand + 12)  # a format in which nothing rounds
    share = sf.from_fraction(room, Fraction(129, 128 << format.significand))
    wide = build.fp_to_fp(room, size)
    nudged = build.fp_to_fp(format, move(wide, build.fp_mul(wide, build.const(room, share))))
    return build.ite(small, move(size, build.const(format, 1)), nudged)


# --- powers of two ----------------------------------------------------------------------------------------------


def _wide(format: Float) -> Float:
    return Float(format.exponent + 4, format.significand)


def scaled(x: Term, by: Term) -> Term:
    """x * 2**by, rounded once."""
    format, sort = _format(x), by.sort
    wide = _wide(format)
    far = 2 * (format.bias + format.significand) + 2  # beyond this the result is always an infinity or a zero
    low, high = build.const(sort, -far), build.const(sort, far)
    near = build.ite(build.bvslt(by, low), low, build.ite(build.bvslt(high, by), high, by))
    exponent = build.extract(build.bvadd(near, build.const(sort, wide.bias)), wide.exponent - 1, 0)
    bits = build.concat(build.concat(build.const(BitVec(1), 0), exponent), build.const(BitVec(wide.significand - 1), 0))
    power = build.fp_from_bits(wide, bits)
    return build.fp_to_fp(format, build.fp_mul(build.fp_to_fp(wide, x), power))


def _power(format: Float, exponent: int) -> Term:
    return build.const(format, (exponent + format.bias) << (format.significand - 1))


def _parts(x: Term) -> tuple[Term, Term]:
    """The m in [0.5, 1) with x's sign and the e with x = m * 2**e, for a finite x that is not zero.

    Binary search over the exponent: in each step, the number is scaled by the step if it is too small or too large for
    the smaller steps that follow.
    """
    format = _format(x)
    wide = _wide(format)
    rest, exponent = build.fp_to_fp(wide, x), build.const(_INT, 0)
    for step in (1 << k for k in range(format.exponent, -1, -1)):
        size = build.fp_abs(rest)
        small = build.fp_lt(size, _power(wide, -step))
        large = build.fp_leq(_power(wide, step - 1), size)
        shrunk = build.ite(large, build.fp_mul(rest, _power(wide, -step)), rest)
        rest = build.ite(small, build.fp_mul(rest, _power(wide, step)), shrunk)
        moved = build.ite(small, build.const(_INT, -step), build.const(_INT, step))
        exponent = build.ite(build.or_(small, large), build.bvadd(exponent, moved), exponent)
    return build.fp_to_fp(format, rest), exponent


def fraction_and_exponent(x: Term) -> tuple[Term, Term]:
    """C's frexp; for a number without an exponent x and 0, as in glibc."""
    magnitude, exponent = _parts(x)
    without = build.or_(build.fp_is_zero(x), build.fp_is_inf(x), build.fp_is_nan(x))
    return build.ite(without, x, magnitude), build.ite(without, build.const(_INT, 0), exponent)


def exponent_float(x: Term) -> Term:
    """C's logb: the exponent as a number; -inf for zeros, inf for infinities."""
    format = _format(x)
    _, exponent = _parts(x)
    number = build.fp_from_signed(format, build.bvsub(exponent, build.const(_INT, 1)))
    zero = build.const(format, format.infinity | format.sign_bit)
    unbounded = build.or_(build.fp_is_inf(x), build.fp_is_nan(x))
    return build.ite(unbounded, build.fp_abs(x), build.ite(build.fp_is_zero(x), zero, number))


def exponent_integer(x: Term) -> Term:
    """C's ilogb, with glibc's values on this target for numbers without an exponent."""
    _, exponent = _parts(x)
    least, most = build.const(_INT, 1 << 31), build.const(_INT, (1 << 31) - 1)
    number = build.bvsub(exponent, build.const(_INT, 1))
    known = build.ite(build.fp_is_inf(x), most, number)
    return build.ite(build.or_(build.fp_is_nan(x), build.fp_is_zero(x)), least, known)
