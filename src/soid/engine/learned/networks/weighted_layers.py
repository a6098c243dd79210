"""Layers that are linear, but for the roundings of a runtime: weighted sums, sums of vectors, elements of vectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

import numpy as np

from soid.engine.learned.network import Added, Affine, Selected
from soid.engine.learned.networks.float_errors import (
    LEAST,
    LIMIT,
    LONGEST,
    Numbers,
    above,
    below,
    gamma,
    lost,
    own,
)
from soid.engine.learned.networks.layer_bounds import BoundedLayer, LayerBounds, numbers_of
from soid.engine.learned.networks.ranges import Ranges
from soid.engine.learned.networks.relations import AffineRelation, SelectedPart, SelectionRelation, SumRelation


@final
class AffineBounds(BoundedLayer):
    """weights * x + bias."""

    def __init__(
        self, source: int, weights: Numbers, bias: Numbers, count: int, precision: int, factors: Numbers
    ) -> None:
        """`factors`: see `Affine.factors`."""
        self.sources = (source,)
        self.size, fan = weights.shape
        self._weights = np.ascontiguousarray(weights)
        self._bias = bias
        self._positive = np.ascontiguousarray(np.maximum(weights, 0.0).T)
        self._negative = np.ascontiguousarray(np.minimum(weights, 0.0).T)
        self._sizes = np.ascontiguousarray(np.abs(weights).T)
        with np.errstate(divide="ignore", over="ignore"):
            tiny, limit = LEAST[precision] / factors[0], LIMIT[precision] / factors[1]
        subnormal = (np.abs(weights) < tiny[:, None]) & (weights != 0)
        self._subnormal = np.where(subnormal, 2 * tiny[:, None], 0.0).T
        self._relative = gamma(count, precision) + own(max(weights.shape))
        self._lost = lost(fan, np.abs(weights).sum(axis=1), tiny)
        fits = (np.abs(weights).max(axis=1, initial=0.0) < limit) & (fan <= LONGEST)
        self._limit = np.where(fits, limit, 0.0)

    @classmethod
    def of(cls, layer: Affine) -> AffineBounds:
        bias = numbers_of(layer.bias)
        weights = numbers_of(layer.weights).reshape(len(bias), -1)
        factors = numbers_of(layer.factors).reshape(2, -1) if layer.factors else np.ones((2, len(bias)))
        return cls(layer.source, weights, bias, weights.shape[1] + 1 + layer.roundings, layer.precision, factors)

    def over(self, given: Sequence[Ranges], differences: Ranges | None, /) -> LayerBounds:
        (ranges,) = given
        sizes = ranges.sizes
        total = sizes @ self._sizes + np.abs(self._bias)
        errors = (self._relative * total + self._lost) * (1 + 2.0**-40)
        if self._subnormal.any():
            errors += sizes @ self._subnormal
        low = ranges.low @ self._positive + ranges.high @ self._negative + self._bias - errors
        high = ranges.high @ self._positive + ranges.low @ self._negative + self._bias + errors
        relation = AffineRelation(self._weights, self._bias, errors)
        unclear = ~(total + errors < self._limit).all(axis=1)
        return LayerBounds(Ranges(below(low), above(high)), relation, np.asarray(unclear))


@final
class AddedBounds(BoundedLayer):
    """A sum of vectors."""

    def __init__(self, layer: Added, size: int) -> None:
        self.sources = layer.sources
        self.size = size
        self._layer = layer

    def over(self, given: Sequence[Ranges], differences: Ranges | None, /) -> LayerBounds:
        precision, count = self._layer.precision, len(given)
        size = np.sum([each.sizes for each in given], axis=0)
        errors = (gamma(count, precision) + own(count)) * size + lost(count, 0.0, LEAST[precision])
        low, high = -errors, errors.copy()
        for each, negative in zip(given, self._layer.subtracted, strict=True):
            low = below(low - each.high if negative else low + each.low)
            high = above(high - each.low if negative else high + each.high)
        unclear = ~(size + errors < LIMIT[precision]).all(axis=1)
        return LayerBounds(Ranges(low, high), SumRelation(self._layer.subtracted, errors), np.asarray(unclear))


@final
class SelectionBounds(BoundedLayer):
    """Elements of earlier vectors."""

    def __init__(self, layer: Selected, sizes: Sequence[int]) -> None:
        self.sources = layer.sources
        vector, element = (np.frombuffer(each, "<i4").astype(np.int64) for each in (layer.vector, layer.element))
        self.size = len(vector)
        self._parts = tuple(
            SelectedPart.of(np.flatnonzero(vector == place), element[vector == place], sizes[source])
            for place, source in enumerate(layer.sources)
        )

    def over(self, given: Sequence[Ranges], differences: Ranges | None, /) -> LayerBounds:
        low = np.empty((len(given[0].low), self.size))
        high = np.empty_like(low)
        for ranges, part in zip(given, self._parts, strict=True):
            low[:, part.places], high[:, part.places] = ranges.low[:, part.elements], ranges.high[:, part.elements]
        found = Ranges(low, high)
        relation = SelectionRelation(self._parts, own(self.size) * found.sizes)
        return LayerBounds(found, relation, np.zeros(len(low), bool))
