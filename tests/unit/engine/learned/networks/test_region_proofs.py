"""What is proved of a whole region: that a number is on one side of what it is compared with, and never more."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from soid.engine.learned.float_places import ordinals
from soid.engine.learned.model import ModelFeature
from soid.engine.learned.network import NetworkSum, NetworkTerm, Softmaxed
from soid.engine.learned.networks import region_proofs
from soid.engine.learned.networks.network_function import NetworkFunction
from soid.engine.learned.networks.shared_network import SharedNetwork
from tests.small_networks import native, network, random_network

INPUTS, WIDTH = 12, 0.3
FEATURES = tuple(ModelFeature(f"x{number}") for number in range(INPUTS))
PLAIN = random_network(np.random.default_rng(2), [INPUTS, 20, 20, 2])
SCORE = NetworkSum("y", 0, (NetworkTerm(5, 0),))
LEAD = NetworkSum("lead", 0, (NetworkTerm(5, 0), NetworkTerm(5, 1, -1.0)), 64)


def met() -> Any:
    rows = np.random.default_rng(3).uniform(-WIDTH, WIDTH, (50_000, INPUTS)).astype(np.float32)
    found = native(PLAIN, rows).astype(np.float64)
    return {SCORE: found[:, 0], LEAD: found[:, 0] - found[:, 1]}


def looked(function: NetworkFunction, border: float) -> tuple[int, int]:
    """Bounds of a number in a region after a while, as places."""
    low, none = np.full(INPUTS, -WIDTH), np.zeros(INPUTS, bool)
    region = function.within(low, -low, none, ordinals(function.sum.precision, np.array([border])))
    for _ in range(2000):
        look = region.of(low[None], -low[None], none[None])  # its time is that of cuts
        if not look.low[0] <= ordinals(function.sum.precision, np.array([border]))[0] <= look.high[0]:
            break
    return int(look.low[0]), int(look.high[0])


@pytest.mark.parametrize("followed", [False, True])
@pytest.mark.parametrize("one", [SCORE, LEAD])
@pytest.mark.parametrize("above", [False, True])
def test_a_number_is_proved_to_be_on_one_side_of_a_border(
    above: bool, one: NetworkSum, followed: bool, monkeypatch: Any
) -> None:
    """Where bounds of the region do not show it, whatever follows the number in the network."""
    monkeypatch.setattr(region_proofs, "_FIRST", 0.0)
    layers = (*PLAIN.layers, Softmaxed(5, 2)) if followed else PLAIN.layers
    function = NetworkFunction(SharedNetwork(network(INPUTS, *layers), FEATURES), one, 0)
    values = met()[one]
    spread = 0.5 * (values.max() - values.min())
    border = float(values.max() + spread if above else values.min() - spread)
    low, high = looked(function, 1e9)  # nothing is to be proved
    place, least, most = (
        int(ordinals(one.precision, np.array([each]))[0]) for each in (border, values.min(), values.max())
    )
    assert low < place < high
    low, high = looked(function, border)
    assert high < place if above else low > place
    assert low <= least and most <= high


def test_a_border_that_lies_among_the_numbers_is_not_proved(monkeypatch: Any) -> None:
    monkeypatch.setattr(region_proofs, "_FIRST", 0.0)
    function = NetworkFunction(SharedNetwork(PLAIN, FEATURES), SCORE, 0)
    low, high = looked(function, float(np.quantile(met()[SCORE], 0.001)))
    assert low <= int(ordinals(32, met()[SCORE].min(keepdims=True))[0]) < high
