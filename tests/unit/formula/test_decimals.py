"""Reading and writing floats as text, against Python's own float(), float.fromhex and repr."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from unittest import mock

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from soid.formula import decimals
from soid.formula.decimals import nearest, number_literal, parse, quick, shortest
from soid.formula.softfloat import (
    bits64_to_float,
    float_to_bits64,
    from_fraction,
    from_integer,
    is_nan,
    to_fraction,
)
from soid.formula.sorts import FLOAT16, FLOAT32, FLOAT64, Float
from tests.floats import patterns, special_patterns
from tests.randomness import SEEDED

FORMATS = [FLOAT16, FLOAT32, FLOAT64, Float(8, 8), Float(15, 113), Float(3, 4), Float(2, 2)]
formats = pytest.mark.parametrize("f", FORMATS, ids=lambda f: f"{f.exponent}-{f.significand}")
randoms = given(random=SEEDED)


@pytest.mark.parametrize(
    ("text", "bits"),
    [
        ("1.376", 0x3FB020C5),
        ("+1.376", 0x3FB020C5),
        ("1", 0x3F800000),
        ("1.", 0x3F800000),
        (".5", 0x3F000000),
        ("0.0", 0x00000000),
        ("-0.0", 0x80000000),
        ("-0e99999999999999999999", 0x80000000),
        ("1e-45", 0x00000001),
        ("1E+2", 0x42C80000),
        ("16777217", 0x4B800000),  # a tie, to even
        ("16777217.000000000000000000000000000001", 0x4B800001),  # a double would round this to the tie first
        ("3.4028235677973367e38", 0x7F800000),
        ("3.4028235677973366e38", 0x7F7FFFFF),
        ("7.006492321624085e-46", 0x00000000),
        ("7.006492321624086e-46", 0x00000001),
        ("0x1.8p3", 0x41400000),
        ("-0X.8P+1", 0xBF800000),
        ("0x10", 0x41800000),
        ("0x1p-149", 0x00000001),
        ("0x1p-150", 0x00000000),
        ("0x1.0000000000000000000001p-150", 0x00000001),
        ("0x0p99999999999999999999", 0x00000000),
        ("inf", 0x7F800000),
        ("-Infinity", 0xFF800000),
        ("nan", 0x7FC00000),
        ("-NaN", 0x7FC00000),
    ],
)
def test_literals_of_single_precision(text, bits):
    assert parse(FLOAT32, text) == bits


@pytest.mark.parametrize(
    "text",
    [
        *("", " 1", "1 ", "1\n", "+", ".", "e5", "1e", "1e+", "--1", "1,5", "1_000", "1.2.3", "1e1.5", "1.5f", "abc"),
        *("0x", "0x.p1", "0x1p", "0x1e+2", "0b101", "#x3f", "infin", "nan(1)", "\u0661"),
    ],
)
def test_what_is_no_number_is_refused(text):
    with pytest.raises(ValueError, match="no number"):
        parse(FLOAT32, text)


@formats
def test_absurd_exponents_and_lengths_do_not_hang(f):
    assert parse(f, "1e999999999") == parse(f, "0x1p999999999") == f.infinity
    assert parse(f, "-1e" + "9" * 5000) == f.infinity | f.sign_bit
    assert parse(f, "1e-999999999") == parse(f, "0x1p-999999999") == 0
    assert parse(f, "-1e-" + "9" * 5000) == f.sign_bit
    assert parse(f, "0." + "0" * 100_000 + "1") == 0
    assert parse(f, "1." + "0" * 10_000 + "1") == from_integer(f, 1)
    assert parse(f, "1" + "0" * 10_000 + "e-10000") == from_integer(f, 1)


def decimal_text(q: Fraction) -> str:
    """All digits of a positive dyadic fraction."""
    places = q.denominator.bit_length() - 1
    digits = str(q.numerator * 5**places).rjust(places + 1, "0")
    return digits[: len(digits) - places] + "." + digits[len(digits) - places :]


@pytest.mark.parametrize("f", [FLOAT16, FLOAT32, FLOAT64, Float(3, 4)], ids=str)
@settings(max_examples=20)
@randoms
def test_ties_go_to_even_and_the_last_digit_breaks_them(f, random):
    for a in patterns(random, f, 10):
        low = a & ~f.sign_bit
        if low >= f.max_finite:
            continue
        tie = (to_fraction(f, low) + to_fraction(f, low + 1)) / 2
        assert parse(f, decimal_text(tie)) == low + low % 2
        assert parse(f, decimal_text(tie * (1 + Fraction(1, 1 << 200)))) == low + 1
        assert parse(f, "-" + decimal_text(tie * (1 - Fraction(1, 1 << 200)))) == low | f.sign_bit


DIGITS = st.text("0123456789", min_size=1, max_size=25)


@settings(max_examples=100)
@given(st.sampled_from(["", "+", "-"]), DIGITS, DIGITS, st.integers(-360, 340))
def test_doubles_are_read_as_python_reads_them(sign, whole, fraction, exponent):
    text = f"{sign}{whole}.{fraction}e{exponent}"
    assert parse(FLOAT64, text) == float_to_bits64(float(text))


@settings(max_examples=20)
@randoms
def test_hex_floats_are_read_as_python_reads_them(random):
    for a in patterns(random, FLOAT64, 20):
        x = bits64_to_float(a)
        assert parse(FLOAT64, x.hex()) == float_to_bits64(x)


@formats
@settings(max_examples=20)
@randoms
def test_the_shortest_text_reads_back(f, random):
    for a in patterns(random, f, 10):
        assert parse(f, shortest(f, a)) == (f.nan if is_nan(f, a) else a)


@formats
def test_the_shortest_text_of_a_special_value_reads_back(f):
    for a in special_patterns(f):
        assert parse(f, shortest(f, a)) == (f.nan if is_nan(f, a) else a)


@pytest.mark.parametrize(
    ("f", "a", "text"),
    [
        (FLOAT32, 0x3FB020C5, "1.376"),
        (FLOAT32, 0x3DCCCCCD, "0.1"),
        (FLOAT32, 0x00000001, "1e-45"),
        (FLOAT32, 0x00800000, "1.1754944e-38"),
        (FLOAT32, 0x7F7FFFFF, "3.4028235e+38"),
        (FLOAT32, 0x4B800000, "16777216.0"),
        (FLOAT32, 0x60AD78EC, "1e+20"),
        (FLOAT32, 0x38D1B717, "0.0001"),
        (FLOAT32, 0xB727C5AC, "-1e-05"),
        (FLOAT32, 0x00000000, "0.0"),
        (FLOAT32, 0x80000000, "-0.0"),
        (FLOAT32, 0x7F800000, "inf"),
        (FLOAT32, 0xFF800000, "-inf"),
        (FLOAT32, 0xFFFFFFFF, "nan"),
        (FLOAT32, 0x4A000001, "2097152.2"),  # exactly between .2 and .3: the even digit
        (FLOAT32, 0x4A000003, "2097152.8"),
        (FLOAT16, 0x2E66, "0.1"),
        (FLOAT16, 0x7BFF, "65500.0"),
        (FLOAT16, 0x0001, "6e-08"),
        (FLOAT64, 0x8000000000000000, "-0.0"),
        (FLOAT64, 0xFFF8000000000000, "nan"),
        (FLOAT64, 0xFFF0000000000000, "-inf"),
        (FLOAT64, 0x0000000000000001, "5e-324"),
    ],
)
def test_shortest_texts(f, a, text):
    assert shortest(f, a) == text


def generic_shortest(a: int) -> str:
    """What `shortest` gives for a positive finite double without Python's repr."""
    with mock.patch.object(decimals, "FLOAT64", None):
        return shortest(FLOAT64, a)


def test_powers_of_two_are_written_as_python_writes_them():
    # Below a power of two the floats lie closer than above it: the hard case of shortest digits.
    for exponent in range(-1074, 1024, 7):
        for x in (math.nextafter(2.0**exponent, 0), 2.0**exponent, math.nextafter(2.0**exponent, math.inf)):
            if x:
                assert generic_shortest(float_to_bits64(x)) == repr(x)


@settings(max_examples=20)
@randoms
def test_doubles_are_written_as_python_writes_them(random):
    human = [random.randrange(1, 10**6) * 10.0 ** random.randint(-12, 20) for _ in range(10)]
    between_digits = [2.0**50 + random.randrange(1, 1 << 20) / 4 for _ in range(10)]
    for x in [abs(bits64_to_float(a)) for a in patterns(random, FLOAT64, 10)] + human + between_digits:
        if math.isfinite(x) and x:
            assert generic_shortest(float_to_bits64(x)) == repr(x)


def generic_single(a: int) -> str:
    """What `shortest` gives for a positive finite single without Python's conversions."""
    with mock.patch.object(decimals, "_quick_digits", return_value=None):
        return shortest(FLOAT32, a)


@settings(max_examples=20)
@randoms
def test_singles_are_written_the_same_without_python_s_conversions(random):
    human = [parse(FLOAT32, f"{random.randrange(1, 10**6)}e{random.randint(-12, 20)}") for _ in range(10)]
    at_powers = [(random.randrange(1, 255) << 23) + random.choice((-1, 0, 1)) for _ in range(10)]
    between_digits = [parse(FLOAT32, str(2**21 + random.randrange(1, 1 << 20) / 4)) for _ in range(10)]
    least = [random.randrange(1, 1000) for _ in range(5)]
    random_bits = [a & ~FLOAT32.sign_bit for a in patterns(random, FLOAT32, 10)]
    for a in random_bits + human + at_powers + between_digits + least:
        if 0 < a < FLOAT32.infinity:
            assert shortest(FLOAT32, a) == generic_single(a)


@pytest.mark.parametrize("f", [Float(2, 2), Float(3, 4), Float(4, 5), Float(5, 3)], ids=str)
def test_no_decimal_with_fewer_digits_reads_back(f):
    for a in range(1, f.infinity):
        value = to_fraction(f, a)
        digits = shortest(f, a).split("e")[0].replace(".", "").strip("0")
        # All decimals with fewer digits within a factor of ten.
        for length, exponent in itertools.product(range(1, len(digits)), range(-8, 7)):
            unit = Fraction(10) ** exponent
            around = math.floor(value / unit)
            for d in range(around - 10, around + 11):
                if d > 0 and len(str(d)) == length:
                    assert from_fraction(f, d * unit) != a, (a, d, exponent)


# --- Python's own conversion ----------------------------------------------------------------------------------


def exactly_nearest(f: Float, text: str) -> int:
    literal = number_literal(text)
    assert literal is not None
    return nearest(f, literal)


DIGITS = st.from_regex(r"[+-]?[0-9]{1,25}(\.[0-9]{0,30})?([eE][+-]?[0-9]{1,3})?", fullmatch=True)


@pytest.mark.parametrize("f", [FLOAT16, FLOAT32, FLOAT64], ids=lambda f: f"float{f.width}")
@given(text=DIGITS | st.floats(allow_nan=False, allow_infinity=False).map(repr))
@example(text="-0")
@example(text="-1e-999999999")
@example(text="1e999999999")
@example(text="3.4028235677973366e38")  # halfway from the largest single to the next power of two
@example(text="7.006492321624085e-46")  # about half of the smallest single
@example(text="1.1754943508222875e-38")  # the smallest normal single, in a double's digits
def test_the_quick_way_is_the_exact_way(f: Float, text: str) -> None:
    assert quick(f, text) in (None, exactly_nearest(f, text))


@given(st.integers(1 << 23, (1 << 24) - 1), st.integers(-126, 103), st.integers(-3, 3), st.integers(50, 200))
def test_the_quick_way_is_exact_next_to_ties(m: int, e: int, offset: int, digits: int) -> None:
    """Decimals at, just above and just below the middle between two singles."""
    numerator, denominator = (2 * m + 1) * 2 ** max(e - 24, 0), 2 ** max(24 - e, 0)
    scaled = numerator * 10**digits // denominator + offset
    text = f"{scaled}e-{digits}"
    assert quick(FLOAT32, text) in (None, exactly_nearest(FLOAT32, text))


def test_texts_that_are_no_plain_decimals_take_the_long_way() -> None:
    for text in ("", ".", "1_0", " 1", "0x1p3", "nan", "inf", "1e", "\u0661", "1.5f", "+-1"):
        assert quick(FLOAT64, text) is None


def test_the_common_numbers_take_the_quick_way() -> None:
    for text in ("0", "0.0", "-0.0", "1.376", "-12", "1e3", "16777216", "0.1"):
        assert quick(FLOAT32, text) is not None
        assert quick(FLOAT64, text) is not None
