"""Shares of a softmax over ranges, and from differences of its arguments."""

from __future__ import annotations

import numpy as np

from soid.engine.learned.networks.ranges import Ranges
from soid.engine.learned.networks.softmax_shares import pairs_of, shares_over


def test_pairs_are_within_groups_and_not_too_many() -> None:
    pairs = pairs_of(3, 6)
    assert pairs is not None
    assert list(zip(pairs.first.tolist(), pairs.second.tolist(), strict=True)) == [
        (0, 1), (0, 2), (1, 2), (3, 4), (3, 5), (4, 5),
    ]  # fmt: skip
    assert pairs_of(1, 4) is None and pairs_of(100, 100) is None


def test_shares_hold_at_all_points_of_ranges() -> None:
    draw = np.random.default_rng(0)
    low = draw.normal(size=(20, 6)) * 3
    high = low + draw.random((20, 6))
    found = shares_over(Ranges(low, high), 3, 32, None)
    for _ in range(200):
        x = (low + draw.random((20, 6)) * (high - low)).reshape(20, 2, 3)
        shares = (np.exp(x) / np.exp(x).sum(axis=2, keepdims=True)).reshape(20, 6)
        assert (found.low <= shares).all() and (shares <= found.high).all()


def test_differences_tell_more_than_single_arguments() -> None:
    """Two arguments that rise together."""
    given = Ranges(np.array([[0.0, 0.0]]), np.array([[10.0, 10.0]]))
    wide = shares_over(given, 2, 32, None)
    narrow = shares_over(given, 2, 32, Ranges(np.array([[1.0]]), np.array([[1.5]])))
    assert wide.low[0, 0] < 1e-4 and wide.high[0, 0] > 0.9999
    assert np.allclose(
        [narrow.low[0, 0], narrow.high[0, 0]], [1 / (1 + np.exp(-1.0)), 1 / (1 + np.exp(-1.5))], atol=1e-5
    )
    assert np.allclose([narrow.low[0, 1], narrow.high[0, 1]], [1 / (1 + np.exp(1.5)), 1 / (1 + np.exp(1.0))], atol=1e-5)


def test_differences_that_are_far_apart_do_not_overflow() -> None:
    found = shares_over(Ranges(np.array([[-1e9, 1e9]]), np.array([[-1e8, 2e9]])), 2, 64, None)
    assert found.low[0].tolist() == [0.0, found.low[0, 1]] and found.low[0, 1] > 0.999
    assert found.high[0, 0] < 1e-10
