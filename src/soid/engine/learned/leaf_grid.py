"""Leaves laid out so that many boxes are compared with them quickly: small integers in a grid of slots and trees.

A leaf's range of a feature is a range of cells, and so is a box's; two ranges meet where their cells do. A leaf's value
becomes its rank among the leaves of its tree: the greatest leaf that a box reaches has the greatest rank. The grid has
a row for each slot and a column for each tree; a tree with fewer leaves than slots leaves places empty, and no box
reaches these.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, final

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from soid.engine.learned.leaves import NOWHERE, Flags, Floats, Indices, Leaves

Ranks = NDArray[np.int16] | NDArray[np.int32]

_NOWHERE: Final = {np.int16: (1 << 15) - 1, np.int32: NOWHERE}  # the first cell of a range without numbers


def _kind(begins: Floats) -> Any:
    """The smallest integers that number the cells of a feature."""
    return np.int16 if len(begins) < _NOWHERE[np.int16] else np.int32


@final
class LeafGrid:
    """The leaves of the trees that are not constant."""

    def __init__(self, leaves: Leaves, values: Any) -> None:
        counts = np.diff(leaves.firsts, append=len(leaves))
        self.trees = np.flatnonzero(counts > 1)
        self._every = len(leaves)
        self._leaves = np.flatnonzero(counts[leaves.tree] > 1)
        self.count = len(self._leaves)
        self._counts = counts[self.trees]
        self._starts = np.cumsum(self._counts) - self._counts
        self._slots = int(self._counts.max()) if len(self.trees) else 0
        self.size = self._slots * len(self.trees)
        tree = np.repeat(np.arange(len(self.trees)), self._counts)
        slot = np.arange(self.count) - self._starts[tree]
        self._place = slot * len(self.trees) + tree
        nowhere = [_NOWHERE[_kind(each)] for each in leaves.begins]
        self.first = [
            self._placed(np.minimum(first, none).astype(_kind(begins)), none)
            for first, begins, none in zip(leaves.first, leaves.begins, nowhere, strict=True)
        ]
        self.last = [
            self._placed(np.maximum(last, -none).astype(_kind(begins)), -none)
            for last, begins, none in zip(leaves.last, leaves.begins, nowhere, strict=True)
        ]
        self.missing = [self._placed(each, False) for each in leaves.missing]
        self.codes = {column: self._placed(held, False) for column, held in leaves.codes}
        self._rank(values[self._leaves], tree)

    def _placed(self, numbers: Any, empty: Any) -> Any:
        """Numbers of leaves at their places of the grid."""
        found = np.full((self.size, *numbers.shape[1:]), empty, numbers.dtype)
        found[self._place] = numbers[self._leaves]
        return found

    def _rank(self, values: Any, tree: Indices) -> None:
        kind: Any = np.uint8 if self._slots < 256 else np.uint16 if self._slots < 1 << 16 else np.uint32
        by_value = np.lexsort((~np.signbit(values), values, tree))  # of two zeros the negative one is the lower
        self._ordered = values[by_value]
        rank = np.empty(self.count, np.int64)
        rank[by_value] = np.arange(self.count) - self._starts[tree] + 1
        self._upward, self._downward = np.zeros(self.size, kind), np.zeros(self.size, kind)
        self._upward[self._place] = rank
        self._downward[self._place] = self._counts[tree] + 1 - rank

    def kept(self, reached: Flags) -> Flags:
        """Which of all leaves are left if these places are."""
        keep = np.ones(self._every, bool)
        keep[self._leaves] = reached[self._place]
        return keep

    def extremes(self, reached: Flags) -> tuple[Any, Any]:
        """Least and greatest leaf that each box reaches, of each tree."""
        if not self.size:
            none = np.empty((len(reached), 0), self._ordered.dtype)
            return none, none
        up, down = (self._greatest(reached, ranks) for ranks in (self._upward, self._downward))
        assert up.all(), "a box of the region reaches a leaf of each tree"
        return self._ordered[self._starts + self._counts - down], self._ordered[self._starts - 1 + up]

    def _greatest(self, reached: Flags, ranks: Any) -> Indices:
        found = (reached.view(np.uint8) * ranks).reshape(len(reached), self._slots, len(self.trees))
        return np.asarray(found.max(axis=1), np.int64)

    def weighed(self, places: Flags, weights: Any) -> Floats:
        """For each box the weights of the trees of which it has some of the places."""
        some = places.reshape(len(places), self._slots, len(self.trees)).any(axis=1)
        return np.asarray((some * weights).sum(axis=1), np.float64)


@final
class BoxRanks(Struct, frozen=True):
    """For each feature that varies the range of cells of each box."""

    first: tuple[Ranks, ...]
    last: tuple[Ranks, ...]

    @classmethod
    def of(cls, begins: Sequence[Floats], low: Floats, high: Floats) -> BoxRanks:
        found = [_cells(each, low[:, column], high[:, column]) for column, each in enumerate(begins)]
        return cls(tuple(first for first, _ in found), tuple(last for _, last in found))

    def chosen(self, rows: Any) -> BoxRanks:
        return BoxRanks(tuple(each[rows] for each in self.first), tuple(each[rows] for each in self.last))

    def meets(self, column: int, grid: LeafGrid) -> Any:
        """For each box the places whose leaves it meets in one feature."""
        first, last = self.first[column][:, None], self.last[column][:, None]
        return (first <= grid.last[column]) & (last >= grid.first[column])

    def begins_inside(self, column: int, grid: LeafGrid, box: int | None = None) -> Any:
        """For each box, or for one, the places whose leaves begin inside of it, after its first cell."""
        rows = slice(None) if box is None else slice(box, box + 1)
        first, last = self.first[column][rows, None], self.last[column][rows, None]
        return (grid.first[column] > first) & (grid.first[column] <= last)


def _cells(begins: Floats, low: Floats, high: Floats) -> tuple[Ranks, Ranks]:
    """The cells from one number to another; a range without numbers meets no other."""
    kind = _kind(begins)
    first, last = (begins.searchsorted(end, side="right").astype(kind) for end in (low, high))
    none = low > high
    if none.any():
        first[none], last[none] = _NOWHERE[kind], -_NOWHERE[kind]
    return first, last
