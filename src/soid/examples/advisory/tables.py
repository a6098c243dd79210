"""The tables: the cost of each advisory in each state, by dynamic programming over the encounter's model.

From the last second backwards, the cost of an advisory is what it costs to be told it, and the mean of what is to be
expected a second later, if the better advisories are given from there on.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from soid.examples.advisory.encounter import (
    ADVISORIES,
    APART,
    CLEAR,
    FASTEST,
    LONGEST,
    advised_rate,
    gap_after,
)

Array = np.ndarray[Any, Any]

GAPS: Final = np.array([0, 25, 50, 75, 100, 125, 150, 200, 250, 300, 400, 500, 650, 800, 1000, 1300, 1700, 2200], float)
GAP_POINTS: Final = np.concatenate([-GAPS[:0:-1], GAPS])
RATE_POINTS: Final = np.linspace(-FASTEST, FASTEST, 17)
#: by how much each aircraft's rate changes by itself in a second, and how likely that is
_NOISE: Final = ((-3.0, 0.25), (0.0, 0.5), (3.0, 0.25))
#: in units of a near miss: being told to climb or to descend; strongly; the other way round; another one than before
_TOLD, _STRONG, _REVERSED, _CHANGED = 0.004, 0.008, 0.02, 0.001


def told_cost(advisory: int, last: int) -> float:
    found = _TOLD * (advisory != CLEAR) + _STRONG * (abs(advisory - CLEAR) == 2) + _CHANGED * (advisory != last)
    return found + _REVERSED * ((advisory - CLEAR) * (last - CLEAR) < 0)


def tables() -> Array:
    """Costs by second before passing, advisory before, gap, own rate, other's rate, and advisory."""
    gap, own, other = np.meshgrid(GAP_POINTS, RATE_POINTS, RATE_POINTS, indexing="ij")
    miss = np.where(np.abs(gap) < APART, 1.0, 0.0) + 0.3 * np.clip(2 - np.abs(gap) / APART, 0.0, 1.0)
    expected = np.broadcast_to(miss, (len(ADVISORIES), *miss.shape))
    moves = [_moves(gap, own, other, advisory) for advisory in range(len(ADVISORIES))]
    told = np.array([[told_cost(now, last) for now in range(len(ADVISORIES))] for last in range(len(ADVISORIES))])
    found = []
    for _ in range(LONGEST):
        later = np.stack([_mean(each, expected[now]) for now, each in enumerate(moves)], axis=-1)
        costs = later[None] + told[:, None, None, None, :]
        found.append(costs)
        expected = costs.min(axis=-1)
    return np.stack(found)


def _moves(gap: Array, own: Array, other: Array, advisory: int) -> list[tuple[float, tuple[Any, ...]]]:
    """Where an advisory may lead to, and how likely that is: grid points around, with their weights."""
    found = []
    for by_own, likely_own in _NOISE:
        for by_other, likely_other in _NOISE:
            own_after = np.clip(advised_rate(own, advisory) + by_own, -FASTEST, FASTEST)
            other_after = np.clip(other + by_other, -FASTEST, FASTEST)
            after = gap_after(gap, own, own_after, other, other_after)
            places = [_place(GAP_POINTS, after), _place(RATE_POINTS, own_after), _place(RATE_POINTS, other_after)]
            for corner in np.ndindex(2, 2, 2):
                weight = np.prod([part if up else 1 - part for up, (_, part) in zip(corner, places, strict=True)], 0)
                index = tuple(at + up for up, (at, _) in zip(corner, places, strict=True))
                found.append((likely_own * likely_other * weight, index))
    return found


def _place(points: Array, values: Array) -> tuple[Array, Array]:
    """The grid point below each value, and how far it is to the next one."""
    inside = np.clip(values, points[0], points[-1])
    at = np.clip(np.searchsorted(points, inside, side="right") - 1, 0, len(points) - 2)
    return at, (inside - points[at]) / (points[at + 1] - points[at])


def _mean(moves: list[tuple[float, tuple[Any, ...]]], expected: Array) -> Array:
    found: Array = sum((weight * expected[index] for weight, index in moves), np.zeros(()))
    return found


def looked_up(costs: Array, gap: Array, own: Array, other: Array, seconds: Array, last: Array) -> Array:
    """The costs of all advisories in states between the grid's points; seconds and advisories are whole."""
    places = [_place(GAP_POINTS, gap), _place(RATE_POINTS, own), _place(RATE_POINTS, other)]
    found = np.zeros((len(gap), len(ADVISORIES)))
    for corner in np.ndindex(2, 2, 2):
        weight = np.prod([part if up else 1 - part for up, (_, part) in zip(corner, places, strict=True)], 0)
        index = [at + up for up, (at, _) in zip(corner, places, strict=True)]
        found += weight[:, None] * costs[seconds - 1, last, index[0], index[1], index[2]]
    return found
