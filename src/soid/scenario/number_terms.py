"""Comparison and arithmetic of numbers. There are five typing rules:

- a literal is exact (`Exact`) until it is combined with a float; then it is rounded to the float's format;
- whole numbers (`Whole`) and fractions of them (`Ratio`) are exact: `2.34 * count` is 117 * count / 50;
- floats (`Real`) are computed in the program's own format; of two formats, in the wider one;
- a whole number or a fraction is compared with a float by value, exactly;
- computed with a float it is rounded once, to the float's format (nearest, ties to even), as C does.

>>> from soid.formula.build import var
>>> from soid.formula.sorts import BitVec
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

from soid.errors import QueryError, SortMismatchError
from soid.formula import build
from soid.formula.build import FALSE, TRUE
from soid.formula.decimals import number_literal
from soid.formula.sorts import BOOL
from soid.formula.term import Term
from soid.scenario import whole_terms
from soid.scenario.expression import ArithmeticOp, Comparison
from soid.scenario.float_terms import compare_floats, compare_with_float, in_common, to_real
from soid.scenario.operand_values import Exact, Number, Ratio, Real, Truth, Whole, both, either, known, opposite
from soid.scenario.ratio_terms import as_ratio, compare_ratios, floor, ratio, ratio_arithmetic
from soid.scenario.whole_terms import compare_wholes, multiply, whole

#: limits on literals and on computed literals: no type of a program needs more, and larger ones could take all memory
_MOST_DIGITS: Final = 4_000
_MOST_BITS: Final = 12_000

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

_EXACT_TESTS: Final = {op: getattr(operator, op.name.lower()) for op in Comparison}


def compare_numbers(op: Comparison, a: Number, b: Number) -> Truth:
    """a op b. A literal takes the type of the other side."""
    if (isinstance(a, Exact) and a.is_nan) or (isinstance(b, Exact) and b.is_nan):
        raise SortMismatchError(
            "nothing compares with nan, not even nan itself",
            "Ask `is nan`, or `is not nan`; after `if`, `is any bits` lets a float be nan too.",
        )
    if (isinstance(a, Real) and a.upper is not None) or (isinstance(b, Real) and b.upper is not None):
        return _compare_ranges(op, a, b)
    match a, b:
        case Exact(), Exact():
            return known(build.const(BOOL, _exact_test(op, a, b)))
        case (Exact(), _) | (Real(), Whole() | Ratio()):
            return compare_numbers(op.mirrored, b, a)
        case Whole(), Exact():
            return known(_whole_with_exact(op, a, b), a.defined)
        case Ratio(), Exact(None, _):
            return known(_beyond(op, b), a.defined)
        case Real(), Exact():
            return known(compare_floats(op, a, to_real(b, a.format)), a.defined)
        case Whole(), Whole():
            return known(compare_wholes(op, a, b), build.and_(a.defined, b.defined))
        case Real(), Real():
            return known(compare_floats(op, a, b), build.and_(a.defined, b.defined))
        case Whole() | Ratio(), Real():
            return known(compare_with_float(op, a, b), build.and_(a.defined, b.defined))
        case Whole() | Ratio(), Exact() | Whole() | Ratio():
            left, right = as_ratio(a), as_ratio(b)
            return known(compare_ratios(op, left, right), build.and_(left.defined, right.defined))
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
    x, y, wider = in_common(a, b)
    return Real(operate(x, y), wider, build.and_(a.defined, b.defined))


def as_whole(number: Number) -> Whole | None:
    """The number as a whole one, if it is one."""
    if isinstance(number, Exact) and number.value is not None and number.value.denominator == 1:
        return whole(int(number.value))
    return number if isinstance(number, Whole) else None


def _of_ratios(op: ArithmeticOp, a: Ratio, b: Ratio) -> Number:
    if op is ArithmeticOp.FLOOR:
        quotient = as_ratio(ratio_arithmetic(ArithmeticOp.DIV, a, b))
        return floor(quotient)
    if op is ArithmeticOp.MOD:
        quotient = as_ratio(_of_ratios(ArithmeticOp.FLOOR, a, b))
        return ratio_arithmetic(ArithmeticOp.SUB, a, as_ratio(ratio_arithmetic(ArithmeticOp.MUL, b, quotient)))
    return ratio_arithmetic(op, a, b)


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
