"""What Python makes of the arithmetic of questions: ints are unbounded, fractions are exact, floats are doubles."""

from __future__ import annotations

import math
import operator
import struct
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from hypothesis import strategies as st

from soid.formula.softfloat import from_fraction
from soid.formula.sorts import FLOAT32, FLOAT64
from soid.program.types import FloatType, IntType, VariableType
from soid.scenario import expression as ex
from soid.scenario.expression import ArithmeticOp, Comparison, Expression, Literal, Name, NumberFunction

TYPES: dict[str, VariableType] = {
    "i": IntType(8, signed=True),
    "n": IntType(8, signed=False),
    "w": IntType(16, signed=True),
    "q": IntType(64, signed=True),
    "f": FloatType(FLOAT32),
    "d": FloatType(FLOAT64),
}
WIDTHS = {"int8": (-128, 127), "uint8": (0, 255), "int16": (-(2**15), 2**15 - 1), "uint16": (0, 2**16 - 1)}
WIDTHS |= {"int32": (-(2**31), 2**31 - 1), "uint32": (0, 2**32 - 1)}
WIDTHS |= {"int64": (-(2**63), 2**63 - 1), "uint64": (0, 2**64 - 1)}


class Undefined(Exception):
    """The expression has no value here."""


class Refused(Exception):
    """The expression has no meaning, or soid may say that it has none."""


class Single(float):
    """A float of 32 bits."""


def rounded(value: Fraction | float, like: float) -> float:
    """A number in the format of another, rounded once."""
    if isinstance(value, float):
        return value if type(value) is type(like) or isinstance(like, Single) else float(value)
    if isinstance(like, Single):
        (single,) = struct.unpack("<f", from_fraction(FLOAT32, value).to_bytes(4, "little"))
        return Single(single)
    (double,) = struct.unpack("<d", from_fraction(FLOAT64, value).to_bytes(8, "little"))
    return float(double)


def single(value: float) -> Single:
    try:
        return Single(struct.unpack("<f", struct.pack("<f", value))[0])
    except OverflowError:
        return Single(math.copysign(math.inf, value))


OPERATIONS: dict[ArithmeticOp, Callable[[Any, Any], Any]] = {
    ArithmeticOp.ADD: operator.add,
    ArithmeticOp.SUB: operator.sub,
    ArithmeticOp.MUL: operator.mul,
    ArithmeticOp.DIV: operator.truediv,
    ArithmeticOp.FLOOR: operator.floordiv,
    ArithmeticOp.MOD: operator.mod,
    ArithmeticOp.BIT_AND: operator.and_,
    ArithmeticOp.BIT_OR: operator.or_,
    ArithmeticOp.BIT_XOR: operator.xor,
    ArithmeticOp.LEFT: operator.lshift,
    ArithmeticOp.RIGHT: operator.rshift,
}
QUOTIENTS = (ArithmeticOp.DIV, ArithmeticOp.FLOOR, ArithmeticOp.MOD)
SHIFTS = (ArithmeticOp.LEFT, ArithmeticOp.RIGHT)
ON_FLOATS = (ArithmeticOp.ADD, ArithmeticOp.SUB, ArithmeticOp.MUL, ArithmeticOp.DIV)


def python(node: Expression, values: Mapping[str, int | float]) -> Fraction | float:
    match node:
        case Name(path):
            value = values[path]
            return Single(value) if path == "f" else value if path == "d" else Fraction(value)
        case Literal(text):
            return Fraction(text)
        case ex.Negate(operand):
            inner = python(operand, values)
            return Single(-inner) if isinstance(inner, Single) else -inner
        case ex.Complement(operand):
            return Fraction(~whole(python(operand, values)))
        case ex.Arithmetic(op, left, right):
            return _computed(op, python(left, values), python(right, values))
        case ex.FunctionCall(function, operands):
            return _called(function, [python(operand, values) for operand in operands])
        case _:
            raise AssertionError(node)


def whole(value: Fraction | float) -> int:
    if isinstance(value, float) or value.denominator != 1:
        raise Refused
    return int(value)


def _computed(op: ArithmeticOp, a: Fraction | float, b: Fraction | float) -> Fraction | float:
    if isinstance(a, Fraction) and isinstance(b, Fraction):
        if op in QUOTIENTS and b == 0:
            raise Undefined
        if op not in (*ON_FLOATS, *QUOTIENTS):
            bits, other = whole(a), whole(b)
            if op in SHIFTS and other < 0:
                raise Undefined
            return Fraction(OPERATIONS[op](bits, min(other, 10_000)))
        return Fraction(OPERATIONS[op](a, b))
    if op not in ON_FLOATS:
        raise Refused
    x, y = (rounded(a, b) if isinstance(b, float) else a), (rounded(b, a) if isinstance(a, float) else b)
    narrow = isinstance(x, Single) and isinstance(y, Single)
    assert isinstance(x, float) and isinstance(y, float)
    if op is ArithmeticOp.DIV and y == 0:
        result = math.nan if x == 0 or math.isnan(x) else math.copysign(math.inf, x) * math.copysign(1, y)
    else:
        result = OPERATIONS[op](float(x), float(y))
    return single(result) if narrow else float(result)


def _called(function: NumberFunction, numbers: list[Fraction | float]) -> Fraction | float:
    first = numbers[0]
    match function:
        case NumberFunction.ABS:
            if isinstance(first, Fraction):
                return abs(first)
            return Single(math.fabs(first)) if isinstance(first, Single) else math.fabs(first)
        case NumberFunction.MIN | NumberFunction.MAX:
            return _extreme(function, numbers)
        case NumberFunction.QUOT | NumberFunction.REM:
            x, y = whole(first), whole(numbers[1])
            if y == 0:
                raise Undefined
            quotient = math.trunc(Fraction(x, y))
            return Fraction(quotient if function is NumberFunction.QUOT else x - y * quotient)
        case NumberFunction.FLOAT32:
            return single(first) if isinstance(first, float) else rounded(first, Single(0))
        case NumberFunction.FLOAT64:
            return float(first) if isinstance(first, float) else rounded(first, 0.0)
        case _:
            if isinstance(first, float) and not math.isfinite(first):
                raise Undefined
            cut = math.trunc(first)
            low, high = WIDTHS[function.value]
            if not low <= cut <= high:
                raise Undefined
            return Fraction(cut)


def _extreme(function: NumberFunction, numbers: list[Fraction | float]) -> Fraction | float:
    best: Callable[..., Any] = min if function is NumberFunction.MIN else max
    floats = [number for number in numbers if isinstance(number, float)]
    if not floats:
        return Fraction(best(numbers))
    wide = all(isinstance(number, Single) for number in floats)
    like: float = Single(0) if wide else 0.0
    converted = [rounded(number, like) if isinstance(number, Fraction) else number for number in numbers]
    if any(math.isnan(number) for number in converted):
        return Single(math.nan) if wide else math.nan
    found = best(converted, key=lambda number: (number, math.copysign(1, number)))
    return Single(found) if wide else float(found)


TESTS: dict[Comparison, Callable[[Any, Any], bool]] = {
    Comparison.EQ: operator.eq,
    Comparison.NE: operator.ne,
    Comparison.LT: operator.lt,
    Comparison.LE: operator.le,
    Comparison.GT: operator.gt,
    Comparison.GE: operator.ge,
}

# --- random ones ------------------------------------------------------------------------------------------------

values = st.fixed_dictionaries(
    {
        "i": st.integers(-128, 127),
        "n": st.integers(0, 255),
        "w": st.integers(-(2**15), 2**15 - 1),
        "q": st.integers(-(2**63), 2**63 - 1),
        "f": st.floats(width=32) | st.integers(-300, 300).map(float),
        "d": st.floats() | st.integers(-300, 300).map(float),
    }
)
literals = st.integers(-40, 40).map(str) | st.sampled_from(["0.5", "2.34", "-1.87", "0.1", "3.75"])
wholes = st.sampled_from([Name("i"), Name("n"), Name("w")]) | st.integers(-40, 40).map(lambda n: Literal(str(n)))
numbers = st.sampled_from([Name(name) for name in TYPES]) | literals.map(Literal)


def nodes(inner: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    return st.one_of(
        st.builds(ex.Arithmetic, st.sampled_from(ArithmeticOp), inner, inner),
        st.builds(lambda function, operand: ex.FunctionCall(function, (operand,)), st.sampled_from(CONVERSIONS), inner),
        st.builds(lambda function, a, b: ex.FunctionCall(function, (a, b)), st.sampled_from(PAIRS), inner, inner),
        inner.map(ex.negate),
        inner.map(ex.Complement),
    )


PAIRS = [NumberFunction.MIN, NumberFunction.MAX, NumberFunction.QUOT, NumberFunction.REM]
CONVERSIONS = [NumberFunction.ABS, *(each for each in NumberFunction if each.value in (*WIDTHS, "float32", "float64"))]
whole_expressions: st.SearchStrategy[Expression] = st.recursive(wholes, nodes, max_leaves=4)
expressions: st.SearchStrategy[Expression] = st.recursive(numbers, nodes, max_leaves=4)


def compared(left: Expression, sign: Comparison, right: Expression, given: Mapping[str, int | float]) -> bool | None:
    """What a comparison is; None: one side has no value."""
    try:
        a, b = python(left, given), python(right, given)
    except Undefined:
        return None
    # a number that is written, or worked out of such numbers, is rounded to the float's format where it is compared
    if isinstance(a, float) and isinstance(b, Fraction) and not _has_name(right):
        b = rounded(b, a)
    if isinstance(b, float) and isinstance(a, Fraction) and not _has_name(left):
        a = rounded(a, b)
    return TESTS[sign](a, b)


def _has_name(expression: Expression) -> bool:
    return any(isinstance(node, Name) for node in ex.walk(expression))
