"""Trees, and the leaves that a region of their features reaches.

A region goes down all trees at once, level by level: a node is reached if the region allows one side of each test above
it. Of the leaves that are found so, the ranges of the features that vary follow from the tests above them, and a leaf
whose range is empty is dropped: a test may leave numbers alone and another one what is missing.

>>> from soid.engine.learned.trees_builder import TreesBuilder
>>> trees = TreesBuilder()
>>> trees.root()
>>> split = trees.number_test(0, 0.5, missing_left=True)
>>> trees.children(split, trees.leaf([-1.0]), trees.leaf([2.0]))
>>> forest = Forest.of(Trees(trees.done()), [ModelFeature("x")])
>>> descent = forest.within(Boxes(np.array([[0.0]]), np.array([[1.0]]), np.array([[False]])))
>>> leaves = descent.leaves()
>>> leaves.row.tolist(), leaves.first.tolist(), leaves.last.tolist(), [each.tolist() for each in leaves.begins]
([0, 1], [[0, 1]], [[0, 1]], [[0.5000000000000001]])
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from functools import cached_property
from typing import Any, final

import numpy as np
from msgspec import Struct

from soid.engine.learned.added_terms import adds_exactly
from soid.engine.learned.evaluation import DTYPES, Trees
from soid.engine.learned.leaves import NOWHERE, Cells, Flags, Floats, Indices, Leaves, firsts_of
from soid.engine.learned.model import MISSING, UNSEEN, ModelFeature, TreeSum


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


@final
class Forest:
    """Trees, and the leaves that regions reach."""

    def __init__(self, trees: Trees, features: Sequence[ModelFeature], used: Sequence[int]) -> None:
        self.trees = trees
        self.features = features  # that the trees use
        self.used = used  # their numbers in the model
        self._exact: dict[tuple[int, float, int], bool] = {}
        self._ranked: dict[tuple[int, int], tuple[Any, Indices]] = {}
        self._sides: dict[int, tuple[Indices, Flags]] = {}  # by category: see `labels_left`

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
        if self.has_codes:
            codes = np.zeros(row.shape, np.int64)
            for column, feature in enumerate(self.features):
                if feature.kind == "category":
                    codes[0, column] = _code_of(feature, int(row[0, column]))
            leaves = self.trees.leaves(row, codes)[0]
        else:
            leaves = self._leaves_at(row[0])
        terms = np.empty((1, len(leaves) + 1), DTYPES[one.precision])
        terms[0, 0] = one.start
        terms[0, 1:] = self.trees.values[leaves, one.column]
        return terms

    def _leaves_at(self, row: Floats) -> Indices:
        """The row of `values` of each tree's leaf, where no test is for labels. A leaf stays where it is."""
        feature, cut, below, depth = self._paths
        nodes, some_missing = self.trees.roots, bool(np.isnan(row).any())
        for _ in range(depth):
            value = row.take(feature.take(nodes))
            left = value <= cut.take(nodes)
            if some_missing:
                left = np.where(np.isnan(value), self.trees.missing_left.take(nodes), left)
            nodes = below.take(2 * nodes + left)
        return self.trees.left.take(nodes)

    @cached_property
    def _paths(self) -> tuple[Indices, Floats, Indices, int]:
        """Feature and cut of each node, the nodes to the right and to the left of it, and how many tests a path has.

        Of a leaf both of these are the leaf itself.
        """
        trees, own = self.trees, np.arange(len(self.trees.feature))
        is_leaf = trees.feature < 0
        sides = [np.where(is_leaf, own, side) for side in (trees.right, trees.left)]
        depth, nodes = 0, trees.roots
        while not is_leaf.take(nodes).all():
            nodes = np.unique(np.concatenate([side.take(nodes) for side in sides]))
            depth += 1
        return np.where(is_leaf, 0, trees.feature), trees.cut, np.stack(sides, axis=1).reshape(-1), depth

    def ranked(self, one: TreeSum) -> tuple[Any, Indices]:
        """What leaves add to a sum, in order, and the rank of each; of two zeros the negative one is the lower."""
        key = one.column, one.precision
        if key not in self._ranked:
            values = self.trees.values[:, one.column].astype(DTYPES[one.precision])
            order = np.lexsort((~np.signbit(values), values))
            rank = np.empty(len(order), np.int64)
            rank[order] = np.arange(len(order))
            self._ranked[key] = values[order], rank
        return self._ranked[key]

    @cached_property
    def has_codes(self) -> bool:
        return bool((self.trees.code_set >= 0).any())

    @cached_property
    def _cells(self) -> tuple[list[Floats], Cells]:
        """See `begins` and `ends`."""
        trees = self.trees
        with np.errstate(over="ignore"):
            after = np.nextafter(trees.cut, np.inf)
        begins, last = [], np.full(len(trees.cut), -1, np.int32)  # no number is below a cut that is none
        for feature in range(len(self.features)):
            tested = (trees.feature == feature) & (trees.code_set < 0)
            inside = tested & (trees.cut < np.inf)
            begins.append(np.unique(after[inside]))
            last[inside] = np.searchsorted(begins[-1], after[inside])
            last[tested & (trees.cut == np.inf)] = len(begins[-1])  # all numbers are on the left side
        return begins, np.stack([last, -1 - last])

    @property
    def begins(self) -> list[Floats]:
        """The numbers of each feature at which its cells begin, after the first."""
        return self._cells[0]

    @property
    def ends(self) -> Cells:
        """Of each test of a number the last cell of its left side, then less the first cell of its right side."""
        return self._cells[1]

    def labels_left(self, feature: int, nodes: Indices) -> Flags:
        """Which labels of a category go left at each node: unseen, missing, then each label."""
        if feature not in self._sides:
            codes = np.array([UNSEEN, MISSING, *(code for _, code in self.features[feature].categories)], np.int64)
            sets = np.unique(self.trees.code_set[self.trees.feature == feature])
            sets = sets[sets >= 0]
            self._sides[feature] = sets, np.array([np.isin(codes, self.trees.code_sets[each]) for each in sets])
        sets, goes = self._sides[feature]
        found = goes[np.searchsorted(sets, self.trees.code_set[nodes])]
        found[:, 1] = self.trees.missing_left[nodes]
        return np.asarray(found)

    def within(self, region: Boxes) -> Descent:
        """What one box reaches."""
        trees, levels, nodes, tree = self.trees, [], self.trees.roots, np.arange(len(self.trees.roots))
        low, high, missing = region.low[0], region.high[0], region.missing[0]
        some_missing, origin, went_left = bool(missing.any()), None, 0
        while True:
            feature = trees.feature.take(nodes)
            is_inner = feature >= 0
            inner = is_inner.nonzero()[0]
            levels.append(Level(nodes, tree, (~is_inner).nonzero()[0], origin, went_left))
            if not len(inner):
                return Descent(self, region, levels)
            if len(inner) < len(nodes):
                nodes, feature, tree = nodes.take(inner), feature.take(inner), tree.take(inner)
            lows, highs, cut = low.take(feature), high.take(feature), trees.cut.take(nodes)
            left, right = lows <= cut, ~(highs <= cut)
            if some_missing:
                numbers, gone, default = lows <= highs, missing[feature], trees.missing_left[nodes]
                left, right = (numbers & left) | (gone & default), (numbers & right) | (gone & ~default)
            if self.has_codes:
                self._follow_labels(nodes, feature, region, (left, right))
            lefts, rights = left.nonzero()[0], right.nonzero()[0]
            both = np.concatenate([lefts, rights])
            below = trees.left.take(nodes.take(lefts)), trees.right.take(nodes.take(rights))
            nodes, tree, origin, went_left = np.concatenate(below), tree.take(both), inner.take(both), len(lefts)

    def _follow_labels(self, nodes: Indices, feature: Indices, region: Boxes, sides: tuple[Flags, Flags]) -> None:
        """Write which sides of tests for labels a region allows."""
        by_code = np.flatnonzero(self.trees.code_set[nodes] >= 0)
        for each in np.unique(feature[by_code]).tolist():
            here = by_code[feature[by_code] == each]
            allowed = labels_within(self.features[each], region.low[0, each], region.high[0, each])
            goes = self.labels_left(each, nodes[here])
            sides[0][here], sides[1][here] = (goes & allowed).any(axis=1), (~goes & allowed).any(axis=1)


@final
class Level(Struct, frozen=True):
    """Nodes that a region reaches after as many tests."""

    nodes: Indices
    tree: Indices
    ends: Indices  # the places of the leaves among them
    origin: Indices | None  # from which places of the level before; None: these are the roots
    lefts: int  # how many of them, the first ones, were reached by going left


@final
class Descent:
    """What a region reaches."""

    def __init__(self, forest: Forest, region: Boxes, levels: Sequence[Level]) -> None:
        self._forest = forest
        self._levels = levels
        self.region = region
        tree = np.concatenate([each.tree.take(each.ends) for each in levels])
        self._order = tree.argsort(kind="stable")
        self._tree = tree.take(self._order)
        nodes = np.concatenate([each.nodes.take(each.ends) for each in levels])
        self._rows = forest.trees.left.take(nodes.take(self._order))  # of the trees' values
        self.firsts = firsts_of(self._tree)

    def extremes(self, one: TreeSum) -> tuple[Any, Any]:
        """The least and the greatest leaf of each tree."""
        ordered, rank = self._forest.ranked(one)
        reached = rank.take(self._rows)
        return ordered[np.minimum.reduceat(reached, self.firsts)], ordered[np.maximum.reduceat(reached, self.firsts)]

    def leaves(self) -> Leaves:
        """The leaves, with their ranges of the features that vary."""
        found = _LeafRanges(self._forest, self.region, len(self._order))
        leaf, place = np.empty(0, np.int64), np.empty(0, np.int64)
        first = len(self._order)
        for number in range(len(self._levels) - 1, 0, -1):  # from the deepest leaves up, by one test each time
            level = self._levels[number]
            assert level.origin is not None
            first -= len(level.ends)
            leaf = np.concatenate([leaf, np.arange(first, first + len(level.ends))])
            place = np.concatenate([place, level.ends])
            left, place = place < level.lefts, level.origin.take(place)
            found.narrow(leaf, self._levels[number - 1].nodes.take(place), left)
        return found.leaves(self._order, self._tree, self._rows)


@final
class _LeafRanges:
    """For each leaf that a region may reach the ranges in which it does."""

    def __init__(self, forest: Forest, region: Boxes, count: int) -> None:
        low, high, missing = region.low[0], region.high[0], region.missing[0]
        self._forest = forest
        self._varying = varying = ((low != high) | (missing & (low <= high))).nonzero()[0]
        self._column = np.full(len(low), -1, np.int64)
        self._column[varying] = np.arange(len(varying))
        self._some_missing = bool(missing[varying].any())
        base, top = np.zeros(len(varying), np.int32), np.full(len(varying), -1, np.int32)
        self._begins: list[Floats] = []
        for column, each in enumerate(varying.tolist()):
            begins = forest.begins[each]
            if low[each] <= high[each]:
                base[column], top[column] = begins.searchsorted((low[each], high[each]), side="right")
            self._begins.append(begins[base[column] : max(top[column], base[column])])
        #: the last cell of each feature and leaf, then less the first one: a test makes one of the two smaller
        self._most = np.zeros((2, len(varying), count), np.int32)
        self._most[0] = (top - base)[:, None]
        self._shift = np.stack([-base, base])
        self._missing = np.empty((len(varying), count), bool)
        self._missing[:] = missing[varying][:, None]
        self._codes = {
            column: np.tile(labels_within(forest.features[each], low[each], high[each]), (count, 1))
            for column, each in enumerate(varying.tolist())
            if forest.features[each].kind == "category"
        }

    def narrow(self, leaves: Indices, nodes: Indices, left: Flags) -> None:
        """Narrow the ranges of leaves by one test each: they lie on the left side of a node, or on the right one."""
        column = self._column.take(self._forest.trees.feature.take(nodes))
        tested = column >= 0
        if self._codes:
            by_code = tested & (self._forest.trees.code_set[nodes] >= 0)
            self._narrow_labels(leaves[by_code], nodes[by_code], left[by_code], column[by_code])
            tested &= ~by_code
        some = tested.nonzero()[0]
        if not len(some):
            return
        leaves, nodes, left, column = leaves.take(some), nodes.take(some), left.take(some), column.take(some)
        until, (_, features, count) = self._forest.ends, self._most.shape
        right, most = ~left, self._most.reshape(-1)
        of = right * features + column
        which = of * count + leaves
        most[which] = np.minimum(most.take(which), until.take(right * until.shape[1] + nodes) + self._shift.take(of))
        if self._some_missing:
            self._missing[column, leaves] &= self._forest.trees.missing_left[nodes] == left

    def _narrow_labels(self, leaves: Indices, nodes: Indices, left: Flags, column: Indices) -> None:
        for each in np.unique(column).tolist():
            here = column == each
            goes = self._forest.labels_left(int(self._varying[each]), nodes[here])
            self._codes[each][leaves[here]] &= goes == left[here, None]

    def leaves(self, order: Indices, tree: Indices, rows: Indices) -> Leaves:
        """The leaves in an order, without those that nothing reaches."""
        first, last = -self._most[1], self._most[0]
        none = first > last
        first[none], last[none] = NOWHERE, -NOWHERE
        reached = (~none | self._missing).all(axis=0)
        for held in self._codes.values():
            reached &= held.any(axis=1)
        if not reached.all():
            kept = reached[order]
            order, tree, rows = order[kept], tree[kept], rows[kept]
        return Leaves(
            self._varying,
            self._begins,
            first.take(order, axis=1),
            last.take(order, axis=1),
            self._missing.take(order, axis=1),
            tuple((column, held[order]) for column, held in self._codes.items()),
            tree,
            rows,
            firsts_of(tree),
        )


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
