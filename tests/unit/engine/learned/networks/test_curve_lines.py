"""Lines around sigmoid, tanh and exp, against the functions at many points."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from soid.engine.learned.networks.curve_lines import curved
from soid.engine.learned.networks.ranges import Ranges
from soid.engine.learned.networks.runtime_functions import ABSOLUTE, RELATIVE

FUNCTIONS: dict[str, Any] = {"sigmoid": lambda x: 1 / (1 + np.exp(-x)), "tanh": np.tanh, "exp": np.exp}


def drawn(seed: int, function: str) -> Ranges:
    draw = np.random.default_rng(seed)
    ends = np.sort(draw.normal(size=(60, 2)) * 10.0 ** draw.integers(-6, 2, (60, 1)), axis=1)
    ends[:6] = [[0.0, 0.0], [-40.0, 40.0], [3.0, 3.0], [-1e-12, 1e-12], [-80.0, -20.0], [20.0, 80.0]]
    return Ranges(ends[None, :, 0], np.minimum(ends[None, :, 1], 80.0 if function == "exp" else 1e9))


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("precision", [32, 64])
def test_results_with_their_errors_lie_between_the_lines(function: str, precision: int) -> None:
    """Of the real function alone there is all the room that the runtime's errors need."""
    given = drawn(precision, function)
    ranges, lines, unclear = curved(function, given, precision)
    assert not unclear.any()
    unit = 2.0**-24 if precision == 32 else 2.0**-53
    for share in np.linspace(0, 1, 301):
        x = np.clip(given.low + share * (given.high - given.low), given.low, given.high).astype(np.longdouble)
        with np.errstate(over="ignore"):
            real = FUNCTIONS[function](x)
        error = RELATIVE[precision] * unit * real if function == "exp" else ABSOLUTE[function, precision] * unit
        assert (lines.low_slope * x + lines.low_offset <= real - error).all()
        assert (lines.high_slope * x + lines.high_offset >= real + error).all()
        assert (ranges.low <= real - error).all() and (ranges.high >= real + error).all()


@pytest.mark.parametrize("function", FUNCTIONS)
def test_lines_are_close_in_small_ranges(function: str) -> None:
    given = Ranges(np.array([[-1.0, 0.5, -0.05]]), np.array([[-0.9, 0.6, 0.05]]))
    _, lines, _ = curved(function, given, 64)
    middle = (given.low + given.high) / 2
    gap = (lines.high_slope - lines.low_slope) * middle + lines.high_offset - lines.low_offset
    assert (gap < 3e-3).all()
