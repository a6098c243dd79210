"""Rows of a region in which a sum of trees is great, or small: where a search looks before it bounds boxes.

One feature after the other moves to its best cell while the others stay, until none gains. Sums are rounded otherwise
than in the library here, so what a row gives is still to be found out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np

from soid.engine.learned.forest import Boxes, labels_within
from soid.engine.learned.leaves import Flags, Floats, Leaves
from soid.engine.learned.model import ModelFeature

_SWEEPS: Final = 3  # over all features


def climb(
    leaves: Leaves, values: Floats, features: Sequence[ModelFeature], region: Boxes, sign: int
) -> Iterator[Floats]:
    """Rows of the region, in each of which the sum is greater (sign 1) or smaller (-1) than in the one before.

    `values` are what the leaves add to the sum.
    """
    row, low, high = region.low[0].copy(), region.low[0], region.high[0]
    codes = dict(leaves.codes)
    moving = [
        column for column, feature in enumerate(leaves.varying.tolist())
        if column not in codes and low[feature] < high[feature]
    ]  # fmt: skip
    cell = {column: len(leaves.begins[column]) // 2 for column in moving}
    inside = {column: _holding(leaves, column, at) for column, at in cell.items()}
    held = list(inside.values())
    for column, feature in enumerate(leaves.varying.tolist()):  # the others stay where they begin
        if column in codes:
            labels = labels_within(features[feature], low[feature], min(low[feature], high[feature]))
            held.append(np.asarray((codes[column] & labels).any(axis=1)))
        elif column not in cell:
            held.append(leaves.missing[column] if low[feature] > high[feature] else _holding(leaves, column, 0))
    outside = sum((~each for each in held), np.zeros(len(leaves), np.int64))
    for _ in range(_SWEEPS):
        moved = False
        for column in moving:
            line = sign * _line(leaves, column, outside == ~inside[column], values)
            best = int(line.argmax())
            if line[best] > line[cell[column]]:
                before = inside[column]
                cell[column], inside[column] = best, _holding(leaves, column, best)
                outside += before.astype(np.int64) - inside[column]
                moved = True
        if not moved:
            return
        for column, at in cell.items():
            feature = leaves.varying[column]
            row[feature] = leaves.begins[column][at - 1] if at else low[feature]
        yield row


def _holding(leaves: Leaves, column: int, cell: int) -> Flags:
    """The leaves that a cell of one feature reaches."""
    return np.asarray((leaves.first[column] <= cell) & (leaves.last[column] >= cell))


def _line(leaves: Leaves, column: int, which: Flags, values: Floats) -> Any:
    """What some of the leaves add in each cell of a feature."""
    count = len(leaves.begins[column]) + 1
    some = (which & (leaves.first[column] < count)).nonzero()[0]
    added = values.take(some)
    begun = np.bincount(leaves.first[column].take(some), added, count + 1)
    ended = np.bincount(leaves.last[column].take(some) + 1, added, count + 1)
    return (begun - ended)[:count].cumsum()
