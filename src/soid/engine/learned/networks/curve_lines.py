"""Lines around sigmoid, tanh and exp, as a runtime computes them.

Of f(x) - slope * x the extremes over a range are at its ends or where f'(x) = slope, which has a closed form. So the
offsets for any slope follow from at most four points, and slopes may be chosen freely: derivatives at some points of
the range, and that of the chord. A stationary point that is off by d changes f(x) - slope * x by f'' d^2 / 2, which is
far below the room that is left: 2^-44 of the sizes at hand. That also covers this machine's exp, which is off by a few
units of 2^-53.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, final

import numpy as np
from msgspec import Struct

from soid.engine.learned.networks.float_errors import LEAST, UNIT, Flags
from soid.engine.learned.networks.piecewise_lines import best_lines
from soid.engine.learned.networks.ranges import Lines, Ranges
from soid.engine.learned.networks.runtime_functions import ABSOLUTE, EXPONENT, RELATIVE

_ROOM: Final = 2.0**-44
_TRIED: Final = (0.0, 0.125, 0.25, 0.5, 0.75, 0.875, 1.0)  # where in a range derivatives are tried as slopes


@final
class _Curve(Struct, frozen=True):
    """A real function, its derivative, and the points at which the derivative has a value."""

    value: Callable[[Any], Any]
    derivative: Callable[[Any], Any]
    stationary: Callable[[Any], Sequence[Any]]


def _sigmoid(x: Any) -> Any:
    small = np.exp(-np.abs(x))  # never overflows
    return np.where(x >= 0, 1.0, small) / (1.0 + small)


def _by_logarithm(slope: Any, scale: float) -> Sequence[Any]:
    """scale * log((1 + r) / (1 - r)) with r = sqrt(1 - slope), and its negative.

    1 - r is slope / (1 + r), which keeps its digits where r is near 1. With a slope of 0 the place is infinite.
    """
    root = np.sqrt(np.maximum(1.0 - slope, 0.0))
    place = scale * (2.0 * np.log1p(root) - np.log(slope))
    return place, -place


_CURVES: Final = {
    "sigmoid": _Curve(
        _sigmoid,
        lambda x: _sigmoid(x) * _sigmoid(-x),
        lambda slope: _by_logarithm(4.0 * slope, 1.0),
    ),
    "tanh": _Curve(
        np.tanh,
        lambda x: 4.0 * _sigmoid(2.0 * x) * _sigmoid(-2.0 * x),
        lambda slope: _by_logarithm(slope, 0.5),
    ),
    "exp": _Curve(np.exp, np.exp, lambda slope: (np.log(slope),)),
}


def curved(function: str, given: Ranges, precision: int) -> tuple[Ranges, Lines, Flags]:
    """Range and lines of a function, and the boxes in which a result may overflow."""
    curve, unclear = _CURVES[function], np.zeros(len(given.low), bool)
    if function == "exp":
        unclear = np.asarray((given.high > EXPONENT[precision]).any(axis=1))
        given = Ranges(np.minimum(given.low, EXPONENT[precision]), np.minimum(given.high, EXPONENT[precision]))
    low, high = given.low, given.high
    with np.errstate(divide="ignore", invalid="ignore", over="ignore", under="ignore"):
        ends = curve.value(low), curve.value(high)
        chord = np.where(high > low, (ends[1] - ends[0]) / (high - low), curve.derivative(low))
        slopes = [curve.derivative(low + share * (high - low)) for share in _TRIED]
        if function == "exp":
            error = (_ROOM + RELATIVE[precision] * UNIT[precision]) * ends[1] + 2 * LEAST[precision]
        else:
            error = np.full_like(low, _ROOM + ABSOLUTE[function, precision] * UNIT[precision] + 2 * LEAST[precision])
        tried = []
        for slope in [np.maximum(np.nan_to_num(chord, posinf=0.0), 0.0), *slopes]:
            inside = [np.clip(np.nan_to_num(each, nan=0.0), low, high) for each in curve.stationary(slope)]
            tried.append((slope, [low, high, *inside], [*ends, *map(curve.value, inside)]))
        farthest = np.max([slope for slope, *_ in tried], axis=0) * given.sizes
        lines = best_lines(given, tried, error + _ROOM * farthest)
    return Ranges(ends[0] - error, ends[1] + error), lines, unclear
