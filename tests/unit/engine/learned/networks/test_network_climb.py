"""Points at which a scenario is looked for first."""

from __future__ import annotations

import numpy as np

from soid.engine.learned.forest import Boxes
from soid.engine.learned.model import ModelFeature
from soid.engine.learned.network import NetworkSum, NetworkTerm
from soid.engine.learned.networks.network_climb import likely_points
from soid.engine.learned.networks.shared_network import NetworkRegion, SharedNetwork
from tests.small_networks import affine, native, network, random_network


def region(one: SharedNetwork, low: list[float], high: list[float], *sums: NetworkSum) -> NetworkRegion:
    boxes = Boxes(np.array([low]), np.array([high]), np.zeros((1, len(low)), bool))
    for each in sums:
        found = one.within(boxes, each)
    return found


def test_the_best_corner_of_a_weighted_sum_is_found() -> None:
    weights = np.array([[1.0, -2.0, 0.5, -0.25, 3.0, -1.0]])
    made = SharedNetwork(network(6, affine(0, weights, [0.0])), [ModelFeature(f"x{number}") for number in range(6)])
    points = likely_points(region(made, [-1.0] * 6, [2.0] * 6, NetworkSum("y", 0, (NetworkTerm(1, 0),))))
    for sign in (1, -1):
        best = np.where(sign * weights[0] > 0, 2.0, -1.0)
        assert (points == best).all(axis=1).any()


def test_climbing_beats_drawing() -> None:
    one = random_network(np.random.default_rng(1), [6, 30, 30, 1])
    made = SharedNetwork(one, [ModelFeature(f"x{number}") for number in range(6)])
    points = likely_points(region(made, [-1.0] * 6, [1.0] * 6, NetworkSum("y", 0, (NetworkTerm(5, 0),))))
    drawn = native(one, np.random.default_rng(2).uniform(-1, 1, (5000, 6)))
    assert native(one, points).max() > drawn.max() and native(one, points).min() < drawn.min()


def test_whole_numbers_stay_whole_and_all_points_lie_inside() -> None:
    features = [ModelFeature("a"), ModelFeature("b", "integer"), ModelFeature("c", "flag")]
    made = SharedNetwork(random_network(np.random.default_rng(3), [3, 8, 1]), features)
    points = likely_points(region(made, [0.5, -2.0, 0.0], [0.75, 3.0, 1.0], NetworkSum("y", 0, (NetworkTerm(3, 0),))))
    assert (points[:, 1:] == np.rint(points[:, 1:])).all()
    assert (points >= [0.5, -2.0, 0.0]).all() and (points <= [0.75, 3.0, 1.0]).all()


def test_a_region_without_ends_has_no_such_points() -> None:
    made = SharedNetwork(random_network(np.random.default_rng(3), [1, 8, 1]), [ModelFeature("a")])
    assert not len(likely_points(region(made, [-np.inf], [1.0], NetworkSum("y", 0, (NetworkTerm(3, 0),)))))
