"""What a layer makes of its sources in one box: the ranges of its elements, and rows taken back through it.

A layer is either `Weighted`, a matrix, or `Lined`: each element of its result lies between lines over single elements
of its sources. Taking a row back gives rows over the sources and a number, so that the row is never below them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final, final

import numpy as np
from msgspec import Struct

from soid.engine.learned.network import Activated, Added, Affine, Extreme, Rounded, Scaled, Selected
from soid.evidence.learned import activation_lines, runtime_margins
from soid.evidence.learned.runtime_margins import LARGE, ROOM, TINY
from soid.evidence.learned.whole_rows import (
    NOTHING,
    Digits,
    Elements,
    Numbers,
    Rows,
    Scales,
    Unbounded,
    Whole,
    as_floats,
    lower,
    scales_of,
    upper,
)

_FLAT: Final = 2.0**-40  # a slope that is smaller is taken for 0
_SPARE: Final = 6  # bits by which slopes may be shorter, so that scales follow the sizes of results
_NARROW: Final = 2.0**-12  # the width of a range in which a curve is hardly bent


@final
class Weighted(Struct, frozen=True):
    """A matrix of a source, a bias, and errors, as whole numbers of the result's scales."""

    source: int
    weights: Whole  # in the last bit but one
    bias: Whole
    errors: Whole

    def back(self, rows: Rows, sizes: Sequence[int], digits: Digits) -> tuple[list[tuple[int, Rows]], Numbers]:
        number = rows.numbers @ self.bias - np.abs(rows.numbers) @ self.errors
        taken = Rows(rows.numbers @ self.weights, rows.exponents - digits.bits + 1)
        return [(self.source, taken)], as_floats(number, rows.exponents - digits.bits)


@final
class Piece(Struct, frozen=True):
    """The slopes of lines over elements of one source."""

    source: int
    places: Any  # for each element of the result the source's element; None: the same
    bits: int  # after the point
    low: Whole
    high: Whole


@final
class Lined(Struct, frozen=True):
    """Lines below and above each element of a result."""

    pieces: tuple[Piece, ...]
    low: Whole
    high: Whole

    def back(self, rows: Rows, sizes: Sequence[int], digits: Digits) -> tuple[list[tuple[int, Rows]], Numbers]:
        up, down = np.maximum(rows.numbers, 0), np.minimum(rows.numbers, 0)
        found = []
        for each in self.pieces:
            part = up * each.low + down * each.high
            if each.places is not None:
                spread = np.zeros((len(part), sizes[each.source]), digits.kind)
                np.add.at(spread.T, each.places, part.T)
                part = spread
            found.append((each.source, Rows(part, rows.exponents - each.bits)))
        return found, as_floats(up @ self.low + down @ self.high, rows.exponents - digits.bits)


Relation = Weighted | Lined
Bounded = tuple[Elements, Relation]


def numbers_of(data: bytes) -> Numbers:
    return np.frombuffer(data, "<f8").astype(np.float64)


def places_of(data: bytes) -> Any:
    return np.frombuffer(data, "<i4").astype(np.int64)


# --- sums -----------------------------------------------------------------------------------------------------


def weighted(layer: Affine, source: Elements, digits: Digits) -> Bounded:
    bias = numbers_of(layer.bias)
    weights = numbers_of(layer.weights).reshape(len(bias), -1)
    count, precision = weights.shape[1], layer.precision
    least, greatest = numbers_of(layer.factors).reshape(2, -1) if layer.factors else np.ones((2, len(bias)))
    with np.errstate(all="ignore"):
        tiny, large = TINY[precision] / least, LARGE[precision] / greatest
    vanished = runtime_margins.underflow(count, np.abs(weights).sum(axis=1), tiny)
    vanished = vanished + runtime_margins.tiny_weights(weights, source.sizes, tiny)
    rounded = runtime_margins.share(count + 1 + layer.roundings, precision)
    # a scale may be larger than its element's size: so no weight is more than twice as large as the result's scale
    about = np.maximum(np.abs(weights) @ source.sizes, np.abs(weights) @ np.ldexp(0.5, source.scales))
    about = (about + np.abs(bias) + vanished) * (1 + 2 * rounded + 2.0**-10)
    if not np.isfinite(about).all():
        raise Unbounded
    scales = scales_of(about)
    matrix = digits.whole(weights, source.scales - scales[:, None] + digits.bits - 1, "near")
    offset = digits.whole(bias, digits.bits - scales, "near")
    # not below the sums of sizes: a weight was rounded by half of its last bit at most
    total = (np.abs(matrix) + 1) @ source.wholes + (np.abs(offset) + 1) * 2 ** (digits.bits - 1)
    size = upper(total.astype(np.float64))  # with as many bits after the point as weights and elements together
    fits = np.ldexp(size, scales - 2 * digits.bits + 1) < large
    if not (fits & (np.abs(weights).max(axis=1, initial=0.0) < large)).all():
        raise Unbounded
    lost = np.ldexp(size, 1 - digits.bits) * rounded
    lost = (lost + np.ldexp(vanished, digits.bits - scales)) * ROOM + count + 1
    errors = digits.whole(lost, 0, "up")
    up, down = np.maximum(matrix, 0), np.minimum(matrix, 0)
    low = up @ source.lows + down @ source.highs + (offset - errors) * 2 ** (digits.bits - 1)
    high = up @ source.highs + down @ source.lows + (offset + errors) * 2 ** (digits.bits - 1)
    ends = (as_floats(each, scales - 2 * digits.bits + 1) for each in (low, -high))
    least, most = next(ends), -next(ends)
    return Elements.of(least, most, digits, scales), Weighted(layer.source, matrix, offset, errors)


def added(layer: Added, given: Sequence[Elements], digits: Digits) -> Bounded:
    size = upper(np.sum([each.sizes for each in given], axis=0) * ROOM)
    error = size * runtime_margins.share(len(given), layer.precision)
    error = (error + runtime_margins.underflow(len(given), np.zeros_like(size), TINY[layer.precision])) * ROOM
    check_sizes(size + error, layer.precision)
    low, high = -error, error.copy()
    for each, negative in zip(given, layer.subtracted, strict=True):
        low = lower(low - each.high if negative else low + each.low)
        high = upper(high - each.low if negative else high + each.high)
    scales = _roomy(size + error, np.ones(len(size)), np.max([each.scales for each in given], axis=0))
    found = Elements.of(low, high, digits, scales)
    pieces, inexact = [], np.zeros(len(size), np.int64)
    for number, each, negative in zip(layer.sources, given, layer.subtracted, strict=True):
        slope, bits, off = _steady(np.full_like(size, -1.0 if negative else 1.0), each.scales, found.scales, digits)
        inexact = inexact + off
        pieces.append(Piece(number, None, bits, slope, slope))
    return _lined(found, pieces, (-error, error), inexact, digits)


def scaled(layer: Scaled | Rounded, source: Elements, digits: Digits) -> Bounded:
    """factor * x + offset; a factor may be a quotient that was rounded as a float64, which two more roundings cover."""
    count = len(source.low)
    factor = numbers_of(layer.factor) if isinstance(layer, Scaled) else np.ones(count)
    offset = numbers_of(layer.offset) if isinstance(layer, Scaled) else np.zeros(count)
    roundings = layer.roundings if isinstance(layer, Scaled) else 1
    size = upper(upper(np.abs(factor) * source.sizes) + np.abs(offset))
    error = np.zeros(count)
    if roundings:
        error = size * runtime_margins.share(2 * roundings + 2, layer.precision)
        tiny = TINY[layer.precision]
        vanished = runtime_margins.underflow(roundings + 1, np.abs(factor), tiny)
        error = (error + vanished + runtime_margins.tiny_factors(factor, source.sizes, tiny)) * ROOM
    elif not ((np.abs(factor) == 1) & (offset == 0)).all():
        error = size * 2.0**-50
    check_sizes(size + error, layer.precision)
    check_sizes(np.abs(factor), layer.precision)
    ends = [(factor * end, factor * end + offset) for end in (source.low, source.high)]
    room = np.max([np.abs(product) + np.abs(total) for product, total in ends], axis=0) * 2.0**-51
    room = np.where((np.abs(factor) == 1) & (offset == 0), 0.0, room)
    low = lower(np.minimum(ends[0][1], ends[1][1]) - (error + room))
    high = upper(np.maximum(ends[0][1], ends[1][1]) + (error + room))
    found = Elements.of(low, high, digits, _roomy(size + error, np.abs(factor), source.scales))
    slope, bits, inexact = _steady(factor, source.scales, found.scales, digits)
    lines = lower(offset - error), upper(offset + error)
    return _lined(found, [Piece(layer.source, None, bits, slope, slope)], lines, inexact, digits)


# --- elements that are moved --------------------------------------------------------------------------------------


def selected(layer: Selected, given: Sequence[Elements], digits: Digits) -> Bounded:
    vector, element = places_of(layer.vector), places_of(layer.element)
    low, high = np.empty(len(vector)), np.empty(len(vector))
    scales = np.empty(len(vector), np.int64)
    pieces = []
    for place, (source, each) in enumerate(zip(layer.sources, given, strict=True)):
        here = vector == place
        chosen = np.where(here, element, 0)
        low[here], high[here], scales[here] = (part[element[here]] for part in (each.low, each.high, each.scales))
        slope = digits.whole(here.astype(np.float64), digits.bits, "near")
        pieces.append(Piece(source, chosen, digits.bits, slope, slope))
    nothing = np.zeros(len(vector))
    found = Elements.of(low, high, digits, scales)
    return _lined(found, pieces, (nothing, nothing), np.zeros(len(vector), np.int64), digits)


def extreme(layer: Extreme, source: Elements, digits: Digits) -> Bounded:
    """The greatest of a group is not below the one whose least is greatest, nor above it if all others are below that.

    A subnormal number may be taken for 0 as it is compared.
    """
    groups, tiny = places_of(layer.groups).reshape(-1, layer.size), TINY[32]
    low, high = (-source.high, -source.low) if layer.least else (source.low, source.high)
    lows, highs = low[groups], high[groups]
    rows, best = np.arange(len(groups)), lows.argmax(axis=1)
    chosen, least, most = groups[rows, best], lows[rows, best], highs.max(axis=1)
    others = highs.copy()
    others[rows, best] = -np.inf
    alone = others.max(axis=1) <= least
    ends = lower(least - tiny), upper(most + tiny)
    scales = _roomy(np.max(np.abs(ends), axis=0), np.ones(len(groups)), source.scales[chosen])
    found = Elements.of(*((-ends[1], -ends[0]) if layer.least else ends), digits, scales)
    slope, bits, inexact = _steady(np.ones(len(groups)), source.scales[chosen], found.scales, digits)
    nothing = np.zeros_like(slope)
    lines = np.full(len(groups), -tiny), np.where(alone, tiny, ends[1])
    pair = slope, np.where(alone, slope, nothing)
    if layer.least:
        lines, pair = (-lines[1], -lines[0]), (pair[1], pair[0])
    return _lined(found, [Piece(layer.source, chosen, bits, *pair)], lines, inexact, digits)


def constant(low: Numbers, high: Numbers, digits: Digits) -> Bounded:
    """A result of which its range alone is known."""
    found = Elements.of(low, high, digits)
    return _lined(found, [], (low, high), np.zeros(len(low), np.int64), digits)


# --- activations --------------------------------------------------------------------------------------------------


def activated(layer: Activated, source: Elements, shares: Numbers | None, digits: Digits) -> Bounded:
    """`shares` say of each element how far its lower line is from the one slope of a ReLU to the other."""
    low, high = source.low, source.high
    check_sizes(source.sizes, layer.precision)
    if activation_lines.is_curve(layer):
        ends = activation_lines.curve_ends(layer, low, high)
        offsets = partial(activation_lines.curve_offsets, layer, low, high)
        tried = _touching(layer, low, high)
        slopes = tried, tried
    else:
        one = activation_lines.bent(layer, low, high)
        offsets = partial(activation_lines.straight_offsets, one, low, high)
        flat = np.zeros_like(low)
        ends = offsets(flat, above=False), offsets(flat, above=True)
        slopes = _straight(layer, one, low, high, shares)
        if layer.function == "relu":
            ends = np.where(low >= TINY[layer.precision], low, 0.0), np.maximum(high, 0.0)
    check_sizes(np.maximum(np.abs(ends[0]), np.abs(ends[1])), layer.precision)
    steepest = np.max([np.abs(slope) for slope in (*slopes[0], *slopes[1])], axis=0)
    # offsets are no larger than the function and the line together
    size = np.max([np.abs(ends[0]), np.abs(ends[1]), steepest * source.sizes], axis=0)
    scales = _roomy(size, steepest, source.scales)
    found = Elements.of(*ends, digits, scales)
    bits = _bits_after(steepest, source.scales, found.scales, digits)
    shift = bits + source.scales - found.scales
    low_slope, low_line = _nearest(slopes[0], offsets, source, shift, digits, above=False)
    high_slope, high_line = _nearest(slopes[1], offsets, source, shift, digits, above=True)
    if layer.function == "relu":  # a number that it lets pass keeps its bits, and 0 has no errors
        exact = (low >= TINY[layer.precision]) | (high <= 0)
        low_line, high_line = np.where(exact, 0.0, low_line), np.where(exact, 0.0, high_line)
    pieces = [Piece(layer.source, None, bits, low_slope, high_slope)]
    return _lined(found, pieces, (low_line, high_line), np.zeros(len(low), np.int64), digits)


def _nearest(
    slopes: Sequence[Numbers],
    offsets: Callable[..., Numbers],
    source: Elements,
    shift: Scales,
    digits: Digits,
    *,
    above: bool,
) -> tuple[Whole, Numbers]:
    """Of lines with these slopes the one that is nearest in the middle of the range: its slope and its offset."""
    middle = source.low + (source.high - source.low) / 2
    best: tuple[Whole, Numbers, Numbers] | None = None
    for slope in slopes:
        whole = digits.whole(slope, shift, "near")
        exact = np.ldexp(whole.astype(np.float64), -shift)  # what it is as a whole number, is the slope
        offset = offsets(exact, above=above)
        far = (exact * middle + offset) * (1.0 if above else -1.0)
        if best is None:
            best = whole, offset, far
        else:
            better = far < best[2]
            best = np.where(better, whole, best[0]), np.where(better, offset, best[1]), np.minimum(far, best[2])
    assert best is not None
    return best[0], best[1]


def bends(layer: Activated, given: Elements) -> Any:
    """The elements in whose ranges an activation is no straight line, and which should be as narrow as they can be."""
    low, high = given.low, given.high
    if activation_lines.is_curve(layer):
        return high > low
    one = activation_lines.bent(layer, low, high)
    return np.any([(low < each + one.blur) & (high > each - one.blur) for each in one.breaks], axis=0) & (high > low)


def _straight(
    layer: Activated, one: activation_lines.Bent, low: Numbers, high: Numbers, shares: Numbers | None
) -> tuple[list[Numbers], list[Numbers]]:
    """Slopes below and above a function of straight pieces: of a chord, and of one piece or the other."""
    with np.errstate(all="ignore"):
        chord = np.nan_to_num((one.value(high) - one.value(low)) / (high - low), posinf=0.0, neginf=0.0)
    chord = np.where(high > low, np.clip(chord, min(one.slopes), max(one.slopes)), one.slopes[0])
    if layer.function not in ("relu", "leaky_relu"):
        tried = [chord, *(np.full_like(low, each) for each in one.slopes)]
        return tried, tried
    after = np.where(high > -low, 1.0, 0.0) if shares is None else shares
    chosen = one.slopes[0] + after * (1.0 - one.slopes[0])
    for where, slope in ((high <= 0, one.slopes[0]), (low >= 0, 1.0)):
        chosen, chord = np.where(where, slope, chosen), np.where(where, slope, chord)
    # a function that bends down has its chord below it
    return ([chosen], [chord]) if one.slopes[0] <= 1.0 else ([chord], [chosen])


def _touching(layer: Activated, low: Numbers, high: Numbers) -> list[Numbers]:
    """The slopes of a curve's chord, and of the curve at some points of the range."""
    curve = activation_lines.CURVES[layer.function]
    middle = low + (high - low) / 2
    with np.errstate(all="ignore"):
        ends = activation_lines.curve_ends(layer, low, high)
        chord = np.nan_to_num((ends[1] - ends[0]) / (high - low), posinf=0.0, neginf=0.0)
    chord = np.where(high - low > _NARROW, chord, curve.derivative(middle))
    tried = [chord, curve.derivative(middle), curve.derivative(low), curve.derivative(high)]
    return [np.where(each < _FLAT, 0.0, each) for each in tried]


# --- what they have in common -------------------------------------------------------------------------------------


def check_sizes(sizes: Numbers, precision: int) -> None:
    if not (sizes < LARGE[precision]).all():
        raise Unbounded


def _roomy(sizes: Numbers, slopes: Numbers, given: Scales) -> Scales:
    """Scales for results of these sizes, not so far below those of what they follow from that slopes become long."""
    floor = np.where(slopes > 0, given + np.frexp(slopes)[1] - _SPARE, NOTHING)
    return np.maximum(scales_of(sizes), floor)


def _bits_after(steepest: Numbers, given: Scales, scales: Scales, digits: Digits) -> int:
    """How many bits slopes may have after the point, from elements of one scale to those of another."""
    largest = np.frexp(steepest)[1] + given - scales
    return digits.bits - int(np.max(np.where(steepest > 0, largest, 0), initial=0))


def _steady(slope: Numbers, given: Scales, scales: Scales, digits: Digits) -> tuple[Whole, int, Scales]:
    """A slope as whole numbers, their bits after the point, and how far they may be off, in the last bit of a line."""
    bits = _bits_after(np.abs(slope), given, scales, digits)
    shift = bits + given - scales
    found = digits.whole(slope, shift, "near")
    with np.errstate(under="ignore"):
        exact = found.astype(np.float64) == np.ldexp(slope, shift)
    return found, bits, np.where(exact, 0, 1).astype(np.int64) << (digits.bits - bits)


def _lined(
    found: Elements, pieces: Sequence[Piece], lines: tuple[Numbers, Numbers], inexact: Scales, digits: Digits
) -> Bounded:
    shift = digits.bits - found.scales
    low, high = digits.whole(lines[0], shift, "down"), digits.whole(lines[1], shift, "up")
    return found, Lined(tuple(pieces), low - inexact, high + inexact)
