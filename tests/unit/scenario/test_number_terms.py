"""The arithmetic of questions against Python's: ints are unbounded, fractions are exact, floats are doubles."""

from __future__ import annotations

import math
import struct
from collections.abc import Mapping
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from soid.errors import QueryError, SortMismatchError
from soid.formula import build
from soid.formula.build import FALSE, TRUE, var
from soid.formula.passes import evaluate_all
from soid.formula.sorts import FLOAT32
from soid.formula.term import Term
from soid.program.types import FloatType, VariableType, symbol_sort
from soid.query.language.query_parser import parse_behavior
from soid.scenario import expression as ex
from soid.scenario.expression import ArithmeticOp, Comparison, Expression, Literal, Name, NumberFunction
from soid.scenario.kleene_terms import Operand, lower
from tests.unit.scenario.python_numbers import (
    TYPES,
    Single,
    compared,
    expressions,
    rounded,
    values,
    whole_expressions,
)


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


def _agrees(left: Expression, sign: Comparison, right: Expression, given_values: Mapping[str, int | float]) -> None:
    """Soid says of a comparison what Python says of it."""
    try:
        found = holds(ex.Compare(left, ((sign, right),)), given_values)
    except QueryError:  # a number that the other side never is, a division by a literal zero, bits of a float ...
        return
    assert found is compared(left, sign, right, given_values)


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
    for function in (NumberFunction.FLOAT32, NumberFunction.FLOAT64):
        quotient = ex.FunctionCall(function, (ex.Arithmetic(ArithmeticOp.DIV, Name("q"), Name("n")),))
        like = Single(0) if function is NumberFunction.FLOAT32 else 0.0
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


@pytest.mark.parametrize("v14", range(-6, 7))
def test_the_paper_s_own_example(v14: int) -> None:
    """Section 3: (fp.to_real b011) + 2.34 * v14 >= -1.87, with v14 a whole number and a float."""
    exact = 3 + Fraction("2.34") * v14 >= Fraction("-1.87")
    assert holds(parse_behavior("0x3 + 2.34 * i >= -1.87").expression, ZERO | {"i": v14}) is exact
    assert holds(parse_behavior("3 + 2.34 * d >= -1.87").expression, ZERO | {"d": v14}) is (3 + 2.34 * v14 >= -1.87)


def test_what_a_number_never_is() -> None:
    with pytest.raises(SortMismatchError, match="from -256 to -1 is never 0xffffffff"):
        lower(parse_behavior("~n == 0xffffffff").expression, Symbols())
