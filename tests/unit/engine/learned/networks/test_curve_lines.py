"""Lines around curves: over ranges of any width, at every point of them, against the mathematical function."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from flint import arb, ctx

from soid.engine.learned.networks.curve_lines import curved
from soid.engine.learned.networks.ranges import Lines, Ranges

FUNCTIONS: dict[str, Any] = {
    "sigmoid": lambda x: 1 / (1 + (-x).exp()),
    "tanh": lambda x: x.tanh(),
    "exp": lambda x: x.exp(),
}


def assert_enclosed(function: str, lines: Lines, low: float, high: float) -> None:
    ctx.prec = 200
    middle = min(max(0.0, low), high)
    near = [low, high, *np.linspace(max(low, middle - 60.0), min(high, middle + 60.0), 25).tolist()]
    far = [sign * 10.0**exponent for sign in (-1, 1) for exponent in range(-3, 20)]
    for x in map(arb, [*near, *(each for each in far if low <= each <= high)]):
        exact = FUNCTIONS[function](x)
        below = arb(lines.low_slope.item()) * x + arb(lines.low_offset.item())
        above = arb(lines.high_slope.item()) * x + arb(lines.high_offset.item())
        assert below <= exact <= above, (function, low, high, float(x), float(exact))


@pytest.mark.parametrize("precision", [32, 64])
@pytest.mark.parametrize("function", FUNCTIONS)
def test_lines_enclose_a_curve_in_ranges_of_any_width(function: str, precision: int) -> None:
    draw = np.random.default_rng(precision)
    most = 80.0 if function == "exp" else 1e30
    for _ in range(200):
        first = float(draw.choice([-1, 1]) * draw.uniform(0, 40))
        width = 10.0 ** draw.uniform(-3, math.log10(most))
        low, high = sorted((first, first + float(draw.choice([-1, 1])) * width))
        high = min(high, most)
        given = Ranges(np.array([[low]]), np.array([[high]]))
        _, lines, unclear = curved(function, given, precision)
        assert not unclear.any()
        assert_enclosed(function, lines, low, high)


@pytest.mark.parametrize(("function", "low"), [("sigmoid", 9.5), ("tanh", 4.5)])
def test_a_chord_that_is_nearly_level_is_no_line_above(function: str, low: float) -> None:
    """Between the ends the curve is above it, and the place where it is farthest above is not at infinity."""
    _, lines, _ = curved(function, Ranges(np.array([[low]]), np.array([[5558613053440.614]])), 32)
    assert_enclosed(function, lines, low, 5558613053440.614)
