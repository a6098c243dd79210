"""Lines around functions that are made of straight pieces: ReLU and its leaky kind, clip, hard sigmoid.

Of f(x) - slope * x, such a function's extremes over a range are at the ends of the range or at a break. So for any
slope the offsets follow from a few points, and the slopes may be chosen freely: those of the pieces and of the chord
are tried, and the lines that are best in the middle of the range are taken. For ReLU this is its usual relaxation.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np

from soid.engine.learned.network import Activated
from soid.engine.learned.networks.float_errors import LEAST, UNIT, Numbers, gamma
from soid.engine.learned.networks.ranges import Lines, Ranges

_OWN: Final = 2.0**-48  # of the sizes at hand: far more than the few float64 operations here are off by


def relu(given: Ranges, precision: int) -> tuple[Ranges, Lines]:
    """The most frequent one, without trying slopes. It is exact, except that a subnormal number may become 0."""
    low, high = given.low, given.high
    crossing = (low < 0) & (high > 0)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        chord = np.where(crossing, high / (high - low), high > 0)
        at_ends = np.maximum(-chord * low, high - chord * high)
        room = _OWN * (np.abs(chord * low) + high)
    tiny = np.where((low < LEAST[precision]) & (high > 0), LEAST[precision], 0.0)
    steep = np.where(crossing, high > -low, chord)
    lines = Lines(steep, -tiny, chord, np.where(crossing, at_ends + room, 0.0) + tiny)
    return Ranges(np.where(low < LEAST[precision], 0.0, low), np.maximum(high, 0.0)), lines


def leaky(layer: Activated, given: Ranges) -> tuple[Ranges, Lines]:
    """x, below zero alpha * x, which is rounded."""
    alpha = layer.alpha

    def value(x: Numbers) -> Numbers:
        found: Numbers = np.where(x >= 0, x, alpha * x)
        return found

    below_zero = np.abs(np.minimum(given.low, 0.0))
    error = ((UNIT[layer.precision] + _OWN) * abs(alpha) + _flushed(layer)) * below_zero + 2 * LEAST[layer.precision]
    return _enclosed(value, given, [np.zeros_like(given.low)], [1.0, alpha], error)


def clip(layer: Activated, given: Ranges) -> tuple[Ranges, Lines]:
    """Not below alpha, nor above beta."""
    least, most = layer.alpha, layer.beta

    def value(x: Numbers) -> Numbers:
        found: Numbers = np.minimum(np.maximum(x, least), most)
        return found

    breaks = [np.full_like(given.low, each) for each in (least, most) if np.isfinite(each)]
    return _enclosed(value, given, breaks, [0.0, 1.0], np.full_like(given.low, LEAST[layer.precision]))


def hard_sigmoid(layer: Activated, given: Ranges) -> tuple[Ranges, Lines]:
    """alpha * x + beta between 0 and 1; the product and the sum are rounded, or fused."""
    alpha, beta = layer.alpha, layer.beta

    def value(x: Numbers) -> Numbers:
        found: Numbers = np.clip(alpha * x + beta, 0.0, 1.0)
        return found

    size = np.abs(alpha) * given.sizes + abs(beta)
    error = (gamma(3, layer.precision) + _OWN) * size + 6 * LEAST[layer.precision] + _flushed(layer) * given.sizes
    if alpha == 0:
        return _enclosed(value, given, [], [0.0], error)
    unit = Ranges(np.zeros_like(given.low), np.ones_like(given.low))  # whatever its terms are rounded to
    breaks = [np.full_like(given.low, (bound - beta) / alpha) for bound in (0.0, 1.0)]
    # a break that is rounded is off by a little, and so is the function between it and the true one
    ranges, lines = _enclosed(value, given, breaks, [0.0, alpha], error + _OWN * (abs(beta) + 1.0))
    return ranges.within(unit), lines


def _flushed(layer: Activated) -> float:
    """What a factor loses that is taken for 0."""
    return LEAST[layer.precision] if 0 < abs(layer.alpha) < LEAST[layer.precision] else 0.0


def _enclosed(
    value: Callable[[Numbers], Numbers],
    given: Ranges,
    breaks: Sequence[Numbers],
    slopes: Sequence[float],
    error: Numbers,
) -> tuple[Ranges, Lines]:
    """Range and lines of a function, whose results may be off by an error; `slopes` are those of its pieces."""
    low, high = given.low, given.high
    points = [low, high, *(np.clip(each, low, high) for each in breaks)]
    results = [value(each) for each in points]
    with np.errstate(divide="ignore", invalid="ignore"):
        chord = np.where(high > low, (results[1] - results[0]) / (high - low), 0.0)
    tried = [*(np.full_like(low, each) for each in slopes), np.nan_to_num(chord, posinf=0.0, neginf=0.0)]
    lines = best_lines(given, [(slope, points, results) for slope in tried], error)
    ranges = Ranges(np.min(results, axis=0) - error, np.max(results, axis=0) + error)
    return ranges, lines


def best_lines(
    given: Ranges, tried: Sequence[tuple[Numbers, Sequence[Numbers], Sequence[Numbers]]], error: Numbers
) -> Lines:
    """Of slopes, each with the points where f(x) - slope * x may be extreme and f there, those best in the middle."""
    middle = given.low + (given.high - given.low) / 2
    best: list[Numbers | None] = [None] * 4
    for slope, points, results in tried:
        terms = [(result, slope * point) for point, result in zip(points, results, strict=True)]
        offsets = [result - product for result, product in terms]
        size = np.max([np.abs(result) + np.abs(product) for result, product in terms], axis=0)
        room = error + _OWN * size
        found = np.min(offsets, axis=0) - room, np.max(offsets, axis=0) + room
        for end, (offset, sign) in enumerate(zip(found, (1, -1), strict=True)):
            old_slope, old_offset = best[2 * end], best[2 * end + 1]
            if old_slope is None or old_offset is None:
                best[2 * end], best[2 * end + 1] = slope, offset
                continue
            better = sign * (slope * middle + offset) > sign * (old_slope * middle + old_offset)
            best[2 * end], best[2 * end + 1] = np.where(better, slope, old_slope), np.where(better, offset, old_offset)
    low_slope, low_offset, high_slope, high_offset = best
    assert low_slope is not None and low_offset is not None and high_slope is not None and high_offset is not None
    return Lines(low_slope, low_offset, high_slope, high_offset)
