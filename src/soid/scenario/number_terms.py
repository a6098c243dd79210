"""Comparison and arithmetic of numbers. There are five typing rules:

- a literal is exact (`Exact`) until it is combined with a float; then it is rounded to the float's format;
- whole numbers (`Whole`) and fractions of them (`Ratio`) are exact: `2.34 * count` is 117 * count / 50;
- floats (`Real`) are computed in the program's own format; of two formats, in the wider one;
- a whole number or a fraction is compared with a float by value, exactly;
- computed with a float it is rounded once, to the float's format (nearest, ties to even), as C does.

>>> from soid.formula.build import var
>>> x = Whole(var("x", BitVec(8)), False, 0, 255)
>>> compare_numbers(Comparison.LT, x, Exact(Fraction(300), "300")).true.value
True
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from fractions import Fraction
from typing import Final

from msgspec.structs import replace

from soid.errors import QueryError, SortMismatchError
from soid.formula import build, decimals
from soid.formula import softfloat as sf
from soid.formula.build import FALSE, TRUE
from soid.formula.decimals import number_literal
from soid.formula.sorts import BOOL, FLOAT32, FLOAT64, FLOAT128, Float
from soid.formula.term import Term
from soid.scenario import whole_terms
from soid.scenario.expression import ArithmeticOp, Comparison
from soid.scenario.operand_values import Exact, Number, Ratio, Real, Truth, Whole, both, either, known, opposite
from soid.scenario.whole_terms import compare_wholes, divisor, multiply, whole

#: limits on literals and on computed literals: no type of a program needs more, and larger ones could take all memory
_MOST_DIGITS: Final = 4_000
_MOST_BITS: Final = 12_000

#: bits of a whole number that is compared with a float
_MOST_COMPARED: Final = 2_000

ONE: Final = whole(1)

# --- fractions ------------------------------------------------------------------------------------------------


def ratio(over: Whole, under: Whole) -> Whole | Ratio:
    """The exact quotient; it is not defined where the divisor is zero."""
    by = divisor(under)
    defined = build.and_(over.defined, by.defined)
    if by.low < 0:  # minus above and minus below cancel out
        negative = compare_wholes(Comparison.LT, by, whole(0))
        turned = whole_terms.minus(over)
        over = whole_terms.chosen(negative, turned, over, min(over.low, turned.low), max(over.high, turned.high))
        by = whole_terms.absolute(by)
    return _over_one(Ratio(over, Whole(by.term, by.signed, max(by.low, 1), by.high), defined))


def as_ratio(number: Number) -> Ratio:
    """A finite exact number as a fraction."""
    if isinstance(number, Ratio):
        return number
    if isinstance(number, Whole):
        return Ratio(number, ONE, number.defined)
    assert isinstance(number, Exact) and number.value is not None, "it is exact and finite"
    return Ratio(whole(number.value.numerator), whole(number.value.denominator))


def _over_one(number: Ratio) -> Whole | Ratio:
    """A fraction as a whole number, if it is written as one."""
    return replace(number.over, defined=number.defined) if number.under.low == number.under.high == 1 else number


def _ratio_arithmetic(op: ArithmeticOp, a: Ratio, b: Ratio) -> Whole | Ratio:
    if op is ArithmeticOp.MUL:
        over, under = multiply(a.over, b.over), multiply(a.under, b.under)
    elif op is ArithmeticOp.DIV:
        found = ratio(multiply(a.over, b.under), multiply(a.under, b.over))
        return replace(found, defined=build.and_(found.defined, a.defined, b.defined))
    else:
        combine = whole_terms.add if op is ArithmeticOp.ADD else whole_terms.subtract
        over, under = combine(multiply(a.over, b.under), multiply(b.over, a.under)), multiply(a.under, b.under)
        if a.under == b.under:
            over, under = combine(a.over, b.over), a.under
    return _over_one(Ratio(over, under, build.and_(a.defined, b.defined)))


def _floor(number: Ratio) -> Whole:
    """The fraction rounded down to a whole number."""
    found = whole_terms.floor_quotient(number.over, number.under)
    return replace(found, defined=build.and_(found.defined, number.defined))


def toward_zero(number: Ratio) -> Whole:
    """The fraction without what is behind its point."""
    found = whole_terms.truncated(number.over, number.under)
    return replace(found, defined=build.and_(found.defined, number.defined))


def _ratio_test(op: Comparison, a: Ratio, b: Ratio) -> Term:
    return compare_wholes(op, multiply(a.over, b.under), multiply(b.over, a.under))


# --- floats ---------------------------------------------------------------------------------------------------


def round_to(number: Exact, target: Float) -> int:
    """The bits of the float nearest to the number. A finite number that rounds to infinity is an error."""
    if number.value is not None and (number.is_computed or number_literal(number.text) is None):
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


def _common(a: Real, b: Real) -> tuple[Term, Term, Float]:
    """Both floats in the wider format, which represents the narrower one's numbers exactly."""
    if a.format == b.format:
        return a.term, b.term, a.format
    small, large = sorted((a.format, b.format), key=lambda f: f.width)
    if small.exponent > large.exponent or small.significand > large.significand:
        raise SortMismatchError("neither of the two float formats holds the other's numbers", "Compare each by itself.")
    return build.fp_to_fp(large, a.term), build.fp_to_fp(large, b.term), large


def _real_test(op: Comparison, a: Real, b: Real) -> Term:
    if op in (Comparison.GT, Comparison.GE):
        return _real_test(_MIRRORED[op], b, a)
    left, right, _ = _common(a, b)
    if op is Comparison.NE:
        return build.not_(build.fp_eq(left, right))
    tests = {Comparison.EQ: build.fp_eq, Comparison.LT: build.fp_lt, Comparison.LE: build.fp_leq}
    return tests[op](left, right)


#: where a whole number is compared with a float: the float is rounded so, and compared as a whole number
_TOWARD: Final = {
    Comparison.LT: sf.Rounding.RTP,
    Comparison.GE: sf.Rounding.RTP,
    Comparison.LE: sf.Rounding.RTN,
    Comparison.GT: sf.Rounding.RTN,
    Comparison.EQ: sf.Rounding.RTZ,
}


def _whole_with_real(op: Comparison, a: Whole, b: Real) -> Term:
    """An exact comparison: n < x is n < ceil(x), which is a whole number or beyond all that n can be."""
    if op is Comparison.NE:
        return build.not_(_whole_with_real(Comparison.EQ, a, b))
    if _bits(a) <= FLOAT64.significand and b.format.width <= FLOAT64.width:
        return _ratio_with_real(op, as_ratio(a), b)
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


def _ratio_with_real(op: Comparison, a: Ratio, b: Real) -> Term:
    """An exact comparison, in a format in which nothing is rounded: over/under < x is over < under * x."""
    wide = _wide_format(b.format, _bits(a.over), _bits(a.under) if a.under != ONE else 0)
    right = build.fp_to_fp(wide, b.term) if wide != b.format else b.term
    if a.under != ONE:
        right = build.fp_mul(_float_of(a.under, wide), right)
    return _real_test(op, Real(_float_of(a.over, wide), wide), Real(right, wide))


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


# --- literals -------------------------------------------------------------------------------------------------


def exact(text: str) -> Fraction | None:
    """The number that a literal writes; None for inf and nan. A number beyond every type of a program is an error.

    >>> exact("0.1"), exact("-0x1.8p1"), exact("inf")
    (Fraction(1, 10), Fraction(-3, 1), None)
    """
    literal = number_literal(text) if len(text) <= _MOST_DIGITS else None
    if len(text) > _MOST_DIGITS or (literal is not None and abs(literal.exponent) > _MOST_DIGITS):
        raise QueryError(
            f"{text if len(text) < 40 else text[:37] + '...'} is a number beyond every type of a program",
            "Write one that the variable could have.",
        )
    return None if literal is None else literal.value


# --- numbers of any kind --------------------------------------------------------------------------------------

_MIRRORED: Final = {
    Comparison.EQ: Comparison.EQ,
    Comparison.NE: Comparison.NE,
    Comparison.LT: Comparison.GT,
    Comparison.LE: Comparison.GE,
    Comparison.GT: Comparison.LT,
    Comparison.GE: Comparison.LE,
}
_EXACT_TESTS: Final = {op: getattr(operator, op.name.lower()) for op in Comparison}


def compare_numbers(op: Comparison, a: Number, b: Number) -> Truth:
    """a op b. A literal takes the type of the other side."""
    for number in (a, b):
        if isinstance(number, Exact) and number.is_nan:
            raise SortMismatchError(
                "nothing compares with nan, not even nan itself",
                "Ask `is nan`, or `is not nan`; after `if`, `is any bits` lets a float be nan too.",
            )
    if any(isinstance(number, Real) and number.upper is not None for number in (a, b)):
        return _compare_ranges(op, a, b)
    match a, b:
        case Exact(), Exact():
            return known(build.const(BOOL, _exact_test(op, a, b)))
        case (Exact(), _) | (Real(), Whole() | Ratio()):
            return compare_numbers(_MIRRORED[op], b, a)
        case Whole(), Exact():
            return known(_whole_with_exact(op, a, b), a.defined)
        case Ratio(), Exact(None, _):
            return known(_beyond(op, b), a.defined)
        case Real(), Exact():
            return known(_real_test(op, a, to_real(b, a.format)), a.defined)
        case Whole(), Whole():
            return known(compare_wholes(op, a, b), build.and_(a.defined, b.defined))
        case Real(), Real():
            return known(_real_test(op, a, b), build.and_(a.defined, b.defined))
        case Whole(), Real():
            return known(_whole_with_real(op, a, b), build.and_(a.defined, b.defined))
        case Ratio(), Real():
            return known(_ratio_with_real(op, a, b), build.and_(a.defined, b.defined))
        case Whole() | Ratio(), Exact() | Whole() | Ratio():
            left, right = as_ratio(a), as_ratio(b)
            return known(_ratio_test(op, left, right), build.and_(left.defined, right.defined))
        case _:
            raise AssertionError(f"{a} and {b} are no numbers")


def _compare_ranges(op: Comparison, a: Number, b: Number) -> Truth:
    """The same for numbers that are known between two ends: true or false if it is so whatever the numbers are."""
    if op is Comparison.NE:
        return opposite(_compare_ranges(Comparison.EQ, a, b))
    firsts, seconds = (one.ends if isinstance(one, Real) else (one,) for one in (a, b))
    if op is Comparison.EQ:
        apart = either([_compare_ranges(Comparison.LT, a, b), _compare_ranges(Comparison.GT, a, b)]).true
        return Truth(both([compare_numbers(op, one, other) for one in firsts for other in seconds]).true, apart)
    found = [compare_numbers(op, one, other) for one in firsts for other in seconds]
    return Truth(build.all_of(each.true for each in found), build.all_of(each.false for each in found))


def _exact_test(op: Comparison, a: Exact, b: Exact) -> bool:
    x, y = (n.value if n.value is not None else math.inf * (-1 if n.text.startswith("-") else 1) for n in (a, b))
    holds: bool = _EXACT_TESTS[op](x, y)
    return holds


def _shown(number: int) -> str:
    """The number as text; an approximation if it has very many digits."""
    return str(number) if number.bit_length() <= 256 else f"about {'-' * (number < 0)}2**{number.bit_length()}"


def _whole_with_exact(op: Comparison, a: Whole, b: Exact) -> Term:
    """An exact comparison: `x < 2.5` is `x <= 2`, and `x < 300` is true of every uint8.

    Equality with a number that the variable cannot have is an error.
    """
    value = b.value
    if op in (Comparison.EQ, Comparison.NE):
        if value is None or value.denominator != 1 or not a.low <= value <= a.high:
            raise SortMismatchError(
                f"a whole number from {_shown(a.low)} to {_shown(a.high)} is never {b.text}",
                "Write a number that it can be, or compare with < or >.",
            )
        return compare_wholes(op, a, whole(int(value)))
    if value is None:
        return _beyond(op, b)
    if op in (Comparison.LT, Comparison.GE):
        return compare_wholes(op, a, whole(math.ceil(value)))
    return compare_wholes(op, a, whole(math.floor(value)))


def _beyond(op: Comparison, infinity: Exact) -> Term:
    """A number op an infinity."""
    if op in (Comparison.EQ, Comparison.NE):
        return FALSE if op is Comparison.EQ else TRUE
    return TRUE if (op in (Comparison.LT, Comparison.LE)) != infinity.text.startswith("-") else FALSE


#: on exact numbers, on whole numbers, on floats; None: it takes no such numbers
_ARITHMETIC: Final[
    dict[
        ArithmeticOp,
        tuple[
            Callable[[Fraction, Fraction], Fraction | int],
            Callable[[Whole, Whole], Whole | Ratio],
            Callable[[Term, Term], Term] | None,
        ],
    ]
] = {
    ArithmeticOp.ADD: (operator.add, whole_terms.add, build.fp_add),
    ArithmeticOp.SUB: (operator.sub, whole_terms.subtract, build.fp_sub),
    ArithmeticOp.MUL: (operator.mul, multiply, build.fp_mul),
    ArithmeticOp.DIV: (operator.truediv, ratio, build.fp_div),
    ArithmeticOp.FLOOR: (operator.floordiv, whole_terms.floor_quotient, None),
    ArithmeticOp.MOD: (operator.mod, whole_terms.modulo, None),
    ArithmeticOp.BIT_AND: (lambda x, y: int(x) & int(y), whole_terms.bits_and, None),
    ArithmeticOp.BIT_OR: (lambda x, y: int(x) | int(y), whole_terms.bits_or, None),
    ArithmeticOp.BIT_XOR: (lambda x, y: int(x) ^ int(y), whole_terms.bits_xor, None),
    ArithmeticOp.LEFT: (lambda x, y: x * 2 ** int(y), whole_terms.shift_left, None),
    ArithmeticOp.RIGHT: (lambda x, y: x // 2 ** int(y), whole_terms.shift_right, None),
}
_QUOTIENTS: Final = (ArithmeticOp.DIV, ArithmeticOp.FLOOR, ArithmeticOp.MOD)
_SHIFTS: Final = (ArithmeticOp.LEFT, ArithmeticOp.RIGHT)

#: operators on the bits of whole numbers
BITWISE: Final = (ArithmeticOp.BIT_AND, ArithmeticOp.BIT_OR, ArithmeticOp.BIT_XOR, *_SHIFTS)


def compute(op: ArithmeticOp, a: Number, b: Number) -> Number:
    """a op b. Two literals are computed exactly; beside a float, anything else is rounded to the float's format."""
    if op in BITWISE:
        a, b = _bits_of(a), _bits_of(b)
    on_exact, on_wholes, on_floats = _ARITHMETIC[op]
    if isinstance(a, Exact) and isinstance(b, Exact):
        return _exact_arithmetic(op, a, b, on_exact)
    if isinstance(a, Real):
        return _float_arithmetic(op, on_floats, a, b if isinstance(b, Real) else to_real(b, a.format))
    if isinstance(b, Real):
        return _float_arithmetic(op, on_floats, to_real(a, b.format), b)
    for number in (a, b):
        if isinstance(number, Exact) and number.value is None:
            raise _infinite()
    x, y = as_whole(a), as_whole(b)
    if x is not None and y is not None:
        return on_wholes(x, y)
    return _of_ratios(op, as_ratio(a), as_ratio(b))


def _float_arithmetic(op: ArithmeticOp, operate: Callable[[Term, Term], Term] | None, a: Real, b: Real) -> Real:
    if operate is None:
        raise SortMismatchError(
            f"{op.value} is for whole numbers, and this is a float",
            "Convert it first: int64(x) cuts off what is behind the point.",
        )
    x, y, wider = _common(a, b)
    return Real(operate(x, y), wider, build.and_(a.defined, b.defined))


def as_whole(number: Number) -> Whole | None:
    """The number as a whole one, if it is one."""
    if isinstance(number, Exact) and number.value is not None and number.value.denominator == 1:
        return whole(int(number.value))
    return number if isinstance(number, Whole) else None


def _of_ratios(op: ArithmeticOp, a: Ratio, b: Ratio) -> Number:
    if op is ArithmeticOp.FLOOR:
        quotient = as_ratio(_ratio_arithmetic(ArithmeticOp.DIV, a, b))
        return _floor(quotient)
    if op is ArithmeticOp.MOD:
        quotient = as_ratio(_of_ratios(ArithmeticOp.FLOOR, a, b))
        return _ratio_arithmetic(ArithmeticOp.SUB, a, as_ratio(_ratio_arithmetic(ArithmeticOp.MUL, b, quotient)))
    return _ratio_arithmetic(op, a, b)


def complement(number: Number) -> Number:
    """All bits turned over."""
    return compute(ArithmeticOp.SUB, Exact(Fraction(-1), "-1"), _bits_of(number))


def _bits_of(number: Number) -> Exact | Whole:
    """The number, if it is a whole one, whose bits can be computed with."""
    if isinstance(number, Whole) or (isinstance(number, Exact) and as_whole(number) is not None):
        return number
    what = "a float" if isinstance(number, Real) else "a fraction" if isinstance(number, Ratio) else number.text
    raise SortMismatchError(
        f"bits are those of a whole number, and this is {what}",
        "Convert it first: int32(x) cuts off what is behind the point.",
    )


def _exact_arithmetic(
    op: ArithmeticOp, a: Exact, b: Exact, operate: Callable[[Fraction, Fraction], Fraction | int]
) -> Exact:
    if a.value is None or b.value is None:
        raise _infinite()
    if op in _QUOTIENTS and b.value == 0:
        raise SortMismatchError("this divides by zero", "Write inf if infinity is meant.")
    if op in _SHIFTS and not 0 <= b.value <= _MOST_BITS:
        raise SortMismatchError(f"this shifts by {b.text} bits", "Shift by fewer, or the other way.")
    value = Fraction(operate(a.value, b.value))
    if max(value.numerator.bit_length(), value.denominator.bit_length()) > _MOST_BITS:
        raise QueryError("this works out to a number beyond every type of a program", "Write a smaller one.")
    return worked_out(value)


def worked_out(value: Fraction) -> Exact:
    """A number that was computed of literals."""
    return Exact(value, str(value), is_computed=True)


def _infinite() -> SortMismatchError:
    return SortMismatchError(
        "inf and nan are no numbers to compute with", "Compute with a variable, or write the result."
    )


def absolute(number: Number) -> Number:
    match number:
        case Exact(value, text):
            return Exact(None if value is None else abs(value), text.lstrip("-"), is_computed=number.is_computed)
        case Real(term, format, defined):
            return Real(build.fp_abs(term), format, defined)
        case Whole():
            return whole_terms.absolute(number)
        case Ratio(over, under, defined):
            return Ratio(whole_terms.absolute(over), under, defined)


def negative(number: Number) -> Number:
    match number:
        case Exact(value, text):
            turned = text[1:] if text.startswith("-") else f"-{text}"
            return Exact(None if value is None else -value, turned, is_computed=number.is_computed)
        case Real(term, format, defined):
            return Real(build.fp_neg(term), format, defined)
        case Whole():
            return whole_terms.minus(number)
        case Ratio(over, under, defined):
            return Ratio(whole_terms.minus(over), under, defined)
