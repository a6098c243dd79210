"""Number literals, against Python's own fractions and hex floats."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from soid.formula.decimals import NumberLiteral, number_literal

DECIMALS = st.from_regex(r"[+-]?([0-9]{1,25}(\.[0-9]{0,30})?|\.[0-9]{1,9})([eE][+-]?[0-9]{1,3})?", fullmatch=True)


@given(DECIMALS)
def test_a_decimal_is_the_number_that_it_writes(text: str) -> None:
    literal = number_literal(text)
    assert literal is not None and literal.base == 10
    assert literal.value == Fraction(text)
    assert literal.negative == text.startswith("-")
    assert literal.digits % 10 or literal == NumberLiteral(literal.negative, 0, 10, 0)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_hex_float_is_the_number_that_it_writes(number: float) -> None:
    literal = number_literal(number.hex())
    assert literal is not None and literal.base == 2
    assert literal.value == Fraction(number)


def test_exponents_are_not_written_out() -> None:
    assert number_literal("1e99999999999999999999") == NumberLiteral(False, 1, 10, 99999999999999999999)
    assert number_literal("-0x.80P-99999999999") == NumberLiteral(True, 8, 2, -99999999999 - 4)
    assert number_literal("-0e99999999999999999999") == NumberLiteral(True, 0, 10, 0)
    assert number_literal("0x0p9999999999") == NumberLiteral(False, 0, 2, 0)
    assert number_literal("1" + "0" * 10_000) == NumberLiteral(False, 1, 10, 10_000)
    assert number_literal("7" * 5_000) is not None  # more digits than int() reads


@pytest.mark.parametrize(
    "text", ["", ".", "+", "e5", "1e", "--1", " 1", "1_0", "0x", "0x.p1", "1.5f", "inf", "nan", "\u0661"]
)
def test_what_is_no_number(text: str) -> None:
    assert number_literal(text) is None
