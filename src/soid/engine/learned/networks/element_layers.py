"""Layers that are functions of single elements, or of groups of elements: activations, pooling, softmax."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, final

import numpy as np

from soid.engine.learned.network import Activated, Extreme, Rounded, Scaled, Softmaxed
from soid.engine.learned.networks import curve_lines, piecewise_lines
from soid.engine.learned.networks.float_errors import LEAST, LIMIT, Flags, Numbers, gamma, is_subnormal, lost, own
from soid.engine.learned.networks.layer_bounds import BoundedLayer, LayerBounds, numbers_of
from soid.engine.learned.networks.ranges import Lines, Ranges
from soid.engine.learned.networks.relations import ExtremeRelation, LineRelation, RangeRelation
from soid.engine.learned.networks.softmax_shares import pairs_of, shares_over

#: the width of a range in which a curve and its lines hardly differ, however the range was found
_NARROW: Final = 2.0**-12


@final
class ElementBounds(BoundedLayer):
    """A function of each element: scaled, rounded, or an activation."""

    def __init__(self, layer: Scaled | Rounded | Activated, size: int) -> None:
        self.sources = (layer.source,)
        self.size = size
        self._layer = layer
        self.is_curved = isinstance(layer, Activated)
        self._factor = numbers_of(layer.factor) if isinstance(layer, Scaled) else np.ones(size)
        self._offset = numbers_of(layer.offset) if isinstance(layer, Scaled) else np.zeros(size)

    def over(self, given: Sequence[Ranges], differences: Ranges | None, /) -> LayerBounds:
        (source,) = given
        limit = LIMIT[self._layer.precision]
        unclear = ~(source.sizes < limit).all(axis=1)
        match self._layer:
            case Activated(function=function, precision=precision):
                if function == "relu":
                    ranges, lines = piecewise_lines.relu(source, precision)
                elif function == "leaky_relu":
                    ranges, lines = piecewise_lines.leaky(self._layer, source)
                elif function == "clip":
                    ranges, lines = piecewise_lines.clip(self._layer, source)
                elif function == "hard_sigmoid":
                    ranges, lines = piecewise_lines.hard_sigmoid(self._layer, source)
                else:
                    ranges, lines, overflows = curve_lines.curved(function, source, precision)
                    unclear |= overflows
            case _:
                ranges, lines, size = self._scaled(source)
                unclear |= ~((size < limit) & (np.abs(self._factor) < limit)).all(axis=1)
        unclear = unclear | ~(ranges.sizes < limit).all(axis=1)
        return LayerBounds(ranges, LineRelation(lines, source.sizes), np.asarray(unclear))

    def _scaled(self, source: Ranges) -> tuple[Ranges, Lines, Numbers]:
        """factor * x + offset, with errors of both terms and of their sum, and its terms' sizes.

        A cast is one rounding of 1 * x + 0. A factor may be a quotient that was rounded as a float64: two more
        roundings cover it. One that is subnormal has fewer digits, or is taken for 0.
        """
        precision = self._layer.precision
        roundings = self._layer.roundings if isinstance(self._layer, Scaled) else 1
        size = np.abs(self._factor) * source.sizes + np.abs(self._offset)
        share = gamma(2 * roundings + 2, precision) if roundings else 0.0
        error = (share + own(2)) * size + lost(roundings, np.abs(self._factor), LEAST[precision])
        error += np.where(is_subnormal(self._factor, precision), 2 * LEAST[precision], 0.0) * source.sizes
        if self._is_exact:
            error = np.zeros_like(size)
        ends = self._factor * source.low + self._offset, self._factor * source.high + self._offset
        slope = np.broadcast_to(self._factor, size.shape)
        lines = Lines(slope, self._offset - error, slope, self._offset + error)
        return Ranges(np.minimum(*ends) - error, np.maximum(*ends) + error), lines, size + error

    @property
    def _is_exact(self) -> bool:
        """Whether numbers keep their bits, or change their signs."""
        layer = self._layer
        signs = bool((np.abs(self._factor) == 1).all() and (self._offset == 0).all())
        return isinstance(layer, Scaled) and layer.roundings == 0 and signs

    def wanted(self, given: Ranges, /) -> Flags | None:
        match self._layer:
            case Activated(function="relu" | "leaky_relu"):
                found: Flags = (given.low < 0) & (given.high > 0)
            case Activated(function="clip", alpha=alpha, beta=beta):
                found = ((given.low < alpha) & (given.high > alpha)) | ((given.low < beta) & (given.high > beta))
            case Activated():
                found = given.high - given.low > _NARROW
            case _:
                return None
        return found


@final
class ExtremeBounds(BoundedLayer):
    """The greatest or the least of groups of elements."""

    def __init__(self, layer: Extreme, size: int) -> None:
        self.sources = (layer.source,)
        self._groups = np.frombuffer(layer.groups, "<i4").astype(np.int64).reshape(-1, layer.size)
        self.size = len(self._groups)
        self.is_curved = True
        self._sign = -1.0 if layer.least else 1.0
        self._from = size

    def over(self, given: Sequence[Ranges], differences: Ranges | None, /) -> LayerBounds:
        (source,) = given
        low, high = (source.low, source.high) if self._sign > 0 else (-source.high, -source.low)
        lows, highs = low[:, self._groups], high[:, self._groups]
        place = lows.argmax(axis=2)
        least = np.take_along_axis(lows, place[:, :, None], axis=2)[:, :, 0]
        others = highs.copy()
        np.put_along_axis(others, place[:, :, None], -np.inf, axis=2)
        most, alone = highs.max(axis=2), others.max(axis=2) <= least
        best = np.take_along_axis(np.broadcast_to(self._groups, lows.shape), place[:, :, None], axis=2)[:, :, 0]
        tiny = np.full(least.shape, LEAST[32])  # a subnormal number may be taken for 0; those of float64 are smaller
        relation = ExtremeRelation(
            self._from, best, alone.astype(np.float64), np.where(alone, 0.0, most), self._sign, tiny, source.sizes
        )
        ends = (least - tiny, most + tiny) if self._sign > 0 else (-most - tiny, -least + tiny)
        return LayerBounds(Ranges(*ends), relation, np.zeros(len(low), bool))

    def wanted(self, given: Ranges, /) -> Flags:
        """The elements that may be the extreme ones of their groups, where there are several."""
        low, high = (given.low, given.high) if self._sign > 0 else (-given.high, -given.low)
        possible = high[:, self._groups] >= low[:, self._groups].max(axis=2)[:, :, None]
        possible &= possible.sum(axis=2)[:, :, None] > 1
        found = np.zeros(low.shape, bool)
        boxes = np.arange(len(low))[:, None, None]
        np.logical_or.at(found, (boxes, np.broadcast_to(self._groups, possible.shape)), possible)
        return found


@final
class SoftmaxBounds(BoundedLayer):
    """Shares of e^x."""

    def __init__(self, layer: Softmaxed, size: int) -> None:
        self.sources = (layer.source,)
        self.size = size
        self._layer = layer
        self.pairs = pairs_of(layer.size, size)
        self.is_curved = self.pairs is None

    def over(self, given: Sequence[Ranges], differences: Ranges | None, /) -> LayerBounds:
        (source,) = given
        ranges = shares_over(source, self._layer.size, self._layer.precision, differences)
        unclear = ~(source.sizes < LIMIT[self._layer.precision]).all(axis=1)
        return LayerBounds(ranges, RangeRelation(ranges), np.asarray(unclear))

    def wanted(self, given: Ranges, /) -> Flags | None:
        return None if self.pairs is not None else given.low < given.high
