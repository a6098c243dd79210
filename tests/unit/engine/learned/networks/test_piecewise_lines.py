"""Lines around functions of straight pieces, against the functions at many points, as rational numbers."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from soid.engine.learned.network import Activated
from soid.engine.learned.networks.piecewise_lines import clip, hard_sigmoid, leaky, relu
from soid.engine.learned.networks.ranges import Lines, Ranges
from tests.small_networks import FloatRun

LAYERS = {
    "relu": (Activated(0, "relu"), lambda layer, given: relu(given, 32)),
    "leaky": (Activated(0, "leaky_relu", float(np.float32(0.01))), leaky),
    "steep": (Activated(0, "leaky_relu", 3.0), leaky),
    "falling": (Activated(0, "leaky_relu", -0.5), leaky),
    "clip": (Activated(0, "clip", 0.0, 6.0), clip),
    "above": (Activated(0, "clip", -1.0, float(np.finfo(np.float64).max)), clip),
    "hard_sigmoid": (Activated(0, "hard_sigmoid", float(np.float32(0.2)), 0.5), hard_sigmoid),
    "hard_falling": (Activated(0, "hard_sigmoid", -0.25, 0.5), hard_sigmoid),
}


def drawn(seed: int) -> Ranges:
    draw = np.random.default_rng(seed)
    ends = np.sort(draw.normal(size=(40, 2)) * 10.0 ** draw.integers(-3, 2, (40, 1)), axis=1).astype(np.float32)
    ends[:3] = [[0.0, 0.0], [-1.0, 0.0], [1e-40, 2e-39]]
    return Ranges(ends[None, :, 0].astype(np.float64), ends[None, :, 1].astype(np.float64))


def assert_between(lines: Lines, ranges: Ranges, element: int, x: Fraction, value: Fraction) -> None:
    low, high = (
        Fraction(slope[0, element]) * x + Fraction(offset[0, element])
        for slope, offset in ((lines.low_slope, lines.low_offset), (lines.high_slope, lines.high_offset))
    )
    assert low <= value <= high, (float(x), float(low), float(value), float(high))
    assert Fraction(ranges.low[0, element]) <= value <= Fraction(ranges.high[0, element])


@pytest.mark.parametrize("name", LAYERS)
def test_results_lie_between_the_lines(name: str) -> None:
    layer, enclosed = LAYERS[name]
    given = drawn(len(name))
    ranges, lines = enclosed(layer, given)
    for element in range(given.low.shape[1]):
        low, high = given.low[0, element], given.high[0, element]
        points: Any = [
            low,
            high,
            *(low + (high - low) * share for share in (0.01, 0.3, 0.5, 0.7, 0.99)),
            0.0,
            6.0,
            2.5,
            -2.5,
        ]
        for x in np.clip(np.array(points, np.float32).astype(np.float64), low, high):
            for flushes in (True, False):
                run = FloatRun(flushes=flushes)
                (value,) = run.layer(layer, [[Fraction(float(x))]])
                assert_between(lines, ranges, element, Fraction(float(x)), value)


def test_relu_has_its_usual_relaxation() -> None:
    _, lines = relu(Ranges(np.array([[-1.0, -3.0, 1.0, -2.0]]), np.array([[3.0, 1.0, 2.0, -1.0]])), 32)
    assert lines.low_slope.tolist() == [[1.0, 0.0, 1.0, 0.0]]
    assert lines.high_slope.tolist() == [[0.75, 0.25, 1.0, 0.0]]
    assert np.allclose(lines.high_offset, [[0.75, 0.75, 0.0, 0.0]])
    assert lines.low_offset.tolist()[0][2:] == [0.0, 0.0]


def test_slopes_that_are_tried_are_as_good_as_those_of_relu() -> None:
    given = drawn(1)
    (_, one), (_, other) = relu(given, 32), leaky(Activated(0, "leaky_relu", 0.0), given)
    middle = (given.low + given.high) / 2
    for slope, offset in (("low_slope", "low_offset"), ("high_slope", "high_offset")):
        first, second = (getattr(each, slope) * middle + getattr(each, offset) for each in (one, other))
        assert np.allclose(first, second, rtol=1e-6, atol=1e-6)
