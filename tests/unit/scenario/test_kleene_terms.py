"""Lowering against Python's own arithmetic: ints are unbounded, floats are doubles, fractions are exact."""

from __future__ import annotations

import math
import operator
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from soid.errors import QueryError, SortMismatchError, UnknownVariableError
from soid.formula import build
from soid.formula.build import FALSE, TRUE, var
from soid.formula.passes import evaluate_all
from soid.formula.sorts import BOOL, FLOAT32, FLOAT64
from soid.formula.term import Term
from soid.program.types import BoolType, EnumType, FloatType, IntType, VariableType, symbol_sort
from soid.scenario import expression as ex
from soid.scenario.expression import ArithmeticOp, Comparison, Expression, Literal, Name, NumberFunction
from soid.scenario.kleene_terms import Operand, lower

SIGNAL = EnumType("signal", 8, True, (("OFF", 0), ("LEFT", 1), ("NONE", -1)))

TYPES: dict[str, VariableType] = {
    "i": IntType(8, signed=True),
    "n": IntType(8, signed=False),
    "w": IntType(16, signed=True),
    "f": FloatType(FLOAT32),
    "d": FloatType(FLOAT64),
    "error": BoolType(),
    "closed": BoolType(),
    "signal": SIGNAL,
    "other": SIGNAL,
}


ENUMERATORS = {"OFF_THEFT": (("enum offence", 7),), "BOTH": (("enum a", 1), ("enum b", 2))}

FAILS, DECIDES = var("fails", BOOL), var("decides", BOOL)


@dataclass
class Symbols:
    """Every variable is a symbol, with a flag that says where it is defined."""

    fails: Term = FAILS
    decides: Term = DECIDES

    def read(self, name: str, primed: bool, /) -> Operand:
        if name not in TYPES:
            raise UnknownVariableError(f"there is no variable {name}")
        return Operand(TYPES[name], var(name, symbol_sort(TYPES[name])), var(f"{name} is defined", BOOL))

    def fact(self, name: str, primed: bool, /) -> Operand:
        return self.read(name, primed)

    def enumerators(self, label: str, /) -> tuple[tuple[str, int], ...]:
        return ENUMERATORS.get(label, ())


@dataclass
class Constants:
    """Every variable is a constant."""

    values: Mapping[str, int]
    fails: Term = FALSE
    decides: Term = TRUE

    def read(self, name: str, primed: bool, /) -> Operand:
        if name not in TYPES:
            raise UnknownVariableError(f"there is no variable {name}")
        return Operand(TYPES[name], build.const(symbol_sort(TYPES[name]), self.values[name]))

    def fact(self, name: str, primed: bool, /) -> Operand:
        return self.read(name, primed)

    def enumerators(self, label: str, /) -> tuple[tuple[str, int], ...]:
        return ENUMERATORS.get(label, ())


def holds(formula: Expression, values: Mapping[str, int], undefined: frozenset[str] = frozenset()) -> bool | None:
    """The truth of the formula for these bits. Constant folding and evaluation must agree."""
    truth = lower(formula, Symbols())
    given_values: dict[Term, int] = {}
    for name, kind in TYPES.items():
        given_values[var(name, symbol_sort(kind))] = values.get(name, 0)
        given_values[var(f"{name} is defined", BOOL)] = name not in undefined
    given_values |= {FAILS: values.get("fails", 0), DECIDES: values.get("decides", 1)}
    true, false = evaluate_all([truth.true, truth.false], given_values)
    assert not (true and false)
    if not undefined and not {"fails", "decides"} & values.keys():
        folded = lower(formula, Constants({name: values.get(name, 0) for name in TYPES}))
        assert (folded.true, folded.false) == ((TRUE, FALSE) if true else (FALSE, TRUE))
    return True if true else False if false else None


def compare(left: Expression, sign: str, right: Expression) -> Expression:
    return ex.Compare(left, ((Comparison(sign), right),))


PYTHON: dict[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
OPERATIONS: dict[ArithmeticOp, Callable[[Any, Any], Any]] = {
    ArithmeticOp.ADD: operator.add,
    ArithmeticOp.SUB: operator.sub,
    ArithmeticOp.MUL: operator.mul,
    ArithmeticOp.DIV: operator.truediv,
}
signs = st.sampled_from(sorted(PYTHON))

# --- whole numbers: exact, whatever the widths and signs --------------------------------------------------------

whole_leaves = st.sampled_from([Name("i"), Name("n"), Name("w")]) | st.integers(-400, 400).map(
    lambda value: Literal(str(value))
)


def _whole_nodes(inner: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    exact_ops = st.sampled_from([ArithmeticOp.ADD, ArithmeticOp.SUB, ArithmeticOp.MUL])
    return (
        st.builds(ex.Arithmetic, exact_ops, inner, inner)
        | inner.map(ex.negate)
        | inner.map(lambda operand: ex.FunctionCall(NumberFunction.ABS, (operand,)))
    )


wholes: st.SearchStrategy[Expression] = st.recursive(whole_leaves, _whole_nodes, max_leaves=5)
fractions = st.fractions(-400, 400, max_denominator=8).map(lambda q: Literal(str(float(q))))


def number(expression: Expression, values: Mapping[str, int | float]) -> Fraction:
    """The exact value."""
    match expression:
        case Name(path):
            return Fraction(values[path])
        case Literal(text):
            return Fraction(text)
        case ex.Negate(operand):
            return -number(operand, values)
        case ex.FunctionCall(NumberFunction.ABS, (operand,)):
            return abs(number(operand, values))
        case ex.Arithmetic(op, left, right):
            return Fraction(OPERATIONS[op](number(left, values), number(right, values)))
        case _:
            raise AssertionError(expression)


@given(
    wholes,
    signs,
    wholes | fractions,
    st.fixed_dictionaries(
        {"i": st.integers(-128, 127), "n": st.integers(0, 255), "w": st.integers(-(2**15), 2**15 - 1)}
    ),
)
def test_whole_numbers_are_exact(left: Expression, sign: str, right: Expression, values: dict[str, int]) -> None:
    expected = PYTHON[sign](number(left, values), number(right, values))
    bits = {"i": values["i"] & 0xFF, "n": values["n"], "w": values["w"] & 0xFFFF}
    try:
        assert holds(compare(left, sign, right), bits) is expected
    except SortMismatchError:  # equality with a number that the variable cannot have
        assert sign in ("==", "!=") and expected is (sign == "!=")


# --- floats: in the program's own type --------------------------------------------------------------------------


def bits32(value: float) -> int:
    return int(struct.unpack("<I", struct.pack("<f", value))[0])


def bits64(value: float) -> int:
    return int(struct.unpack("<Q", struct.pack("<d", value))[0])


def single(value: float) -> float:
    """Rounded to 32 bits. A sum, product or quotient of singles gives the same single if rounded to double first."""
    try:
        return float(struct.unpack("<f", struct.pack("<f", value))[0])
    except OverflowError:
        return math.copysign(math.inf, value)


decimals = st.decimals(-1000, 1000, allow_nan=False, places=3).map(lambda value: Literal(str(value)))


def real_leaves(name: str) -> st.SearchStrategy[Expression]:
    return st.just(Name(name)) | decimals.filter(lambda literal: literal.is_number)


def _real_nodes(inner: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    computed = st.builds(ex.Arithmetic, st.sampled_from(sorted(OPERATIONS, key=lambda op: op.name)), inner, inner)
    return computed | inner.map(ex.negate) | inner.map(lambda operand: ex.FunctionCall(NumberFunction.ABS, (operand,)))


def real(expression: Expression, x: float, rounded: Callable[[float], float]) -> float | Fraction:
    """The value as the program computes it. A part without a variable is exact until it is combined with one."""
    match expression:
        case Name():
            return x
        case Literal(text):
            return Fraction(text)
        case ex.Negate(operand):
            return -real(operand, x, rounded)
        case ex.FunctionCall(NumberFunction.ABS, (operand,)):
            inner = real(operand, x, rounded)
            return abs(inner) if isinstance(inner, Fraction) else math.fabs(inner)
        case ex.Arithmetic(op, left, right):
            a, b = real(left, x, rounded), real(right, x, rounded)
            if not (isinstance(a, Fraction) and isinstance(b, Fraction)):
                a, b = rounded(float(a)), rounded(float(b))
            if op is ArithmeticOp.DIV and b == 0:
                assume(not isinstance(a, Fraction))
                return math.nan if a == 0 or math.isnan(a) else math.copysign(math.inf, a) * math.copysign(1, b)
            result: float | Fraction = OPERATIONS[op](a, b)
            return result if isinstance(result, Fraction) else rounded(float(result))
        case _:
            raise AssertionError(expression)


@given(st.recursive(real_leaves("d"), _real_nodes, max_leaves=4), signs, decimals, st.floats())
def test_doubles_compute_as_python_does(left: Expression, sign: str, right: Literal, x: float) -> None:
    _check_real(left, sign, right, x, "d", bits64, float)


@given(st.recursive(real_leaves("f"), _real_nodes, max_leaves=3), signs, decimals, st.floats(width=32))
def test_singles_compute_in_single(left: Expression, sign: str, right: Literal, x: float) -> None:
    _check_real(left, sign, right, x, "f", bits32, single)


def _check_real(
    left: Expression,
    sign: str,
    right: Literal,
    x: float,
    name: str,
    bits: Callable[[float], int],
    rounded: Callable[[float], float],
) -> None:
    value, other = real(left, x, rounded), Fraction(right.text)
    expected = PYTHON[sign](value, other if isinstance(value, Fraction) else rounded(float(other)))
    assert holds(compare(left, sign, right), {name: bits(x)}) is expected


@given(signs, st.floats(width=32), st.floats())
def test_two_float_formats_meet_in_the_wider_one(sign: str, f: float, d: float) -> None:
    assert holds(compare(Name("f"), sign, Name("d")), {"f": bits32(f), "d": bits64(d)}) is PYTHON[sign](f, d)


def test_a_literal_is_rounded_once_from_its_text() -> None:
    # By way of a double this would be 1.0: it lies just above the middle between 1.0 and the next single.
    just_above = "1.00000005960464477539062500000000001"
    assert holds(compare(Name("f"), "==", Literal(just_above)), {"f": 0x3F800001})
    assert holds(compare(Name("f"), "==", Literal("0.1")), {"f": bits32(0.1)})
    assert not holds(compare(Name("d"), "==", Literal("0.1")), {"d": bits64(single(0.1))})


@pytest.mark.parametrize(
    ("literal", "bits", "is_it", "equal"),
    [
        ("-0.0", 0x80000000, True, True),
        ("-0.0", 0x00000000, False, True),
        ("0.0", 0x80000000, False, True),
        ("nan", 0x7FC00000, True, None),
        ("nan", 0xFFC00001, True, None),
        ("nan", 0x7F800000, False, None),
        ("inf", 0x7F800000, True, True),
        ("-inf", 0x7F800000, False, False),
        ("1.5", 0x3FC00000, True, True),
        ("nan(0x7fc00001)", 0x7FC00001, True, None),
        ("nan(0x7fc00001)", 0x7FC00000, False, None),
        ("bits(0x3fc00000)", 0x3FC00000, True, None),
    ],
)
def test_is_compares_bits(literal: str, bits: int, is_it: bool, equal: bool | None) -> None:
    assert holds(ex.Identical(Name("f"), Literal(literal)), {"f": bits}) is is_it
    if equal is not None:
        assert holds(compare(Name("f"), "==", Literal(literal)), {"f": bits}) is equal


def test_bits_of_a_computed_nan_are_not_known() -> None:
    computed = ex.Arithmetic(ArithmeticOp.ADD, Name("f"), Literal("1"))
    assert holds(ex.Identical(computed, Literal("nan")), {"f": 0x7FC00001}) is True
    assert holds(ex.Identical(computed, Literal("bits(0x40000000)")), {"f": bits32(1.0)}) is True
    with pytest.raises(SortMismatchError, match="not known"):
        lower(ex.Identical(computed, Literal("nan(0x7fc00001)")), Symbols())


# --- bools and enumerations -------------------------------------------------------------------------------------


@pytest.mark.parametrize("error", [0, 1])
@pytest.mark.parametrize("closed", [0, 1])
def test_bools(error: int, closed: int) -> None:
    values = {"error": error, "closed": closed, "n": 7 * error}
    assert holds(Name("error"), values) is bool(error)
    assert holds(Name("n"), values) is bool(error)
    assert holds(ex.Not(Name("n")), values) is not bool(error)
    assert holds(compare(Name("error"), "==", Literal("true")), values) is bool(error)
    assert holds(compare(Literal("0"), "!=", Name("error")), values) is bool(error)
    assert holds(compare(Name("error"), "!=", Name("closed")), values) is (error != closed)
    assert holds(compare(ex.Not(Name("error")), "==", Name("closed")), values) is (error != closed)
    assert holds(ex.Member(Name("error"), (Literal("true"), Name("closed"))), values) is bool(error or error == closed)


@pytest.mark.parametrize(("label", "bits"), [("OFF", 0), ("LEFT", 1), ("NONE", 255)])
def test_enumerations(label: str, bits: int) -> None:
    values = {"signal": bits, "other": 1}
    assert holds(compare(Name("signal"), "==", Name(label)), values) is True
    assert holds(compare(ex.Label(label), "!=", Name("signal")), values) is False
    assert holds(ex.Identical(Name("signal"), Name(label)), values) is True
    assert holds(compare(Name("signal"), "==", Name("other")), values) is (bits == 1)
    assert holds(ex.Member(Name("signal"), (Name("LEFT"), Name("NONE"))), values) is (bits != 0)
    assert holds(compare(Name("signal"), "==", Literal("7")), values) is False


def test_enumerators_are_numbers_beside_whole_numbers() -> None:
    assert holds(compare(Name("n"), "==", Name("OFF_THEFT")), {"n": 7}) is True
    assert holds(compare(Name("OFF_THEFT"), "<", Name("w")), {"w": 8}) is True
    assert holds(ex.Member(Name("n"), (Name("OFF_THEFT"), Literal("9"))), {"n": 9}) is True
    masked = ex.Arithmetic(ArithmeticOp.BIT_AND, Name("n"), Name("OFF_THEFT"))
    assert holds(compare(masked, "!=", Literal("0")), {"n": 8}) is False
    marked = ex.Arithmetic(ArithmeticOp.BIT_AND, Name("signal"), Name("LEFT"))  # that of the enumeration beside it
    assert holds(compare(marked, "==", Literal("1")), {"signal": 1}) is True


@pytest.mark.parametrize(
    ("formula", "cause"),
    [
        (compare(Name("n"), "==", Name("BOTH")), "BOTH is 1 in enum a and 2 in enum b"),
        (compare(Name("f"), "==", Name("OFF_THEFT")), "there is no variable OFF_THEFT"),
        (compare(ex.Arithmetic(ArithmeticOp.MUL, Name("f"), Name("OFF_THEFT")), "==", Literal("1")), "no variable"),
        (compare(Name("signal"), "==", Name("OFF_THEFT")), "OFF_THEFT is a label of enum offence, not of enum signal"),
        (compare(Name("n"), "==", Name("OFF_THEF")), "there is no variable OFF_THEF"),
    ],
)
def test_where_an_enumerator_is_none(formula: Expression, cause: str) -> None:
    with pytest.raises(QueryError, match=cause):
        lower(formula, Symbols())


def test_a_variable_goes_before_a_label() -> None:
    assert holds(compare(Name("signal"), "==", Name("other")), {"signal": 1, "other": 1}) is True


def test_chains_and_ranges() -> None:
    inside = ex.Compare(Literal("1"), ((Comparison.LE, Name("n")), (Comparison.LT, Literal("300"))))
    among = ex.Member(Name("n"), (ex.Between(Literal("1"), Literal("255")), Literal("7")))
    for formula in (inside, among):
        assert [holds(formula, {"n": n}) for n in (0, 1, 7, 255)] == [False, True, True, True]


# --- three values -----------------------------------------------------------------------------------------------


@given(st.sampled_from([None, False, True]), st.sampled_from([None, False, True]))
def test_kleene(a: bool | None, b: bool | None) -> None:
    values = {"error": int(bool(a)), "closed": int(bool(b))}
    undefined = frozenset(name for name, value in (("error", a), ("closed", b)) if value is None)
    both, either = ex.And((Name("error"), Name("closed"))), ex.Or((Name("error"), Name("closed")))
    rank = {False: 0, None: 1, True: 2}
    assert holds(both, values, undefined) is min(a, b, key=lambda t: rank[t])
    assert holds(either, values, undefined) is max(a, b, key=lambda t: rank[t])
    assert holds(ex.Not(Name("error")), values, undefined) is (None if a is None else not a)
    same = compare(Name("error"), "==", Name("closed"))
    assert holds(same, values, undefined) is (None if undefined else a is b)


@pytest.mark.parametrize(
    "formula",
    [
        compare(Name("n"), "<", Literal("300")),
        compare(Name("n"), "!=", Literal("3")),
        compare(ex.Arithmetic(ArithmeticOp.ADD, Name("i"), Name("n")), ">", Name("w")),
        compare(ex.FunctionCall(NumberFunction.ABS, (ex.Negate(Name("n")),)), ">", Name("i")),
        ex.Identical(Name("n"), Literal("bits(0x1)")),
        ex.Member(Name("n"), (Literal("1"), ex.Between(Literal("3"), Name("w")))),
        ex.Not(Name("n")),
    ],
)
def test_nothing_is_said_of_what_has_no_value(formula: Expression) -> None:
    assert holds(formula, {}, frozenset({"n"})) is None
    assert holds(formula, {}) is not None


def test_endings_are_two_valued() -> None:
    assert holds(ex.Fails(), {"fails": 1}) is True and holds(ex.Fails(), {"fails": 0}) is False
    assert holds(ex.Decides(), {"decides": 0}) is False
    assert holds(ex.Or((ex.Fails(), Name("error"))), {"fails": 1}, frozenset({"error"})) is True


def test_a_float_may_be_given_as_itself() -> None:
    class Floats(Symbols):
        def read(self, name: str, primed: bool, /) -> Operand:
            return Operand(FloatType(FLOAT32), var("value", FLOAT32))

    truth = lower(compare(Name("f"), "<", Literal("1.5")), Floats())
    assert evaluate_all([truth.true], {var("value", FLOAT32): 0x3F800000}) == [True]


def test_a_primed_name_is_never_a_label() -> None:
    with pytest.raises(UnknownVariableError, match="no variable LEFT"):
        lower(compare(Name("signal"), "==", Name("LEFT", primed=True)), Symbols())


@pytest.mark.parametrize("text", ["1e999", "-1e999"])
def test_a_literal_beyond_its_type_is_no_infinity(text: str) -> None:
    with pytest.raises(SortMismatchError, match="too large for float64"):
        lower(compare(Name("d"), "<", Literal(text)), Symbols())


def test_numbers_worked_out_stay_in_bounds() -> None:
    huge: Expression = Literal("1e3000")
    for _ in range(20):
        huge = ex.Arithmetic(ArithmeticOp.MUL, huge, Literal("1e3000"))
    with pytest.raises(QueryError, match="beyond every type"):
        lower(compare(Name("d"), "<", huge), Symbols())
    long: Expression = Name("n")
    for _ in range(60):
        long = ex.Arithmetic(ArithmeticOp.MUL, long, long if isinstance(long, Name) else Literal("1e300"))
    with pytest.raises(SortMismatchError, match=r"about 2\*\*"):
        lower(compare(long, "==", Literal("-1")), Symbols())
