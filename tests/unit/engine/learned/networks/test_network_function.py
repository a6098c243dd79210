"""Numbers of networks as functions: bounds that agree with results at points, and what is shared and kept."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from soid.engine.learned.column_steps import Column, ToFloat32
from soid.engine.learned.model import ModelFeature
from soid.engine.learned.network import Network, NetworkSum, NetworkTerm
from soid.engine.learned.networks.network_function import NetworkFunction
from soid.engine.learned.networks.shared_network import SharedNetwork
from soid.formula import softfloat as sf
from soid.formula.intervals import Floats
from soid.formula.sorts import FLOAT32, FLOAT64
from tests.small_networks import FloatRun, affine, network, random_network

FEATURES = tuple(ModelFeature(f"x{number}") for number in range(3))
Y = NetworkSum("y", 0, (NetworkTerm(5, 0),))
LEAD = NetworkSum("lead", 0, (NetworkTerm(5, 0), NetworkTerm(5, 1, -1.0)), 64)


def functions(*sums: NetworkSum, one: Network | None = None) -> list[NetworkFunction]:
    """The least and the greatest of each sum."""
    made = SharedNetwork(one or random_network(np.random.default_rng(0), [3, 8, 8, 2]), FEATURES)
    return [NetworkFunction(made, each, end) for each in sums for end in (0, 1)]


def bits(*row: float) -> tuple[int, ...]:
    return tuple(sf.float_to_bits64(each) for each in row)


def number(function: NetworkFunction, row: Any) -> float:
    found = function.value(bits(*row))
    return sf.bits32_to_float(found) if function.sort == FLOAT32 else sf.bits64_to_float(found)


def flags(rows: Any) -> Any:
    return np.zeros(rows.shape, bool)


def test_results_at_points_enclose_what_a_runtime_computes() -> None:
    low, high, lead_low, lead_high = functions(Y, LEAD)
    one = random_network(np.random.default_rng(0), [3, 8, 8, 2])
    for row in np.random.default_rng(1).uniform(-1, 1, (20, 3)).astype(np.float32).astype(np.float64):
        first, second = (float(each) for each in FloatRun().vectors(one, row)[-1])
        assert number(low, row) <= first <= number(high, row)
        assert number(lead_low, row) <= first - second <= number(lead_high, row)
        assert number(high, row) - number(low, row) < 1e-4


def test_a_look_at_points_gives_what_the_function_has_there() -> None:
    """In whatever company a point is looked at."""
    rows = np.random.default_rng(2).uniform(-1, 1, (40, 3))
    made = functions(Y, LEAD)
    regions = [each.within(np.full(3, -1.0), np.full(3, 1.0), np.zeros(3, bool)) for each in made]
    boxes = rows.copy()
    boxes[::2] += 0.1  # every other one is a box
    looks = [each.of(rows, boxes, flags(rows)) for each in regions]
    for function, look in zip(made, looks, strict=True):
        for place in range(1, 40, 2):
            assert sf.from_ordinal(function.sort, look.at_point(place)) == function.value(bits(*rows[place]))


def test_a_box_holds_the_results_at_its_points() -> None:
    made = functions(Y, LEAD)
    draw = np.random.default_rng(3)
    low = draw.uniform(-1, 0.5, (10, 3))
    looks = [each.within(low.min(axis=0), low.max(axis=0) + 0.5, np.zeros(3, bool)) for each in made]
    found = [each.of(low, low + 0.5, flags(low)) for each in looks]
    for place in range(10):
        row = low[place] + draw.random(3) * 0.5
        for function, look in zip(made, found, strict=True):
            at = sf.ordinal(function.sort, function.value(bits(*row)))
            slack = 40 if function.sort == FLOAT32 else 1 << 40  # a point's own bounds have other roundings in them
            assert look.low[place] - slack <= at <= look.high[place] + slack


def test_functions_of_one_region_are_rows_of_one_computation(monkeypatch: pytest.MonkeyPatch) -> None:
    made = functions(Y, LEAD)
    asked: list[int] = []
    look = SharedNetwork.look

    def counted(self: SharedNetwork, *given: Any) -> Any:
        asked.append(len(given[0]))
        return look(self, *given)

    monkeypatch.setattr(SharedNetwork, "look", counted)
    regions = [each.within(np.full(3, -1.0), np.full(3, 1.0), np.zeros(3, bool)) for each in made]
    low = np.random.default_rng(4).uniform(-1, 0, (12, 3))
    given = low, low + 0.5, flags(low)
    looks = [each.of(*given) for each in regions]
    assert asked == [1, 12]
    kept = [0, 3, 5]
    inside = [each.chosen(kept).narrowed() for each in looks]
    given = low[kept], low[kept] + 0.25, flags(low[kept])
    assert [each.of(*given).low.shape for each in inside] == [(3,)] * 4
    assert asked == [1, 12, 3]


@pytest.mark.parametrize("row", [(math.nan, 0.0, 0.0), (math.inf, 0.0, 0.0), (1e300, 0.0, 0.0)])
def test_nothing_is_known_where_an_input_is_no_finite_float(row: tuple[float, ...]) -> None:
    low, high = functions(Y)
    assert number(low, row) == -math.inf and number(high, row) == math.inf


def test_nothing_is_known_over_a_range_with_nan_or_infinities() -> None:
    (low, _) = functions(Y)
    one = sf.ordinal(FLOAT64, sf.float_to_bits64(1.0))
    everything = Floats(~FLOAT32.infinity, FLOAT32.infinity, False)
    assert low.over((Floats(0, one, True), Floats(0, one, False), Floats(0, one, False))) == everything
    assert low.over((Floats(0, FLOAT64.infinity, False), Floats(0, one, False), Floats(0, one, False))) == everything
    known = low.over((Floats(0, one, False), Floats(0, one, False), Floats(0, one, False)))
    assert isinstance(known, Floats) and known.high < FLOAT32.infinity


def test_a_box_that_may_be_missing_is_not_taken_for_one_that_may_not() -> None:
    (low, _) = functions(Y)
    region = low.within(np.full(3, -1.0), np.full(3, 1.0), np.array([True, False, False]))
    ends = np.full((1, 3), -0.5), np.full((1, 3), 0.5)
    assert region.of(*ends, np.zeros((1, 3), bool)).low[0] > ~FLOAT32.infinity
    assert region.of(ends[0].copy(), ends[1], np.array([[True, False, False]])).low[0] == ~FLOAT32.infinity


def test_the_advice_is_0_where_roundings_are_all_that_is_left() -> None:
    (low, _) = functions(LEAD)
    region = low.within(np.full(3, -1.0), np.full(3, 1.0), np.zeros(3, bool))
    at = np.full((2, 3), 0.25)
    look = region.of(at, at + np.array([[0.5], [1e-9]]), flags(at))
    assert (look.advice()[0] > 0).all() and not look.advice()[1].any()


def test_ends_are_rounded_away_from_each_other_unless_the_number_is_a_float32() -> None:
    third = np.array([1 / 3])
    halves = (NetworkTerm(5, 0, 0.5), NetworkTerm(5, 1, 0.5))
    sums = Y, NetworkSum("mean", 0, halves), NetworkSum("rounded", 0, halves, rounded=True), LEAD
    for one, wanted in zip(sums, ("nothing between", "around", "nearest", "around"), strict=True):
        (low, high) = (place[0] for place in functions(one)[0].places(third, third))
        assert {"nothing between": low > high, "around": low < high, "nearest": low == high}[wanted], one


def test_a_zero_is_both_zeros() -> None:
    """relu gives 0 here, and which zero has not been looked at."""
    one = network(3, affine(0, [[0.0, 0.0, 0.0]], [0.0]))
    low, high = functions(NetworkSum("y", 0, (NetworkTerm(0, 0),)), one=one)
    assert [math.copysign(1, number(each, (0.0, 0.0, 0.0))) for each in (low, high)] == [-1.0, 1.0]


def test_columns_are_prepared_as_the_runtime_is_given_them() -> None:
    made = SharedNetwork(Network((Column(1, (ToFloat32(),)),), 32, (affine(0, [[1.0]], [0.0]),)), FEATURES)
    assert made.used == [1]
    (low, high) = (NetworkFunction(made, NetworkSum("y", 0, (NetworkTerm(1, 0),)), end) for end in (0, 1))
    assert number(low, (0.1,)) <= float(np.float32(0.1)) <= number(high, (0.1,))
