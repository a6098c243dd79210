"""Networks made by hand, and runs of them in floats: in several orders of summation, fused or not, flushing or not."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

import numpy as np

from soid.engine.learned.column_steps import Column, ToFloat32
from soid.engine.learned.kept_models import ReadModel
from soid.engine.learned.learned_engine import LearnedEngine
from soid.engine.learned.learned_source import Threshold
from soid.engine.learned.model import ClassRule, Greatest, LearnedModel, ModelFeature, NamedNumber
from soid.engine.learned.model_interface import interface_of
from soid.engine.learned.model_numbers import ModelParts
from soid.engine.learned.network import (
    Activated,
    Added,
    Affine,
    Extreme,
    Layer,
    Network,
    NetworkSum,
    NetworkTerm,
    Scaled,
    Selected,
)
from soid.formula import softfloat as sf
from soid.formula.sorts import FLOAT32


def packed(numbers: Any) -> bytes:
    return np.asarray(numbers, np.float64).astype("<f8").tobytes()


def places(numbers: Any) -> bytes:
    return np.asarray(numbers, np.int32).astype("<i4").tobytes()


def affine(source: int, weights: Any, bias: Any, **named: Any) -> Affine:
    return Affine(source, packed(weights), packed(bias), **named)


def network(count: int, *layers: Layer) -> Network:
    return Network(tuple(Column(number, (ToFloat32(),)) for number in range(count)), 32, layers)


def random_network(
    draw: np.random.Generator, sizes: Sequence[int], function: Any = "relu", scale: float = 2.0
) -> Network:
    """A network whose layers have weights as networks begin their training with; the last one has no activation."""
    layers: list[Layer] = []
    for number, (fan, size) in enumerate(itertools.pairwise(sizes)):
        weights = (draw.normal(size=(size, fan)) * np.sqrt(scale / fan)).astype(np.float32)
        layers.append(affine(len(layers), weights, (draw.normal(size=size) * 0.2).astype(np.float32)))
        if number < len(sizes) - 2:
            layers.append(Activated(len(layers), function, 0.1 if function == "leaky_relu" else -0.5, 0.8))
    return network(sizes[0], *layers)


def model_of(one: Network, outputs: int, *, after_softmax: bool = False, **named: Any) -> LearnedModel:
    """A model whose label is the greatest element of a network's last vector."""
    last = len(one.layers)
    sums = tuple(NetworkSum(f"y{number}", 0, (NetworkTerm(last, number),)) for number in range(outputs))
    names = tuple(each.name for each in sums)
    settings: dict[str, Any] = {
        "features": tuple(ModelFeature(f"x{number}", takes_missing=False) for number in range(len(one.columns))),
        "sums": sums,
        "label": ClassRule(tuple(f"c{number}" for number in range(outputs)), Greatest(names, after_softmax)),
        "outputs": tuple(NamedNumber(name, name) for name in names),
        "networks": (one,),
        **named,
    }
    return LearnedModel("onnxruntime", "1.31.1", "neural network", **settings)


def engine_of(model: LearnedModel, *thresholds: Threshold) -> LearnedEngine:
    parts = ModelParts.of(model)
    found = interface_of(model, parts.used, thresholds, ())
    return LearnedEngine(ReadModel(model, b"", ""), parts, found, thresholds)


# --- runs -----------------------------------------------------------------------------------------------------------

Order = Callable[[list[Any]], list[Any]]

#: which term comes when; `pairwise` is a tree of sums
ORDERS: Final[dict[str, Order]] = {
    "in order": lambda terms: terms,
    "reversed": lambda terms: terms[::-1],
    "rising": lambda terms: sorted(terms, key=lambda term: abs(term[0] * term[1])),
    "falling": lambda terms: sorted(terms, key=lambda term: -abs(term[0] * term[1])),
    "pairwise": lambda terms: terms,
}

_TINY: Final = Fraction(1, 2**126)


@dataclass(frozen=True)
class FloatRun:
    """How a runtime computes, exactly: every number is a Fraction that is a float32."""

    order: str = "in order"
    fused: bool = False
    flushes: bool = False

    def rounded(self, number: Fraction) -> Fraction:
        bits = sf.from_fraction(FLOAT32, number)
        assert sf.is_finite(FLOAT32, bits), "it overflows"
        return self.flushed(sf.to_fraction(FLOAT32, bits))

    def flushed(self, number: Fraction) -> Fraction:
        return Fraction(0) if self.flushes and abs(number) < _TINY else number

    def summed(self, terms: Sequence[tuple[Fraction, Fraction]], bias: Fraction) -> Fraction:
        used = [(self.flushed(one), self.flushed(other)) for one, other in terms]
        used = ORDERS[self.order]([*used, (self.flushed(bias), Fraction(1))])
        if self.order == "pairwise":
            return self._paired([self.rounded(one * other) for one, other in used])
        total = Fraction(0)
        for one, other in used:
            product = one * other if self.fused else self.rounded(one * other)
            total = self.rounded(total + product)
        return total

    def _paired(self, terms: list[Fraction]) -> Fraction:
        if len(terms) == 1:
            return terms[0]
        half = len(terms) // 2
        return self.rounded(self._paired(terms[:half]) + self._paired(terms[half:]))

    def vectors(self, one: Network, row: Iterable[Any]) -> list[list[Fraction]]:
        """All vectors of a network, from its columns."""
        found = [[self.flushed(Fraction(float(np.float32(each)))) for each in row]]
        for layer in one.layers:
            found.append(self.layer(layer, found))
        return found

    def layer(self, layer: Layer, found: list[list[Fraction]]) -> list[Fraction]:
        match layer:
            case Affine():
                bias = np.frombuffer(layer.bias)
                weights = np.frombuffer(layer.weights).reshape(len(bias), -1)
                source = found[layer.source]
                return [
                    self.summed([(Fraction(w), x) for w, x in zip(row.tolist(), source, strict=True)], Fraction(b))
                    for row, b in zip(weights, bias.tolist(), strict=True)
                ]
            case Activated():
                return [self._activated(layer, self.flushed(x)) for x in found[layer.source]]
            case Scaled():
                pairs = zip(np.frombuffer(layer.factor).tolist(), np.frombuffer(layer.offset).tolist(), strict=True)
                return [
                    self.summed([(Fraction(factor), x)], Fraction(offset))
                    for (factor, offset), x in zip(pairs, found[layer.source], strict=True)
                ]
            case Added():
                columns = zip(*(found[source] for source in layer.sources), strict=True)
                signs = [Fraction(-1 if each else 1) for each in layer.subtracted]
                return [self.summed(list(zip(signs, each, strict=True)), Fraction(0)) for each in columns]
            case Selected():
                vector, element = (np.frombuffer(each, "<i4").tolist() for each in (layer.vector, layer.element))
                return [found[layer.sources[v]][e] for v, e in zip(vector, element, strict=True)]
            case Extreme():
                groups = np.frombuffer(layer.groups, "<i4").reshape(-1, layer.size).tolist()
                chosen = min if layer.least else max
                return [chosen(self.flushed(found[layer.source][each]) for each in group) for group in groups]
            case _:
                raise AssertionError(f"{layer} has no exact results")

    def _activated(self, layer: Activated, x: Fraction) -> Fraction:
        alpha, beta = Fraction(layer.alpha), Fraction(layer.beta)
        match layer.function:
            case "relu":
                return max(x, Fraction(0))
            case "leaky_relu":
                return x if x >= 0 else self.rounded(alpha * x)
            case "clip":
                return min(max(x, alpha), beta)
            case "hard_sigmoid":
                return min(max(self.summed([(alpha, x)], beta), Fraction(0)), Fraction(1))
            case _:
                raise AssertionError(f"{layer.function} has no exact results")


def runs(luck: random.Random, count: int) -> list[FloatRun]:
    return [FloatRun(luck.choice(list(ORDERS)), luck.random() < 0.5, luck.random() < 0.3) for _ in range(count)]


def native(one: Network, rows: Any, order: str = "blas") -> Any:
    """The last vector for many rows at once, in numpy's float32: by BLAS, in order, or in the reverse order."""
    vectors = [np.asarray(rows, np.float32)]
    for layer in one.layers:
        if isinstance(layer, Affine):
            bias = np.frombuffer(layer.bias).astype(np.float32)
            weights = np.frombuffer(layer.weights).astype(np.float32).reshape(len(bias), -1)
            vectors.append(_weighted(vectors[layer.source], weights, bias, order))
        else:
            assert isinstance(layer, Activated) and layer.function in ("relu", "leaky_relu")
            x = vectors[layer.source]
            slope = np.float32(layer.alpha if layer.function == "leaky_relu" else 0.0)
            vectors.append(np.where(x >= 0, x, slope * x))
    return vectors[-1]


def _weighted(x: Any, weights: Any, bias: Any, order: str) -> Any:
    if order == "blas":
        return x @ weights.T + bias
    columns = range(x.shape[1]) if order == "in order" else range(x.shape[1])[::-1]
    total = np.zeros((len(x), len(bias)), np.float32) if order == "in order" else np.tile(bias, (len(x), 1))
    for column in columns:
        total = total + x[:, column, None] * weights[:, column]
    return total + bias if order == "in order" else total
