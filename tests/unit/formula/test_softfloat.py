"""The soft floats, compared with MPFR, with Python's floats, and with a table of every number of a tiny format."""

from __future__ import annotations

import itertools
import math
import operator
from bisect import bisect_left
from collections.abc import Callable
from contextlib import AbstractContextManager
from fractions import Fraction
from functools import cache
from random import Random
from unittest import mock

import gmpy2
import pytest
from hypothesis import given, settings

from soid.formula import softfloat
from soid.formula.softfloat import Rounding
from soid.formula.sorts import FLOAT16, FLOAT32, FLOAT64, Float
from tests.floats import operands, patterns, special_patterns
from tests.mpfr import RINT, decode, from_mpfr, mpfr_context, to_mpfr
from tests.randomness import SEEDED

BFLOAT16 = Float(8, 8)
FLOAT128 = Float(15, 113)
TINY = Float(3, 4)
TINIER = Float(2, 3)
FORMATS = [FLOAT16, FLOAT32, FLOAT64, BFLOAT16, FLOAT128]
NATIVE = [FLOAT32, FLOAT64]

formats = pytest.mark.parametrize("f", FORMATS, ids=lambda f: f"{f.exponent}-{f.significand}")
native_formats = pytest.mark.parametrize("f", NATIVE, ids=lambda f: f"{f.exponent}-{f.significand}")
modes = pytest.mark.parametrize("mode", Rounding)

BATCH = 40  # patterns for each example


def bulk(test: Callable[..., None]) -> Callable[..., None]:
    """Run a test with `random` from hypothesis; together with the batches that makes some 160 patterns."""
    return settings(max_examples=4)(given(random=SEEDED)(test))


def generic_path() -> AbstractContextManager[object]:
    """A context in which no format uses Python's floats."""
    return mock.patch.dict(softfloat.NATIVE, clear=True)


# MPFR


def agree(f: Float, name: str, args: tuple[int, ...]) -> None:
    """Assert that an operation, on both of its paths, gives MPFR's bits."""
    exact = [to_mpfr(f, a) for a in args]
    with mpfr_context(f):
        expected = from_mpfr(f, getattr(gmpy2, name)(*exact))
    operation = getattr(softfloat, name)
    assert operation(f, *args) == expected, args
    with generic_path():
        assert operation(f, *args) == expected, args


@formats
@pytest.mark.parametrize("name", ["add", "sub", "mul", "div", "remainder"])
@bulk
def test_binary_operations_agree_with_mpfr(f, name, random):
    for a, b in operands(random, f, 2, BATCH):
        agree(f, name, (a, b))


@pytest.mark.parametrize("name", ["add", "sub", "mul", "div", "remainder"])
@pytest.mark.parametrize("f", [FLOAT16, FLOAT32, FLOAT64], ids=str)
def test_binary_operations_agree_with_mpfr_on_all_pairs_of_specials(f, name):
    for a, b in itertools.product(special_patterns(f), repeat=2):
        agree(f, name, (a, b))


@formats
@bulk
def test_fma_agrees_with_mpfr(f, random):
    for a, b, c in operands(random, f, 3, BATCH):
        agree(f, "fma", (a, b, c))
        agree(f, "fma", (a, b, softfloat.neg(f, softfloat.mul(f, a, b))))  # nearly cancels


@formats
@bulk
def test_sqrt_agrees_with_mpfr(f, random):
    for a in patterns(random, f, BATCH):
        agree(f, "sqrt", (a,))
        square = softfloat.mul(f, a, a)
        for neighbour in (square - 1, square, square + 1):
            agree(f, "sqrt", (neighbour & f.mask,))


@formats
@bulk
def test_comparisons_agree_with_mpfr(f, random):
    for a, b in operands(random, f, 2, BATCH):
        for c in (b, a, a ^ f.sign_bit):
            x, y = to_mpfr(f, a), to_mpfr(f, c)
            expected = (x < y, x <= y, x == y)
            assert (softfloat.lt(f, a, c), softfloat.le(f, a, c), softfloat.eq(f, a, c)) == expected, (a, c)
            with generic_path():
                assert (softfloat.lt(f, a, c), softfloat.le(f, a, c), softfloat.eq(f, a, c)) == expected, (a, c)


@formats
@modes
@bulk
def test_rounding_to_integers_agrees_with_mpfr(f, mode, random):
    halves = [softfloat.from_fraction(f, Fraction(random.randint(-40, 40), 2)) for _ in range(BATCH)]
    near_halves = [(a + random.choice((-1, 0, 1))) & f.mask for a in halves]
    for a in patterns(random, f, BATCH) + near_halves:
        x = to_mpfr(f, a)
        with mpfr_context(f):
            expected = RINT[mode](x)
        assert softfloat.round_to_integral(f, mode, a) == from_mpfr(f, expected), a
        whole = int(expected) if gmpy2.is_finite(expected) else None
        assert softfloat.to_integer(f, mode, a) == whole, a


@formats
@bulk
def test_conversions_agree_with_mpfr(f, random):
    for a, dst in itertools.product(patterns(random, f, BATCH), FORMATS):
        x = to_mpfr(f, a)
        with mpfr_context(dst):
            expected = gmpy2.mpfr(gmpy2.mpq(x)) if gmpy2.is_finite(x) and not gmpy2.is_zero(x) else x
        assert softfloat.convert(f, dst, a) == from_mpfr(dst, expected), (a, dst)


@formats
@bulk
def test_integers_agree_with_mpfr(f, random):
    for _ in range(BATCH):
        digits = random.getrandbits(random.randrange(1, 3 * f.significand))
        value = random.choice((-1, 1)) * digits << random.choice((0, random.randrange(200)))
        with mpfr_context(f):
            expected = gmpy2.mpfr(gmpy2.mpz(value))
        assert softfloat.from_integer(f, value) == from_mpfr(f, expected), value


def fractions(random: Random, f: Float, count: int) -> list[Fraction]:
    """Fractions at floats, at ties between floats, near either, and anywhere."""
    near = []
    for a in patterns(random, f, count):
        a = a & f.sign_bit | min(a & ~f.sign_bit, f.max_finite)
        # Past max_finite, decode gives the next power of two: infinity begins at the tie.
        q = random.choice((decode(f, a), (decode(f, a) + decode(f, a + 1)) / 2))
        near.append(q * (1 + random.choice((0, 1, -1)) * Fraction(1, 10**300)))
    anywhere = [Fraction(random.randint(-(10**9), 10**9), random.randint(1, 10**9)) for _ in range(count // 4)]
    beyond = [2 * decode(f, f.max_finite) * sign for sign in (1, -1)]
    return near + anywhere + beyond


@formats
@pytest.mark.parametrize(
    ("mode", "mpfr_rounding"),
    [
        (Rounding.RNE, gmpy2.RoundToNearest),
        (Rounding.RTP, gmpy2.RoundUp),
        (Rounding.RTN, gmpy2.RoundDown),
        (Rounding.RTZ, gmpy2.RoundToZero),
    ],
)
@bulk
def test_fractions_agree_with_mpfr(f, mode, mpfr_rounding, random):
    for q in filter(None, fractions(random, f, BATCH)):
        with mpfr_context(f, mpfr_rounding):
            expected = gmpy2.mpfr(gmpy2.mpq(q))
        assert softfloat.from_fraction(f, q, mode) == from_mpfr(f, expected), q


# Python's floats against the generic way, which the tests above compare with MPFR


@native_formats
@pytest.mark.parametrize("name", ["add", "sub", "mul", "div"])
@bulk
def test_native_and_generic_arithmetic_agree(f, name, random):
    operation = getattr(softfloat, name)
    for a, b in operands(random, f, 2, 5 * BATCH):
        native = operation(f, a, b)
        with generic_path():
            assert operation(f, a, b) == native, (a, b)


@bulk
def test_subnormal_singles_are_rounded_once(random):
    for _ in range(5 * BATCH):
        x, y, z = (softfloat.from_integer(FLOAT32, random.randrange(1, 1 << 24)) for _ in range(3))
        scale = softfloat.from_fraction(FLOAT32, Fraction(1, 1 << random.randint(60, 75)))
        small, smaller = softfloat.mul(FLOAT32, x, scale), softfloat.mul(FLOAT32, y, scale)
        large = softfloat.div(FLOAT32, z, scale)
        tiny = softfloat.mul(FLOAT32, small, scale)
        for operation, args in ((softfloat.mul, (small, smaller)), (softfloat.div, (tiny, large))):
            native = operation(FLOAT32, *args)
            with generic_path():
                assert operation(FLOAT32, *args) == native, args


@bulk
def test_python_floats_round_trip(random):
    for a in patterns(random, FLOAT64, BATCH):
        x = softfloat.bits64_to_float(a)
        assert softfloat.float_to_bits64(x) == (FLOAT64.nan if softfloat.is_nan(FLOAT64, a) else a)
        assert softfloat.float_to_bits32(x) == softfloat.convert(FLOAT64, FLOAT32, a)
    for a in patterns(random, FLOAT32, BATCH):
        x = softfloat.bits32_to_float(a)
        assert softfloat.float_to_bits32(x) == (FLOAT32.nan if softfloat.is_nan(FLOAT32, a) else a)
        assert softfloat.float_to_bits64(x) == softfloat.convert(FLOAT32, FLOAT64, a)


@pytest.mark.parametrize(
    ("x", "bits"),
    [
        (3.4028235677973366e38, 0x7F800000),  # the tie between the largest single and infinity
        (math.nextafter(3.4028235677973366e38, 0), 0x7F7FFFFF),
        (-1e300, 0xFF800000),
        (2.0**-150, 0),  # the tie between the smallest subnormal and zero
        (-math.nextafter(2.0**-150, 1), 0x80000001),
    ],
)
def test_singles_at_the_ends_of_their_range(x, bits):
    assert softfloat.float_to_bits32(x) == bits


# Every number of a tiny format


class Table:
    """All magnitudes of a format in order; infinity has the place of the next power of two."""

    def __init__(self, f: Float) -> None:
        self.f = f
        self.values = [decode(f, a) for a in range(f.infinity + 1)]  # decode gives infinity that place too

    def nearest(self, negative: bool, q: Fraction) -> int:
        """The pattern for |q|, ties to the even pattern, with a sign."""
        size = abs(q)
        above = min(bisect_left(self.values, size), self.f.infinity)
        below = max(above - 1, 0)
        to_above, to_below = self.values[above] - size, size - self.values[below]
        bits = above if to_above < to_below or (to_above == to_below and above % 2 == 0) else below
        return bits | (self.f.sign_bit if negative else 0)

    def to_float(self, a: int) -> float:
        magnitude = a & ~self.f.sign_bit
        if magnitude > self.f.infinity:
            return math.nan
        return math.copysign(
            math.inf if magnitude == self.f.infinity else float(self.values[magnitude]),
            -1 if a & self.f.sign_bit else 1,
        )

    def judge(self, machine: float, exact: Callable[..., Fraction], *args: float) -> int:
        """A Python float gives NaN, infinity, zero and the sign; exact fractions give the rest."""
        if math.isnan(machine):
            return self.f.nan
        negative = math.copysign(1, machine) < 0
        if math.isinf(machine) or machine == 0:
            return (self.f.infinity if machine else 0) | (self.f.sign_bit if negative else 0)
        return self.nearest(negative, exact(*(fraction(x) if math.isfinite(x) else x for x in args)))


fraction = cache(Fraction)  # of a tiny format's few values


def machine_div(x: float, y: float) -> float:
    if y:
        return x / y
    return math.nan if x == 0 or math.isnan(x) else math.copysign(math.inf, x) * math.copysign(1, y)


def machine_remainder(x: float, y: float) -> float:
    return math.nan if math.isinf(x) or y == 0 else math.remainder(x, y)


def exact_remainder(x: Fraction, y: Fraction | float) -> Fraction:
    return x if isinstance(y, float) else x - y * round(x / y)  # round() takes ties to even; y may be infinite


@pytest.mark.parametrize(
    ("operation", "machine", "exact"),
    [
        (softfloat.add, operator.add, operator.add),
        (softfloat.sub, operator.sub, operator.sub),
        (softfloat.mul, operator.mul, operator.mul),
        (softfloat.div, machine_div, operator.truediv),
        (softfloat.remainder, machine_remainder, exact_remainder),
    ],
)
def test_all_pairs_of_a_tiny_format(operation, machine, exact):
    table = Table(TINY)
    everything = [(a, table.to_float(a)) for a in range(TINY.mask + 1)]
    for (a, x), (b, y) in itertools.product(everything, repeat=2):
        expected = table.judge(machine(x, y), exact, x, y)
        assert operation(TINY, a, b) == expected, (a, b)


def test_all_triples_of_a_tinier_format():
    table = Table(TINIER)
    everything = [(a, table.to_float(a)) for a in range(TINIER.mask + 1)]
    for (a, x), (b, y), (c, z) in itertools.product(everything, repeat=3):
        machine = x * y + z  # exact: doubles are wide enough
        assert softfloat.fma(TINIER, a, b, c) == table.judge(machine, Fraction, machine), (a, b, c)


def test_all_roots_of_a_tiny_format():
    table = Table(TINY)
    ties = [((low + high) / 2) ** 2 for low, high in itertools.pairwise(table.values)]
    for a in range(1, TINY.infinity):
        # No root of these is a tie, so counting the ties below is enough.
        assert table.values[a] not in ties
        assert softfloat.sqrt(TINY, a) == bisect_left(ties, table.values[a])
        assert softfloat.sqrt(TINY, a | TINY.sign_bit) == TINY.nan


def test_comparisons_of_all_pairs_of_a_tiny_format():
    table = Table(TINY)
    everything = [(a, table.to_float(a)) for a in range(TINY.mask + 1)]
    for (a, x), (b, y) in itertools.product(everything, repeat=2):
        answers = softfloat.lt(TINY, a, b), softfloat.le(TINY, a, b), softfloat.eq(TINY, a, b)
        assert answers == (x < y, x <= y, x == y), (a, b)


@modes
def test_integers_of_all_numbers_of_a_tiny_format(mode):
    table = Table(TINY)
    by_definition: dict[Rounding, Callable[[Fraction], int]] = {
        Rounding.RNE: round,
        Rounding.RNA: lambda q: math.floor(abs(q) + Fraction(1, 2)) * (1 if q > 0 else -1),
        Rounding.RTP: math.ceil,
        Rounding.RTN: math.floor,
        Rounding.RTZ: math.trunc,
    }
    for a in range(TINY.mask + 1):
        x = table.to_float(a)
        if not math.isfinite(x):
            assert softfloat.to_integer(TINY, mode, a) is None
            continue
        expected = by_definition[mode](Fraction(x))
        assert softfloat.to_integer(TINY, mode, a) == expected
        assert softfloat.round_to_integral(TINY, mode, a) == table.nearest(a >= TINY.sign_bit, Fraction(expected))


# Classes, signs, bounds, order


def test_every_pattern_has_one_class():
    for a in range(TINY.mask + 1):
        classes = [
            softfloat.is_nan(TINY, a),
            softfloat.is_infinite(TINY, a),
            softfloat.is_zero(TINY, a),
            softfloat.is_subnormal(TINY, a),
            softfloat.is_normal(TINY, a),
        ]
        assert sum(classes) == 1
        assert softfloat.is_finite(TINY, a) == any(classes[2:])
        signs = softfloat.is_negative(TINY, a), softfloat.is_positive(TINY, a)
        assert signs == ((False, False) if softfloat.is_nan(TINY, a) else (a >= TINY.sign_bit, a < TINY.sign_bit))


@formats
def test_classes_of_the_special_values(f):
    least_normal = 1 << (f.significand - 1)
    assert softfloat.is_subnormal(f, 1)
    assert softfloat.is_subnormal(f, f.sign_bit | least_normal - 1)
    assert softfloat.is_normal(f, least_normal)
    assert softfloat.is_normal(f, f.sign_bit | f.max_finite)
    assert softfloat.is_infinite(f, f.sign_bit | f.infinity)
    assert softfloat.is_nan(f, f.infinity + 1)
    assert softfloat.is_nan(f, f.mask)
    assert softfloat.is_zero(f, f.sign_bit)


@formats
@bulk
def test_signs_and_fractions_by_definition(f, random):
    for a in patterns(random, f, BATCH):
        if softfloat.is_nan(f, a):
            assert softfloat.neg(f, a) == softfloat.absolute(f, a) == f.nan
            continue
        assert softfloat.neg(f, a) == a ^ f.sign_bit
        assert softfloat.absolute(f, a) == min(a, a ^ f.sign_bit)
        if not softfloat.is_infinite(f, a):
            q = softfloat.to_fraction(f, a)
            assert q == decode(f, a)
            assert softfloat.from_fraction(f, q, negative=a >= f.sign_bit) == a


@pytest.mark.parametrize("a", [FLOAT16.infinity, FLOAT16.sign_bit | FLOAT16.infinity, FLOAT16.nan, FLOAT16.mask])
def test_no_fraction_equals_an_infinity_or_a_nan(a):
    with pytest.raises(ValueError, match="no finite"):
        softfloat.to_fraction(FLOAT16, a)


@formats
@bulk
def test_floor_and_ceiling_split_the_order_at_a_fraction(f, random):
    def value(a: int) -> Fraction | float:
        if softfloat.is_infinite(f, a):
            return -math.inf if a & f.sign_bit else math.inf
        return decode(f, a)

    for q in [*fractions(random, f, BATCH), Fraction(0)]:
        floor, ceiling = softfloat.floor_fraction(f, q), softfloat.ceil_fraction(f, q)
        above, below = softfloat.ordinal(f, floor) + 1, softfloat.ordinal(f, ceiling) - 1
        assert value(floor) <= q < value(softfloat.from_ordinal(f, above)), q
        assert value(softfloat.from_ordinal(f, below)) < q <= value(ceiling), q


def test_floor_and_ceiling_at_zero_and_beyond_the_range():
    beyond = 2 * decode(FLOAT16, FLOAT16.max_finite)
    assert softfloat.floor_fraction(FLOAT16, Fraction(0)) == 0
    assert softfloat.ceil_fraction(FLOAT16, Fraction(0)) == FLOAT16.sign_bit
    assert softfloat.floor_fraction(FLOAT16, Fraction(1, 10**9)) == 0
    assert softfloat.ceil_fraction(FLOAT16, Fraction(-1, 10**9)) == FLOAT16.sign_bit
    assert softfloat.floor_fraction(FLOAT16, beyond) == FLOAT16.max_finite
    assert softfloat.ceil_fraction(FLOAT16, beyond) == FLOAT16.infinity
    assert softfloat.floor_fraction(FLOAT16, -beyond) == FLOAT16.infinity | FLOAT16.sign_bit
    assert softfloat.ceil_fraction(FLOAT16, -beyond) == FLOAT16.max_finite | FLOAT16.sign_bit


@pytest.mark.parametrize("f", [TINIER, TINY, Float(5, 6)], ids=str)
def test_ordinals_count_all_numbers_in_order(f):
    ordinals = range(softfloat.ordinal(f, f.infinity | f.sign_bit), softfloat.ordinal(f, f.infinity) + 1)
    in_order = [softfloat.from_ordinal(f, n) for n in ordinals]
    assert len(set(in_order)) == 2 * (f.infinity + 1)
    assert [softfloat.ordinal(f, a) for a in in_order] == list(ordinals)
    zeros = in_order.index(f.sign_bit)
    assert in_order[zeros + 1] == 0
    for i, (a, b) in enumerate(itertools.pairwise(in_order)):
        assert softfloat.lt(f, a, b) or i == zeros


def test_the_order_ends_at_the_infinities_and_holds_no_nan():
    top, bottom = FLOAT16.infinity, FLOAT16.infinity | FLOAT16.sign_bit
    for n in (softfloat.ordinal(FLOAT16, top) + 1, softfloat.ordinal(FLOAT16, bottom) - 1):
        with pytest.raises(ValueError, match="ordinals"):
            softfloat.from_ordinal(FLOAT16, n)
    with pytest.raises(ValueError, match="NaN"):
        softfloat.ordinal(FLOAT16, FLOAT16.nan)


# Formats with exponents so large that memory cannot hold their integers


def test_huge_exponent_differences_cost_nothing():
    f = Float(60, 24)
    one, three = softfloat.from_integer(f, 1), softfloat.from_integer(f, 3)
    assert softfloat.add(f, f.max_finite, one) == f.max_finite
    assert softfloat.sub(f, one, 1) == one
    assert softfloat.fma(f, one, 1, f.max_finite) == f.max_finite
    assert softfloat.remainder(f, one, f.max_finite) == one
    assert softfloat.round_to_integral(f, Rounding.RTP, 1) == one
    assert softfloat.round_to_integral(f, Rounding.RNE, f.max_finite) == f.max_finite
    assert softfloat.convert(f, FLOAT32, f.max_finite) == FLOAT32.infinity
    assert softfloat.convert(f, FLOAT32, 1) == 0
    # 2 is -1 modulo 3, so an even power of two leaves 1 and an odd one -1.
    power = (f.infinity - 1) >> (f.significand - 1) << (f.significand - 1)
    exponent = (power >> (f.significand - 1)) - f.bias
    assert exponent % 2 == 1
    assert softfloat.remainder(f, power, three) == softfloat.neg(f, one)


def test_a_negligible_addend_only_breaks_ties():
    f = Float(5, 4)  # all significands, and exponents too far apart to matter for rounding
    for high, low, gap in itertools.product(range(8), range(16), range(16)):
        agree(f, "add", (high | 24 << 3, low & 7 | (24 - gap) << 3 | (low & 8) << 5))


def test_rounding_modes_go_by_their_smtlib_names():
    assert [mode.name for mode in Rounding] == ["RNE", "RNA", "RTP", "RTN", "RTZ"]
    assert Rounding("roundNearestTiesToAway") is Rounding["RNA"]
