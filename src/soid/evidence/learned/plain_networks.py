"""The numbers of a network in a box, or at a point, by whole numbers: with what a runtime may be off by, and no search.

Forwards, each layer gives ranges for its elements. Where a layer is bent, the ranges of its source are made narrow
first: a row for each element is taken back through the layers to the columns (`plain_layers`). The slope of the line
below a ReLU may be given for each element; everything else follows.

    y = relu(x) - x,  x from -1 to 1,  slope 0        y from -1 to 1

This shares no code with the bounds by which soid settles questions (`soid.engine.learned.networks`), on purpose: those
are floats with error terms, and these are whole numbers, which are the same on every machine.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, Final, TypeGuard, assert_never, final

import numpy as np
from flint import arb, ctx
from msgspec import Struct

from soid.engine.learned.model import LearnedModel
from soid.engine.learned.network import (
    Activated,
    Added,
    Affine,
    Extreme,
    Layer,
    Network,
    NetworkSum,
    NetworkTerm,
    Rounded,
    Scaled,
    Selected,
    Softmaxed,
)
from soid.engine.learned.network_leads import leads_of
from soid.engine.learned.networks.runtime_functions import share_errors
from soid.evidence.learned import plain_layers
from soid.evidence.learned.plain_layers import Bounded, Relation, Weighted
from soid.evidence.learned.plain_sums import Enclosed, column_range, float_below, rounding
from soid.evidence.learned.plain_trees import FeatureBox, NotChecked
from soid.evidence.learned.runtime_margins import TINY
from soid.evidence.learned.whole_rows import Digits, Elements, Numbers, Rows, Unbounded, Whole, lower

Slopes = Sequence[Numbers]  # of each ReLU layer: a share for each element, 0 to 1

EVERYTHING: Final = (-math.inf, math.inf)
_PAIRS: Final = 1_000  # differences of a softmax: with more the single elements are taken


def network_numbers(
    model: LearnedModel, sums: Sequence[NetworkSum], box: FeatureBox, slopes: Slopes | None = None
) -> dict[str, Enclosed]:
    """What each of some sums of one network may be in a box; with given slopes, or with those of the ranges."""
    try:
        bounds = NetworkBox.within(model, sums[0].network, box, slopes)
        return {one.name: shown(one, *ends) for one, ends in zip(sums, bounds.ends(sums), strict=True)}
    except Unbounded:
        return {one.name: EVERYTHING for one in sums}


def numbers_at(model: LearnedModel, row: FeatureBox) -> dict[str, Enclosed]:
    """All numbers of networks for one row of features, and by how much classes lead each other."""
    found: dict[str, Enclosed] = {}
    for network in range(len(model.networks)):
        own = [one for one in network_sums(model).values() if one.network == network]
        found |= network_numbers(model, own, row)
    return found


def relu_sizes(network: Network) -> list[int]:
    """The number of elements of each layer whose lines have a slope to choose."""
    sizes = [len(network.columns)]
    for layer in network.layers:
        sizes.append(_size(layer, sizes))
    return [sizes[layer.source] for layer in network.layers if is_relu(layer)]


def is_relu(layer: Layer) -> TypeGuard[Activated]:
    return isinstance(layer, Activated) and layer.function in ("relu", "leaky_relu")


def _columns(network: Network, model: LearnedModel, box: FeatureBox) -> tuple[Numbers, Numbers]:
    """The ranges of the columns, as a runtime is given them."""
    ends = []
    for column in network.columns:
        found = column_range(column, model.features[column.feature], box[column.feature])
        if found.missing or not found.low <= found.high:
            raise Unbounded
        step = rounding(network.precision)
        ends.append((step(found.low), step(found.high)))
    low, high = (np.array(each, np.float64) for each in zip(*ends, strict=True))
    return low, high


def _size(layer: Layer, sizes: Sequence[int]) -> int:
    match layer:
        case Affine(bias=bias):
            return len(bias) // 8
        case Added(sources):
            return sizes[sources[0]]
        case Selected(vector=vector):
            return len(vector) // 4
        case Extreme(groups=groups, size=size):
            return len(groups) // 4 // size
        case Scaled() | Rounded() | Activated() | Softmaxed():
            return sizes[layer.source]
        case _:
            assert_never(layer)


def _longest(layer: Layer) -> int:
    """How many products a row has that is taken through a layer, or back."""
    match layer:
        case Affine(weights=weights, bias=bias):
            size = len(bias) // 8
            return max(size, len(weights) // 8 // max(size, 1))
        case Selected(vector=vector):
            return len(vector) // 4
        case _:
            return 1


@final
class SignedParts(Struct, frozen=True):
    """Parts of a box in which signs of elements before ReLUs are known: by ReLU layer an array with a row for each."""

    signs: Sequence[Whole]  # 1: not below zero, -1: not above, 0: open
    slopes: Sequence[Numbers]  # as of a box
    multipliers: Sequence[Numbers]  # of the signs: not below zero


@final
class NetworkBox:
    """One way through a network: the ranges of all vectors in a box, and how each follows from others."""

    def __init__(self, network: Network, low: Numbers, high: Numbers, digits: Digits, slopes: Slopes | None) -> None:
        self._network = network
        self._digits = digits
        self._vectors = [Elements.of(low, high, digits)]
        self._relations: list[Relation | None] = [None]
        given = iter(slopes or ())
        for layer in network.layers:
            shares = next(given) if slopes is not None and is_relu(layer) else None
            found, relation = self._bounded(layer, shares)
            self._vectors.append(found)
            self._relations.append(relation)

    @classmethod
    def within(cls, model: LearnedModel, number: int, box: FeatureBox, slopes: Slopes | None) -> NetworkBox:
        """A network of a model; raises `Unbounded` if nothing is known of it in the box."""
        network = model.networks[number]
        low, high = _columns(network, model, box)
        is_point = bool((low == high).all())
        longest = max([len(low), *map(_longest, network.layers)])
        return cls(network, low, high, Digits.long() if is_point else Digits.short(longest), slopes)

    def ends(self, sums: Sequence[NetworkSum]) -> list[tuple[float, float]]:
        """The ends of sums, as real numbers."""
        low = self._lower([each.terms for each in sums])
        high = -self._lower([negative(each.terms) for each in sums])
        return list(zip(low.tolist(), high.tolist(), strict=True))

    def lower_in_parts(self, terms: Sequence[NetworkTerm], parts: SignedParts) -> Numbers:
        """For each part a number that a sum is not below.

        A ReLU's line is one for the range that its sign leaves. Besides, s z >= 0 for an element z and its sign s, so
        the sum is not below itself less b s z, for any b >= 0: b s is taken from the coefficient of z.
        """
        count, digits = len(parts.signs[0]), self._digits
        waiting, total = self._begun([terms] * count)
        relations = list(self._relations)
        places = [place for place, layer in enumerate(self._network.layers) if is_relu(layer)]
        given = zip(places, parts.signs, parts.slopes, parts.multipliers, strict=True)
        for place, signs, slopes, multipliers in given:
            layer = self._network.layers[place]
            assert is_relu(layer) and (multipliers >= 0).all()
            source, result = self._vectors[layer.source], self._vectors[place + 1]
            relations[place + 1] = plain_layers.split(layer, source, result, signs, slopes, digits)
            if (multipliers * signs).any():
                taken = Rows.of(-signs * multipliers, source, digits)
                total = self._put(waiting, layer.source, taken, total)
        return self._taken_back(waiting, total, relations)

    def _bounded(self, layer: Layer, shares: Numbers | None) -> Bounded:
        digits, vectors = self._digits, self._vectors
        match layer:
            case Affine(source):
                return plain_layers.weighted(layer, vectors[source], digits)
            case Added(sources):
                return plain_layers.added(layer, [vectors[each] for each in sources], digits)
            case Selected(sources):
                return plain_layers.selected(layer, [vectors[each] for each in sources], digits)
            case Scaled(source) | Rounded(source):
                return plain_layers.scaled(layer, vectors[source], digits)
            case Activated(source):
                self._narrow(source, np.flatnonzero(plain_layers.bends(layer, vectors[source])))
                return plain_layers.activated(layer, vectors[source], shares, digits)
            case Extreme(source):
                self._narrow(source, np.arange(len(vectors[source].low)))
                return plain_layers.extreme(layer, vectors[source], digits)
            case Softmaxed(source):
                return plain_layers.constant(*self._shares(layer, vectors[source]), digits)
            case _:
                assert_never(layer)

    def _narrow(self, vector: int, elements: Any) -> None:
        """Take rows of some elements back to the columns; of a weighted sum of columns nothing is gained by that."""
        relation = self._relations[vector]
        if relation is None or (isinstance(relation, Weighted) and relation.source == 0) or not len(elements):
            return
        places = [int(each) for each in elements]
        low, high = self._vectors[vector].low.copy(), self._vectors[vector].high.copy()
        found = self._lower([(NetworkTerm(vector, each, sign),) for sign in (1.0, -1.0) for each in places])
        low[places] = np.maximum(low[places], found[: len(places)])
        high[places] = np.minimum(high[places], -found[len(places) :])
        self._vectors[vector] = self._vectors[vector].within(low, high, self._digits)

    def _lower(self, combinations: Sequence[Sequence[NetworkTerm]]) -> Numbers:
        """Not above what combinations of elements are, wherever in the box."""
        return self._taken_back(*self._begun(combinations), self._relations)

    def _begun(self, combinations: Sequence[Sequence[NetworkTerm]]) -> tuple[dict[int, Rows], Numbers]:
        """Combinations as rows over vectors, and what that loses, as a number that is not above zero."""
        waiting: dict[int, Rows] = {}
        total = np.zeros(len(combinations))
        for vector in sorted({term.vector for each in combinations for term in each}):
            depth = max(sum(term.vector == vector for term in each) for each in combinations)
            for place in range(depth):
                total = self._put(waiting, vector, self._single(combinations, vector, place), total)
        return waiting, total

    def _taken_back(self, waiting: dict[int, Rows], total: Numbers, relations: Sequence[Relation | None]) -> Numbers:
        """Not above what rows are, together with numbers, wherever in the box."""
        for vector in range(max(waiting), 0, -1):
            if vector not in waiting:
                continue
            rows, lost = waiting.pop(vector).shortened(self._digits)
            relation = relations[vector]
            assert relation is not None
            parts, number = relation.back(rows, [len(each.low) for each in self._vectors], self._digits)
            total = lower(lower(total - lost) + number)
            for source, part in parts:
                total = self._put(waiting, source, part, total)
        if 0 not in waiting:
            return total
        rows, lost = waiting[0].shortened(self._digits)
        return lower(lower(total - lost) + rows.least(self._vectors[0], self._digits))

    def _put(self, waiting: dict[int, Rows], vector: int, rows: Rows, total: Numbers) -> Numbers:
        """Add rows to those over a vector; the result is a total without what that loses."""
        if vector in waiting:
            rows, lost = waiting[vector].plus(rows, self._digits)
            total = lower(total - lost)
        waiting[vector] = rows
        return total

    def _single(self, combinations: Sequence[Sequence[NetworkTerm]], vector: int, place: int) -> Rows:
        """Of each combination the term over a vector that comes at a place; nothing where there are fewer."""
        chosen = [[term for term in each if term.vector == vector][place : place + 1] for each in combinations]
        terms = [each[0] if each else NetworkTerm(vector, 0, 0.0) for each in chosen]
        factors = np.array([term.factor for term in terms])
        if any(term.factor and abs(math.frexp(term.factor)[0]) != 0.5 for term in terms):
            raise NotChecked("a sum of a network has factors that are no powers of two")
        places = np.array([term.element for term in terms], np.int64)
        return Rows.single(places, factors, self._vectors[vector], self._digits)

    def _shares(self, layer: Softmaxed, given: Elements) -> tuple[Numbers, Numbers]:
        """The shares of a softmax from bounds on the differences of its arguments."""
        plain_layers.check_sizes(given.sizes, layer.precision)
        count, size = len(given.low), layer.size
        pairs = [
            (start + i, start + j)
            for start in range(0, count, size)
            for i in range(size)
            for j in range(size)
            if i != j
        ]
        if len(pairs) <= _PAIRS and pairs:
            terms = [(NetworkTerm(layer.source, j), NetworkTerm(layer.source, i, -1.0)) for i, j in pairs]
            least = dict(zip(pairs, self._lower(terms).tolist(), strict=True))  # of element j less element i
        else:
            least = {(i, j): float(lower(given.low[j] - given.high[i])) for i, j in pairs}
        ctx.prec = 128
        found = []
        for end in range(2):
            for i in range(count):
                start = i - i % size
                others = [j for j in range(start, start + size) if j != i]
                powers = [arb(-least[j, i] if end == 0 else least[i, j]).exp() for j in others]
                share = 1 / (1 + sum(powers, arb(0)))
                found.append(float(share.lower() if end == 0 else share.upper()))
        low, high = np.array(found[:count]), np.array(found[count:])
        low, high = np.nextafter(low, -np.inf), np.nextafter(high, np.inf)
        errors = [share_errors(each, size, layer.precision) * (1 + 2.0**-40) for each in (low, high)]
        return np.maximum(lower(low - errors[0]), 0.0), np.nextafter(high + errors[1], np.inf)


def negative(terms: Sequence[NetworkTerm]) -> tuple[NetworkTerm, ...]:
    return tuple(NetworkTerm(term.vector, term.element, -term.factor) for term in terms)


def shown(one: NetworkSum, low: float, high: float) -> Enclosed:
    """Bounds of a sum as it is shown: rounded by an application, or a float itself, which lies between its bounds."""
    if not (math.isfinite(low) and math.isfinite(high)):
        return EVERYTHING
    if one.rounded:
        tiny = TINY[one.precision]  # what is smaller may have become 0
        step = rounding(one.precision)
        low, high = step(low), step(high)
        return (0.0 if 0 < low < tiny else low), (0.0 if -tiny < high < 0 else high)
    if len(one.terms) == 1 and one.terms[0].factor == 1.0 and one.precision == 32:
        return -float_below(-Fraction(low), 32), float_below(Fraction(high), 32)
    return low, high


def network_sums(model: LearnedModel) -> Mapping[str, NetworkSum]:
    """The numbers of networks by their names: those of the model, and by how much one class leads another."""
    return {one.name: one for one in (*model.sums, *leads_of(model)) if isinstance(one, NetworkSum)}
