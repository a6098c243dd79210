"""The sums of a model as functions of its features, for terms: bounds over boxes, and exact results at points.

A number that a library computes in an order which may change is no function. Two are made of it, the least and the
greatest result that any order gives; both are functions, and what holds between them holds for the library.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Hashable, Iterable, Sequence
from functools import cached_property, lru_cache
from typing import Any, Final, Self, final

import numpy as np
from numpy.typing import NDArray

from soid.engine.learned.added_terms import in_order, unordered_ends
from soid.engine.learned.climb import climb
from soid.engine.learned.evaluation import finished
from soid.engine.learned.float_places import SORTS, ordinals
from soid.engine.learned.forest import Boxes, Descent, Forest
from soid.engine.learned.leaves import Leaves
from soid.engine.learned.linear_bounds import LinearBounds
from soid.engine.learned.model import ModelFeature, TreeSum
from soid.engine.learned.tree_bounds import SumBounds, TreeExtremes, extremes_of
from soid.engine.summary import Enclosure, ModelNumber
from soid.formula import softfloat as sf
from soid.formula.cell_function import CellFunction, RegionBounds
from soid.formula.intervals import Bits, Floats, Values
from soid.formula.operators import signed
from soid.formula.sorts import FLOAT64, Float
from soid.formula.term import Term

Numbers = NDArray[np.float64]
Flags = NDArray[np.bool_]
Places = NDArray[np.int64]

CODE_WIDTH: Final = 32  # bits of a category
_POINTS: Final = 64  # rows whose sum is kept: the fact of a question is that of the next one


def _range_of(values: Values) -> tuple[float, float, bool]:
    """An argument's interval as numbers, and whether it may be missing."""
    if isinstance(values, Floats):
        if values.low > values.high:
            return math.inf, -math.inf, True
        low, high = (sf.bits64_to_float(sf.from_ordinal(FLOAT64, each)) for each in (values.low, values.high))
        return low, high, values.nan
    assert isinstance(values, Bits)
    low_code = signed(values.low, CODE_WIDTH)
    if low_code + values.size >= 1 << CODE_WIDTH - 1:  # it wraps around
        return float(-(1 << CODE_WIDTH - 1)), float((1 << CODE_WIDTH - 1) - 1), False
    return float(low_code), float(low_code + values.size), False


def row_of(features: Sequence[ModelFeature], arguments: Sequence[int]) -> Numbers:
    """The values of arguments, given as terms hold them: numbers, and codes of categories."""
    pairs = zip(features, arguments, strict=True)
    return np.array(
        [signed(bits, CODE_WIDTH) if one.kind == "category" else sf.bits64_to_float(bits) for one, bits in pairs],
        np.float64,
    )


class _TreeLook:
    """What is known of a sum of trees over some boxes."""

    def __init__(
        self, function: TreeFunction, bounds: SumBounds, boxes: Boxes, found: TreeExtremes, ends: tuple[Places, Places]
    ) -> None:
        self._function = function
        self._bounds = bounds
        self._boxes = boxes
        self._found = found
        self.low, self.high = ends
        self._advice: Numbers | None = None
        self._columns = {int(feature): column for column, feature in enumerate(bounds.leaves.varying)}

    def at_point(self, row: int, /) -> int | None:
        return _at_point(self.low, self.high, row)

    def advice(self) -> Numbers:
        if self._advice is None:
            self._advice = np.zeros(self._boxes.low.shape)
            self._advice[:, self._bounds.leaves.varying] = self._bounds.advice(self._found, self._boxes)
        return self._advice

    def cuts(self, box: int, argument: int, parts: int, /) -> Sequence[float]:
        if self._bounds.forest.features[argument].kind == "category":
            return ()
        return self._bounds.cuts(self._columns[argument], box, self._found, parts)

    def chosen(self, boxes: Sequence[int], /) -> _TreeLook:
        found, ends = self._found.chosen(boxes), (self.low[boxes], self.high[boxes])
        return _TreeLook(self._function, self._bounds, self._boxes.chosen(boxes), found, ends)

    def narrowed(self) -> _TreeBounds:
        reached: Flags = np.asarray(self._found.reached.any(axis=0))
        return _TreeBounds(self._function, self._bounds.narrowed(reached))


@final
class _TreeBounds:
    """A sum of trees in boxes inside some region."""

    def __init__(self, function: TreeFunction, bounds: SumBounds) -> None:
        self._function = function
        self.bounds = bounds

    def of(self, low: Numbers, high: Numbers, missing: Flags, /) -> _TreeLook:
        boxes = Boxes(low, high, missing)
        found = self.bounds.of(boxes)
        return _TreeLook(self._function, self.bounds, boxes, found, self._function.ends(found))


@final
class _TreeRegion:
    """A sum of trees inside a region. Its leaves are laid out when the first box inside is looked at."""

    def __init__(self, function: TreeFunction, descent: Descent, whole: tuple[int, int]) -> None:
        self._function = function
        self._descent = descent
        self.whole = whole

    @cached_property
    def _leaves(self) -> Leaves:
        return self._descent.leaves()

    @cached_property
    def _inside(self) -> _TreeBounds:
        return self._function.laid_out(self._leaves)

    def climb(self, sign: int, /) -> Iterable[Numbers]:
        added = self._function.added_by(self._leaves)
        return climb(self._leaves, added, self._function.features, self._descent.region, sign)

    def likely(self) -> Numbers:
        return np.empty((0, len(self._function.features)))

    def of(self, low: Numbers, high: Numbers, missing: Flags, /) -> _TreeLook:
        return self._inside.of(low, high, missing)


class BoxedFunction(Enclosure):
    """A function of features; its bounds come from `within`."""

    sort: Float
    features: Sequence[ModelFeature]
    is_upper: bool  # the greatest of what it may be
    tries_ends = True
    is_exact = True

    def __init__(self) -> None:
        self.allowed: dict[tuple[Hashable, ...], tuple[int, int]] = {}

    def facts(self) -> tuple[Term, ...]:
        return ()

    def closer(self, arguments: tuple[int, ...], /) -> Self:
        return self

    @property
    def bulk(self) -> CellFunction:
        return self

    @abstractmethod
    def within(
        self, low: Numbers, high: Numbers, missing: Flags, compared: Places | None = None, /
    ) -> RegionBounds: ...

    def cuts(self, argument: int, /) -> Iterable[float]:
        return ()

    def over(self, arguments: tuple[Values, ...], /) -> Values:
        low, high, missing = (np.array(each) for each in zip(*map(_range_of, arguments), strict=True))
        return Floats(*self.within(low, high, missing).whole, False)

    def at(self, low: Numbers, high: Numbers, missing: Flags, /) -> tuple[int, int]:
        return self.within(low, high, missing).whole

    def value(self, arguments: tuple[int, ...], /) -> int:
        row = row_of(self.features, arguments)
        missing = np.isnan(row)
        low, high = np.where(missing, np.inf, row), np.where(missing, -np.inf, row)
        return sf.from_ordinal(self.sort, self.at(low, high, missing)[self.is_upper])


@final
class TreeFunction(BoxedFunction):
    """A sum of trees; if its order is not fixed, the least (0) or the greatest (1) that any order gives."""

    def __init__(self, forest: Forest, one: TreeSum, end: int | None = None) -> None:
        super().__init__()
        self._forest = forest
        self._sum = one
        self._end = end
        self.is_upper = end == 1
        self._in_order = end is None or forest.adds_exactly(one)  # the order does not matter
        self.sort = SORTS[one.precision]
        self.features = forest.features
        self._kept_at = lru_cache(maxsize=_POINTS)(self._computed_at)

    @property
    def number(self) -> ModelNumber:
        return ModelNumber(self._sum.name, self._end)

    def within(self, low: Numbers, high: Numbers, missing: Flags, _: Places | None = None, /) -> _TreeRegion:
        descent = self._forest.within(Boxes(low[None], high[None], missing[None]))
        return _TreeRegion(self, descent, _whole(self._bounds(*extremes_of(descent, self._sum))))

    def laid_out(self, leaves: Leaves) -> _TreeBounds:
        return _TreeBounds(self, SumBounds(self._forest, self._sum, leaves))

    def added_by(self, leaves: Leaves) -> Numbers:
        """What leaves add to the sum, before it is rounded."""
        return np.asarray(self._forest.trees.values[leaves.row, self._sum.column])

    def at(self, low: Numbers, high: Numbers, missing: Flags, /) -> tuple[int, int]:
        return self._kept_at(np.where(missing, np.nan, low).tobytes())

    def value(self, arguments: tuple[int, ...], /) -> int:
        ends = self._kept_at(row_of(self.features, arguments).tobytes())
        return sf.from_ordinal(self.sort, ends[self.is_upper])

    def _computed_at(self, row: bytes) -> tuple[int, int]:
        """The bounds of the sum at a point, by following each tree to its leaf."""
        terms = self._forest.terms_at(np.frombuffer(row).reshape(1, -1), self._sum)
        return _whole(self._bounds(terms, terms))

    def cuts(self, argument: int, /) -> Iterable[float]:
        if self.features[argument].kind == "category":
            return ()
        trees = self._forest.trees
        cuts = np.unique(trees.cut[(trees.feature == argument) & (trees.code_set < 0)])
        return [float(each) for each in np.nextafter(cuts[np.isfinite(cuts)], np.inf)]

    def ends(self, found: TreeExtremes) -> tuple[Places, Places]:
        """The bounds of the sum in each box, as ordinals."""
        return self._bounds(found.least, found.most)

    def _bounds(self, least: Any, most: Any) -> tuple[Places, Places]:
        if self._end is None or self._in_order:
            low = in_order(least)
            high = low if most is least else in_order(most)
        else:
            low, high = unordered_ends(least, most, self._end, self._sum.precision)
        low, high = finished(self._sum, low), finished(self._sum, high)
        return ordinals(self._sum.precision, low), ordinals(self._sum.precision, high)


def _at_point(low: Places, high: Places, row: int) -> int | None:
    """The result in a box, if there is but one."""
    return int(low[row]) if low[row] == high[row] else None


def _whole(ends: tuple[Places, Places]) -> tuple[int, int]:
    """The ends of a single box."""
    return int(ends[0][0]), int(ends[1][0])


@final
class _LinearLook:
    """What is known of a linear sum over some boxes."""

    def __init__(self, function: LinearFunction, boxes: Boxes) -> None:
        self._function = function
        self._boxes = boxes
        self.low, self.high = function.ends(boxes)

    def at_point(self, row: int, /) -> int | None:
        return _at_point(self.low, self.high, row)

    def advice(self) -> Numbers:
        return self._function.bounds.widths(self._boxes)

    def cuts(self, box: int, argument: int, parts: int, /) -> Sequence[float]:
        low, high = self._boxes.low[box, argument], self._boxes.high[box, argument]
        if self._function.features[argument].kind == "category" or not np.isfinite(high - low):
            return ()
        return (float(low + (high - low) / 2),)

    def chosen(self, boxes: Sequence[int], /) -> _LinearLook:
        return _LinearLook(self._function, self._boxes.chosen(boxes))

    def narrowed(self) -> LinearFunction:
        return self._function


@final
class _LinearRegion:
    """A linear sum inside a region."""

    def __init__(self, function: LinearFunction, whole: tuple[int, int]) -> None:
        self._function = function
        self.whole = whole

    def climb(self, sign: int, /) -> Iterable[Numbers]:
        return ()  # the ends of boxes are tried anyway

    def likely(self) -> Numbers:
        return np.empty((0, len(self._function.features)))

    def of(self, low: Numbers, high: Numbers, missing: Flags, /) -> _LinearLook:
        return self._function.of(low, high, missing)


@final
class LinearFunction(BoxedFunction):
    """A linear sum; if its order is not fixed, the least (0) or the greatest (1) that any order gives."""

    def __init__(self, bounds: LinearBounds, end: int | None = None) -> None:
        super().__init__()
        self.bounds = bounds
        self._end = end
        self.is_upper = end == 1
        self.sort = SORTS[bounds.sum.precision]
        self.features = bounds.features

    @property
    def number(self) -> ModelNumber:
        return ModelNumber(self.bounds.sum.name, self._end)

    def within(self, low: Numbers, high: Numbers, missing: Flags, _: Places | None = None, /) -> _LinearRegion:
        return _LinearRegion(self, _whole(self.ends(Boxes(low[None], high[None], missing[None]))))

    def of(self, low: Numbers, high: Numbers, missing: Flags, /) -> _LinearLook:
        return _LinearLook(self, Boxes(low, high, missing))

    def ends(self, boxes: Boxes) -> tuple[Places, Places]:
        least, most = self.bounds.of(boxes)
        precision = self.bounds.sum.precision
        if self._end is None:
            low, high = in_order(least), in_order(most)
        else:
            low, high = unordered_ends(least, most, self._end, precision)
        unclear = np.isnan(low) | np.isnan(high)  # infinities of both signs: what a library makes of them is not known
        low, high = np.where(unclear, -np.inf, low), np.where(unclear, np.inf, high)
        return ordinals(precision, low), ordinals(precision, high)
