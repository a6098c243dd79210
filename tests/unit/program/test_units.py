"""Conversions between units, compared with their definitions."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from soid.program.units import UNITS, unit, unit_conversion

PAIRS = [(a, b) for a in UNITS for b in UNITS if UNITS[a].measures == UNITS[b].measures]


@pytest.mark.parametrize(
    ("number", "source", "target", "expected"),
    [
        ("100", "ft", "m", Fraction(3048, 100)),
        ("36", "km/h", "m/s", Fraction(10)),
        ("1", "kn", "km/h", Fraction(1852, 1000)),
        ("60", "mph", "ft/s", Fraction(88)),
        ("1700000000123", "epoch ms", "s", Fraction(1700000000123, 1000)),
        ("90", "degrees", "turn", Fraction(1, 4)),
        ("32", "degF", "degC", Fraction(0)),
        ("-40", "degC", "°F", Fraction(-40)),
        ("25.4", "mm", "in", Fraction(1)),
        ("16", "oz", "lb", Fraction(1)),
        ("50", "%", "1", Fraction(1, 2)),
        ("6", "rpm", "deg/s", Fraction(36)),
    ],
)
def test_exact_conversions(number: str, source: str, target: str, expected: Fraction) -> None:
    assert unit_conversion(source, target).bounds(Fraction(number)) == (expected, expected)


@given(st.fractions(), st.sampled_from(PAIRS))
def test_there_and_back(number: Fraction, units: tuple[str, str]) -> None:
    there, back = unit_conversion(*units), unit_conversion(*reversed(units))
    low, high = there.bounds(number)
    assert back.bounds(low)[0] <= number <= back.bounds(high)[1]
    if there.pi_power == 0:
        assert back.bounds(low) == (number, number)


def test_pi_lies_between_its_bounds() -> None:
    low, high = unit_conversion("deg", "rad").bounds(Fraction(180))
    assert 0 < high - low < Fraction(1, 10**58)
    assert float(low) == float(high) == math.pi
    # Machin's formula, with more terms than the digits need
    fifth, last = (sum(Fraction((-1) ** n, (2 * n + 1) * x ** (2 * n + 1)) for n in range(60)) for x in (5, 239))
    assert low < 16 * fifth - 4 * last < high


@pytest.mark.parametrize(
    ("source", "target", "message"),
    [("ft", "s", "ft is a length, and s is a time"), ("furlong", "m", "no unit"), ("metre", "Meter", "no unit")],
)
def test_units_that_do_not_fit(source: str, target: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        unit_conversion(source, target)


def test_a_similar_name_is_suggested() -> None:
    with pytest.raises(ValueError, match=r"Did you mean km/h\?"):
        unit("km/hr")
