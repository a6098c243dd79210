"""Factors that a runtime may have moved into a weighted sum, or out of it, and how small or large its terms become.

A product of a weight and a factor is rounded like any other, which `Affine.roundings` counts. But it may also leave the
range of normal numbers where neither of the two does:

    1e30 x (weight 1e-20) x (factor 3e-22)      the folded weight 3e-42 has lost five of seven digits
    1e-30 x (weight 1e30) x (factor 1e30)       the folded weight is infinite

So each element of a weighted sum has the least and the greatest size of what its terms may have been multiplied with.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from soid.engine.learned.network import Affine, Layer, Scaled, Selected
from soid.engine.learned.network_evaluation import numbers, places
from soid.engine.learned.readers.onnx.graph_values import Numbers, Places

#: products of a weight that a runtime may have rounded as it folded constants into it: each may underflow
FOLDED: Final = 8


def factors_of(layers: Mapping[int, Layer], sizes: Sequence[int]) -> dict[int, bytes]:
    """`Affine.factors` of the layers, by their numbers, that other ones scale or that take what is scaled."""
    after, before = _after(layers, sizes), _before(layers)
    found = {}
    for number, layer in layers.items():
        if isinstance(layer, Affine):
            ends = np.array(after.get(number, np.ones((2, sizes[number]))))
            one = before.get(layer.source, 1.0)  # which may be left for later, so that terms are without it
            ends[0] *= min(1.0, 1.0 / one)
            ends[1] *= max(1.0, 1.0 / one)
            if (ends != 1.0).any():
                ends[0] /= FOLDED
                found[number] = np.ascontiguousarray(ends, "<f8").tobytes()
    return found


def _after(layers: Mapping[int, Layer], sizes: Sequence[int]) -> dict[int, Numbers]:
    """For each element of a vector the least and the greatest product of the factors that it is multiplied with."""
    found: dict[int, Numbers] = {}

    def put(source: int, elements: Places, ends: Numbers) -> None:
        if source:
            own = found.setdefault(source, np.ones((2, sizes[source])))
            np.minimum.at(own[0], elements, ends[0])
            np.maximum.at(own[1], elements, ends[1])

    for number in sorted(layers, reverse=True):
        layer, ends = layers[number], found.get(number, np.ones((2, sizes[number])))
        match layer:
            case Scaled(source, factor):
                by = np.abs(numbers(factor))
                by[by == 0.0] = 1.0  # what is multiplied with 0 is 0, whatever its size
                with np.errstate(over="ignore", under="ignore"):
                    put(source, np.arange(sizes[number]), np.stack([np.minimum(1.0, by * ends[0]), by * ends[1]]))
            case Selected(sources, vector, element):
                for place, source in enumerate(sources):
                    here = places(vector) == place
                    put(source, places(element)[here], ends[:, here])
            case _:
                pass
    return found


def _before(layers: Mapping[int, Layer]) -> dict[int, float]:
    """By vector the size of the one factor that all of its elements were multiplied with."""
    found: dict[int, float] = {}
    for number in sorted(layers):
        match layers[number]:
            case Scaled(source, factor, offset) if not numbers(offset).any():
                by = np.unique(np.abs(numbers(factor)))
                if len(by) == 1 and by[0] > 0:
                    found[number] = float(by[0]) * found.get(source, 1.0)
            case Selected((source,)) if source in found:
                found[number] = found[source]
            case _:
                pass
    return found
