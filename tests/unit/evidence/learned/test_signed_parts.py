"""Bounds in whole numbers where signs before ReLUs are known, against exact runs in floats; and that these can fail."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from soid.budget import UNLIMITED, Deadline
from soid.engine.learned.network import Activated, Network, NetworkTerm
from soid.errors import BundleError
from soid.evidence.learned import plain_layers, plain_networks, runtime_margins
from soid.evidence.learned.plain_networks import NetworkBox, SignedParts, relu_sizes
from soid.evidence.learned.plain_trees import FeatureRange, NotChecked
from soid.evidence.learned.signed_parts import lower_in_leaves, parts_of
from soid.evidence.sign_trees import Sign, SignedLeaf
from tests.small_networks import affine, model_of, network, random_network, runs
from tests.unit.engine.learned.networks.test_network_bounds import single
from tests.unit.engine.learned.networks.test_relu_splits import scaled_first


def box_of(one: Network, low: Any, high: Any) -> NetworkBox:
    ends = zip(np.asarray(low).tolist(), np.asarray(high).tolist(), strict=True)
    return NetworkBox.within(model_of(one, 1), 0, {at: FeatureRange(*each) for at, each in enumerate(ends)}, None)


def branching(draw: np.random.Generator) -> Network:
    """A network that is no chain: the second ReLU and the result have two sources each; one ReLU leaks."""
    return network(
        3,
        affine(0, single(draw.normal(size=(6, 3))), single(draw.normal(size=6))),
        Activated(1, "relu"),
        Activated(1, "leaky_relu", 0.25),
        affine(2, single(draw.normal(size=(6, 6))), single(draw.normal(size=6))),
        Activated(4, "relu"),
        affine(5, single(draw.normal(size=(2, 6))), single(draw.normal(size=2))),
    )


def misses(seed: int, one: Network, width: float) -> tuple[int, int]:
    """How many leaves a run is in, and in how many of them it is below the bound."""
    draw, luck = np.random.default_rng(seed), random.Random(seed)
    low = single(draw.uniform(-1, 1, len(one.columns)))
    high = single(low + width)
    box, last = box_of(one, low, high), len(one.layers)
    terms = (NetworkTerm(last, 0), NetworkTerm(last, 1, -1.0))
    relus = [each.source for each in one.layers if plain_networks.is_relu(each)]
    looked = missed = 0
    for point in np.clip(single(draw.uniform(low, high, (4, len(low)))), low, high):
        for run in runs(luck, 3):
            vectors = run.vectors(one, point)
            signs, slopes, multipliers = [], [], []
            for source in relus:
                given = np.array(
                    [[1 if each > 0 else -1 if each < 0 else luck.choice((1, -1)) for each in vectors[source]]] * 8
                )
                signs.append(given * draw.integers(0, 2, given.shape))
                slopes.append(draw.integers(0, 17, given.shape) / 16)
                sizes = draw.choice([0.0, 1e-3, 1.0], (8, 1))
                multipliers.append(sizes * draw.exponential(size=given.shape) * draw.integers(0, 2, given.shape))
            lower = box.lower_in_parts(terms, SignedParts(signs, slopes, multipliers))
            exact = vectors[-1][0] - vectors[-1][1]
            looked += len(lower)
            missed += sum(Fraction(each) > exact for each in lower.tolist())
    return looked, missed


def some(seed: int) -> Network:
    draw = np.random.default_rng(seed)
    if seed % 3 == 2:
        return branching(draw)
    return scaled_first(draw) if seed % 3 else random_network(draw, [3, 8, 8, 2])


@pytest.mark.parametrize("seed", range(9))
def test_exact_runs_are_not_below_the_bounds_of_their_leaves(seed: int) -> None:
    for width in (0.0, 1e-6, 0.1, 2.0):
        looked, missed = misses(seed, some(seed), width)
        assert looked and not missed, (seed, width)


@pytest.mark.fuzz
def test_exact_runs_of_many_networks_are_not_below_the_bounds_of_their_leaves() -> None:
    for seed in range(400):
        for width in (0.0, 1e-6, 0.1, 2.0):
            assert misses(seed, some(seed), width)[1] == 0, (seed, width)


def test_without_the_runtime_s_margins_a_run_is_below(monkeypatch: Any) -> None:
    monkeypatch.setattr(runtime_margins, "share", lambda *_: 0.0)
    monkeypatch.setattr(runtime_margins, "underflow", lambda count, weights, _: np.zeros_like(weights))
    found = [misses(seed, random_network(np.random.default_rng(seed), [3, 8, 8, 2]), 0.0) for seed in range(8)]
    assert sum(missed for _, missed in found) > 0


def test_with_signs_turned_round_a_run_is_below(monkeypatch: Any) -> None:
    plain = NetworkBox.lower_in_parts

    def turned(box: NetworkBox, terms: Any, parts: SignedParts) -> Any:
        return plain(box, terms, SignedParts([-each for each in parts.signs], parts.slopes, parts.multipliers))

    monkeypatch.setattr(NetworkBox, "lower_in_parts", turned)
    assert misses(1, random_network(np.random.default_rng(1), [3, 8, 8, 2]), 0.5)[1] > 0


def test_with_a_line_of_the_wrong_side_a_run_is_below(monkeypatch: Any) -> None:
    plain = plain_layers.split

    def turned(layer: Any, source: Any, result: Any, signs: Any, shares: Any, digits: Any) -> Any:
        return plain(layer, source, result, -signs, shares, digits)

    monkeypatch.setattr(plain_layers, "split", turned)
    found = [misses(seed, random_network(np.random.default_rng(seed), [3, 8, 8, 2]), 0.3) for seed in range(8)]
    assert sum(missed for _, missed in found) > 0


# --- at zero ------------------------------------------------------------------------------------------------------


def leaves_at(low: float, high: float, by: float) -> list[float]:
    """relu(x) + relu(-x), from below, in both leaves."""
    one = network(1, affine(0, [[1.0], [-1.0]], [0.0, 0.0]), Activated(1, "relu"), affine(2, [[1.0, 1.0]], [0.0]))
    box = box_of(one, [low], [high])
    signs: list[tuple[Sign, Sign]] = [
        ((0, 0, 1, by), (0, 1, 1, 0.0)),
        ((0, 0, 1, by), (0, 1, -1, 0.0)),
        ((0, 0, -1, by), (0, 1, 1, 0.0)),
        ((0, 0, -1, by), (0, 1, -1, 0.0)),
    ]
    leaves = [SignedLeaf(each, ("00",)) for each in signs]
    sizes = relu_sizes(one)
    return [lower_in_leaves(box, (NetworkTerm(3, 0),), [each], sizes, UNLIMITED.started()) for each in leaves]


def test_a_number_that_is_zero_is_in_the_leaves_of_both_signs() -> None:
    """So none of them may have a bound that is above what is there at 0."""
    for by in (0.0, 0.5, 1.0, 7.0):
        assert all(each <= 0.0 for each in leaves_at(-1.0, 1.0, by))


def test_multipliers_show_what_signs_and_lines_do_not() -> None:
    """relu(x) + 3/4 relu(-x): where x >= 0, x less a line of 3/4 x is x / 4; where x <= 0, it is -3/4 x."""
    one = network(1, affine(0, [[1.0], [-1.0]], [0.0, 0.0]), Activated(1, "relu"), affine(2, [[1.0, 0.75]], [1e-3]))
    box, sizes = box_of(one, [-1.0], [1.0]), relu_sizes(one)

    def shown(*multipliers: float) -> float:
        signs: list[Sign] = [(0, 0, 1, multipliers[0]), (0, 0, -1, multipliers[1])]
        leaves = [SignedLeaf((sign,), ("0g",)) for sign in signs]
        return lower_in_leaves(box, (NetworkTerm(3, 0),), leaves, sizes, UNLIMITED.started())

    assert 0 < shown(0.25, 0.75) <= 1e-3
    assert max(shown(0.0, 0.0), shown(0.25, 0.0), shown(0.0, 0.75), shown(0.75, 0.25)) < 0


# --- leaves as they are read --------------------------------------------------------------------------------------


@pytest.mark.parametrize("sign", [(2, 0, 1, 0.0), (-1, 0, 1, 0.0), (0, 8, 1, 0.0), (1, -1, 1, 0.0)])
def test_a_sign_of_no_element_is_refused(sign: Any) -> None:
    with pytest.raises(BundleError, match="none of this network"):
        parts_of([SignedLeaf((sign,), ("0" * 8, "0" * 8))], [8, 8])


def test_slopes_of_other_layers_are_refused() -> None:
    with pytest.raises(BundleError, match="none of this network"):
        parts_of([SignedLeaf((), ("0" * 8,))], [8, 8])


def test_leaves_for_which_there_is_no_time_are_not_checked() -> None:
    one = random_network(np.random.default_rng(0), [3, 8, 8, 2])
    box = box_of(one, [0.0] * 3, [1.0] * 3)
    with pytest.raises(NotChecked, match="0 of 1 leaves"):
        lower_in_leaves(box, (NetworkTerm(5, 0),), [SignedLeaf((), ("0" * 8,) * 2)], relu_sizes(one), Deadline(0.0))
