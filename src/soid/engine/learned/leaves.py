"""The leaves of trees that a region reaches.

Where the tests of trees cut a feature, its cells begin: a test leaves some cells on each side. Of a region the first
cell is 0, so a leaf's range of a feature is a first and a last cell, which are small integers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, final

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Indices = NDArray[np.int64]
Cells = NDArray[np.int32]

NOWHERE: Final = (1 << 31) - 1  # the first cell of a range without numbers; the last one is less than nothing


@final
class Leaves(Struct, frozen=True):
    """The leaves that a region reaches, those of a tree in a row, with their ranges of the features that vary."""

    varying: Indices  # the features; ranges have a row for each
    begins: Sequence[Floats]  # of each of them: cell n + 1 begins at begins[n], cell 0 where the region does
    first: Cells  # a column for each leaf
    last: Cells
    missing: Flags
    codes: tuple[tuple[int, Flags], ...]  # of each category that varies: its row, and which labels reach which leaf
    tree: Indices
    row: Indices  # of the trees' values
    firsts: Indices  # the first leaf of each tree

    def __len__(self) -> int:
        return len(self.tree)

    def chosen(self, which: Any) -> Leaves:
        tree = self.tree[which]
        return Leaves(
            self.varying,
            self.begins,
            self.first[:, which],
            self.last[:, which],
            self.missing[:, which],
            tuple((column, held[which]) for column, held in self.codes),
            tree,
            self.row[which],
            firsts_of(tree),
        )


def firsts_of(tree: Indices) -> Indices:
    """The first leaf of each tree, if those of a tree are in a row.

    >>> firsts_of(np.array([0, 0, 1, 3, 3])).tolist()
    [0, 2, 3]
    """
    begins = np.empty(len(tree), bool)
    begins[:1] = True
    np.not_equal(tree[1:], tree[:-1], out=begins[1:])
    return begins.nonzero()[0]
