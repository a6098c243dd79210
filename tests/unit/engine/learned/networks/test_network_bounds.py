"""Bounds of networks against exact runs of them in floats, in adversarial orders; and that the tests can fail."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from soid.engine.learned.network import Activated, Added, Extreme, Network, Scaled, Selected, Softmaxed
from soid.engine.learned.networks import float_errors, ranges, relations, weighted_layers
from soid.engine.learned.networks.network_bounds import NetworkBounds, NetworkRanges, WantedRows
from soid.engine.learned.networks.ranges import Ranges
from tests.small_networks import FloatRun, affine, network, packed, places, random_network, runs


def bounds_of(one: Network, low: Any, high: Any, rows: Any = None, **named: Any) -> NetworkRanges:
    """Bounds of the last vector, or of rows over it, in boxes."""
    bounds = NetworkBounds(one)
    wanted = np.eye(bounds.sizes[-1]) if rows is None else np.asarray(rows, np.float64)
    boxes = Ranges(np.atleast_2d(low).astype(np.float64), np.atleast_2d(high).astype(np.float64))
    return bounds.of(boxes, np.zeros(len(boxes.low), bool), WantedRows({len(one.layers): wanted}), **named)


def assert_inside(found: NetworkRanges, box: int, values: Sequence[Fraction], what: object) -> None:
    for place, value in enumerate(values):
        assert Fraction(found.low[box, place]) <= value <= Fraction(found.high[box, place]), (what, place, float(value))


def single(numbers: Any) -> Any:
    return np.asarray(numbers, np.float32).astype(np.float64)


def points_in(luck: random.Random, low: Any, high: Any, count: int) -> list[Any]:
    corners = list(itertools.islice(itertools.product(*zip(low, high, strict=True)), 8))
    drawn = [[luck.uniform(a, b) for a, b in zip(low, high, strict=True)] for _ in range(count)]
    return [np.clip(single(each), low, high) for each in [*corners, *drawn]]


def mixed(draw: np.random.Generator, kind: int) -> Network:
    """A network with a layer of each kind that has exact results."""
    first = affine(0, single(draw.normal(size=(6, 3))), single(draw.normal(size=6)))
    second = affine(2, single(draw.normal(size=(6, 6))), single(draw.normal(size=6)), roundings=kind % 3)
    functions: list[Any] = ["relu", "leaky_relu", "clip", "hard_sigmoid"]
    function, other = functions[kind % 4], functions[(kind // 4) % 4]
    alpha = {"leaky_relu": float(np.float32(0.1 if kind % 2 else 1.7)), "clip": -0.5, "hard_sigmoid": 0.25}
    beta = {"clip": 0.75, "hard_sigmoid": 0.5}

    def activated(source: int, name: Any) -> Activated:
        return Activated(source, name, alpha.get(name, 0.0), beta.get(name, 0.0))

    return network(
        3,
        first,
        activated(1, function),
        second,
        Scaled(3, packed(single(draw.normal(size=6))), packed(single(draw.normal(size=6))), 2),
        Added((4, 2), (False, kind % 2 == 0)),
        activated(5, other),
        Selected((6, 1), places([0, 0, 1, 0, 1, 0]), places([0, 1, 2, 1, 3, 4])),
        Extreme(7, places([0, 1, 2, 3, 4, 5, 1, 3, 5]), 3, kind % 2 == 1),
        affine(8, single(draw.normal(size=(2, 3))), single(draw.normal(size=2))),
    )


@pytest.mark.parametrize("kind", range(16))
def test_exact_runs_of_all_layers_lie_within_bounds(kind: int) -> None:
    draw, luck = np.random.default_rng(kind), random.Random(kind)
    one = mixed(draw, kind)
    for width in (0.0, 1e-6, 0.1, 2.0):
        low = single(draw.uniform(-1, 1, 3))
        high = single(low + width)
        found = bounds_of(one, low, high)
        assert not found.unclear.any()
        for row in points_in(luck, low, high, 3):
            at_point = bounds_of(one, row, row)
            for run in runs(luck, 2):
                values = run.vectors(one, row)[-1]
                assert_inside(found, 0, values, (kind, width, run))
                assert_inside(at_point, 0, values, (kind, "point", run))


@pytest.mark.parametrize("seed", range(4))
def test_inner_ranges_and_those_of_boxes_inside_hold_too(seed: int) -> None:
    draw, luck = np.random.default_rng(seed), random.Random(seed)
    one = random_network(draw, [3, 8, 8, 8, 2])
    low = single(draw.uniform(-1, 0, (4, 3)))
    high = single(low + 1.0)
    parents = bounds_of(one, low, high)
    middle = single((low + high) / 2)
    children = bounds_of(one, low, middle, inherited=parents.inner)
    for box in range(4):
        for row in points_in(luck, low[box], middle[box], 2):
            (run,) = runs(luck, 1)
            vectors = run.vectors(one, row)
            assert_inside(children, box, vectors[-1], run)
            for vector, inner in children.inner.items():
                for element, value in enumerate(vectors[vector]):
                    assert inner.low[box, element] <= value <= inner.high[box, element]
    assert (children.high - children.low <= parents.high - parents.low + 1e-9).all()


def lossy(count: int) -> Network:
    """1 and many numbers that vanish beside it, each half a unit in its last place."""
    return network(count, affine(0, [[1.0] + [2.0**-24] * (count - 1)], [0.0]))


def test_errors_of_a_sum_are_as_large_as_the_bound_says() -> None:
    """What one order loses is nearly all that the bound leaves room for: half of it would not do."""
    one, row = lossy(64), np.ones(64)
    exact = sum((Fraction(each) for each in [1.0] + [2.0**-24] * 63), Fraction(0))
    found, (value,) = bounds_of(one, row, row), FloatRun("in order").vectors(one, row)[-1]
    assert value == 1
    assert Fraction(found.low[0, 0]) <= value < exact - (exact - Fraction(found.low[0, 0])) * Fraction(9, 10)


@pytest.mark.parametrize("share", [0.0, 0.5])
def test_without_the_error_term_or_with_half_of_it_a_run_is_outside(share: float, monkeypatch: Any) -> None:
    monkeypatch.setattr(weighted_layers, "gamma", lambda *given: share * float_errors.gamma(*given))
    one, row = lossy(64), np.ones(64)
    (value,) = FloatRun("in order").vectors(one, row)[-1]
    assert value < Fraction(bounds_of(one, row, row).low[0, 0])


def deep_lossy() -> Network:
    """The same behind a layer that keeps numbers, and before one that magnifies what was lost."""
    keep = affine(0, np.eye(64), np.zeros(64))
    add = affine(2, [[1.0] + [2.0**-24] * 63, [1.0] + [0.0] * 63], [0.0, 0.0])
    return network(64, keep, Activated(1, "relu"), add, Activated(3, "relu"), affine(4, [[4096.0, -4096.0]], [0.0]))


def test_errors_of_an_inner_layer_are_magnified_with_it(monkeypatch: Any) -> None:
    one, row = deep_lossy(), np.ones(64)
    (value,) = FloatRun("in order").vectors(one, row)[-1]
    assert value == 0
    assert bounds_of(one, row, row).low[0, 0] <= 0 <= bounds_of(one, row, row).high[0, 0]
    assert bounds_of(one, row - 0.25, row).low[0, 0] <= 0
    monkeypatch.setattr(weighted_layers, "gamma", lambda *given: 0.0)
    assert value < Fraction(bounds_of(one, row, row).low[0, 0])


def test_what_underflows_is_in_the_bounds(monkeypatch: Any) -> None:
    """Products that are flushed, inputs and weights that are taken for 0."""
    tiny = 2.0**-140
    cases: list[tuple[Any, float]] = [
        ([[2.0**-70] * 8], 2.0**-70),  # the product is subnormal
        ([[2.0**-3] * 8], tiny),  # the input is
        ([[tiny] * 8], 2.0**3),  # the weight is
    ]
    for weights, x in cases:
        one, row = network(8, affine(0, weights, [0.0])), np.full(8, x)
        found = bounds_of(one, row, row)
        for flushes in (True, False):
            (value,) = FloatRun(flushes=flushes).vectors(one, row)[-1]
            assert Fraction(found.low[0, 0]) <= value <= Fraction(found.high[0, 0])
    monkeypatch.setattr(weighted_layers, "lost", lambda *given: 0.0)
    one, row = network(8, affine(0, cases[0][0], [0.0])), np.full(8, 2.0**-70)
    (value,) = FloatRun(flushes=True).vectors(one, row)[-1]
    assert value == 0 < Fraction(bounds_of(one, row, row).low[0, 0])


def exact_values(one: Network, row: Iterable[Any]) -> list[Fraction]:
    """A network of weighted sums as real numbers."""
    values = [Fraction(float(each)) for each in row]
    for layer in one.layers:
        assert isinstance(layer, type(affine(0, [[1.0]], [0.0])))
        bias = np.frombuffer(layer.bias).tolist()
        weights = np.frombuffer(layer.weights).reshape(len(bias), -1).tolist()
        values = [
            sum((Fraction(w) * x for w, x in zip(line, values, strict=True)), Fraction(b))
            for line, b in zip(weights, bias, strict=True)
        ]
    return values


def cancelling(draw: np.random.Generator) -> Network:
    """Weighted sums in float64 whose rounding errors are large beside their results."""
    size = 12
    first = draw.normal(size=(size, size)) * 1e6
    second = draw.normal(size=(size, size))
    return network(size, affine(0, first, draw.normal(size=size)), affine(1, second, draw.normal(size=size)))


def misses(count: int) -> int:
    """How many real results lie outside of bounds that have no room for a runtime's roundings."""
    outside = 0
    for seed in range(count):
        draw = np.random.default_rng(seed)
        one = cancelling(draw)
        low = draw.normal(size=12)
        high = low + (0.0 if seed % 2 else 1e-9)
        found = bounds_of(one, low, high, np.concatenate([np.eye(12), draw.normal(size=(4, 12))]))
        values = exact_values(one, low)
        for place in range(12):
            low_, high_ = (Fraction(end[0, place]) for end in (found.low, found.high))
            outside += not low_ <= values[place] <= high_
    return outside


def test_the_bounds_own_float64_is_in_them(monkeypatch: Any) -> None:
    """Against rational numbers, with no room for a runtime's roundings; and without room of their own it shows."""
    monkeypatch.setattr(weighted_layers, "gamma", lambda *given: 0.0)
    monkeypatch.setattr(weighted_layers, "lost", lambda *given: 0.0)
    assert misses(30) == 0
    from soid.engine.learned.networks import network_bounds

    for module in (weighted_layers, relations, ranges, network_bounds):
        monkeypatch.setattr(module, "own", lambda count: 0.0)
    assert misses(30) > 0


@pytest.mark.parametrize("size", [1e30, 3e38])
def test_where_something_may_overflow_nothing_is_known(size: float) -> None:
    one = network(
        2, affine(0, [[1e9, 1e9], [1.0, 1.0]], [0.0, 0.0]), Activated(1, "relu"), affine(2, [[0.0, 1.0]], [0.0])
    )
    found = bounds_of(one, [[0.0, 0.0], [0.0, 0.0]], [[1.0, 1.0], [size, 1.0]])
    assert found.unclear.tolist() == [False, True]
    assert found.low[1, 0] == -np.inf and found.high[1, 0] == np.inf
    assert np.isfinite(found.low[0, 0])


def test_an_exponential_that_may_overflow_is_unclear() -> None:
    one = network(1, Activated(0, "exp"))
    found = bounds_of(one, [[0.0], [0.0]], [[80.0], [100.0]])
    assert found.unclear.tolist() == [False, True]


@pytest.mark.parametrize("layer", [Activated(1, "clip", -1.0, 1.0), Activated(1, "hard_sigmoid", 0.2, 0.5)])
def test_what_is_clipped_ends_at_its_bounds(layer: Activated) -> None:
    """To the last bit, also where it is no result but a row of its own, and its negative."""
    one = network(1, affine(0, [[3.0]], [0.0]), layer)
    found = bounds_of(one, [-5.0], [5.0], [[1.0], [-1.0]])
    least = -1.0 if layer.function == "clip" else 0.0
    assert found.low[0].tolist() == [least, -1.0]
    assert found.high[0].tolist() == [1.0, -least]


def test_backward_bounds_see_what_cancels() -> None:
    """relu(x) - x, of which forwards alone not more is known than that it is at most 2."""
    one = network(1, affine(0, [[1.0], [1.0]], [0.0, 10.0]), Activated(1, "relu"), affine(2, [[1.0, -1.0]], [10.0]))
    found = bounds_of(one, [[-1.0]], [[1.0]])
    assert -1.01 < found.low[0, 0] <= 0.0 and 1.0 <= found.high[0, 0] < 1.01


def test_shares_of_a_softmax_hold_and_sum_to_one() -> None:
    draw = np.random.default_rng(3)
    one = random_network(draw, [3, 10, 4])
    one = network(3, *one.layers, Softmaxed(3, 4))
    low = single(draw.uniform(-1, 1, (5, 3)))
    high = single(low + 0.3)
    found = bounds_of(one, low, high)
    logits = network(3, *one.layers[:3])
    for box in range(5):
        for row in points_in(random.Random(box), low[box], high[box], 4):
            values = np.array([float(each) for each in FloatRun().vectors(logits, row)[-1]])
            shares = np.exp(values - values.max()) / np.exp(values - values.max()).sum()
            assert (found.low[box] <= shares).all() and (shares <= found.high[box]).all()
    assert (found.low.sum(axis=1) <= 1).all() and (found.high.sum(axis=1) >= 1).all()
    assert (found.high - found.low).max() < 0.9


def test_more_boxes_at_once_have_the_same_bounds() -> None:
    draw = np.random.default_rng(4)
    one = random_network(draw, [4, 30, 30, 3])
    low = draw.uniform(-1, 1, (300, 4))
    together = bounds_of(one, low, low + 0.2)
    for box in (0, 150, 299):
        alone = bounds_of(one, low[box], low[box] + 0.2)
        assert np.allclose(alone.low[0], together.low[box], rtol=0, atol=1e-9)
        assert np.allclose(alone.high[0], together.high[box], rtol=0, atol=1e-9)
