"""What trees add up to over boxes of their features: bounds that hold for every row of a box, many boxes at once.

Rounding is monotone. So the library's own sum, in its own order and precision, of each tree's least leaf in a box is a
lower bound of the sum at every row of the box, and is reached where the box lies in one cell of the trees' thresholds.
No term for rounding errors is needed.

Before boxes are looked at, the trees are restricted to a region that contains them all: a leaf that no row of the
region reaches is dropped, and what is left of a test are ranges of the features that vary. So a question that frees
three of fifty features looks at the leaves that these three can reach.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any, final

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from soid.engine.learned.added_terms import adds_exactly
from soid.engine.learned.evaluation import DTYPES, Trees
from soid.engine.learned.leaf_grid import BoxRanks, LeafGrid, LeafRanks, leaf_ranks
from soid.engine.learned.leaves import Leaves
from soid.engine.learned.model import MISSING, UNSEEN, ModelFeature, TreeSum

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Indices = NDArray[np.int64]


@final
class Boxes(Struct, frozen=True):
    """Ranges of features: a row for each box, a column for each feature.

    A number lies from `low` to `high`, or is missing where `missing` says that it may be; if low is above high it is
    missing. The value of a category is the index of its label, or MISSING or UNSEEN; its range is one of these numbers.
    """

    low: Floats
    high: Floats
    missing: Flags

    def __len__(self) -> int:
        return len(self.low)

    def chosen(self, rows: Any) -> Boxes:
        return Boxes(self.low[rows], self.high[rows], self.missing[rows])

    def lies_in(self, other: Boxes) -> bool:
        """Whether a single box is part of another."""
        inside = (other.low <= self.low) & (self.high <= other.high) & (other.missing | ~self.missing)
        return bool(inside.all())


@final
class Forest:
    """Trees, and the leaves that regions reach."""

    def __init__(self, trees: Trees, features: Sequence[ModelFeature], used: Sequence[int]) -> None:
        self.trees = trees
        self.features = features  # that the trees use
        self.used = used  # their numbers in the model
        self._exact: dict[tuple[int, float, int], bool] = {}

    @classmethod
    def of(cls, trees: Trees, features: Sequence[ModelFeature]) -> Forest:
        """The trees, in which features are numbered anew: those that no tree uses are left out."""
        used = [int(number) for number in np.unique(trees.feature) if number >= 0]
        inner = copy.copy(trees)
        inner.feature = np.where(trees.feature < 0, -1, np.searchsorted(used, trees.feature))
        return cls(inner, [features[number] for number in used], used)

    def adds_exactly(self, one: TreeSum) -> bool:
        """Whether a sum of these trees is exact in any order; looked at once."""
        key = one.column, one.start, one.precision
        if key not in self._exact:
            values = np.append(self.trees.values[:, one.column], one.start)
            self._exact[key] = adds_exactly(values, len(self.trees.roots) + 1, one.precision)
        return self._exact[key]

    def terms_at(self, row: Floats, one: TreeSum) -> Any:
        """What is added for a single row: the start, then each tree's leaf. A category has the index of its label."""
        codes = np.zeros(row.shape, np.int64)
        for column, feature in enumerate(self.features):
            if feature.kind == "category":
                codes[0, column] = _code_of(feature, int(row[0, column]))
        leaves = self.trees.leaves(row, codes)
        terms = np.empty((1, leaves.shape[1] + 1), DTYPES[one.precision])
        terms[0, 0] = one.start
        terms[0, 1:] = self.trees.values[leaves[0], one.column]
        return terms

    def left_labels(self, feature: int, node: int) -> Flags:
        """Which labels of a category go left at a node: unseen, missing, then each label."""
        codes = np.array([UNSEEN, MISSING, *(code for _, code in self.features[feature].categories)], np.int64)
        goes = np.isin(codes, self.trees.code_sets[self.trees.code_set[node]])
        goes[1] = self.trees.missing_left[node]
        return goes

    def within(self, region: Boxes) -> Leaves:
        """The leaves that one box reaches."""
        low, high, missing = region.low[0], region.high[0], region.missing[0]
        varies = (low != high) | (missing & (low <= high))
        varying = np.flatnonzero(varies)
        column = np.full(len(low), -1, np.int64)
        column[varying] = np.arange(len(varying))
        count = len(self.trees.roots)
        state = _Frontier(
            nodes=self.trees.roots.copy(),
            tree=np.arange(count),
            low=np.tile(low[varying], (count, 1)),
            high=np.tile(high[varying], (count, 1)),
            missing=np.tile(missing[varying], (count, 1)),
            codes={
                int(column[each]): np.tile(labels_within(self.features[each], low[each], high[each]), (count, 1))
                for each in varying.tolist()
                if self.features[each].kind == "category"
            },
        )
        done: list[_Frontier] = []
        while len(state.nodes):
            at_leaf = self.trees.feature[state.nodes] < 0
            done.append(state.chosen(at_leaf))
            state = self._descended(state.chosen(~at_leaf), region, column)
        return _leaves(_Frontier.joined(done), varying, self.trees.left)

    def _descended(self, at: _Frontier, region: Boxes, column: Indices) -> _Frontier:
        trees = self.trees
        feature = trees.feature[at.nodes]
        place = column[feature]
        varies, every = place >= 0, np.arange(len(at.nodes))
        inside = np.where(varies, place, 0)
        if at.low.shape[1]:
            low = np.where(varies, at.low[every, inside], region.low[0, feature])
            high = np.where(varies, at.high[every, inside], region.high[0, feature])
            missing = np.where(varies, at.missing[every, inside], region.missing[0, feature])
        else:
            low, high, missing = (part[0, feature] for part in (region.low, region.high, region.missing))
        cut, default = trees.cut[at.nodes], trees.missing_left[at.nodes]
        numbers = low <= high
        left_numbers, right_numbers = numbers & (low <= cut), numbers & ~(high <= cut)
        left_missing, right_missing = missing & default, missing & ~default
        goes_left, goes_right = left_numbers | left_missing, right_numbers | right_missing
        sets = trees.code_set[at.nodes]
        by_code = np.flatnonzero(sets >= 0)
        left_codes: dict[int, Flags] = {}
        for number in by_code:
            labels = self.left_labels(feature[number], at.nodes[number])
            if varies[number]:
                allowed = at.codes[int(place[number])][number]
            else:
                allowed = labels_within(self.features[feature[number]], low[number], high[number])
            goes_left[number], goes_right[number] = (allowed & labels).any(), (allowed & ~labels).any()
            left_codes[int(number)] = labels
        sides = []
        for to_left, goes in ((True, goes_left), (False, goes_right)):
            rows = np.flatnonzero(goes)
            side = at.chosen(rows)
            side.nodes = (trees.left if to_left else trees.right)[side.nodes]
            narrowed = rows[varies[rows] & (sets[rows] < 0)]
            mine = np.searchsorted(rows, narrowed)
            if to_left:
                some = left_numbers[narrowed]
                side.high[mine, place[narrowed]] = np.where(some, np.minimum(high[narrowed], cut[narrowed]), -np.inf)
                side.low[mine, place[narrowed]] = np.where(some, low[narrowed], np.inf)
                side.missing[mine, place[narrowed]] = left_missing[narrowed]
            else:
                some = right_numbers[narrowed]
                above = np.fmax(low[narrowed], np.nextafter(cut[narrowed], np.inf))
                side.low[mine, place[narrowed]] = np.where(some, above, np.inf)
                side.high[mine, place[narrowed]] = np.where(some, high[narrowed], -np.inf)
                side.missing[mine, place[narrowed]] = right_missing[narrowed]
            for number in rows[varies[rows] & (sets[rows] >= 0)]:
                labels = left_codes[int(number)]
                held = side.codes[int(place[number])]
                held[np.searchsorted(rows, number)] &= labels if to_left else ~labels
            sides.append(side)
        return _Frontier.joined(sides)


def _code_of(feature: ModelFeature, index: int) -> int:
    """The code of a category's label; an index that stands for no label is unseen."""
    if 0 <= index < len(feature.categories):
        return feature.categories[index][1]
    return index if index == MISSING else UNSEEN


def labels_within(feature: ModelFeature, low: float, high: float) -> Flags:
    """Which labels a range of a category contains: unseen, missing, then each label.

    A whole number that stands for no label is unseen.
    """
    count = len(feature.categories)
    numbers = np.arange(UNSEEN, count)
    inside = (numbers >= low) & (numbers <= high)
    if low < UNSEEN or high >= count:
        inside[0] = True
    return inside


class _Frontier(Struct):
    """Nodes that a region reaches, each with the ranges in which it does."""

    nodes: Indices
    tree: Indices
    low: Floats
    high: Floats
    missing: Flags
    codes: dict[int, Flags]

    def chosen(self, rows: Any) -> _Frontier:
        return _Frontier(
            self.nodes[rows],
            self.tree[rows],
            self.low[rows],
            self.high[rows],
            self.missing[rows],
            {column: held[rows] for column, held in self.codes.items()},
        )

    @staticmethod
    def joined(parts: list[_Frontier]) -> _Frontier:
        return _Frontier(
            np.concatenate([each.nodes for each in parts]),
            np.concatenate([each.tree for each in parts]),
            np.concatenate([each.low for each in parts]),
            np.concatenate([each.high for each in parts]),
            np.concatenate([each.missing for each in parts]),
            {column: np.concatenate([each.codes[column] for each in parts]) for column in parts[0].codes},
        )


def _leaves(found: _Frontier, varying: Indices, rows: Indices) -> Leaves:
    found = found.chosen(np.argsort(found.tree, kind="stable"))
    firsts = np.flatnonzero(np.diff(found.tree, prepend=-1))
    codes = tuple(found.codes.items())
    return Leaves(
        varying,
        found.low,
        found.high,
        found.missing,
        codes,
        found.tree,
        rows[found.nodes],
        np.asarray(firsts, np.int64),
    )


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

    def __init__(self, forest: Forest, one: TreeSum, leaves: Leaves, ranks: Sequence[LeafRanks] | None = None) -> None:
        self.forest = forest
        self.sum = one
        self.leaves = leaves
        self._ranks = leaf_ranks(leaves.low, leaves.high) if ranks is None else ranks
        values = forest.trees.values[leaves.row, one.column].astype(DTYPES[one.precision])
        self._grid = LeafGrid(leaves, values, self._ranks)
        self._constant = values[leaves.firsts]

    @classmethod
    def over(cls, forest: Forest, one: TreeSum, region: Boxes) -> SumBounds:
        return cls(forest, one, forest.within(region))

    def inside(self, region: Boxes) -> SumBounds:
        """The same for a region inside this one: what does not vary there needs no test any more."""
        low, high, missing = (part[0, self.leaves.varying] for part in (region.low, region.high, region.missing))
        kept = self.reached(region, self.spans(region))
        return self._restricted(kept[0], np.flatnonzero((low != high) | (missing & (low <= high))))

    def narrowed(self, reached: Flags) -> SumBounds:
        """The same without leaves that none of some boxes reaches, if these are many."""
        if 2 * np.count_nonzero(reached) > self._grid.count:
            return self
        return self._restricted(reached, np.arange(len(self.leaves.varying)))

    def _restricted(self, reached: Flags, columns: Indices) -> SumBounds:
        keep = self._grid.kept(reached)
        old, tree = self.leaves, self.leaves.tree[keep]
        new_column = {int(column): number for number, column in enumerate(columns)}
        leaves = Leaves(
            old.varying[columns],
            old.low[np.ix_(keep, columns)],
            old.high[np.ix_(keep, columns)],
            old.missing[np.ix_(keep, columns)],
            tuple((new_column[column], held[keep]) for column, held in old.codes if column in new_column),
            tree,
            old.row[keep],
            np.asarray(np.flatnonzero(np.diff(tree, prepend=-1)), np.int64),
        )
        return SumBounds(self.forest, self.sum, leaves, [self._ranks[column].chosen(keep) for column in columns])

    def spans(self, boxes: Boxes) -> BoxRanks:
        varying = self.leaves.varying
        return BoxRanks.of(self._ranks, boxes.low[:, varying], boxes.high[:, varying])

    def reached(self, boxes: Boxes, spans: BoxRanks) -> Flags:
        """For each box the places of the grid that it reaches."""
        grid = self._grid
        found = np.ones((len(boxes), grid.size), bool)
        for column, feature in enumerate(self.leaves.varying):
            if column in grid.codes:
                found &= self._by_label(boxes, column, feature)
                continue
            inside = spans.meets(column, grid)
            missing = boxes.missing[:, feature]
            if missing.any():
                inside |= missing[:, None] & grid.missing[column]
            found &= inside
        return found

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

    def cut(self, column: int, box: int, found: TreeExtremes) -> float | None:
        """The number at which the upper part of a box begins: the median of the thresholds inside, by their gains."""
        grid = self._grid
        inside = np.flatnonzero(found.reached[box] & found.spans.begins_inside(column, grid, box)[0])
        if not len(inside):
            return None
        begins = self._ranks[column].begins
        weight = found.gains[box].astype(np.float64)[inside % len(grid.trees)]
        total = np.cumsum(np.bincount(grid.first[column][inside], weight, len(begins) + 1))
        return float(begins[max(int(np.searchsorted(total, total[-1] / 2)), 1) - 1])
