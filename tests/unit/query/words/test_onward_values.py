"""Where it is so from a border on: what is told is never on the other side of the border, nor far from it."""

from __future__ import annotations

from random import Random

import pytest

from soid.formula import softfloat as sf
from soid.formula.sorts import FLOAT32, FLOAT64
from soid.program.domain import Range
from soid.program.interface import Role, Variable
from soid.program.types import FloatType, IntType, parse
from soid.query.words.onward_values import onward

DOUBLE = FloatType(FLOAT64)


def number(text: str, low: str = "-1000000", high: str = "1000000") -> Variable:
    return Variable("x", Role.ENVIRONMENT, DOUBLE, domain=Range(parse(DOUBLE, low), parse(DOUBLE, high)), unit=text)


@pytest.mark.parametrize(
    ("last", "rises", "said"),
    [
        ("5.5", True, "above 5.5 m"),
        ("5.5", False, "below 5.5 m"),
        ("116.50000381469727", True, "at 116.6 m or more"),
        ("116.50000381469727", False, "at 116.5 m or less"),
        ("-0.1234567", True, "at -0.1234 m or more"),
        ("122675.19921875", True, "at 122700 m or more"),
    ],
)
def test_the_number_with_few_digits_is_told(last, rises, said):
    variable = number("m")
    bits = parse(DOUBLE, last)
    first = variable.order.value_at(variable.order.place_of(bits) + (1 if rises else -1))
    assert onward(variable, bits, first) == said


def test_whole_numbers_and_all_digits_are_told_as_they_are():
    count = Variable("n", Role.ENVIRONMENT, IntType(32, True))
    assert onward(count, 5, 6) == "at 6 or more" and onward(count, 6, 5) == "at 5 or less"
    variable, bits = number("m"), parse(DOUBLE, "5.5")
    assert onward(variable, bits, bits + 1, exact=True) == "at 5.500000000000001 m or more"


def test_beyond_the_domain_nothing_is_told():
    variable, bits = number("m", high="116.55"), parse(DOUBLE, "116.50000381469727")
    assert onward(variable, bits, bits + 1) == "at 116.50000381469728 m or more"


@pytest.mark.parametrize("format_", [FLOAT32, FLOAT64])
def test_what_is_told_is_within_what_is_proved(format_):
    random, kind = Random(5), FloatType(format_)
    variable = Variable("x", Role.ENVIRONMENT, kind)
    for _ in range(3000):
        text = f"{random.choice('+-')}{random.randrange(1, 10 ** random.randrange(1, 12))}e{random.randrange(-12, 6)}"
        last, rises = parse(kind, text.lstrip("+")), random.random() < 0.5
        first = int(variable.order.value_at(variable.order.place_of(last) + (1 if rises else -1)))
        word, *rest = onward(variable, last, first).split()
        border = sf.to_fraction(format_, first)
        if word in ("above", "below"):
            assert (word, parse(kind, rest[0])) == ("above" if rises else "below", last)  # as a question reads it
        else:
            told = sf.to_fraction(format_, parse(kind, rest[0]))
            assert rest[2] == ("more" if rises else "less")
            assert told >= border if rises else told <= border
            assert abs(told - border) <= abs(border) / 500
