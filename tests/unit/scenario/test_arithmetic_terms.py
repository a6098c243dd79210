"""The arithmetic of questions against Python's: ints are unbounded, fractions are exact, floats are doubles."""

from __future__ import annotations

import math
import operator
import struct
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from soid.errors import QueryError, SortMismatchError
from soid.formula import build
from soid.formula.build import FALSE, TRUE, var
from soid.formula.passes import evaluate_all
from soid.formula.softfloat import from_fraction
from soid.formula.sorts import FLOAT32, FLOAT64
from soid.formula.term import Term
from soid.program.types import FloatType, IntType, VariableType, symbol_sort
from soid.query.language.query_parser import parse_behavior
from soid.scenario import expression as ex
from soid.scenario.expression import ArithmeticOp, Comparison, Expression, Function, Literal, Name
from soid.scenario.kleene_terms import Operand, lower

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


class Symbols:
    """Every variable is a symbol, which is evaluated, or a constant, which is folded."""

    fails, decides = FALSE, TRUE

    def __init__(self, values: Mapping[str, int] | None = None) -> None:
        self.values = values

    def read(self, name: str, primed: bool, /) -> Operand:
        sort = symbol_sort(TYPES[name])
        term = var(name, sort) if self.values is None else build.const(sort, self.values[name])
        return Operand(TYPES[name], term)

    def fact(self, name: str, primed: bool, /) -> Operand:
        return self.read(name, primed)

    def enumerators(self, label: str, /) -> tuple[tuple[str, int], ...]:
        return ()


def holds(formula: Expression, values: Mapping[str, int | float]) -> bool | None:
    """The truth of a formula: evaluated, and folded."""
    bits = {name: _bits(kind, values[name]) for name, kind in TYPES.items()}
    truth = lower(formula, Symbols())
    symbols: dict[Term, int] = {var(name, symbol_sort(TYPES[name])): value for name, value in bits.items()}
    true, false = evaluate_all([truth.true, truth.false], symbols)
    folded = lower(formula, Symbols(bits))
    assert (folded.true is TRUE, folded.false is TRUE) == (true, false)
    assert not (true and false)
    return True if true else False if false else None


def _bits(kind: VariableType, value: float) -> int:
    if isinstance(kind, FloatType):
        form = "f" if kind.format == FLOAT32 else "d"
        return int.from_bytes(struct.pack(f"<{form}", value), "little")
    return int(value) & (1 << kind.width) - 1


# --- what Python makes of an expression -------------------------------------------------------------------------


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
        case ex.Call(function, operands):
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
            x, y = whole(a), whole(b)
            if op in SHIFTS and y < 0:
                raise Undefined
            return Fraction(OPERATIONS[op](x, min(y, 10_000)))
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


def _called(function: Function, numbers: list[Fraction | float]) -> Fraction | float:
    first = numbers[0]
    match function:
        case Function.ABS:
            return Single(abs(first)) if isinstance(first, Single) else abs(first)
        case Function.MIN | Function.MAX:
            return _extreme(function, numbers)
        case Function.QUOT | Function.REM:
            x, y = whole(first), whole(numbers[1])
            if y == 0:
                raise Undefined
            quotient = math.trunc(Fraction(x, y))
            return Fraction(quotient if function is Function.QUOT else x - y * quotient)
        case Function.FLOAT32:
            return single(first) if isinstance(first, float) else rounded(first, Single(0))
        case Function.FLOAT64:
            return float(first) if isinstance(first, float) else rounded(first, 0.0)
        case _:
            if isinstance(first, float) and not math.isfinite(first):
                raise Undefined
            cut = math.trunc(first)
            low, high = WIDTHS[function.value]
            if not low <= cut <= high:
                raise Undefined
            return Fraction(cut)


def _extreme(function: Function, numbers: list[Fraction | float]) -> Fraction | float:
    best: Callable[..., Any] = min if function is Function.MIN else max
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
        st.builds(lambda function, operand: ex.Call(function, (operand,)), st.sampled_from(CONVERSIONS), inner),
        st.builds(lambda function, a, b: ex.Call(function, (a, b)), st.sampled_from(PAIRS), inner, inner),
        inner.map(ex.negate),
        inner.map(ex.Complement),
    )


PAIRS = [Function.MIN, Function.MAX, Function.QUOT, Function.REM]
CONVERSIONS = [Function.ABS, *(each for each in Function if each.value in WIDTHS), Function.FLOAT32, Function.FLOAT64]
whole_expressions: st.SearchStrategy[Expression] = st.recursive(wholes, nodes, max_leaves=4)
expressions: st.SearchStrategy[Expression] = st.recursive(numbers, nodes, max_leaves=4)


def _agrees(left: Expression, sign: Comparison, right: Expression, given_values: Mapping[str, int | float]) -> None:
    """Whether soid says of a comparison what Python says of it."""
    formula = ex.Compare(left, ((sign, right),))
    try:
        found = holds(formula, given_values)
    except QueryError:  # a number that the other side never is, a division by a literal zero, bits of a float ...
        return
    try:
        a, b = python(left, given_values), python(right, given_values)
    except Undefined:
        assert found is None
        return
    # a number that is written, or worked out of such numbers, is rounded to the float's format where it is compared
    if isinstance(a, float) and isinstance(b, Fraction) and not _has_name(right):
        b = rounded(b, a)
    if isinstance(b, float) and isinstance(a, Fraction) and not _has_name(left):
        a = rounded(a, b)
    assert found is TESTS[sign](a, b)


def _has_name(expression: Expression) -> bool:
    return any(isinstance(node, Name) for node in ex.walk(expression))


@given(whole_expressions, st.sampled_from(Comparison), whole_expressions, values)
def test_whole_numbers_and_fractions_are_exact(
    left: Expression, sign: Comparison, right: Expression, given_values: dict[str, int | float]
) -> None:
    _agrees(left, sign, right, given_values)


@given(expressions, st.sampled_from(Comparison), expressions, values)
def test_mixed_numbers_are_rounded_where_it_is_said(
    left: Expression, sign: Comparison, right: Expression, given_values: dict[str, int | float]
) -> None:
    _agrees(left, sign, right, given_values)


@given(st.integers(-(2**63), 2**63 - 1), st.sampled_from(Comparison), st.floats())
def test_a_whole_number_is_compared_with_a_float_by_value(q: int, sign: Comparison, d: float) -> None:
    _agrees(Name("q"), sign, Name("d"), {"i": 0, "n": 0, "w": 0, "q": q, "f": 0.0, "d": d})
    near = dict.fromkeys(TYPES, 0) | {"q": q, "d": float(q)}
    _agrees(Name("q"), sign, Name("d"), near)
    third = ex.Arithmetic(ArithmeticOp.DIV, Name("q"), Literal("3"))
    _agrees(third, sign, Name("d"), near | {"d": float(Fraction(q, 3))})


@given(st.integers(-(2**63), 2**63 - 1), st.integers(1, 255))
def test_a_fraction_is_rounded_once(q: int, n: int) -> None:
    for function in (Function.FLOAT32, Function.FLOAT64):
        quotient = ex.Call(function, (ex.Arithmetic(ArithmeticOp.DIV, Name("q"), Name("n")),))
        like = Single(0) if function is Function.FLOAT32 else 0.0
        exact = ex.Arithmetic(ArithmeticOp.SUB, quotient, Literal(repr(float(rounded(Fraction(q, n), like)))))
        given_values = dict.fromkeys(TYPES, 0) | {"q": q, "n": n}
        assert holds(ex.Compare(exact, ((Comparison.EQ, Literal("0")),)), given_values)


# --- single ones ------------------------------------------------------------------------------------------------

ZERO: dict[str, int | float] = dict.fromkeys(TYPES, 0)


@pytest.mark.parametrize(
    ("text", "given_values", "expected"),
    [
        ("i // 3 == -3", {"i": -7}, True),
        ("i % 3 == 2", {"i": -7}, True),
        ("quot(i, 3) == -2", {"i": -7}, True),
        ("rem(i, 3) == -1", {"i": -7}, True),
        ("i / n == 0.5", {"i": 3, "n": 6}, True),
        ("i / n == 0.5", {"i": 3, "n": 0}, None),
        ("not (i // n == 1)", {"i": 3, "n": 0}, None),
        ("i // n == 1 or i == 3", {"i": 3, "n": 0}, True),
        ("~n == -1 - n", {"n": 200}, True),
        ("~n & 0xff == 55", {"n": 200}, True),
        ("i & 6 == 4", {"i": -4}, True),
        ("n xor 255 == 55", {"n": 200}, True),
        ("n | 1 == 201", {"n": 200}, True),
        ("1 << n == 1024", {"n": 10}, True),
        ("i >> 1 == -4", {"i": -7}, True),
        ("n >> i == 1", {"n": 200, "i": -1}, None),
        ("uint8(i) == 3", {"i": 3}, True),
        ("uint8(i) == 3", {"i": -3}, None),
        ("int8(f) == -2", {"f": -2.9}, True),
        ("int8(f) == 0", {"f": 128.0}, None),
        ("int8(f) == 0", {"f": math.nan}, None),
        ("float32(q) == 16777216", {"q": 16777217}, True),
        ("float64(q) == 16777217", {"q": 16777217}, True),
        ("q == f", {"q": 16777217, "f": 16777216.0}, False),
        ("q > f", {"q": 16777217, "f": 16777216.0}, True),
        ("q + f == 33554432", {"q": 16777217, "f": 16777216.0}, True),
        ("min(f, 2.5, i) is -0.0", {"f": -0.0, "i": 0}, True),
        ("max(f, i) is -0.0", {"f": -0.0, "i": 0}, False),
        ("min(f, 1.0) is nan", {"f": math.nan}, True),
        ("max(i, n, 3) == 7", {"i": 7, "n": 5}, True),
        ("abs(i / 4) == 1.75", {"i": -7}, True),
        ("3 + 2.34 * i >= -1.87", {"i": -2}, True),
        ("3 + 2.34 * i >= -1.87", {"i": -3}, False),
        ("2.34 * f == 0", {"f": 0.0}, True),
        ("i == 7 implies n == 5", {"i": 7, "n": 5}, True),
        ("i == 7 implies n == 5", {"i": 7, "n": 6}, False),
        ("i // n == 1 implies i == 9", {"i": 3, "n": 0}, None),
        ("i == 9 implies i // n == 1", {"i": 3, "n": 0}, True),
        ("i == 7 iff n == 5", {"i": 6, "n": 6}, True),
        ("n == 'A'", {"n": 65}, True),
        (r"n - '\x01' == '@'", {"n": 65}, True),
        ('smtlib("(bvult n #x42)")', {"n": 65}, True),
        ('smtlib("(fp.lt f ((_ to_fp 8 24) RNE 2.5))")', {"f": 2.0}, True),
        ('smtlib("(= ((_ fp.to_sbv 8) RTZ f) #x00)")', {"f": 300.0}, None),
        ('smtlib("(let ((n i)) (= n #x07))")', {"i": 7}, True),
    ],
)
def test_examples(text: str, given_values: dict[str, int | float], expected: bool | None) -> None:
    assert holds(parse_behavior(text).expression, ZERO | given_values) is expected


def test_what_a_number_never_is() -> None:
    with pytest.raises(SortMismatchError, match="from -256 to -1 is never 0xffffffff"):
        lower(parse_behavior("~n == 0xffffffff").expression, Symbols())
