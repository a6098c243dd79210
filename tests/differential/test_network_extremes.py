"""Networks with tiny and huge constants against onnxruntime, optimised or not: what leaves the range of floats.

A runtime folds factors into weights and leaves others for later, so that products underflow or overflow that no
operator of the file computes. Its results must lie within bounds, or nothing may be known of them.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import numpy as np
import pytest
from onnx import helper

from soid.engine.learned.model import ModelRefused
from soid.engine.learned.network import NetworkSum
from soid.engine.learned.networks.network_bounds import NetworkBounds, WantedRows
from soid.engine.learned.networks.ranges import Ranges
from soid.engine.learned.readers.onnx import read
from soid.evidence.learned.plain_networks import EVERYTHING, network_numbers, network_sums
from soid.evidence.learned.plain_trees import FeatureRange
from tests.network_files import FLOAT, network_file, run

Array = np.ndarray[Any, Any]
_MOST = float(np.finfo(np.float32).max)


class ExtremeGraph:
    """A convolution, a product, pooling or a normalisation after another, with constants of any size."""

    def __init__(self, seed: int, version: int = 17) -> None:
        self.draw = np.random.default_rng(seed)
        self.version = version
        self.nodes: list[Any] = []
        self.constants: dict[str, Array] = {}
        self.exponent = self.draw.choice([3.0, 20.0, 38.0])
        self.size = 4
        name, count = "x", int(self.draw.integers(1, 5))
        self.is_picture = bool(self.draw.integers(2))
        for number in range(count):
            name = self._layer(name, f"v{number}")
        self.result = name

    def numbers(self, *shape: int) -> Array:
        sizes = 10.0 ** self.draw.uniform(-self.exponent - 6, self.exponent, size=shape)
        signed = sizes * self.draw.choice([-1.0, 1.0], size=shape)
        return np.asarray(np.clip(signed, -_MOST, _MOST), np.float32)

    def _constant(self, values: Array) -> str:
        self.constants[f"c{len(self.constants)}"] = values
        return f"c{len(self.constants) - 1}"

    def _layer(self, given: str, name: str) -> str:
        shape = (1, 2, 1) if self.is_picture else (self.size,)
        weighted = ("Conv", "AveragePool", "Mean") if self.is_picture else ("MatMul", "Gemm", "Mean")
        alike = ("Mul", "Mul", "Div", "Add", "Normalised", "LeakyRelu", "HardSigmoid", "Relu")
        operator = str(self.draw.choice(weighted + alike))
        one = self._constant(self.numbers() if self.draw.integers(2) else self.numbers(*shape))
        match operator:
            case "Conv":
                inputs = [given, self._constant(self.numbers(2, 2, 1)), self._constant(self.numbers(2))]
                self._node("Conv", inputs[: int(self.draw.integers(2, 4))], name)
            case "AveragePool":
                self._node("AveragePool", [given], name, kernel_shape=[3], pads=[1, 1])
            case "Mean":
                axis = 2 if self.is_picture else 1
                self._node("ReduceMean", [given], f"{name}m", axes=[axis])
                self._node("Expand", [f"{name}m", self._constant(np.array(self.shape))], name)
            case "MatMul":
                self._node("MatMul", [given, self._constant(self.numbers(self.size, self.size))], name)
            case "Gemm":
                more = {"alpha": float(self.numbers())} if self.draw.integers(2) else {}
                weights = [self._constant(self.numbers(*each)) for each in ((self.size, self.size), (self.size,))]
                self._node("Gemm", [given, *weights], name, **more)
            case "Normalised":
                channels = 2 if self.is_picture else self.size
                constants = [self.numbers(channels) for _ in range(4)]
                constants[3] = abs(constants[3])
                epsilon = float(self.draw.choice([1e-5, 1e-20]))
                names = [self._constant(each) for each in constants]
                self._node("BatchNormalization", [given, *names], name, epsilon=epsilon)
            case "LeakyRelu" | "HardSigmoid":
                self._node(operator, [given], name, alpha=float(self.numbers()))
            case "Relu":
                self._node(operator, [given], name)
            case _:
                self._node(operator, [given, one], name)
        return name

    @property
    def shape(self) -> list[int]:
        return [1, 2, 3] if self.is_picture else [1, self.size]

    def _node(self, operator: str, inputs: list[str], name: str, **more: Any) -> None:
        self.nodes.append(helper.make_node(operator, inputs, [name], **more))

    @property
    def content(self) -> bytes:
        return network_file(self.nodes, {"x": (FLOAT, self.shape)}, [self.result], self.constants, self.version)


def checked(seed: int) -> Counter[str]:
    """How many numbers were bounded, and how many are not; those that are bounded must be rightly."""
    graph, counted = ExtremeGraph(seed), Counter[str]()
    try:
        model = read(graph.content)
    except ModelRefused:
        return Counter({"refused": 1})
    (one,), sums = model.networks, [each for each in model.sums if isinstance(each, NetworkSum)]
    places = [(term.vector, term.element) for each in sums for term in each.terms]
    bounds = NetworkBounds(one)
    wanted = {vector: np.zeros((len(sums), bounds.sizes[vector])) for vector, _ in places}
    for row, (vector, element) in enumerate(places):
        wanted[vector][row, element] = 1.0
    for _ in range(4):
        size = 10.0 ** graph.draw.uniform(-30, graph.exponent)
        low = (graph.draw.uniform(-1, 1, graph.shape) * size).astype(np.float32)
        high = np.maximum(low, (low + abs(low) * graph.draw.choice([0.0, 1e-6, 0.5])).astype(np.float32))
        given = np.where(graph.draw.integers(2, size=low.shape), low, high)
        columns = [each.feature for each in one.columns]
        ends = [np.ravel(each).astype(np.float64)[None, columns] for each in (low, high)]
        found = bounds.of(Ranges(*ends), np.zeros(1, bool), WantedRows(wanted))
        pairs = zip(np.ravel(low).tolist(), np.ravel(high).tolist(), strict=True)
        box = {number: FeatureRange(*each) for number, each in enumerate(pairs)}
        shown = network_numbers(model, list(network_sums(model).values()), box)
        for optimised in (True, False):
            with np.errstate(all="ignore"):
                (values,) = run(graph.content, {"x": given}, optimised)
            for place, value in enumerate(np.ravel(values).tolist()):
                limits = (found.low[0, place], found.high[0, place])
                assert found.unclear[0] or limits[0] <= value <= limits[1], (seed, optimised, place, value, limits)
                limits = shown[sums[place].name]
                is_open = limits == EVERYTHING
                assert is_open or limits[0] <= value <= limits[1], (seed, optimised, place, value, limits, "checker")
                counted["unknown" if found.unclear[0] else "bounded"] += 1
                counted["shown"] += not is_open
                counted["not finite"] += not math.isfinite(value)
    return counted


@pytest.mark.parametrize("first", [0, *(pytest.param(first, marks=pytest.mark.soak) for first in (100, 200, 300))])
def test_what_leaves_the_range_of_floats_is_not_bounded(first: int) -> None:
    total = Counter[str]()
    for seed in range(first, first + 100):
        total += checked(seed)
    assert total["bounded"] > total["unknown"] / 4 and total["shown"] and total["not finite"], total


@pytest.mark.fuzz
@pytest.mark.timeout(3600)
def test_many_networks_with_extreme_constants() -> None:
    for seed in range(10_000, 20_000):
        checked(seed)
