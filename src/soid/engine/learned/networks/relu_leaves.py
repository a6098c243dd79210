"""Bounds in parts of a box in which the signs of some elements before ReLUs are known, with all errors of floats.

In a chain of layers a row is taken back from the result to the columns. Where s z >= 0 for an element z and its sign s,
what is bounded is not below itself less b s z, for any b >= 0: so b s is taken from the coefficient of z.

    relu(x) - x / 2,  x from -1 to 2,  x >= 0,  b = 1/2        x - x / 2 - x / 2 = 0 is not above it
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, final

import numpy as np
from msgspec import Struct

from soid.engine.learned.network import Activated, Network
from soid.engine.learned.networks import piecewise_lines
from soid.engine.learned.networks.float_errors import Numbers, below, own
from soid.engine.learned.networks.network_bounds import RootPass
from soid.engine.learned.networks.ranges import Lines, Ranges
from soid.engine.learned.networks.relations import LineRelation, Relation, summed


@final
class ReluLeaves(Struct, frozen=True):
    """Parts of a box: by ReLU layer an array with a row for each part."""

    signs: Sequence[Any]  # 1: not below zero, -1: not above, 0: open
    slopes: Sequence[Numbers]  # of the lines below those that are open: 0 to 1
    multipliers: Sequence[Numbers]  # for elements of known signs: not below 0


def sources_of_relus(network: Network) -> list[int]:
    return [each.source for each in network.layers if isinstance(each, Activated) and each.function == "relu"]


def lower_in_leaves(network: Network, root: RootPass, row: Numbers, leaves: ReluLeaves) -> Numbers:
    """For each leaf a lower bound of a combination of the last vector's elements, in a chain of layers."""
    count = len(leaves.signs[0])
    boxes, relus = np.zeros(count, np.int64), {source: place for place, source in enumerate(sources_of_relus(network))}
    rows, total = np.broadcast_to(row, (count, 1, len(row))), np.zeros((count, 1))
    with np.errstate(all="ignore"):
        for vector in range(len(network.layers), 0, -1):
            source, relation, chosen = vector - 1, root.relations[vector], boxes
            place = relus.get(source)
            if place is not None:
                relation, chosen = _split_lines(network, vector, place, root, leaves), np.arange(count)
            taken = relation.back(rows, chosen)
            total = below(total + below(taken.number - root.vanishing[vector][boxes][:, None]))
            (part,) = taken.rows
            assert part is not None
            rows = part
            if place is not None:
                rows = part - (leaves.multipliers[place] * leaves.signs[place])[:, None, :]
                total = below(total - summed(np.abs(part) + np.abs(rows), own(1) * root.vectors[source].sizes[boxes]))
        middle, half = (each[boxes] for each in root.halves)
        found = below(total + below(summed(rows, middle) - summed(np.abs(rows), half)))[:, 0]
    return np.where(np.isfinite(found), found, -np.inf)


def _split_lines(network: Network, vector: int, place: int, root: RootPass, leaves: ReluLeaves) -> Relation:
    """A ReLU in leaves. Any line with a slope of 0 to 1 is below it, but for subnormal numbers."""
    layer, source, signs = network.layers[vector - 1], root.vectors[vector - 1], leaves.signs[place]
    assert isinstance(layer, Activated)
    low = np.where(signs > 0, np.maximum(source.low, 0.0), source.low)
    given = Ranges(low, np.where(signs < 0, np.minimum(source.high, 0.0), source.high))
    _, lines = piecewise_lines.relu(given, layer.precision)
    crossing = (given.low < 0) & (given.high > 0)
    slopes = np.where(crossing, np.clip(leaves.slopes[place], 0.0, 1.0), lines.low_slope)
    return LineRelation(Lines(slopes, lines.low_offset, lines.high_slope, lines.high_offset), given.sizes)
