"""The leaves of trees that a region reaches."""

from __future__ import annotations

from typing import final

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Indices = NDArray[np.int64]


@final
class Leaves(Struct, frozen=True):
    """The leaves that a region reaches, those of a tree in a row, with their ranges of the features that vary."""

    varying: Indices  # the features; ranges have a column for each
    low: Floats
    high: Floats
    missing: Flags
    codes: tuple[tuple[int, Flags], ...]  # of each category that varies: its column, and which labels reach which leaf
    tree: Indices
    row: Indices  # of the trees' values
    firsts: Indices  # the first leaf of each tree

    def __len__(self) -> int:
        return len(self.tree)
