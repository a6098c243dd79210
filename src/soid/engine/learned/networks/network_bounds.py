"""Bounds of a network's numbers in many boxes of its columns at once, for the floats that a runtime computes.

Forwards, each layer gives ranges for its elements. Where a layer is not linear, narrow ranges of its source matter:
rows of coefficients, one for each element whose range decides something, are taken back from there to the columns,
layer by layer (backward linear bounds, as in DeepPoly and CROWN). Rows for the numbers that are asked for go the same
way.

    y = relu(x) - x,  x from -1 to 1        forwards: y from -1 to 2; backwards: y from -1 to 1

Boxes inside a box of which ranges are known begin with these. What floats may be off by, those of the runtime and those
of the bounds themselves, is derived in `float_errors`. In a box in which something may overflow, nothing is known.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, assert_never, final

import numpy as np
from msgspec import Struct

from soid.engine.learned.network import (
    Activated,
    Added,
    Affine,
    Extreme,
    Layer,
    Network,
    Rounded,
    Scaled,
    Selected,
    Softmaxed,
)
from soid.engine.learned.networks.element_layers import ElementBounds, ExtremeBounds, SoftmaxBounds
from soid.engine.learned.networks.float_errors import VANISHING, Flags, Numbers, above, below, own
from soid.engine.learned.networks.layer_bounds import BoundedLayer, LayerBounds
from soid.engine.learned.networks.ranges import Ranges
from soid.engine.learned.networks.relations import Relation, TakenBack, summed
from soid.engine.learned.networks.weighted_layers import AddedBounds, AffineBounds, SelectionBounds

_AT_ONCE: Final = 100_000  # coefficients that are taken back together: larger arrays do not fit into a cache


@final
class WantedRows(Struct, frozen=True):
    """Linear combinations of elements: by vector a matrix with a row for each of them."""

    matrices: Mapping[int, Numbers]

    @property
    def count(self) -> int:
        return len(next(iter(self.matrices.values())))

    @property
    def single(self) -> list[tuple[int, int, int, float]]:
        """The rows that are one element or its negative: the row, the vector, the element, and the sign."""
        found = []
        counts = np.sum([np.count_nonzero(matrix, axis=1) for matrix in self.matrices.values()], axis=0)
        for vector, matrix in self.matrices.items():
            rows, elements = np.nonzero(np.abs(matrix) == 1.0)
            found += [
                (row, vector, element, float(matrix[row, element]))
                for row, element in zip(rows.tolist(), elements.tolist(), strict=True)
                if counts[row] == 1
            ]
        return found

    @property
    def key(self) -> bytes:
        """The same for the same rows."""
        return b"".join(b"%d " % vector + matrix.tobytes() for vector, matrix in self.matrices.items())


@final
class NetworkRanges(Struct, frozen=True):
    """What is known of a network in some boxes: a row for each."""

    columns: Ranges
    inner: Mapping[int, Ranges]  # of the vectors that layers which are not linear are made of
    low: Numbers  # of each combination that was asked for
    high: Numbers
    loss: Numbers  # how much of high - low stands for the runtime's roundings
    slopes: Numbers  # for each box, combination and column: how steep its lower bound is there
    unclear: Flags  # boxes in which nothing is known

    def chosen(self, boxes: Any) -> NetworkRanges:
        return NetworkRanges(
            self.columns.chosen(boxes),
            {vector: ranges.chosen(boxes) for vector, ranges in self.inner.items()},
            self.low[boxes],
            self.high[boxes],
            self.loss[boxes],
            self.slopes[boxes],
            self.unclear[boxes],
        )


@final
class RootPass(Struct, frozen=True):
    """What is known of all vectors in a single box, and how each follows from others."""

    columns: Ranges
    vectors: Sequence[Ranges]
    relations: Mapping[int, Relation]
    vanishing: Mapping[int, Numbers]
    halves: tuple[Numbers, Numbers]  # the middle of each column, and how far its ends are from there


@final
class NetworkBounds:
    """Bounds of one network."""

    def __init__(self, network: Network) -> None:
        self.network = network
        self._layers: list[BoundedLayer] = []
        self.sizes = [len(network.columns)]
        for layer in network.layers:
            self._layers.append(_bounded(layer, self.sizes))
            self.sizes.append(self._layers[-1].size)
        self._plain = _plain_vectors(network)
        curved = (layer.sources[0] for layer in self._layers if layer.is_curved)
        self.inner_sizes = {source: self.sizes[source] for source in curved if source}  # of `NetworkRanges.inner`

    def of(
        self, columns: Ranges, unclear: Flags, wanted: WantedRows, inherited: Mapping[int, Ranges] | None = None
    ) -> NetworkRanges:
        """Bounds of combinations in boxes; `unclear` are boxes in which a column may be no finite number.

        `inherited` are ranges of inner vectors in a box around each.
        """
        columns = _cleared(columns, unclear)
        with np.errstate(all="ignore"):
            pass_ = self._forwards(columns, unclear, inherited or {})
            low, high, loss, slopes = self._combined(pass_, wanted)
        for row, vector, element, sign in wanted.single:  # such as one that was clipped, which ends at its bound
            ends = sign * pass_.vectors[vector].low[:, element], sign * pass_.vectors[vector].high[:, element]
            low[:, row], high[:, row] = (
                np.maximum(low[:, row], np.minimum(*ends)),
                np.minimum(high[:, row], np.maximum(*ends)),
            )
        unclear = pass_.unclear | ~(np.isfinite(low).all(axis=1) & np.isfinite(high).all(axis=1))
        low[unclear], high[unclear] = -np.inf, np.inf
        return NetworkRanges(columns, pass_.inner, low, high, loss, slopes, unclear)

    def below_relus(self, columns: Ranges, unclear: Flags) -> list[Numbers]:
        """For each ReLU layer the slope of the line below each element in each box: 0 its first piece, 1 its second."""
        with np.errstate(all="ignore"):
            pass_ = self._forwards(_cleared(columns, unclear), unclear, {})
        found = []
        for number, layer in enumerate(self.network.layers, start=1):
            if isinstance(layer, Activated) and layer.function in ("relu", "leaky_relu"):
                first = layer.alpha if layer.function == "leaky_relu" else 0.0
                share = (pass_.relations[number].low_slope - first) / (1.0 - first if first != 1.0 else 1.0)
                found.append(np.clip(share, 0.0, 1.0))
        return found

    def root(self, columns: Ranges, unclear: Flags) -> RootPass | None:
        """A single box, for bounds in parts of it; None if something may overflow in it."""
        with np.errstate(all="ignore"):
            pass_ = self._forwards(_cleared(columns, unclear), unclear, {})
        if pass_.unclear.any():
            return None
        return RootPass(columns, pass_.vectors, pass_.relations, pass_.vanishing, pass_.halves)

    def _forwards(self, columns: Ranges, unclear: Flags, inherited: Mapping[int, Ranges]) -> _Pass:
        pass_ = _Pass(columns, unclear.copy())
        for number, layer in enumerate(self._layers, start=1):
            self._enter(number, layer, pass_, inherited)
        return pass_

    def _enter(self, number: int, layer: BoundedLayer, pass_: _Pass, inherited: Mapping[int, Ranges]) -> None:
        """Add a layer's result, after the ranges of its source were made as narrow as it needs them."""
        source, differences = layer.sources[0], None
        if source and source not in pass_.inner:
            wanted = layer.wanted(pass_.vectors[source])
            if wanted is not None and source in inherited:
                pass_.narrow(source, inherited[source])
                wanted = layer.wanted(pass_.vectors[source])
            if wanted is not None:
                if source not in self._plain:
                    self._tighten(source, pass_, np.asarray(wanted & ~pass_.unclear[:, None]))
                pass_.inner[source] = pass_.vectors[source]
        pairs = layer.pairs
        if pairs is not None:
            matrix = np.zeros((len(pairs.first), self.sizes[source]))
            matrix[np.arange(len(matrix)), pairs.first] = 1.0
            matrix[np.arange(len(matrix)), pairs.second] = -1.0
            low, high, _, _ = self._combined(pass_, WantedRows({source: matrix}))
            differences = Ranges(low, high)
        pass_.add(layer.over([pass_.vectors[each] for each in layer.sources], differences), layer.sources)

    # --- backwards --------------------------------------------------------------------------------------------------

    def _tighten(self, source: int, pass_: _Pass, wanted: Flags) -> None:
        """Narrow the ranges of some elements of a vector, in each box other ones."""
        counts = wanted.sum(axis=1)
        order = np.argsort(counts, kind="stable")
        order = order[counts[order] > 0]
        widest = max(self.sizes[: source + 1])
        at = 0
        low, high = pass_.vectors[source].low.copy(), pass_.vectors[source].high.copy()
        while at < len(order):
            until = at + 1  # boxes with about as many elements are taken together
            while until < len(order) and (until + 1 - at) * 2 * counts[order[until]] * widest <= _AT_ONCE:
                until += 1
            boxes = order[at:until]
            most = int(counts[boxes[-1]])
            elements = np.argsort(~wanted[boxes], axis=1, kind="stable")[:, :most]
            found = self._lower_of_elements(source, elements, boxes, pass_)
            rows = boxes[:, None]
            counted = wanted[rows, elements]  # the others fill up: a box's bounds do not depend on those beside it
            least, greatest = np.where(counted, found[:, :most], -np.inf), np.where(counted, -found[:, most:], np.inf)
            low[rows, elements] = np.maximum(low[rows, elements], least)
            high[rows, elements] = np.minimum(high[rows, elements], greatest)
            at = until
        pass_.narrow(source, Ranges(low, high))

    def _lower_of_elements(self, source: int, elements: Any, boxes: Any, pass_: _Pass) -> Numbers:
        """Lower bounds of elements and of their negatives."""
        relation = pass_.relations[source]
        taken = relation.picked(elements, boxes)
        if taken is None:
            rows = np.zeros((len(boxes), 2 * elements.shape[1], self.sizes[source]))
            one = np.zeros((len(boxes), elements.shape[1], self.sizes[source]))
            np.put_along_axis(one, elements[:, :, None], 1.0, axis=2)
            rows[:, : elements.shape[1]], rows[:, elements.shape[1] :] = one, -one
            return self._lower({source: rows}, boxes, pass_)[0]
        return self._finished(source, taken, boxes, pass_)

    def _finished(self, vector: int, taken: TakenBack, boxes: Any, pass_: _Pass) -> Numbers:
        waiting = dict(_some(pass_.sources[vector], taken.rows))
        number = below(taken.number - pass_.vanishing[vector][boxes][:, None])
        return self._lower(waiting, boxes, pass_, number)[0]

    def _combined(self, pass_: _Pass, wanted: WantedRows) -> tuple[Numbers, Numbers, Numbers, Numbers]:
        """Bounds of combinations in all boxes, with losses and coefficients."""
        count, boxes = wanted.count, len(pass_.unclear)
        both = {vector: np.concatenate([matrix, -matrix]) for vector, matrix in wanted.matrices.items()}
        step = max(1, _AT_ONCE // (2 * count * max(self.sizes)))
        bounds, losses = np.empty((boxes, 2 * count)), np.empty((boxes, 2 * count))
        slopes = np.empty((boxes, count, self.sizes[0]))
        for at in range(0, boxes, step):
            some = np.arange(at, min(at + step, boxes))
            rows = {vector: np.broadcast_to(matrix, (len(some), *matrix.shape)) for vector, matrix in both.items()}
            bounds[some], losses[some], last = self._lower(rows, some, pass_)
            slopes[some] = last[:, :count]
        return bounds[:, :count], -bounds[:, count:], losses[:, :count] + losses[:, count:], slopes

    def _lower(
        self, waiting: Mapping[int, Numbers], boxes: Any, pass_: _Pass, number: Numbers | None = None
    ) -> tuple[Numbers, Numbers, Numbers]:
        """Lower bounds of rows over vectors, how much of them is loss, and their coefficients of the columns."""
        rows = dict(waiting)
        first = next(iter(rows.values()))
        total = np.zeros(first.shape[:2]) if number is None else number
        losses = np.zeros(first.shape[:2])
        for vector in range(max(rows), 0, -1):
            taken_from = rows.pop(vector, None)
            if taken_from is None:
                continue
            taken = pass_.relations[vector].back(taken_from, boxes)
            losses += taken.loss
            total = below(total + below(taken.number - pass_.vanishing[vector][boxes][:, None]))
            for source, part in _some(pass_.sources[vector], taken.rows):
                if source in rows:  # coefficients of several ways are added, which rounds
                    part = part + rows[source]
                    sizes = pass_.vectors[source].sizes[boxes]
                    total = below(total - summed(np.abs(part), own(1) * sizes))
                rows[source] = part
        last = rows.get(0)
        if last is None:
            return total, losses, np.zeros((*total.shape, self.sizes[0]))
        middle, half = (each[boxes] for each in pass_.halves)
        found = below(total + below(summed(last, middle) - summed(np.abs(last), half)))
        return found, losses, last


@final
class _Pass:
    """One way forwards through a network: ranges of all vectors, and how each follows from others."""

    def __init__(self, columns: Ranges, unclear: Flags) -> None:
        self.vectors = [columns]
        self.relations: dict[int, Any] = {}
        self.sources: dict[int, tuple[int, ...]] = {}
        self.inner: dict[int, Ranges] = {}
        self.unclear = unclear
        self.vanishing: dict[int, Numbers] = {}  # by vector and box: what float64 loses by underflow on the way back
        middle = columns.low + (columns.high - columns.low) / 2
        half = above(np.maximum(columns.high - middle, middle - columns.low))
        self.halves = middle, half + own(columns.low.shape[1]) * (np.abs(middle) + half)

    def narrow(self, vector: int, ranges: Ranges) -> None:
        self.vectors[vector] = self.vectors[vector].within(ranges)

    def add(self, found: LayerBounds, sources: Sequence[int]) -> None:
        """Add the result of the next layer; what is known of boxes that are unclear is left out."""
        vector = len(self.vectors)
        self.unclear |= found.unclear | ~np.isfinite(found.ranges.sizes).all(axis=1)
        self.vectors.append(_cleared(found.ranges, self.unclear))
        self.relations[vector], self.sources[vector] = found.relation, tuple(sources)
        total = np.sum([self.vectors[each].sizes.sum(axis=1) for each in sources], axis=0)
        self.vanishing[vector] = VANISHING * (1.0 + total)


def _cleared(ranges: Ranges, unclear: Flags) -> Ranges:
    if not unclear.any():
        return ranges
    return Ranges(np.where(unclear[:, None], 0.0, ranges.low), np.where(unclear[:, None], 0.0, ranges.high))


def _some(sources: Sequence[int], rows: Sequence[Numbers | None]) -> list[tuple[int, Numbers]]:
    """The rows that there are, by source; a source that is there twice has the sum of both."""
    return [(source, part) for source, part in zip(sources, rows, strict=True) if part is not None]


def _plain_vectors(network: Network) -> frozenset[int]:
    """Vectors whose ranges are exact forwards: made of the columns element by element, and then weighted once."""
    apart, found = {0}, set[int]()
    for number, layer in enumerate(network.layers, start=1):
        if isinstance(layer, Scaled | Rounded) and layer.source in apart:
            apart.add(number)
        elif isinstance(layer, Affine) and layer.source in apart:
            found.add(number)
    return frozenset(found | apart)


def _bounded(layer: Layer, sizes: Sequence[int]) -> BoundedLayer:
    """Make a layer ready; `sizes` are those of the vectors before it."""
    match layer:
        case Affine():
            return AffineBounds.of(layer)
        case Scaled() | Rounded() | Activated():
            return ElementBounds(layer, sizes[layer.source])
        case Added():
            return AddedBounds(layer, sizes[layer.sources[0]])
        case Selected():
            return SelectionBounds(layer, sizes)
        case Extreme():
            return ExtremeBounds(layer, sizes[layer.source])
        case Softmaxed():
            return SoftmaxBounds(layer, sizes[layer.source])
        case _:
            assert_never(layer)
