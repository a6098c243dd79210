"""Domains: `contains` agrees with the formula and with the words."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from soid.formula import build
from soid.formula.passes import evaluate
from soid.formula.sorts import FLOAT16, FLOAT32, Float
from soid.program.domain import DEFAULT, AnyBitsDomain, Domain, Range, Values, contains, describe, formula
from soid.program.types import BoolType, EnumType, FloatType, IntType, VariableType, parse, symbol_sort
from tests.floats import special_patterns

TINY = FloatType(Float(3, 3))  # small enough to try every value
SIGNAL = EnumType("", 4, False, (("OFF", 0), ("LEFT", 1), ("RIGHT", 9)))
OFFSET = EnumType("", 4, True, (("BACK", -1), ("STAY", 0)))
KINDS: list[VariableType] = [BoolType(), IntType(4, True), IntType(4, False), TINY, SIGNAL, OFFSET]


def _by_formula(kind: VariableType, domain: Domain, bits: int) -> bool:
    symbol = build.var("x", symbol_sort(kind))
    return bool(evaluate(formula(kind, domain, symbol), {symbol: bits}))


@st.composite
def kinds_and_domains(draw: st.DrawFn) -> tuple[VariableType, Domain]:
    kind = draw(st.sampled_from(KINDS))
    bits = st.integers(0, (1 << kind.width) - 1)
    domains: list[st.SearchStrategy[Domain]] = [
        st.just(DEFAULT),
        st.just(AnyBitsDomain()),
        st.builds(Range, bits, bits),
        st.builds(Values, st.lists(bits, max_size=4).map(tuple)),
    ]
    return kind, draw(st.one_of(domains))


@given(kinds_and_domains())
def test_contains_is_what_the_formula_says(case: tuple[VariableType, Domain]) -> None:
    kind, domain = case
    for bits in range(1 << kind.width):
        assert contains(kind, domain, bits) == _by_formula(kind, domain, bits)


def test_default_domains() -> None:
    assert [bits for bits in range(2) if contains(BoolType(), DEFAULT, bits)] == [0, 1]
    assert all(contains(IntType(4, True), DEFAULT, bits) for bits in range(16))
    assert [bits for bits in range(16) if contains(SIGNAL, DEFAULT, bits)] == [0, 1, 9]
    assert [bits for bits in range(16) if contains(OFFSET, DEFAULT, bits)] == [0, 15]
    half = FloatType(FLOAT16)
    for bits in special_patterns(FLOAT16):
        assert contains(half, DEFAULT, bits) == (bits & ~FLOAT16.sign_bit < FLOAT16.infinity)
        assert contains(half, AnyBitsDomain(), bits)


def test_ranges_compare_as_the_program_does_and_values_by_bits() -> None:
    single = FloatType(FLOAT32)
    minus_zero, zero, one = (parse(single, text) for text in ("-0.0", "0.0", "1.0"))
    assert contains(single, Range(zero, one), minus_zero)
    assert not contains(single, Values((zero, one)), minus_zero)
    assert not contains(single, Range(parse(single, "-inf"), parse(single, "inf")), FLOAT32.nan)
    assert contains(IntType(8, True), Range(0xFF, 0x01), 0)  # -1 to 1
    assert not contains(IntType(8, False), Range(0xFF, 0x01), 0)


def test_domains_in_words() -> None:
    single = FloatType(FLOAT32)
    assert describe(BoolType(), DEFAULT) == "false, true"
    assert describe(IntType(8, True), DEFAULT) == "-128 to 127"
    assert describe(single, DEFAULT) == "every finite number"
    assert describe(SIGNAL, DEFAULT) == "OFF, LEFT, RIGHT"
    assert describe(single, AnyBitsDomain()) == "any bits"
    assert describe(single, Range(parse(single, "0.1"), parse(single, "3"))) == "0.1 to 3.0"
    assert describe(SIGNAL, Values((1, 9, 7))) == "LEFT, RIGHT, 7"
