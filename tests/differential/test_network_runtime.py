"""Bounds of networks against onnxruntime itself: what it computes lies within them, at points and in boxes."""

from __future__ import annotations

import numpy as np
import pytest

from soid.engine.learned.network import Activated, Layer, Network, Softmaxed
from soid.engine.learned.networks.network_bounds import NetworkBounds, WantedRows
from soid.engine.learned.networks.ranges import Ranges
from tests.network_files import OPERATORS, session_of
from tests.small_networks import network, random_network


def with_function(one: Network, function: str) -> list[Layer]:
    named = OPERATORS[function][1]
    alpha, beta = (float(np.float32(named.get(name, 0.0))) for name in ("alpha", "beta"))
    return [
        Activated(each.source, function, alpha, beta) if isinstance(each, Activated) else each  # type: ignore[arg-type]
        for each in one.layers
    ]


def compare(seed: int, function: str, sizes: list[int], *, shares: bool) -> float:
    """The largest part of what is left for roundings that the runtime has used."""
    draw = np.random.default_rng(seed)
    layers = with_function(random_network(draw, sizes, scale=1.0 if function == "exp" else 2.0), function)
    if shares:
        layers.append(Softmaxed(len(layers), sizes[-1]))
    one = network(sizes[0], *layers)
    bounds, wanted = NetworkBounds(one), WantedRows({len(layers): np.eye(sizes[-1])})
    low = draw.uniform(-1, 1, (24, sizes[0])).astype(np.float32)
    high = (low + draw.choice([0.0, 0.0, 1e-5, 0.1, 0.5], (24, 1))).astype(np.float32)
    found = bounds.of(Ranges(low.astype(np.float64), high.astype(np.float64)), np.zeros(24, bool), wanted)
    assert not found.unclear.any()
    runtime, used = session_of(one), 0.0
    for share in (0.0, 0.3, 0.5, 1.0):
        rows = np.clip((low + share * (high - low)).astype(np.float32), low, high)
        results = runtime.run(None, {"v0": rows})[0].astype(np.float64)
        assert ((found.low <= results) & (results <= found.high)).all(), (seed, function)
        at_points = bounds.of(Ranges(rows.astype(np.float64), rows.astype(np.float64)), np.zeros(24, bool), wanted)
        assert ((at_points.low <= results) & (results <= at_points.high)).all(), (seed, function)
        middle, half = (at_points.low + at_points.high) / 2, (at_points.high - at_points.low) / 2
        used = max(used, float((np.abs(results - middle) / half).max()))
    return used


@pytest.mark.parametrize("shares", [False, True])
@pytest.mark.parametrize("function", OPERATORS)
def test_what_onnxruntime_computes_lies_within_the_bounds(function: str, shares: bool) -> None:
    used = [compare(seed, function, [6, 20, 20, 4], shares=shares) for seed in range(6)]
    assert shares or max(used) < 0.7  # a bound for all orders has room to spare for one; a share of 0 is at its end
    assert max(used) > 0.0005  # and is not so wide that it could not be wrong


@pytest.mark.parametrize("sizes", [[784, 256, 10], [5, 50, 50, 50, 50, 50, 50, 5]])
def test_wide_and_deep_networks(sizes: list[int]) -> None:
    assert compare(1, "relu", sizes, shares=False) < 0.7
