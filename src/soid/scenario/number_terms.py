"""Comparison and arithmetic of numbers. There are four typing rules:

- a literal is exact (`Exact`) until it is combined with a variable; then it is rounded to the variable's type;
- whole numbers (`Whole`) are computed exactly: bit-vectors are widened so that nothing wraps, and numbers of different
  widths and signs compare by value;
- floats (`Real`) are computed in the program's own format; of two formats, in the wider one;
- whole numbers and floats do not mix: a program would convert one of them, and soid does not guess which.

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

from soid.errors import QueryError, SortMismatchError
from soid.formula import build, decimals
from soid.formula import softfloat as sf
from soid.formula.build import FALSE, TRUE
from soid.formula.decimals import number_literal
from soid.formula.sorts import BOOL, BitVec, Float
from soid.formula.term import Term
from soid.scenario.expression import ArithmeticOp, Comparison
from soid.scenario.operand_values import Exact, Number, Real, Truth, Whole, both, either, known, opposite

#: limits on literals and on computed literals: no type of a program needs more, and larger ones could take all memory
_MOST_DIGITS: Final = 4_000
_MOST_BITS: Final = 12_000

# --- whole numbers --------------------------------------------------------------------------------------------


def whole(value: int) -> Whole:
    signed = value < 0
    width = max(1, value.bit_length() + signed)
    return Whole(build.const(BitVec(width), value), signed, value, value)


def _widened(number: Whole, width: int) -> Term:
    sort = number.term.sort
    assert isinstance(sort, BitVec)
    by = width - sort.width
    return build.sign_extend(number.term, by) if number.signed else build.zero_extend(number.term, by)


def _aligned(a: Whole, b: Whole, low: int, high: int) -> tuple[Term, Term, bool]:
    """Both numbers in one width and signedness, which also has room for the numbers from low to high."""
    signed = a.signed or b.signed or low < 0
    bits = max(high.bit_length(), (low if low >= 0 else ~low).bit_length())
    width = max(1, bits + signed)
    for number in (a, b):
        assert isinstance(number.term.sort, BitVec)
        width = max(width, number.term.sort.width + (signed and not number.signed))
    return _widened(a, width), _widened(b, width), signed


def _whole_arithmetic(op: ArithmeticOp, a: Whole, b: Whole) -> Whole:
    if op is ArithmeticOp.ADD:
        low, high, make = a.low + b.low, a.high + b.high, build.bvadd
    elif op is ArithmeticOp.SUB:
        low, high, make = a.low - b.high, a.high - b.low, build.bvsub
    elif op is ArithmeticOp.MUL:
        corners = [x * y for x in (a.low, a.high) for y in (b.low, b.high)]
        low, high, make = min(corners), max(corners), build.bvmul
    else:
        raise SortMismatchError(
            "whole numbers are not divided here, since programs round the quotient in different ways",
            "Multiply instead: 2 * x <= y rather than x <= y / 2.",
        )
    left, right, signed = _aligned(a, b, low, high)
    return Whole(make(left, right), signed, low, high, build.and_(a.defined, b.defined))


def _whole_test(op: Comparison, a: Whole, b: Whole) -> Term:
    left, right, signed = _aligned(a, b, 0, 0)
    less = build.bvslt if signed else build.bvult
    at_most = build.bvsle if signed else build.bvule
    match op:
        case Comparison.EQ:
            return FALSE if a.high < b.low or b.high < a.low else build.eq(left, right)
        case Comparison.LT:
            return TRUE if a.high < b.low else FALSE if a.low >= b.high else less(left, right)
        case Comparison.LE:
            return TRUE if a.high <= b.low else FALSE if a.low > b.high else at_most(left, right)
        case Comparison.NE | Comparison.GT | Comparison.GE:
            return build.not_(_whole_test(_OPPOSITE[op], a, b))


# --- floats ---------------------------------------------------------------------------------------------------


def round_to(number: Exact, target: Float) -> int:
    """The bits of the float nearest to the number. A finite number that rounds to infinity is an error."""
    if number.value is not None and "/" in number.text:
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


def _real(number: Exact, target: Float) -> Real:
    return Real(build.const(target, round_to(number, target)), target)


def _common(a: Real, b: Real) -> tuple[Term, Term, Float]:
    """Both floats in the wider format, which represents the narrower one's numbers exactly."""
    if a.format == b.format:
        return a.term, b.term, a.format
    small, large = sorted((a.format, b.format), key=lambda f: f.width)
    if small.exponent > large.exponent or small.significand > large.significand:
        raise SortMismatchError("neither of the two float formats holds the other's numbers", "Compare each by itself.")
    return build.fp_to_fp(large, a.term), build.fp_to_fp(large, b.term), large


#: on literals, and on floats
_ARITHMETIC: Final[
    dict[ArithmeticOp, tuple[Callable[[Fraction, Fraction], Fraction], Callable[[Term, Term], Term]]]
] = {
    ArithmeticOp.ADD: (operator.add, build.fp_add),
    ArithmeticOp.SUB: (operator.sub, build.fp_sub),
    ArithmeticOp.MUL: (operator.mul, build.fp_mul),
    ArithmeticOp.DIV: (operator.truediv, build.fp_div),
}


def _real_test(op: Comparison, a: Real, b: Real) -> Term:
    if op in (Comparison.GT, Comparison.GE):
        return _real_test(_MIRRORED[op], b, a)
    left, right, _ = _common(a, b)
    if op is Comparison.NE:
        return build.not_(build.fp_eq(left, right))
    tests = {Comparison.EQ: build.fp_eq, Comparison.LT: build.fp_lt, Comparison.LE: build.fp_leq}
    return tests[op](left, right)


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

_OPPOSITE: Final = {Comparison.NE: Comparison.EQ, Comparison.GT: Comparison.LE, Comparison.GE: Comparison.LT}
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
    if (isinstance(a, Exact) and a.is_nan) or (isinstance(b, Exact) and b.is_nan):
        raise SortMismatchError("nothing compares with nan, not even nan itself", "Ask `is nan`.")
    if (isinstance(a, Real) and a.upper is not None) or (isinstance(b, Real) and b.upper is not None):
        return _compare_ranges(op, a, b)
    match a, b:
        case Exact(), Exact():
            return known(build.const(BOOL, _exact_test(op, a, b)))
        case Exact(), _:
            return compare_numbers(_MIRRORED[op], b, a)
        case Whole(), Exact():
            return known(_whole_with_exact(op, a, b), a.defined)
        case Real(), Exact():
            return known(_real_test(op, a, _real(b, a.format)), a.defined)
        case Whole(), Whole():
            return known(_whole_test(op, a, b), build.and_(a.defined, b.defined))
        case Real(), Real():
            return known(_real_test(op, a, b), build.and_(a.defined, b.defined))
        case _:
            raise _mixed()


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
        return _whole_test(op, a, whole(int(value)))
    if value is None:
        return TRUE if (op in (Comparison.LT, Comparison.LE)) != b.text.startswith("-") else FALSE
    if op in (Comparison.LT, Comparison.GE):
        return _whole_test(op, a, whole(math.ceil(value)))
    return _whole_test(op, a, whole(math.floor(value)))


def compute(op: ArithmeticOp, a: Number, b: Number) -> Number:
    """a op b. A literal takes the type of the other side; two literals are computed exactly."""
    if isinstance(a, Exact) and isinstance(b, Exact):
        return _exact_arithmetic(op, a, b)
    match _typed_like(b, a), _typed_like(a, b):
        case Whole() as left, Whole() as right:
            return _whole_arithmetic(op, left, right)
        case Real() as left, Real() as right:
            x, y, wider = _common(left, right)
            return Real(_ARITHMETIC[op][1](x, y), wider, build.and_(left.defined, right.defined))
        case _:
            raise _mixed()


def _typed_like(other: Number, number: Number) -> Number:
    """A literal as a number of the other side's type; any other number as it is."""
    if not isinstance(number, Exact) or isinstance(other, Exact):
        return number
    if isinstance(other, Real):
        return _real(number, other.format)
    if number.value is None or number.value.denominator != 1:
        raise SortMismatchError(
            f"{number.text} is no whole number, and the other side is",
            "Multiply both sides until all numbers are whole.",
        )
    return whole(int(number.value))


def _exact_arithmetic(op: ArithmeticOp, a: Exact, b: Exact) -> Exact:
    if a.value is None or b.value is None:
        raise SortMismatchError(
            "inf and nan are no numbers to compute with", "Compute with a variable, or write the result."
        )
    if op is ArithmeticOp.DIV and b.value == 0:
        raise SortMismatchError("this divides by zero", "Write inf if infinity is meant.")
    value = _ARITHMETIC[op][0](a.value, b.value)
    if max(value.numerator.bit_length(), value.denominator.bit_length()) > _MOST_BITS:
        raise QueryError("this works out to a number beyond every type of a program", "Write a smaller one.")
    return Exact(value, f"{value.numerator}/{value.denominator}")


def _mixed() -> SortMismatchError:
    return SortMismatchError(
        "a whole number and a float do not mix: a program would have to convert one of them",
        "Compare each with a number of its own.",
    )


def absolute(number: Number) -> Number:
    match number:
        case Exact(value, text):
            return Exact(None if value is None else abs(value), text.lstrip("-"))
        case Real(term, format, defined):
            return Real(build.fp_abs(term), format, defined)
        case Whole():
            if number.low >= 0:
                return number
            minus = negative(number)
            assert isinstance(minus, Whole)
            high = max(number.high, minus.high)
            plain, turned, signed = _aligned(number, minus, 0, high)
            below = build.bvslt(number.term, build.const(number.term.sort, 0))
            low = max(number.low, minus.low, 0)
            return Whole(build.ite(below, turned, plain), signed, low, high, number.defined)


def negative(number: Number) -> Number:
    match number:
        case Exact(value, text):
            return Exact(None if value is None else -value, text[1:] if text.startswith("-") else f"-{text}")
        case Real(term, format, defined):
            return Real(build.fp_neg(term), format, defined)
        case Whole():
            return _whole_arithmetic(ArithmeticOp.SUB, whole(0), number)
