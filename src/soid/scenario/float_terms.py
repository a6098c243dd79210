"""Floats: what becomes one, and their comparison with each other, with whole numbers and with fractions.

A number becomes a float by one rounding, to nearest, ties to even. Whole numbers and fractions are compared with floats
by value, exactly.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Final, assert_never

from soid.errors import SortMismatchError
from soid.formula import build, decimals
from soid.formula import softfloat as sf
from soid.formula.decimals import number_literal
from soid.formula.sorts import FLOAT32, FLOAT64, FLOAT128, Float
from soid.formula.term import Term
from soid.scenario import whole_terms
from soid.scenario.expression import Comparison
from soid.scenario.operand_values import Exact, Number, Ratio, Real, Whole
from soid.scenario.ratio_terms import ONE, as_ratio
from soid.scenario.whole_terms import compare_wholes, whole

#: bits of a whole number that is compared with a float
_MOST_COMPARED: Final = 2_000


def round_to(number: Exact, target: Float) -> int:
    """The bits of the float nearest to the number. A finite number that rounds to infinity is an error."""
    bits = None if number.is_computed else decimals.quick(target, number.text)
    if bits is not None:
        pass
    elif number.value is not None and (number.is_computed or number_literal(number.text) is None):
        bits = sf.from_fraction(target, number.value)
    else:
        bits = decimals.parse(target, number.text)  # keeps the sign of -0.0
    if sf.is_infinite(target, bits) and number.value is not None:
        greatest = decimals.shortest(target, target.max_finite)
        raise SortMismatchError(
            f"{number.text} is too large for float{target.width}, whose greatest number is {greatest}",
            "Write inf if infinity is meant.",
        )
    return bits


def to_real(number: Number, target: Float) -> Real:
    """The number as a float of a format: the nearest one, ties to even; what is too large becomes infinite."""
    match number:
        case Exact():
            return Real(build.const(target, round_to(number, target)), target)
        case Whole():
            return Real(_float_of(number, target), target, number.defined)
        case Ratio(over, under, defined):
            if _holds(target, over) and _holds(target, under):
                quotient = build.fp_div(_float_of(over, target), _float_of(under, target))
            else:
                quotient = _rounded_quotient(over, under, target)
            return Real(quotient, target, defined)
        case Real(term, format, defined):
            return number if format == target else Real(build.fp_to_fp(target, term), target, defined)


def is_rounded(number: Number, target: Float) -> bool:
    """Whether a whole number or a fraction may change where it becomes a float of a format."""
    return isinstance(number, Ratio) or (isinstance(number, Whole) and not _holds(target, number))


def _float_of(number: Whole, target: Float) -> Term:
    convert = build.fp_from_signed if number.signed else build.fp_from_unsigned
    return convert(target, number.term)


def _bits(number: Whole) -> int:
    """How many bits its greatest size has."""
    return max(abs(number.low), abs(number.high)).bit_length()


def _holds(format: Float, number: Whole) -> bool:
    """Whether a float is equal to the number, whatever it is."""
    return _bits(number) <= min(format.significand, format.bias)


def _rounded_quotient(over: Whole, under: Whole, target: Float) -> Term:
    """The float nearest to a fraction, rounded once.

    The fraction is cut off behind more bits than the format has, with one more bit that says whether something was cut
    off. So it is on the same side of every tie as before, and a float that holds all these bits is rounded.
    """
    places = _bits(under) + target.significand + 2
    size = whole_terms.scaled(whole_terms.absolute(over), places)
    quotient, rest = whole_terms.floor_quotient(size, under), whole_terms.modulo(size, under)
    one_more = whole_terms.chosen(compare_wholes(Comparison.EQ, rest, whole(0)), whole(0), ONE, 0, 1)
    cut = whole_terms.add(whole_terms.scaled(quotient, 1), one_more)
    # where the format itself has room for all these digits, it is rounded as it becomes a float, and scaled exactly
    has_room = max(_bits(cut), places + 2) < target.bias
    wide = target if has_room else Float(20, max(_bits(cut), target.significand))
    scale = build.const(wide, sf.from_fraction(wide, Fraction(1, 1 << (places + 1))))
    rounded = build.fp_mul(_float_of(cut, wide), scale)
    rounded = rounded if has_room else build.fp_to_fp(target, rounded)
    negative = compare_wholes(Comparison.LT, over, whole(0))
    return build.ite(negative, build.fp_neg(rounded), rounded)


def in_common(a: Real, b: Real) -> tuple[Term, Term, Float]:
    """Both floats in the wider format, which represents the narrower one's numbers exactly."""
    if a.format == b.format:
        return a.term, b.term, a.format
    small, large = sorted((a.format, b.format), key=lambda f: f.width)
    if small.exponent > large.exponent or small.significand > large.significand:
        raise SortMismatchError("neither of the two float formats holds the other's numbers", "Compare each by itself.")
    return build.fp_to_fp(large, a.term), build.fp_to_fp(large, b.term), large


def compare_floats(op: Comparison, a: Real, b: Real) -> Term:
    """a op b as programs compare: the two zeros are equal, and NaN equals nothing."""
    left, right, _ = in_common(a, b)
    match op:
        case Comparison.LT:
            return build.fp_lt(left, right)
        case Comparison.LE:
            return build.fp_leq(left, right)
        case Comparison.GT:
            return build.fp_lt(right, left)
        case Comparison.GE:
            return build.fp_leq(right, left)
        case Comparison.EQ:
            return build.fp_eq(left, right)
        case Comparison.NE:
            return build.not_(build.fp_eq(left, right))
        case _:
            assert_never(op)


#: where a whole number is compared with a float: the float is rounded so, and compared as a whole number
_TOWARD: Final = {
    Comparison.LT: sf.Rounding.RTP,
    Comparison.GE: sf.Rounding.RTP,
    Comparison.LE: sf.Rounding.RTN,
    Comparison.GT: sf.Rounding.RTN,
    Comparison.EQ: sf.Rounding.RTZ,
}


def compare_with_float(op: Comparison, a: Whole | Ratio, b: Real) -> Term:
    """a op b, by value."""
    if isinstance(a, Ratio):
        return _ratio_with_float(op, a, b)
    if _bits(a) <= FLOAT64.significand and b.format.width <= FLOAT64.width:
        return _ratio_with_float(op, as_ratio(a), b)
    return build.not_(_whole_with_float(Comparison.EQ, a, b)) if op is Comparison.NE else _whole_with_float(op, a, b)


def _whole_with_float(op: Comparison, a: Whole, b: Real) -> Term:
    """An exact comparison: n < x is n < ceil(x), which is a whole number or beyond all that n can be."""
    mode, width = _TOWARD[op], _bits(a) + 2
    limit = 1 << (width - 1)
    rounded = Whole(build.fp_to_signed(mode, width, b.term), True, -limit, limit - 1)
    fits = build.fits_integer(mode, width, b.term, signed=True)
    inside = build.and_(fits, compare_wholes(op, a, rounded))
    if op is Comparison.EQ:
        return build.and_(inside, build.fp_eq(build.fp_round(mode, b.term), b.term))
    below = build.fp_is_positive(b.term) if op in (Comparison.LT, Comparison.LE) else build.fp_is_negative(b.term)
    beyond = build.and_(build.not_(fits), build.not_(build.fp_is_nan(b.term)), below)
    return build.or_(inside, beyond)


def _ratio_with_float(op: Comparison, a: Ratio, b: Real) -> Term:
    """An exact comparison, in a format in which nothing is rounded: over/under < x is over < under * x."""
    wide = _wide_format(b.format, _bits(a.over), _bits(a.under) if a.under != ONE else 0)
    right = build.fp_to_fp(wide, b.term) if wide != b.format else b.term
    if a.under != ONE:
        right = build.fp_mul(_float_of(a.under, wide), right)
    return compare_floats(op, Real(_float_of(a.over, wide), wide), Real(right, wide))


def _wide_format(format: Float, over: int, under: int) -> Float:
    """A format that holds whole numbers of `over` bits, and floats of a format times numbers of `under` bits."""
    if max(over, under) > _MOST_COMPARED:
        raise SortMismatchError(
            f"a number of {max(over, under)} bits is compared with a float", "Convert it first: float64(...)."
        )
    significand = max(over, format.significand + under)
    greatest = max(over, format.bias + 1 + under)
    for each in (format, FLOAT32, FLOAT64, FLOAT128):
        if each.significand >= significand and each.bias >= greatest - (each == format and not under):
            return each
    return Float(20, significand)
