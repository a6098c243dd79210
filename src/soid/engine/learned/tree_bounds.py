"""What trees add up to over boxes of their features: bounds that hold for every row of a box, many boxes at once.

Rounding is monotone. So the library's own sum, in its own order and precision, of each tree's least leaf in a box is a
lower bound of the sum at every row of the box, and is reached where the box lies in one cell of the trees' thresholds.
No term for rounding errors is needed.

Before boxes are looked at, the trees are restricted to a region that contains them all: a leaf that no row of the
region reaches is dropped, and what is left of a test are ranges of the features that vary. So a question that frees
three of fifty features looks at the leaves that these three can reach.
"""

from __future__ import annotations

from typing import Any, final

import numpy as np
from msgspec import Struct

from soid.engine.learned.evaluation import DTYPES
from soid.engine.learned.forest import Boxes, Descent, Forest, labels_within
from soid.engine.learned.leaf_grid import BoxRanks, LeafGrid
from soid.engine.learned.leaves import Flags, Floats, Leaves
from soid.engine.learned.model import TreeSum


def extremes_of(descent: Descent, one: TreeSum) -> tuple[Any, Any]:
    """The terms of a sum over a whole region, the least and the greatest of each.

    They may lie farther apart than its rows reach: a leaf counts as soon as each test above it allows it.
    """
    least, most = descent.extremes(one)
    start = np.full(1, one.start, least.dtype)
    return np.concatenate([start, least])[None], np.concatenate([start, most])[None]


@final
class TreeExtremes(Struct, frozen=True):
    """The terms of a sum over boxes: the start, then one for each tree; and the trees that vary."""

    least: Any
    most: Any
    reached: Flags  # for each box the places of the grid that it reaches
    spans: BoxRanks
    gains: Any  # greatest less least leaf of each tree that is not constant

    def chosen(self, rows: Any) -> TreeExtremes:
        parts = self.least[rows], self.most[rows], self.reached[rows], self.spans.chosen(rows), self.gains[rows]
        return TreeExtremes(*parts)


@final
class SumBounds:
    """Bounds of one sum, for boxes inside a region."""

    def __init__(self, forest: Forest, one: TreeSum, leaves: Leaves) -> None:
        self.forest = forest
        self.sum = one
        self.leaves = leaves
        values = forest.trees.values[leaves.row, one.column].astype(DTYPES[one.precision])
        self._grid = LeafGrid(leaves, values)
        self._constant = values[leaves.firsts]

    def narrowed(self, reached: Flags) -> SumBounds:
        """The same without leaves that none of some boxes reaches, if these are many."""
        if 2 * np.count_nonzero(reached) > self._grid.count:
            return self
        return SumBounds(self.forest, self.sum, self.leaves.chosen(self._grid.kept(reached)))

    def spans(self, boxes: Boxes) -> BoxRanks:
        varying = self.leaves.varying
        return BoxRanks.of(self.leaves.begins, boxes.low[:, varying], boxes.high[:, varying])

    def reached(self, boxes: Boxes, spans: BoxRanks) -> Flags:
        """For each box the places of the grid that it reaches."""
        found = np.ones((len(boxes), self._grid.size), bool)
        for column in range(len(self.leaves.varying)):
            found &= self._reached_by(column, boxes, spans)
        return found

    def _reached_by(self, column: int, boxes: Boxes, spans: BoxRanks) -> Any:
        """The same as far as one feature is concerned."""
        grid, feature = self._grid, self.leaves.varying[column]
        if column in grid.codes:
            return self._by_label(boxes, column, feature)
        inside, missing = spans.meets(column, grid), boxes.missing[:, feature]
        if missing.any():
            inside |= missing[:, None] & grid.missing[column]
        return inside

    def _by_label(self, boxes: Boxes, column: int, feature: int) -> Any:
        kind = self.forest.features[feature]
        ends = zip(boxes.low[:, feature], boxes.high[:, feature], strict=True)
        held = np.stack([labels_within(kind, low, high) for low, high in ends])
        return (held.astype(np.float32) @ self._grid.codes[column].astype(np.float32).T) > 0

    def of(self, boxes: Boxes) -> TreeExtremes:
        """Least and greatest leaf of each tree in each box."""
        spans = self.spans(boxes)
        reached = self.reached(boxes, spans)
        least, most = self._grid.extremes(reached)
        return TreeExtremes(self._terms(least), self._terms(most), reached, spans, most - least)

    def _terms(self, varying: Any) -> Any:
        """What is added, in the library's order: a row for each box."""
        every = np.empty((len(varying), len(self._constant) + 1), self._constant.dtype)
        every[:, 0] = self.sum.start
        every[:, 1:] = self._constant
        every[:, 1 + self._grid.trees] = varying
        return every

    def advice(self, found: TreeExtremes, boxes: Boxes) -> Floats:
        """For each box and feature that varies, how much the trees' ranges may gain from cutting there."""
        grid = self._grid
        advised = np.zeros((len(boxes), len(self.leaves.varying)))
        for column, feature in enumerate(self.leaves.varying):
            low, high = boxes.low[:, feature], boxes.high[:, feature]
            if column in grid.codes:
                cut = (low < high)[:, None] & ~grid.codes[column].all(axis=1)
            else:
                mixed = boxes.missing[:, feature] & (low <= high)
                cut = found.spans.begins_inside(column, grid)
                if mixed.any():
                    cut |= mixed[:, None] & ~grid.missing[column]
            advised[:, column] = grid.weighed(found.reached & cut, found.gains)
        return advised

    def cuts(self, column: int, box: int, found: TreeExtremes, parts: int) -> list[float]:
        """The numbers at which parts of a box begin: thresholds inside, of which each part has as much gain."""
        grid = self._grid
        inside = np.flatnonzero(found.reached[box] & found.spans.begins_inside(column, grid, box)[0])
        if not len(inside):
            return []
        begins = self.leaves.begins[column]
        weight = found.gains[box].astype(np.float64)[inside % len(grid.trees)]
        total = np.cumsum(np.bincount(grid.first[column][inside], weight, len(begins) + 1))
        places = np.searchsorted(total, total[-1] * np.arange(1, parts) / parts)
        return [float(begins[place]) for place in np.unique(np.maximum(places, 1) - 1)]
