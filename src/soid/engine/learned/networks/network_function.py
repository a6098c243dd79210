"""The numbers of a network as functions of its features, for terms: bounds over boxes, and bounds at points.

What a runtime gives for a number is no function: it depends on the order in which it adds. Two are made of it, the
least (end 0) and the greatest (end 1) that it may be. Neither is known exactly, not even at a point, so both are
between the same two bounds everywhere: a box, or a point, is only ever settled by what holds whichever they are. Where
a model of conditions is sought, the bounds at a point stand for the two: what holds for them holds for the runtime.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Final, final

import numpy as np

from soid.engine.learned.float_places import SORTS, ordinals
from soid.engine.learned.forest import Boxes
from soid.engine.learned.network import NetworkSum
from soid.engine.learned.networks.float_errors import LEAST, Flags, Numbers
from soid.engine.learned.networks.network_climb import likely_points
from soid.engine.learned.networks.relu_splits import LeafBounds, ReluSearch
from soid.engine.learned.networks.shared_network import NetworkRegion, SharedLook, SharedNetwork
from soid.engine.learned.sum_functions import BoxedFunction, Places, row_of
from soid.engine.summary import ModelNumber
from soid.formula import softfloat as sf
from soid.formula.function_arguments import floats_at

_CLIMBED: Final = 16  # regions whose likely points are kept: a question asks about the same one several times
_DIGITS: Final = 32  # of bounds of numbers that are no float32


@final
class NetworkLook:
    """What is known of a number over some boxes."""

    def __init__(self, function: NetworkFunction, look: SharedLook, row: int) -> None:
        self._function = function
        self._look = look
        self._row = row  # of the number among those of the look
        if row not in look.places:  # the two ends of a number have the same
            look.places[row] = function.places(look.ranges.low[:, row], look.ranges.high[:, row])
        self.low, self.high = look.places[row]

    def at_point(self, row: int, /) -> int:
        return int((self.high if self._function.is_upper else self.low)[row])

    def advice(self) -> Numbers:
        found: Numbers = self._look.gains[:, self._row]
        return found

    def cuts(self, box: int, argument: int, parts: int, /) -> Sequence[float]:
        low, high = self._look.boxes.low[box, argument], self._look.boxes.high[box, argument]
        if self._look.ranges.unclear[box] or self._function.features[argument].kind == "category":
            return ()  # in the middle of all floats: those that do not overflow may be few
        return (float(low + (high - low) / 2),)

    def chosen(self, boxes: Sequence[int], /) -> NetworkLook:
        return NetworkLook(self._function, self._look.chosen(boxes), self._row)

    def narrowed(self) -> NetworkLook:
        return self

    def of(self, low: Numbers, high: Numbers, missing: Flags, /) -> NetworkLook:
        """Bounds in boxes that lie in these."""
        return NetworkLook(self._function, self._look.inside(low, high, missing), self._row)


@final
class NumberRegion:
    """A number inside a region."""

    def __init__(self, function: NetworkFunction, region: NetworkRegion) -> None:
        self._function = function
        self._region = region

    @cached_property
    def _whole(self) -> NetworkLook:
        return NetworkLook(self._function, self._region.whole, self._region.sums.index(self._function.sum))

    @cached_property
    def whole(self) -> tuple[int, int]:
        look = self._whole
        return int(look.low[0]), int(look.high[0])

    def climb(self, sign: int, /) -> Iterable[Numbers]:
        return ()

    def likely(self) -> Numbers:
        if self._region.gave_points:
            return np.empty((0, len(self._function.features)))
        self._region.gave_points = True
        kept, key = self._region.network.climbed, self._region.key
        if key not in kept:
            if len(kept) >= _CLIMBED:
                kept.pop(next(iter(kept)))
            kept[key] = likely_points(self._region)
        return kept[key]

    def of(self, low: Numbers, high: Numbers, missing: Flags, /) -> NetworkLook:
        return self._whole.of(low, high, missing)


@final
class NetworkFunction(BoxedFunction):
    """A number of a network: the least (0) or the greatest (1) that the runtime may give."""

    tries_ends = False
    is_exact = False

    def __init__(self, network: SharedNetwork, one: NetworkSum, end: int) -> None:
        super().__init__()
        self._network = network
        network.add(one)
        self.sum = one
        self._end = end
        self.is_upper = end == 1
        self.sort = SORTS[one.precision]
        self.features = network.features

    @property
    def number(self) -> ModelNumber:
        return ModelNumber(self.sum.name, self._end)

    def within(self, low: Numbers, high: Numbers, missing: Flags, compared: Places | None = None, /) -> NumberRegion:
        boxes = Boxes(low[None], high[None], missing[None])
        borders = () if compared is None else floats_at(self.sort, compared).tolist()
        return NumberRegion(self, self._network.within(boxes, self.sum, borders))

    def below_relus(self, low: Numbers, high: Numbers, missing: Flags, /) -> list[Numbers]:
        """By ReLU layer the slopes of the lines below its elements, in each of some boxes."""
        return self._network.below_relus(Boxes(low, high, missing))

    def relu_search(
        self, low: Numbers, high: Numbers, missing: Flags, above: tuple[NetworkSum, int, float], checker: LeafBounds
    ) -> ReluSearch | None:
        """Whether a sum of the network times a sign is above a target in a box, as bounds of another kind have it."""
        one, sign, target = above
        wanted = self._network.wanted([one]).matrices
        if len(wanted) != 1:
            return None
        ((vector, matrix),) = wanted.items()
        boxes = Boxes(low[None], high[None], missing[None])
        return self._network.relu_search(boxes, vector, sign * matrix[0], target, checker)

    def value(self, arguments: tuple[int, ...], /) -> int:
        low, high = (np.array([end]) for end in self._network.at(row_of(self.features, arguments)[None], self.sum))
        return sf.from_ordinal(self.sort, int(self.places(low, high)[self.is_upper][0]))

    def places(self, low: Numbers, high: Numbers) -> tuple[Places, Places]:
        """The places of the least and the greatest number that lie between bounds, which are real numbers."""
        one = self.sum
        with np.errstate(over="ignore"):
            if one.rounded:
                low, high = (_rounded(end, one.precision) for end in (low, high))
                tiny = LEAST[one.precision]  # what is smaller may have become 0
                low = np.where((low > 0) & (low < tiny), 0.0, low)
                high = np.where((high < 0) & (high > -tiny), 0.0, high)
            elif len(one.terms) == 1 and one.terms[0].factor == 1.0 and one.precision == 32:
                low, high = _single_from(low), -_single_from(-high)  # it is such a float itself
            elif one.precision == 32:
                low, high = -_single_from(-low), _single_from(high)
            else:
                low, high = -_shortened(-low), _shortened(high)
        # which of the two zeros it is has not been looked at
        low, high = np.where(low == 0, -0.0, low), np.where(high == 0, 0.0, high)
        return ordinals(one.precision, low), ordinals(one.precision, high)


def _rounded(numbers: Numbers, precision: int) -> Numbers:
    return numbers.astype(np.float32).astype(np.float64) if precision == 32 else numbers


def _single_from(numbers: Numbers) -> Numbers:
    """The least float32 that is not below a number."""
    near = numbers.astype(np.float32)
    return np.where(near < numbers, np.nextafter(near, np.float32(np.inf)), near).astype(np.float64)


def _shortened(numbers: Numbers) -> Numbers:
    """A number that is not below, with fewer digits: the last ones may depend on which boxes are looked at together."""
    mantissa, exponent = np.frexp(numbers)
    short = np.ldexp(np.ceil(np.ldexp(mantissa, _DIGITS)), exponent - _DIGITS)
    return np.where(np.isfinite(numbers), short, numbers)
