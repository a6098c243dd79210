"""Equations and ReLUs have the very solution that a network's layers compute."""

from __future__ import annotations

from fractions import Fraction
from sys import float_info

import numpy as np
import pytest

from soid.engine.learned.column_steps import Clip, Column, ColumnArithmetic, ToFloat32
from soid.engine.learned.network import Activated, Added, Affine, Extreme, Network, Rounded, Scaled, Selected, Softmaxed
from soid.engine.learned.network_evaluation import plain_vectors
from soid.engine.learned.networks.real_network import MOST_WEIGHTS, NoRealQueryError, RealNetwork

LAYERS = (
    Affine(0, np.array([[2.0, -1.0, 0.0], [0.5, 0.0, 3.0]]).tobytes(), np.array([0.25, -1.0]).tobytes()),
    Activated(1, "relu"),
    Activated(1, "leaky_relu", 0.125),
    Activated(1, "clip", -0.5, 0.75),
    Activated(1, "clip", 0.5, -0.75),  # no number is within: the bound above counts
    Activated(1, "clip", -float_info.max, 0.75),
    Activated(1, "clip", -0.5, float_info.max),
    Activated(1, "hard_sigmoid", 0.25, 0.5),
    Scaled(1, np.array([2.0, -4.0]).tobytes(), np.array([0.5, 1.0]).tobytes(), 1),
    Added((1, 2, 8), (False, True, False)),
    Selected((0, 9, 1), np.array([2, 0, 1, 0], "<i4").tobytes(), np.array([1, 2, 0, 2], "<i4").tobytes()),
    Extreme(11, np.array([0, 1, 2, 3, 2, 1], "<i4").tobytes(), 3),
    Extreme(11, np.array([0, 1, 2, 3, 2, 1], "<i4").tobytes(), 3, least=True),
    Rounded(12, 32),
)
STEPS = (ColumnArithmetic("subtract", 1.0), ToFloat32(), ColumnArithmetic("divide", 4.0), ColumnArithmetic("add", 2.0))


def solved(real: RealNetwork, features: list[Fraction]) -> dict[int, Fraction]:
    """What the equations say of each variable; each defines its last variable, in the order of the layers."""
    found = dict(enumerate(features))
    relus = {result: given for given, result in real.relus}
    definitions = {row.terms[-1][0]: row for row in real.rows}
    for variable in range(len(features), real.variables):
        if variable in relus:
            found[variable] = max(found[relus[variable]], Fraction(0))
        else:
            *terms, (_, factor) = definitions[variable].terms
            assert factor == -1.0 and definitions[variable].is_equal
            found[variable] = sum(
                (found[each] * Fraction(by) for each, by in terms), -Fraction(definitions[variable].bound)
            )
    return found


def test_every_layer() -> None:
    network = Network((Column(0), Column(1, STEPS), Column(2)), 64, LAYERS)
    real = RealNetwork(network, 3)
    for row in np.random.default_rng(7).integers(-64, 65, (200, 3)) / 16.0:
        found = solved(real, [Fraction(each) for each in row])
        columns = np.array([[row[0], (row[1] - 1.0) / 4.0 + 2.0, row[2]]])
        for variables, vector in zip(real.vectors, plain_vectors(network, columns, np.float64), strict=True):
            assert [float(found[each]) for each in variables] == vector[0].tolist()  # no number here is rounded


@pytest.mark.parametrize(
    ("layer", "name"),
    [(Activated(0, "tanh"), "tanh"), (Activated(0, "sigmoid"), "sigmoid"), (Softmaxed(0, 1), "softmax")],
)
def test_curves_are_named(layer: Activated | Softmaxed, name: str) -> None:
    with pytest.raises(NoRealQueryError, match=name):
        RealNetwork(Network((Column(0),), 32, (layer,)), 1)


def test_a_preparation_that_is_no_line_is_named() -> None:
    with pytest.raises(NoRealQueryError, match="clip of an input"):
        RealNetwork(Network((Column(0, (Clip(0.0, 1.0),)),), 32, ()), 1)


def test_a_large_network_is_refused_before_it_is_read() -> None:
    layer = Affine(0, bytes(8 * (MOST_WEIGHTS + 1)), bytes(8 * (MOST_WEIGHTS + 1)))
    with pytest.raises(NoRealQueryError, match="1,048,576 weights"):
        RealNetwork(Network((Column(0),), 32, (layer,)), 1)
