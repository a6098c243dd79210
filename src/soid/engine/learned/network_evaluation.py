"""The vectors of a network for given columns: in floats, one of the ways in which a runtime may compute, or exactly.

>>> from soid.engine.learned.column_steps import Column
>>> from soid.engine.learned.network import NetworkTerm
>>> numbers = lambda *values: np.array(values, "<f8").tobytes()
>>> layers = (Affine(0, numbers(2.0, -1.0), numbers(0.1)), Activated(1, "relu"))
>>> network = Network((Column(0), Column(1)), 32, layers)
>>> [row.tolist() for row in plain_vectors(network, np.array([[1.0, 0.5], [0.0, 3.0]]))[2]]
[[1.600000023841858], [0.0]]
>>> exact_vectors(network, [Fraction(1), Fraction(1, 2)])[1] == [Fraction(3, 2) + Fraction(0.1)]
True
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Final, assert_never

import numpy as np
from numpy.typing import NDArray

from soid.engine.learned.network import (
    Activated,
    Added,
    Affine,
    Extreme,
    Layer,
    Network,
    NetworkSum,
    Rounded,
    Scaled,
    Selected,
    Softmaxed,
)

Rows = NDArray[Any]  # a row for each input, a column for each element
_DTYPES: Final[dict[int, Any]] = {32: np.float32, 64: np.float64}


def plain_vectors(network: Network, columns: Rows, kind: Any = None) -> list[Rows]:
    """All vectors, each in its own precision; or, with a type of floats, all in that one, casts left out."""
    vectors = [columns.astype(kind or _DTYPES[network.precision])]
    with np.errstate(all="ignore"):
        for layer in network.layers:
            vectors.append(_computed(layer, vectors, kind))
    return vectors


def network_sum(one: NetworkSum, vectors: Sequence[Rows]) -> NDArray[np.float64]:
    """A number of a network for each row."""
    terms = [vectors[each.vector][:, each.element].astype(np.float64) * each.factor for each in one.terms]
    total = np.sum(terms, axis=0)
    return np.asarray(total.astype(_DTYPES[one.precision]) if one.rounded else total, np.float64)


def _computed(layer: Layer, vectors: Sequence[Rows], kind: Any) -> Rows:
    match layer:
        case Affine(source, weights, bias, precision):
            own, given = kind or _DTYPES[precision], vectors[source]
            matrix = numbers(weights).reshape(-1, given.shape[1]).astype(own)
            return np.asarray(given.astype(own) @ matrix.T + numbers(bias).astype(own))
        case Scaled(source, factor, offset, _, precision):
            own = kind or _DTYPES[precision]
            return np.asarray(numbers(factor).astype(own) * vectors[source].astype(own) + numbers(offset).astype(own))
        case Added(sources, subtracted, precision):
            own = kind or _DTYPES[precision]
            signs = [own(-1.0 if minus else 1.0) for minus in subtracted]
            return np.asarray(sum(sign * vectors[each].astype(own) for sign, each in zip(signs, sources, strict=True)))
        case Selected(sources):
            return _selected(layer, [vectors[each] for each in sources])
        case Rounded(source, precision):
            return vectors[source].astype(kind or _DTYPES[precision])
        case Activated(source, _, _, _, precision):
            return _activated(layer, vectors[source].astype(kind or _DTYPES[precision]))
        case Extreme(source, groups, size, least):
            chosen = vectors[source][:, places(groups).reshape(-1, size)]
            return np.asarray(chosen.min(axis=2) if least else chosen.max(axis=2))
        case Softmaxed(source, size, precision):
            given = vectors[source].astype(kind or _DTYPES[precision])
            split = given.reshape(len(given), -1, size)
            shares = np.exp(split - split.max(axis=2, keepdims=True))
            return np.asarray((shares / shares.sum(axis=2, keepdims=True)).reshape(given.shape))
        case _:
            assert_never(layer)


def _selected(layer: Selected, given: Sequence[Rows]) -> Rows:
    which, element = places(layer.vector), places(layer.element)
    found = np.empty((len(given[0]), len(which)), np.result_type(*given))
    for number, vector in enumerate(given):
        found[:, which == number] = vector[:, element[which == number]]
    return found


def _activated(layer: Activated, given: Rows) -> Rows:
    alpha, beta = given.dtype.type(layer.alpha), given.dtype.type(layer.beta)
    match layer.function:
        case "relu":
            return np.asarray(np.maximum(given, 0))
        case "leaky_relu":
            return np.where(given < 0, alpha * given, given)
        case "clip":
            return np.asarray(np.minimum(np.maximum(given, alpha), beta))
        case "hard_sigmoid":
            return np.asarray(np.minimum(np.maximum(alpha * given + beta, 0), 1))
        case "sigmoid":
            return np.asarray(1 / (1 + np.exp(-given)))
        case "tanh":
            return np.asarray(np.tanh(given))
        case "exp":
            return np.asarray(np.exp(given))
        case _:
            assert_never(layer.function)


def numbers(data: bytes) -> NDArray[np.float64]:
    """A long row of numbers as a network has it."""
    return np.frombuffer(data, "<f8").astype(np.float64)


def places(data: bytes) -> NDArray[np.int64]:
    """A long row of places."""
    return np.frombuffer(data, "<i4").astype(np.int64)


# --- exactly --------------------------------------------------------------------------------------------------


def exact_vectors(network: Network, columns: Sequence[Fraction]) -> list[list[Fraction]]:
    """All vectors as the real numbers that no rounding has touched; a ValueError names a function that has none."""
    vectors = [list(columns)]
    for layer in network.layers:
        vectors.append(_exact(layer, vectors))
    return vectors


def _exact(layer: Layer, vectors: Sequence[Sequence[Fraction]]) -> list[Fraction]:
    match layer:
        case Affine(source, weights, bias):
            given = vectors[source]
            rows = numbers(weights).reshape(-1, len(given)).tolist()
            return [
                Fraction(start)
                + sum(Fraction(weight) * each for weight, each in zip(row, given, strict=True) if weight)
                for row, start in zip(rows, numbers(bias).tolist(), strict=True)
            ]
        case Scaled(source, factor, offset):
            pairs = zip(numbers(factor).tolist(), vectors[source], numbers(offset).tolist(), strict=True)
            return [Fraction(by) * each + Fraction(more) for by, each, more in pairs]
        case Added(sources, subtracted):
            signs = [-1 if minus else 1 for minus in subtracted]
            rows_of = zip(*(vectors[each] for each in sources), strict=True)
            return [sum((sign * each for sign, each in zip(signs, row, strict=True)), Fraction()) for row in rows_of]
        case Selected(sources):
            chosen = zip(places(layer.vector).tolist(), places(layer.element).tolist(), strict=True)
            return [vectors[sources[which]][element] for which, element in chosen]
        case Rounded(source):
            return list(vectors[source])
        case Extreme(source, groups, size, least):
            chosen_ones = places(groups).reshape(-1, size).tolist()
            return [(min if least else max)(vectors[source][each] for each in group) for group in chosen_ones]
        case Activated(source):
            return [_exact_function(layer, each) for each in vectors[source]]
        case Softmaxed():
            raise ValueError("a softmax has no exact value")
        case _:
            assert_never(layer)


def _exact_function(layer: Activated, given: Fraction) -> Fraction:
    alpha, beta = Fraction(layer.alpha), Fraction(layer.beta)
    match layer.function:
        case "relu":
            return max(given, Fraction())
        case "leaky_relu":
            return alpha * given if given < 0 else given
        case "clip":
            return min(max(given, alpha), beta)
        case "hard_sigmoid":
            return min(max(alpha * given + beta, Fraction()), Fraction(1))
        case "sigmoid" | "tanh" | "exp":
            raise ValueError(f"{layer.function} has no exact value")
        case _:
            assert_never(layer.function)
