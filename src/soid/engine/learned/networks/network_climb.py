"""Points of a region at which a network's numbers are likely to be great or small, where scenarios are sought first.

Points are drawn, and from the best ones steps go along the signs of the slopes, to corners or a part of the way there.
Nothing rests on these points: the search looks at each as it does at any other.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from soid.engine.learned.forest import Boxes
from soid.engine.learned.networks.float_errors import Numbers
from soid.engine.learned.networks.network_bounds import NetworkRanges
from soid.engine.learned.networks.shared_network import NetworkRegion

_DRAWN: Final = 192
_WORK: Final = 500_000_000  # products of weights for the drawn points, at most
_FARTHEST: Final = 1e6
_WIDE: Final = 1e3  # ranges in which most points are drawn by their magnitude
_ROUNDS: Final = 5
_STEPS: Final = (1.0, 0.3, 0.1, 0.03)  # parts of the region's widths
_ROWS: Final = 24  # numbers that are climbed


def likely_points(region: NetworkRegion) -> Numbers:
    """Rows of the features of a region, each of them a point inside."""
    low, high = region.boxes.low[0], region.boxes.high[0]
    if not (np.isfinite(low) & np.isfinite(high) & (low <= high)).all():
        return np.empty((0, len(low)))
    middle = np.clip(0.0, low, high)  # of a range of all floats most would overflow: those near 0 are drawn
    low, high = np.maximum(low, middle - _FARTHEST), np.minimum(high, middle + _FARTHEST)
    draw, rows = np.random.default_rng(0), _open_rows(region)
    drawn = max(12, min(_DRAWN, _WORK // (len(rows) * region.network.weights)))
    shares = draw.random((drawn, len(low)))
    shares[0], shares[1 : drawn // 6] = 0.5, np.rint(shares[1 : drawn // 6])
    points = _inside(region, low + shares * (high - low))
    near = np.clip(np.sign(shares - 0.5) * 10.0 ** draw.uniform(-3, 3, shares.shape), low, high)
    points = np.where((high - low > _WIDE) & (draw.random((drawn, 1)) < 0.7), _inside(region, near), points)
    values, slopes = _values(region, points, rows)
    signs = np.repeat([1.0, -1.0], len(rows))
    each = np.tile(np.arange(len(rows)), 2)
    best = np.array([(sign * values[:, row]).argmax() for sign, row in zip(signs, each, strict=True)], np.int64)
    at, reached, slope = points[best], signs * values[best, each], slopes[best, each]
    found = [points[best]]
    for _ in range(_ROUNDS):
        tried = [at + part * np.sign(signs[:, None] * slope) * (high - low) for part in _STEPS]
        steps = _inside(region, np.concatenate(tried))
        values, slopes = _values(region, steps, rows)
        for part in range(len(_STEPS)):
            here = part * len(signs) + np.arange(len(signs))
            better = signs * values[here, each] > reached
            reached = np.where(better, signs * values[here, each], reached)
            at, slope = (
                np.where(better[:, None], new, old) for new, old in ((steps[here], at), (slopes[here, each], slope))
            )
        found.append(at)
    return np.unique(np.concatenate([*found[::-1], points]), axis=0)


def _open_rows(region: NetworkRegion) -> Any:
    """The numbers that may be on either side of what they are compared with first, and not all if they are many."""
    whole = region.whole.ranges
    pairs = zip(region.borders, whole.low[0], whole.high[0], strict=True)
    crossing = np.array([any(low < border < high for border in own or (0.0,)) for own, low, high in pairs])
    most = max(4, min(_ROWS, _WORK // (64 * region.network.weights)))
    return np.argsort(~crossing, kind="stable")[:most]


def _inside(region: NetworkRegion, points: Numbers) -> Numbers:
    found: Numbers = np.clip(points, region.boxes.low[0], region.boxes.high[0])
    whole = [place for place, each in enumerate(region.network.features) if each.kind != "number"]
    found[:, whole] = np.rint(found[:, whole])
    return found


def _values(region: NetworkRegion, points: Numbers, rows: Any) -> tuple[Numbers, Numbers]:
    """The numbers at points, in the middle of their bounds, and their slopes by feature."""
    sums = [region.sums[row] for row in rows]
    boxes = Boxes(points, points, np.zeros(points.shape, bool))
    look: NetworkRanges = region.network.look(boxes, region.network.wanted(sums), None)
    slopes = region.network.by_feature(look.slopes * region.directions, np.add)
    with np.errstate(invalid="ignore"):  # where nothing is known, from -inf to inf
        return np.nan_to_num((look.low + look.high) / 2), slopes
