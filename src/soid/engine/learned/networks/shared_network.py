"""One network, bounded for all the functions that are asked about together.

A search looks at boxes with several functions of a network: the leads of a class over each other one, or both ends of a
number. They are rows of one computation. Functions that are given the same region are rows of one `NetworkRegion`,
whose first look at boxes is made for all of them; a look that another function asks for with the same arrays is there.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Any, Final, final

import numpy as np
from msgspec.structs import replace

from soid.engine.learned.forest import Boxes
from soid.engine.learned.linear_bounds import ColumnRanges
from soid.engine.learned.model import ModelFeature
from soid.engine.learned.network import Affine, Network, NetworkSum
from soid.engine.learned.networks.blas_threads import at_once, one_thread
from soid.engine.learned.networks.float_errors import Flags, Numbers
from soid.engine.learned.networks.known_boxes import KnownBoxes, merged
from soid.engine.learned.networks.network_bounds import NetworkBounds, NetworkRanges, WantedRows
from soid.engine.learned.networks.ranges import Ranges
from soid.engine.learned.networks.region_proofs import RegionProofs
from soid.engine.learned.networks.relu_leaves import sources_of_relus
from soid.engine.learned.networks.relu_splits import LeafBounds, ReluSearch, straight_steps

_POINTS: Final = 64  # whose numbers are kept
_QUESTIONS: Final = 4  # of which boxes are kept
_PARTED: Final = 8  # boxes: so many are bounded by two threads
_PROVED: Final = 16  # regions of which it is kept what is proved
_TRIED: Final = 64  # points at which signs are looked at
_WIDE: Final = 1e300  # what cutting gains where nothing is known


@final
class SharedNetwork:
    """A network, and the functions of it that there are."""

    def __init__(self, network: Network, features: Sequence[ModelFeature]) -> None:
        self._bounds = NetworkBounds(network)
        self._columns = ColumnRanges(network.columns, features)
        self._precision = network.precision
        self.weights = 1 + sum(len(layer.weights) // 8 for layer in network.layers if isinstance(layer, Affine))
        self.used, self.features = self._columns.used, self._columns.features
        self.sums: list[NetworkSum] = []  # that some function is made of
        self._region: NetworkRegion | None = None
        self.climbed: dict[bytes, Numbers] = {}  # by region and numbers: see `network_climb`
        #: by region and numbers, and by what these are compared with
        self.proofs: dict[tuple[bytes, tuple[tuple[float, ...], ...]], RegionProofs] = {}
        self._chains: dict[int, Any] = {}  # by vector: see `_chain`
        self._boxes: dict[bytes, KnownBoxes] = {}  # by the rows that were asked for
        self._points: OrderedDict[bytes, dict[NetworkSum, tuple[float, float]]] = OrderedDict()

    def add(self, one: NetworkSum) -> None:
        if one not in self.sums:
            self.sums.append(one)
            self._points.clear()

    def within(self, boxes: Boxes, one: NetworkSum, borders: Iterable[float] = ()) -> NetworkRegion:
        """The region in a single box, to which a function has been added with what it is compared with."""
        found = self._region
        if found is None or not found.is_for(boxes):
            found = self._region = NetworkRegion(self, boxes)
        found.add(one, borders)
        return found

    def at(self, row: Numbers, one: NetworkSum) -> tuple[float, float]:
        """Bounds at a point; numbers at the last few points are kept, for all functions are asked one after another."""
        key = row.tobytes()
        if key not in self._points or one not in self._points[key]:
            missing = np.isnan(row)
            low, high = np.where(missing, np.inf, row), np.where(missing, -np.inf, row)
            found = self.look(Boxes(low, high, missing), self.wanted(self.sums), None)
            self._points[key] = {
                each: (float(found.low[0, place]), float(found.high[0, place])) for place, each in enumerate(self.sums)
            }
            if len(self._points) > _POINTS:
                self._points.popitem(last=False)
        return self._points[key][one]

    def wanted(self, sums: Sequence[NetworkSum]) -> WantedRows:
        """The rows of sums, as real numbers."""
        vectors = sorted({term.vector for one in sums for term in one.terms})
        found = {vector: np.zeros((len(sums), self._bounds.sizes[vector])) for vector in vectors}
        for row, one in enumerate(sums):
            for term in one.terms:
                found[term.vector][row, term.element] += term.factor
        return WantedRows(found)

    def columns(self, boxes: Boxes) -> tuple[Ranges, Flags]:
        """The ranges of the columns, and the boxes in which one may be no finite number."""
        with np.errstate(over="ignore", invalid="ignore"):
            found = self._columns.of(boxes)
            low, high = (
                np.stack([getattr(each, end) for each in found], axis=1).astype(np.float64) for end in ("low", "high")
            )
            if self._precision == 32:
                low, high = (end.astype(np.float32).astype(np.float64) for end in (low, high))
        missing = np.stack([each.missing for each in found], axis=1)
        unclear = missing.any(axis=1) | ~(np.isfinite(low) & np.isfinite(high)).all(axis=1)
        return Ranges(low, high), np.asarray(unclear)

    def below_relus(self, boxes: Boxes) -> list[Numbers]:
        """See `NetworkBounds.below_relus`: what others need to check bounds in these boxes."""
        with one_thread():
            return self._bounds.below_relus(*self.columns(boxes))

    def relu_search(
        self, boxes: Boxes, vector: int, row: Numbers, target: float, checker: LeafBounds | None = None
    ) -> ReluSearch | None:
        """A search whether a combination of a vector is above a target in a box; None if no chain of ReLUs makes it."""
        chain = self._chain(vector)
        if chain is None:
            return None
        with one_thread():
            root = self._bounds.root(*self.columns(boxes))
        return None if root is None else ReluSearch(chain[0], chain[1], root, row, target, checker)

    def _chain(self, vector: int) -> Any:
        """The network up to a vector with its steps; None if it is no chain of ReLUs, or has some after that."""
        if vector not in self._chains:
            layers = self._bounds.network.layers
            upto = replace(self._bounds.network, layers=layers[:vector])
            steps = None if sources_of_relus(replace(upto, layers=layers[vector:])) else straight_steps(upto)
            self._chains[vector] = None if steps is None else (upto, steps)
        return self._chains[vector]

    def look(self, boxes: Boxes, wanted: WantedRows, parents: NetworkRanges | None) -> NetworkRanges:
        """Bounds in boxes; in points by themselves, since they need other rows of coefficients than boxes do."""
        with one_thread():
            return self._look(boxes, wanted, parents)

    def _look(self, boxes: Boxes, wanted: WantedRows, parents: NetworkRanges | None) -> NetworkRanges:
        ranges, unclear = self.columns(boxes)
        points = np.asarray((ranges.low == ranges.high).all(axis=1))
        if points.all():
            return self._bounds.of(ranges, unclear, wanted)
        if not points.any():
            return self._known(ranges, unclear, wanted, parents)
        return merged(
            points,
            self._bounds.of(ranges.chosen(points), unclear[points], wanted),
            self._known(ranges.chosen(~points), unclear[~points], wanted, parents),
        )

    def _known(
        self, ranges: Ranges, unclear: Flags, wanted: WantedRows, parents: NetworkRanges | None
    ) -> NetworkRanges:
        """Bounds in boxes, of which some may have been bounded before."""
        known = self._boxes.get(wanted.key)
        if known is None:
            if len(self._boxes) >= _QUESTIONS:
                self._boxes.clear()
            known = self._boxes[wanted.key] = KnownBoxes(self._bounds.inner_sizes)
        return known.bounded(
            ranges, unclear, lambda some: self._inside(ranges.chosen(some), unclear[some], wanted, parents)
        )

    def _inside(
        self, ranges: Ranges, unclear: Flags, wanted: WantedRows, parents: NetworkRanges | None
    ) -> NetworkRanges:
        """Bounds in boxes that may lie in others, whose inner ranges they begin with."""
        inherited = {} if parents is None or not len(parents.low) else _inherited(ranges, parents)

        def bounded(some: Any) -> NetworkRanges:
            inner = {vector: each.chosen(some) for vector, each in inherited.items()}
            return self._bounds.of(ranges.chosen(some), unclear[some], wanted, inner)

        count = len(unclear)
        if count < _PARTED:
            return bounded(slice(None))
        first, second = at_once(bounded, [slice(0, count // 2), slice(count // 2, count)])
        return merged(np.arange(count) < count // 2, first, second)

    def by_feature(self, by_column: Any, combine: Any) -> Any:
        """Numbers for features from numbers for columns, which are in the last dimension."""
        found = np.zeros((*by_column.shape[:-1], len(self.used)))
        for column, feature in enumerate(self._columns.places):
            found[..., feature] = combine(found[..., feature], by_column[..., column])
        return found


@final
class NetworkRegion:
    """A region, and the functions that are looked at inside of it."""

    def __init__(self, network: SharedNetwork, boxes: Boxes) -> None:
        self.network = network
        self.boxes = boxes
        self.sums: list[NetworkSum] = []
        self._borders: dict[NetworkSum, dict[float, None]] = {}  # what is asked is on which side of them numbers are
        self._has_begun = False
        columns, _ = network.columns(boxes)
        with np.errstate(invalid="ignore"):
            self._widths = np.nan_to_num(columns.high - columns.low, posinf=_WIDE)[0]
        self.gave_points = False  # whether `network_climb` has given its points for some function

    def is_for(self, boxes: Boxes) -> bool:
        """Whether a function may be added to the region."""
        own = self.boxes
        pairs = ((own.low, boxes.low), (own.high, boxes.high), (own.missing, boxes.missing))
        return not self._has_begun and all(np.array_equal(one, other) for one, other in pairs)

    def add(self, one: NetworkSum, borders: Iterable[float] = ()) -> None:
        if one not in self.sums:
            self.sums.append(one)
        self._borders.setdefault(one, {}).update(dict.fromkeys(borders))

    @cached_property
    def wanted(self) -> WantedRows:
        self._has_begun = True
        return self.network.wanted(self.sums)

    @cached_property
    def borders(self) -> tuple[tuple[float, ...], ...]:
        """For each of the functions what it is compared with."""
        return tuple(tuple(sorted(self._borders[one])) for one in self.sums)

    @cached_property
    def proofs(self) -> RegionProofs:
        """What is known of the whole region from the signs of ReLUs: kept, for a question makes several searches."""
        borders, kept = self.borders, self.network.proofs
        key = self.key, borders
        if key not in kept:
            if len(kept) >= _PROVED:
                kept.pop(next(iter(kept)))
            varying = int((self._widths > 0).sum())
            kept[key] = RegionProofs(self.whole.ranges, self._met, borders, varying, self._search())
        return kept[key]

    def _search(self) -> Callable[[int, int, float], ReluSearch | None]:
        """What makes searches whether a number, or its negative, is above a target: see `RegionProofs`."""
        network, boxes, matrices = self.network, self.boxes, self.wanted.matrices

        def made(number: int, sign: int, target: float) -> ReluSearch | None:
            vectors = [vector for vector, rows in matrices.items() if rows[number].any()]
            if len(vectors) != 1:
                return None
            return network.relu_search(boxes, vectors[0], sign * matrices[vectors[0]][number], target)

        return made

    def _met(self) -> Numbers:
        """The numbers at some points of the region."""
        low, high, missing = self.boxes.low, self.boxes.high, self.boxes.missing
        points = self.network.climbed.get(self.key, np.empty((0, low.shape[1])))[:_TRIED]
        points = np.concatenate([low + (high - low) / 2, points])
        found = self.network.look(Boxes(points, points, np.repeat(missing, len(points), axis=0)), self.wanted, None)
        with np.errstate(invalid="ignore"):
            return np.asarray((found.low + found.high) / 2)

    @cached_property
    def key(self) -> bytes:
        """The same for the same numbers in the same box."""
        return self.boxes.low.tobytes() + self.boxes.high.tobytes() + self.boxes.missing.tobytes() + self.wanted.key

    @cached_property
    def whole(self) -> SharedLook:
        wanted = self.wanted
        return SharedLook(self, self.boxes, self.network.look(self.boxes, wanted, None))

    @cached_property
    def directions(self) -> Numbers:
        """For each column 1 if it rises with its feature over the region, -1 if it falls."""
        low, high, missing = self.boxes.low, self.boxes.high, self.boxes.missing
        first, last = (self.network.columns(Boxes(end, end, missing))[0] for end in (low, high))
        with np.errstate(invalid="ignore"):  # a column that is infinite at both ends
            return np.asarray(np.sign(np.nan_to_num(last.low - first.low))[0])

    def _has_hope(self, look: SharedLook) -> Flags:
        """Whether something may be known in a part of each box: nothing overflows where its numbers are smallest."""
        boxes, found = look.boxes, np.ones(len(look.boxes), bool)
        rows = np.flatnonzero(look.ranges.unclear)
        if len(rows):
            least = np.clip(0.0, boxes.low[rows], boxes.high[rows])
            here = np.where(boxes.low[rows] <= boxes.high[rows], least, np.nan)
            points = Boxes(here, here, np.isnan(here))
            found[rows] = ~self.network.look(points, self.wanted, None).unclear
        return found

    def gains(self, look: SharedLook) -> Numbers:
        """For each box, function and feature how much cutting the box there gains.

        What counts is how steep the bounds are over the whole width of the region, times which part of that width the
        box still has; and a tenth of the steepest for all, since what is steep changes from box to box.
        """
        found, columns = look.ranges, look.ranges.columns
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            steep = self.network.by_feature(np.abs(found.slopes) * self._widths, np.add)
            steep += 0.1 * steep.max(axis=2, keepdims=True)
            shares = np.where(self._widths > 0, (columns.high - columns.low) / self._widths, 0.0)
            left = self.network.by_feature(np.nan_to_num(shares, posinf=1.0), np.maximum)
            gains = np.nan_to_num(steep * left[:, None, :], posinf=_WIDE)
            # where the runtime's roundings are most of the width, smaller boxes have no better bounds
            gains[~(found.high - found.low > 4 * found.loss)] = 0.0
            unknown = np.nan_to_num(look.boxes.high - look.boxes.low, posinf=_WIDE, neginf=0.0)
            unknown[look.boxes.missing & (look.boxes.low <= look.boxes.high)] = _WIDE
            unknown[~self._has_hope(look)] = 0.0
            gains[found.unclear] = unknown[found.unclear][:, None, :]
        return np.asarray(gains)


@final
class SharedLook:
    """What is known over some boxes of all functions of a region."""

    def __init__(self, region: NetworkRegion, boxes: Boxes, ranges: NetworkRanges) -> None:
        self.region = region
        self.boxes = boxes
        self.ranges = ranges
        self._chosen: tuple[Any, SharedLook] | None = None
        self._inside: tuple[Any, SharedLook] | None = None
        self.places: dict[int, tuple[Any, Any]] = {}  # by function: the places of its bounds in the order of floats

    @cached_property
    def gains(self) -> Numbers:
        return self.region.gains(self)

    def chosen(self, boxes: Sequence[int]) -> SharedLook:
        if self._chosen is None or self._chosen[0] is not boxes:
            rows = np.asarray(boxes, np.int64)
            found = SharedLook(self.region, self.boxes.chosen(rows), self.ranges.chosen(rows))
            found.places = {number: (low[rows], high[rows]) for number, (low, high) in self.places.items()}
            self._chosen = boxes, found
        return self._chosen[1]

    def inside(self, low: Numbers, high: Numbers, missing: Flags) -> SharedLook:
        """A look at boxes that lie in these."""
        if self._inside is None or self._inside[0] is not low:
            boxes = Boxes(low, high, missing)
            with self.region.proofs.timed():
                found = self.region.network.look(boxes, self.region.wanted, self.ranges)
            self._inside = low, SharedLook(self.region, boxes, self.region.proofs.narrowed(found))
        return self._inside[1]


def _inherited(ranges: Ranges, parents: NetworkRanges) -> dict[int, Ranges]:
    """The inner ranges of a box around each; where there is none, nothing is known."""
    around = _around(ranges, parents)
    known = around >= 0
    found = {}
    for vector, inner in parents.inner.items():
        low, high = inner.low[around], inner.high[around]
        low[~known], high[~known] = -np.inf, np.inf
        found[vector] = Ranges(low, high)
    return found


def _around(ranges: Ranges, parents: NetworkRanges) -> Any:
    """For each box the number of one that it lies in, and of which something is known; -1: there is none."""
    lows, highs = parents.columns.low, parents.columns.high
    varying = (lows != lows[0]).any(axis=0) | (highs != highs[0]).any(axis=0)
    same = ~varying
    inside = (ranges.low[:, None, varying] >= lows[None, :, varying]).all(axis=2)
    inside &= (ranges.high[:, None, varying] <= highs[None, :, varying]).all(axis=2)
    inside &= ((ranges.low[:, same] >= lows[0, same]) & (ranges.high[:, same] <= highs[0, same])).all(axis=1)[:, None]
    inside &= ~parents.unclear
    return np.where(inside.any(axis=1), inside.argmax(axis=1), -1)
