"""Bounds in leaves of a search over signs of ReLUs, against exact runs in floats; and what such a search settles."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from soid.engine.learned.network import Activated, Network, Scaled
from soid.engine.learned.networks import relu_leaves, weighted_layers
from soid.engine.learned.networks.network_bounds import NetworkBounds
from soid.engine.learned.networks.ranges import Ranges
from soid.engine.learned.networks.relu_leaves import ReluLeaves
from soid.engine.learned.networks.relu_splits import ReluSearch, straight_steps
from tests.small_networks import affine, network, packed, random_network, runs
from tests.unit.engine.learned.networks.test_network_bounds import single

ONE_BOX = np.zeros(1, bool)


def scaled_first(draw: np.random.Generator) -> Network:
    """A chain with a scale before its weights and an offset after them."""
    factor, offset = single(draw.normal(size=3)), single(draw.normal(size=3))
    return network(
        3,
        Scaled(0, packed(factor), packed(offset), 2),
        affine(1, single(draw.normal(size=(6, 3))), single(draw.normal(size=6))),
        Activated(2, "relu"),
        affine(3, single(draw.normal(size=(6, 6))), single(draw.normal(size=6))),
        Scaled(4, packed(single(draw.normal(size=6))), packed(single(draw.normal(size=6))), 2),
        Activated(5, "relu"),
        affine(6, single(draw.normal(size=(2, 6))), single(draw.normal(size=2))),
    )


def misses(seed: int, one: Network, width: float) -> tuple[int, int]:
    """How many leaves a run is in, and in how many of them it is below the bound."""
    draw, luck = np.random.default_rng(seed), random.Random(seed)
    bounds = NetworkBounds(one)
    low = single(draw.uniform(-1, 1, len(one.columns)))
    high = single(low + width)
    root = bounds.root(Ranges(low[None], high[None]), ONE_BOX)
    assert root is not None
    relus = [each.source for each in one.layers if isinstance(each, Activated)]
    row, looked, missed = draw.normal(size=bounds.sizes[-1]), 0, 0
    for point in np.clip(single(draw.uniform(low, high, (4, len(low)))), low, high):
        for run in runs(luck, 3):
            vectors = run.vectors(one, point)
            signs, slopes, multipliers = [], [], []
            for source in relus:
                given = np.array([[1 if each > 0 else -1 if each < 0 else 1 for each in vectors[source]]] * 8)
                signs.append((given * draw.integers(0, 2, given.shape)).astype(np.int8))
                slopes.append(draw.choice([0.0, 1.0, draw.random()], given.shape))
                multipliers.append(draw.exponential(size=given.shape) * draw.integers(0, 2, given.shape))
            lower = relu_leaves.lower_in_leaves(one, root, row, ReluLeaves(signs, slopes, multipliers))
            exact = sum(Fraction(by) * each for by, each in zip(row.tolist(), vectors[-1], strict=True))
            looked += len(lower)
            missed += sum(Fraction(each) > exact for each in lower.tolist())
    return looked, missed


@pytest.mark.parametrize("seed", range(12))
def test_exact_runs_are_not_below_the_bounds_of_their_leaves(seed: int) -> None:
    draw = np.random.default_rng(seed)
    one = scaled_first(draw) if seed % 2 else random_network(draw, [3, 8, 8, 2])
    for width in (0.0, 1e-6, 0.1, 2.0):
        looked, missed = misses(seed, one, width)
        assert looked and not missed, (seed, width)


def test_without_the_errors_of_sums_a_run_is_below(monkeypatch: Any) -> None:
    monkeypatch.setattr(weighted_layers, "gamma", lambda count, precision: 0.0)
    monkeypatch.setattr(weighted_layers, "lost", lambda count, weights, tiny: 0.0)
    found = [misses(seed, random_network(np.random.default_rng(seed), [3, 8, 8, 2]), 0.0) for seed in range(12)]
    assert sum(missed for _, missed in found) > 0


def test_with_signs_turned_round_a_run_is_below(monkeypatch: Any) -> None:
    plain = relu_leaves.lower_in_leaves

    def turned(one: Any, root: Any, row: Any, leaves: ReluLeaves) -> Any:
        return plain(one, root, row, ReluLeaves([-each for each in leaves.signs], leaves.slopes, leaves.multipliers))

    monkeypatch.setattr(relu_leaves, "lower_in_leaves", turned)
    assert misses(1, random_network(np.random.default_rng(1), [3, 8, 8, 2]), 0.5)[1] > 0


def search_of(one: Network, row: Any, width: float, target: float = 0.0) -> ReluSearch:
    bounds, steps = NetworkBounds(one), straight_steps(one)
    low = np.full((1, len(one.columns)), -width)
    root = bounds.root(Ranges(low, -low), ONE_BOX)
    assert steps is not None and root is not None
    return ReluSearch(one, steps, root, np.asarray(row, np.float64), target)


def with_offset(one: Network, offset: float) -> Network:
    *layers, last = one.layers
    weights = np.frombuffer(last.weights).reshape(1, -1)  # type: ignore[union-attr]
    return network(len(one.columns), *layers, affine(len(layers), weights, [offset]))


@pytest.mark.parametrize("seed", range(4))
def test_what_is_proved_is_not_refuted_by_any_point(seed: int) -> None:
    """The least number that is found at points: a little below it is proved, and no number above it."""
    draw = np.random.default_rng(seed)
    plain = with_offset(random_network(draw, [12, 16, 16, 1]), 0.0)
    search, count = search_of(plain, [1.0], 0.3), 40_000
    steps, given = straight_steps(plain), draw.uniform(-0.3, 0.3, (count, 12))
    assert steps is not None
    for number, each in enumerate(steps):
        given = given @ each.weights.T + each.bias
        given = np.maximum(given, 0.0) if number < len(steps) - 1 else given
    least = float(given.min())
    lifted = search_of(with_offset(plain, -least - 0.05), [1.0], 0.3)  # the least is -0.05 at most
    lifted.run(5.0)
    assert not lifted.is_proved
    lowered = search_of(with_offset(plain, -least + 1.0), [1.0], 0.3)
    lowered.run(20.0)
    assert lowered.is_proved and 0.0 < lowered.least <= 1.0 + 1e-3
    assert not search.is_proved  # it was not run


def test_a_network_that_is_no_chain_is_not_searched() -> None:
    assert straight_steps(network(2, affine(0, np.eye(2), [0.0, 0.0]), Activated(1, "tanh"))) is None
    assert straight_steps(network(2, affine(0, np.eye(2), [0.0, 0.0]))) is None
    both = network(2, affine(0, np.eye(2), [0.0, 0.0]), Activated(1, "relu"), affine(0, np.eye(2), [0.0, 0.0]))
    assert straight_steps(both) is None
