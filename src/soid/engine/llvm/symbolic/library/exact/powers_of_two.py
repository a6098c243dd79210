"""Scaling by powers of two: `ldexp`, `frexp`, `logb` and the like, exact for every number.

They are computed in a format of the same precision with a wider exponent, where scaling never rounds. The conversion
back rounds once, as C requires.
"""

from __future__ import annotations

from soid.formula import build
from soid.formula.sorts import BitVec, Float
from soid.formula.term import Term


def _wide(format: Float) -> Float:
    return Float(format.exponent + 4, format.significand)


def scaled(x: Term, by: Term) -> Term:
    """x * 2**by, rounded once."""
    format, sort = x.sort, by.sort
    assert isinstance(format, Float)
    assert isinstance(sort, BitVec)
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


def parts(x: Term, width: int = 32) -> tuple[Term, Term]:
    """The m in [0.5, 1) with x's sign and the e with x = m * 2**e, for a finite x that is not zero.

    Binary search over the exponent: in each step, the number is scaled by the step if it is too small or too large for
    the smaller steps that follow.
    """
    format = x.sort
    assert isinstance(format, Float)
    wide = _wide(format)
    rest, exponent = build.fp_to_fp(wide, x), build.const(BitVec(width), 0)
    for step in (1 << k for k in range(format.exponent, -1, -1)):
        size = build.fp_abs(rest)
        small = build.fp_lt(size, _power(wide, -step))
        large = build.fp_leq(_power(wide, step - 1), size)
        rest = build.ite(
            small,
            build.fp_mul(rest, _power(wide, step)),
            build.ite(large, build.fp_mul(rest, _power(wide, -step)), rest),
        )
        moved = build.ite(small, build.const(BitVec(width), -step), build.const(BitVec(width), step))
        exponent = build.ite(build.or_(small, large), build.bvadd(exponent, moved), exponent)
    return build.fp_to_fp(format, rest), exponent


def fraction_and_exponent(x: Term) -> tuple[Term, Term]:
    """C's frexp; for a number without an exponent x and 0, as in glibc."""
    magnitude, exponent = parts(x)
    plain = special(x)
    return build.ite(plain, x, magnitude), build.ite(plain, build.const(BitVec(32), 0), exponent)


def special(x: Term) -> Term:
    return build.or_(build.fp_is_zero(x), build.fp_is_inf(x), build.fp_is_nan(x))


def exponent_float(x: Term) -> Term:
    """C's logb: the exponent as a number; -inf for zeros, inf for infinities."""
    format = x.sort
    assert isinstance(format, Float)
    _, exponent = parts(x)
    number = build.fp_from_signed(format, build.bvsub(exponent, build.const(BitVec(32), 1)))
    zero = build.const(format, format.infinity | format.sign_bit)
    unbounded = build.or_(build.fp_is_inf(x), build.fp_is_nan(x))
    return build.ite(unbounded, build.fp_abs(x), build.ite(build.fp_is_zero(x), zero, number))


def exponent_integer(x: Term) -> Term:
    """C's ilogb, with glibc's values on this target for numbers without an exponent."""
    _, exponent = parts(x)
    least, most = build.const(BitVec(32), 1 << 31), build.const(BitVec(32), (1 << 31) - 1)
    number = build.bvsub(exponent, build.const(BitVec(32), 1))
    known = build.ite(build.fp_is_inf(x), most, number)
    return build.ite(build.or_(build.fp_is_nan(x), build.fp_is_zero(x)), least, known)
