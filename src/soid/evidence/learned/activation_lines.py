"""Lines below and above what an activation makes of a number in a range, for slopes that are given.

For a slope s the least and the greatest f(x) - s x over the range are needed. Of a function of straight pieces they are
at an end of the range or at a break. Of a curve they are at an end or where f'(x) = s, which has a closed form: there
they are computed as balls (python-flint's arb), which contain the true number. Any slope gives true lines; only how
near they are hangs on it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, final

import numpy as np
from flint import arb, ctx
from msgspec import Struct

from soid.engine.learned.network import Activated
from soid.engine.learned.networks.runtime_functions import ABSOLUTE, EXPONENT, RELATIVE
from soid.evidence.learned.runtime_margins import ROOM, TINY, UNIT, share
from soid.evidence.learned.whole_rows import Numbers, Unbounded, lower, upper

_SLACK: Final = 2.0**-50  # of the sizes at hand: more than the two float64 operations of an offset are off by
_PRECISION: Final = 128  # bits of balls


@final
class Bent(Struct, frozen=True):
    """What a runtime makes of each element of a vector, and how it is bent."""

    value: Callable[[Numbers], Numbers]  # in float64, off by less than `room`
    breaks: tuple[float, ...]
    slopes: tuple[float, ...]  # of its pieces
    error: Numbers  # of the runtime, and of `value`
    blur: float = 0.0  # how far a break may be from the true one


def is_curve(layer: Activated) -> bool:
    return layer.function in ("sigmoid", "tanh", "exp")


def bent(layer: Activated, low: Numbers, high: Numbers) -> Bent:
    """A function of straight pieces."""
    tiny, unit = TINY[layer.precision], float(UNIT[layer.precision])
    alpha, beta = layer.alpha, layer.beta
    sizes = np.maximum(np.abs(low), np.abs(high))
    match layer.function:
        case "relu":
            error = np.where((low < tiny) & (high > 0), tiny, 0.0)
            return Bent(lambda x: np.maximum(x, 0.0), (0.0,), (0.0, 1.0), error)
        case "leaky_relu":
            error = ((unit + _SLACK) * abs(alpha) + _vanishing(alpha, tiny)) * np.abs(np.minimum(low, 0.0)) + 2 * tiny
            return Bent(lambda x: np.where(x >= 0, x, alpha * x), (0.0,), (alpha, 1.0), error * ROOM)
        case "clip":
            return Bent(
                lambda x: np.minimum(np.maximum(x, alpha), beta), (alpha, beta), (0.0, 1.0), np.full_like(low, tiny)
            )
        case "hard_sigmoid":
            error = (share(3, layer.precision) + _SLACK) * (abs(alpha) * sizes + abs(beta)) + 8 * tiny
            error = error + _vanishing(alpha, tiny) * sizes
            breaks = ((0.0 - beta) / alpha, (1.0 - beta) / alpha) if alpha else ()
            blur = max((abs(each) for each in breaks), default=0.0) * _SLACK
            return Bent(lambda x: np.clip(alpha * x + beta, 0.0, 1.0), breaks, (0.0, alpha), error * ROOM, blur)
        case _:
            raise ValueError(f"{layer.function} has no straight pieces")


def _vanishing(factor: float, tiny: float) -> float:
    """What is lost of a factor that may be taken for 0."""
    return tiny if 0 < abs(factor) < tiny else 0.0


def straight_offsets(one: Bent, low: Numbers, high: Numbers, slopes: Numbers, *, above: bool) -> Numbers:
    """The offsets of lines with these slopes that lie below the function, or above it."""
    points = [low, high, *(np.clip(each, low, high) for each in one.breaks)]
    found = []
    for point in points:
        value, product = one.value(point), slopes * point
        room = _SLACK * (np.abs(value) + np.abs(product))
        found.append(value - product + room if above else value - product - room)
    room = one.error + one.blur * (np.abs(slopes) + max(map(abs, one.slopes)))
    return upper(np.max(found, axis=0) + room) if above else lower(np.min(found, axis=0) - room)


# --- curves -------------------------------------------------------------------------------------------------------


@final
class ActivationCurve(Struct, frozen=True):
    """A real function of a ball, its derivative in float64, and where that has a value."""

    value: Callable[[Any], Any]
    derivative: Callable[[Numbers], Numbers]
    level: Callable[[Any], Sequence[Any]]


def _sigmoid(x: Numbers) -> Numbers:
    with np.errstate(over="ignore"):  # far below zero it is 0
        return np.asarray(1.0 / (1.0 + np.exp(-x)))


def _around(root: Any, scale: float) -> Sequence[Any]:
    place = ((1 + root) / (1 - root)).log() * scale
    return place, -place


CURVES: Final = {
    "sigmoid": ActivationCurve(
        lambda x: 1 / (1 + (-x).exp()),
        lambda x: _sigmoid(x) * _sigmoid(-x),
        lambda slope: _around((1 - 4 * slope).sqrt(), 1.0) if slope > 0 and not 1 - 4 * slope < 0 else (),
    ),
    "tanh": ActivationCurve(
        lambda x: x.tanh(),
        lambda x: 4.0 * _sigmoid(2.0 * x) * _sigmoid(-2.0 * x),
        lambda slope: _around((1 - slope).sqrt(), 0.5) if slope > 0 and not 1 - slope < 0 else (),
    ),
    "exp": ActivationCurve(lambda x: x.exp(), np.exp, lambda slope: (slope.log(),) if slope > 0 else ()),
}


def curve_ends(layer: Activated, low: Numbers, high: Numbers) -> tuple[Numbers, Numbers]:
    """The least and the greatest that a runtime gives, for a curve, which rises."""
    curve, error = CURVES[layer.function], curve_error(layer, high)
    ctx.prec = _PRECISION
    least = np.array([_below(curve.value(arb(each))) for each in low.tolist()])
    most = np.array([_above(curve.value(arb(each))) for each in high.tolist()])
    return lower(least - error), upper(most + error)


def curve_error(layer: Activated, high: Numbers) -> Numbers:
    unit, tiny = float(UNIT[layer.precision]), TINY[layer.precision]
    if layer.function != "exp":
        return np.full_like(high, (ABSOLUTE[layer.function, layer.precision] * unit + 2 * tiny) * ROOM)
    if (high > EXPONENT[layer.precision]).any():
        raise Unbounded
    return np.asarray((RELATIVE[layer.precision] * unit * np.exp(high) + 2 * tiny) * ROOM)


def curve_offsets(layer: Activated, low: Numbers, high: Numbers, slopes: Numbers, *, above: bool) -> Numbers:
    """The offsets of lines with these slopes below a curve, or above it."""
    curve = CURVES[layer.function]
    ctx.prec = _PRECISION
    found = []
    for ends, slope in zip(zip(low.tolist(), high.tolist(), strict=True), map(arb, slopes.tolist()), strict=True):
        first, last = map(arb, ends)
        inside = [each for each in curve.level(slope) if not (each < first or each > last)]
        offsets = [curve.value(each) - slope * each for each in (first, last, *inside)]
        found.append(max(map(_above, offsets)) if above else min(map(_below, offsets)))
    error = curve_error(layer, high)
    return upper(np.array(found) + error) if above else lower(np.array(found) - error)


def _below(ball: Any) -> float:
    if not ball.is_finite():
        raise Unbounded
    return float(np.nextafter(float(ball.lower()), -np.inf))


def _above(ball: Any) -> float:
    if not ball.is_finite():
        raise Unbounded
    return float(np.nextafter(float(ball.upper()), np.inf))
