"""Enclosures of sums in any order, against orders, brackets, fused operations and BLAS."""

from __future__ import annotations

import math
import random
from fractions import Fraction
from itertools import permutations
from typing import Any, Literal

import numpy as np
import pytest

from soid.engine.learned.added_terms import adds_exactly, unordered_ends
from soid.engine.learned.column_steps import Column
from soid.engine.learned.float_places import SORTS, float_at
from soid.engine.learned.linear_bounds import LinearBounds
from soid.engine.learned.model import LinearSum, ModelFeature, TreeSum
from soid.engine.learned.sum_functions import LinearFunction
from tests.exact_enclosures import any_order_spread, linear_spread, sum_spread


def awkward(chance: random.Random) -> float:
    """A number that makes sums lose bits: of any size, often of the same as another with the other sign."""
    return chance.choice([1, -1]) * chance.choice(
        [
            chance.random(),
            chance.random() * 2.0 ** chance.randrange(-60, 60),
            1.0,
            1 / 3,
            2.0**53,
            2.0**-53,
            1e16,
            5e-324,
        ]
    )


def added_somehow(terms: list[float], chance: random.Random) -> float:
    """The sum in an order and with brackets that are drawn."""
    left = list(terms)
    while len(left) > 1:
        one = left.pop(chance.randrange(len(left)))
        other = left.pop(chance.randrange(len(left)))
        left.append(one + other)
    return left[0]


def fused(x: float, y: float, z: float) -> float:
    """x * y + z, rounded once."""
    return float(Fraction(x) * Fraction(y) + Fraction(z))


@pytest.mark.parametrize("seed", range(4))
def test_every_order_of_few_terms_lies_inside(seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(40):
        terms = [awkward(chance) for _ in range(5)]
        low, high = sum_spread(terms, 64)
        found = {sum(order[1:], order[0]) for order in permutations(terms)}
        assert low <= min(found) and max(found) <= high
        low32, high32 = sum_spread([float(np.float32(term)) for term in terms], 32)
        for order in permutations(np.array(terms, np.float32)):
            total = np.float32(0)
            for term in order:
                total = total + term
            assert low32 <= total <= high32


@pytest.mark.parametrize("seed", range(4))
def test_brackets_lie_inside(seed: int) -> None:
    chance = random.Random(seed)
    for count in (2, 3, 17, 200):
        terms = [awkward(chance) for _ in range(count)]
        low, high = sum_spread(terms, 64)
        assert all(low <= added_somehow(terms, chance) <= high for _ in range(50))


def test_two_terms_have_one_sum() -> None:
    chance = random.Random(1)
    for _ in range(300):
        one, other = awkward(chance), awkward(chance)
        assert sum_spread([one, 0.0, other], 64) == (one + other, one + other)


def test_sums_that_no_order_rounds_are_exact() -> None:
    assert sum_spread([0.5] * 1000 + [0.25] * 3, 64) == (500.75, 500.75)
    assert sum_spread([1.0, 0.0, 1.0], 32) == (2.0, 2.0)
    assert sum_spread([], 64) == (0.0, 0.0)
    low, high = sum_spread([2.0**53, 1.0, 1.0], 64)
    assert low <= 2.0**53 and high >= 2.0**53 + 2


def test_a_sum_that_may_be_too_large_is_not_known() -> None:
    assert sum_spread([1.7e308, 1.7e308, -1.7e308], 64) == (-math.inf, math.inf)
    assert sum_spread([3e38, 3e38], 32) == (-math.inf, math.inf)
    assert sum_spread([math.inf, 1.0], 64) == (-math.inf, math.inf)


def test_a_sum_of_trees_is_finished_at_both_ends() -> None:
    one = TreeSum("value", 0, start=0.5, any_order=True, finish=(("divide", 3.0), ("add", 0.1)))
    leaves = [0.1, 0.7, 1e-9]
    low, high = any_order_spread(one, leaves)
    found = {(sum(order) / 3.0) + 0.1 for order in permutations([0.5, *leaves])}
    assert low <= min(found) <= max(found) <= high
    in_order = TreeSum("value", 0, start=0.5, finish=(("divide", 3.0),))
    value = (0.5 + 0.1 + 0.7 + 1e-9) / 3.0
    assert any_order_spread(in_order, leaves) == (value, value)


def linear(weights: list[float], intercept: float, **options: object) -> LinearSum:
    columns = tuple(Column(place) for place in range(len(weights)))
    return LinearSum("score", columns, tuple(weights), intercept, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("seed", range(6))
def test_dot_products_lie_inside_whatever_the_order(seed: int) -> None:
    chance = random.Random(seed)
    for count in (1, 2, 5, 40):
        weights = [awkward(chance) for _ in range(count)]
        values = [awkward(chance) for _ in range(count)]
        one = linear(weights, awkward(chance))
        low, high = linear_spread(one, values)
        products = [weight * value for weight, value in zip(weights, values, strict=True)]
        for _ in range(20):
            assert low <= added_somehow([*products, one.intercept], chance) <= high
            chained = 0.0
            for place in chance.sample(range(count), count):
                chained = fused(weights[place], values[place], chained)
            assert low <= chained + one.intercept <= high


@pytest.mark.parametrize("width", [1, 3, 9, 64, 257])
def test_blas_lies_inside_for_batches_and_single_rows(width: int) -> None:
    chance = np.random.default_rng(width)
    rows = chance.normal(size=(40, width)) * 10.0 ** chance.integers(-8, 8, size=width)
    weights = chance.normal(size=width) / 10.0 ** chance.integers(-8, 8, size=width)
    one = linear(weights.tolist(), 0.25)
    batch, transposed = rows @ weights + 0.25, np.asfortranarray(rows) @ weights + 0.25
    many = (rows @ np.stack([weights, weights], axis=1))[:, 0] + 0.25
    for place, row in enumerate(rows):
        low, high = linear_spread(one, row.tolist())
        for found in (batch[place], transposed[place], many[place], row @ weights + 0.25):
            assert low <= found <= high
        assert high - low <= 4 * width * 2.0**-53 * (np.abs(row * weights).sum() + 0.25) * 2


def test_products_that_vanish_lie_inside() -> None:
    one = linear([1e-200, 1e-200, -1e-200], 0.0)
    low, high = linear_spread(one, [1e-200, 1e-120, 1e-120])
    assert low <= 0.0 <= high and high - low < 1e-300
    assert linear_spread(linear([0.0, 1.0], 0.5), [3.0, 0.0]) == (0.5, 0.5)


def test_missing_columns_add_nothing_where_they_are_skipped() -> None:
    one = linear([1.0, 3.0], 0.5, skips_missing=True)
    low, high = linear_spread(one, [math.nan, 0.1])
    assert low <= 3.0 * 0.1 + 0.5 <= high
    assert linear_spread(linear([1.0, 3.0], 0.5), [math.nan, 0.1]) == (-math.inf, math.inf)
    assert linear_spread(linear([1.0], 0.5), [math.inf]) == (-math.inf, math.inf)


def test_a_known_order_has_one_value() -> None:
    one = linear([0.1, 0.3], 0.7, any_order=False)
    value = 0.7 + 0.9 * 0.1 + 0.2 * 0.3
    assert linear_spread(one, [0.9, 0.2]) == (value, value)
    single = linear([0.1], 0.7, any_order=False, precision=32)
    expected = float(np.float32(0.7) + np.float32(0.9) * np.float32(0.1))
    assert linear_spread(single, [0.9]) == (expected, expected)


@pytest.mark.parametrize("precision", [32, 64])
def test_the_ends_of_a_sum_hold_what_any_order_gives(precision: int) -> None:
    chance = random.Random(precision)
    kind = np.float32 if precision == 32 else np.float64
    for _ in range(300):
        terms = [float(kind(awkward(chance))) for _ in range(chance.randrange(2, 40))]
        row = np.array([terms], kind)
        low, high = (ends_at(row, row, end, precision) for end in (0, 1))
        assert low[0] == low[1] and high[0] == high[1]  # functions at a point
        exact = sum_spread(terms, precision)
        assert low[0] <= exact[0] <= exact[1] <= high[0], terms


@pytest.mark.parametrize("precision", [32, 64])
def test_the_ends_over_a_box_hold_those_of_its_points(precision: int) -> None:
    chance = random.Random(7 + precision)
    kind = np.float32 if precision == 32 else np.float64
    for _ in range(100):
        pairs = [sorted(float(kind(awkward(chance))) for _ in range(2)) for _ in range(chance.randrange(2, 12))]
        least, most = (np.array([[pair[side] for pair in pairs]], kind) for side in (0, 1))
        over = [ends_at(least, most, end, precision) for end in (0, 1)]
        for _ in range(20):
            inside = np.array([[kind(chance.uniform(*pair)) for pair in pairs]], kind)
            point = np.clip(inside, least, most)
            for end in (0, 1):
                value = ends_at(point, point, end, precision)[0]
                assert over[end][0] <= value <= over[end][1]


def ends_at(least: Any, most: Any, end: int, precision: int) -> tuple[float, float]:
    low, high = unordered_ends(least, most, end, precision)
    return float(low[0]), float(high[0])


def test_what_adds_exactly_has_no_ends_apart() -> None:
    chance = random.Random(3)
    seen = 0
    for _ in range(500):
        terms = [chance.choice([0.5, 0.25, 1.0, -2.0, 0.1]) for _ in range(5)]
        if adds_exactly(terms, len(terms), 64):
            seen += 1
            assert len(set(sum_spread(terms, 64))) == 1
    assert seen > 20


@pytest.mark.parametrize("precision", [32, 64])
def test_the_ends_of_a_linear_sum_hold_what_any_order_gives(precision: Literal[32, 64]) -> None:
    chance = random.Random(11)
    kind = np.float32 if precision == 32 else np.float64
    for _ in range(200):
        count = chance.randrange(1, 30)
        weights = tuple(float(kind(chance.gauss(0, 1))) for _ in range(count))
        values = [float(kind(chance.gauss(0, 10.0 ** chance.randrange(-3, 4)))) for _ in range(count)]
        one = LinearSum("score", tuple(map(Column, range(count))), weights, float(kind(chance.random())), precision)
        bounds = LinearBounds(one, [ModelFeature(str(number)) for number in range(count)])
        row, missing = np.array([values]), np.zeros((1, count), bool)
        low, high = (
            float_at(SORTS[precision], int(LinearFunction(bounds, end).of(row, row, missing).low[0])) for end in (0, 1)
        )
        exact = linear_spread(one, values)
        assert low <= exact[0] <= exact[1] <= high
