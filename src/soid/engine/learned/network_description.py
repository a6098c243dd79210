"""A network in words: what it is given, its layers, and what it gives.

>>> from soid.engine.learned.column_steps import Column
>>> from soid.engine.learned.model import ModelFeature
>>> ones = np.ones(2).tobytes()
>>> layers = (Affine(0, ones, bytes(16)), Activated(1, "relu"), Affine(2, ones, bytes(8)))
>>> from soid.engine.learned.network import Network
>>> network = Network((Column(0),), 32, layers)
>>> given, gives = (NamedTensor("x", (1, 1), 0, 1),), (NamedTensor("y", (1, 1), 0, 1),)
>>> model = LearnedModel("none", "", "", (ModelFeature("x"),), networks=(network,), given=given, results=gives)
>>> for sentence in described(model): print(sentence)
It is given x (1 x 1) and gives y (1 x 1).
Layers: weights to 2, relu, weights to 1; 4 weights that are not 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, assert_never

import numpy as np

from soid.engine.learned.model import LearnedModel, NamedTensor
from soid.engine.learned.network import (
    Activated,
    Added,
    Affine,
    Extreme,
    Layer,
    Rounded,
    Scaled,
    Selected,
    Softmaxed,
)

_SHOWN: Final = 24  # layers
_NAMED: Final = 6  # inputs, or outputs


def described(model: LearnedModel) -> Iterator[str]:
    """Sentences; none if the model is no network."""
    for network in model.networks:
        chosen = [each.name for each in model.choices] if model.choices else ["a class"] if model.label else []
        gives = [*map(_tensor, model.results), *chosen]
        yield f"It is given {_listed(list(map(_tensor, model.given)))} and gives {_listed(gives)}."
        words = [word for layer in network.layers if (word := _word(layer))]
        more = f" and {len(words) - _SHOWN} more" if len(words) > _SHOWN else ""
        weights = sum(_weights(layer) for layer in network.layers)
        told = ", ".join(words[:_SHOWN]) + more or "none"
        yield f"Layers: {told}; {weights:,} weights that are not 0."


def _tensor(given: NamedTensor) -> str:
    return f"{given.name} ({' x '.join(map(str, given.shape)) or '1'})"


def _listed(names: Sequence[str]) -> str:
    if len(names) > _NAMED:
        return f"{', '.join(names[:_NAMED])} and {len(names) - _NAMED} more"
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _word(layer: Layer) -> str:
    match layer:
        case Affine(bias=bias):
            return f"weights to {len(bias) // 8}"
        case Scaled():
            return "a scale"
        case Added(sources):
            return f"a sum of {len(sources)}"
        case Selected():
            return ""
        case Rounded(precision=precision):
            return f"a cast to float{precision}"
        case Activated(function=function):
            return function.replace("_", " ")
        case Extreme(groups=groups, size=size, least=least):
            return f"the {'least' if least else 'greatest'} of {size} to {len(groups) // 4 // size}"
        case Softmaxed(size=size):
            return f"softmax of {size}"
        case _:
            assert_never(layer)


def _weights(layer: Layer) -> int:
    return int(np.count_nonzero(np.frombuffer(layer.weights, "<f8"))) if isinstance(layer, Affine) else 0
