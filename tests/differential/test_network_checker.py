"""The checker of networks against onnxruntime: on random graphs of all operators, at points and in boxes."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from soid.engine.learned.model import LearnedModel
from soid.engine.learned.readers.onnx import read
from soid.evidence.learned.plain_networks import EVERYTHING, network_numbers, network_sums
from soid.evidence.learned.plain_trees import FeatureRange
from tests.network_files import DOUBLE, FLOAT, random_inputs, row_of, run
from tests.random_networks import RandomGraph

#: what onnxruntime does not run, or has made of a graph as it optimised it
_NOT_RUN = ("NOT_IMPLEMENTED", "is not a graph input", "relu_clip_fusion")


def around(model: LearnedModel, row: Any, width: float) -> dict[int, FeatureRange]:
    """A box in which a row lies; a feature that is no number keeps its value."""
    found = {}
    for number, (feature, x) in enumerate(zip(model.features, row[0].tolist(), strict=True)):
        by = width if feature.kind == "number" else 0.0
        found[number] = FeatureRange(x - by * 0.25, x + by)
    return found


def checked(seed: int, kind: int, operators: int) -> Counter[str]:
    """How many numbers were bounded, and how many are not; those that are bounded must be rightly."""
    graph, counted = RandomGraph(seed, kind), Counter[str]()
    graph.grow(operators)
    model, rng = read(graph.content), np.random.default_rng(seed)
    sums = list(network_sums(model).values())
    kinds = {name: kind for name, (kind, _) in graph.inputs.items()}
    given = random_inputs(model, kinds, rng)
    try:
        results = dict(zip(graph.results, run(graph.content, given, optimised=bool(seed % 2)), strict=True))
    except Exception as error:
        if any(told in str(error) for told in _NOT_RUN):
            return counted
        raise
    for width in (0.0, 1e-4, 0.3):
        found = network_numbers(model, sums, around(model, row_of(model, given), width)) if sums else {}
        for tensor in model.results:
            outputs = model.outputs[tensor.first : tensor.first + tensor.count]
            for output, value in zip(outputs, np.ravel(results[tensor.name]).tolist(), strict=True):
                ends = found[output.number]
                assert ends[0] <= value <= ends[1], (seed, width, output.name, ends, value)
                counted["unknown" if ends == EVERYTHING else "bounded"] += 1
                if width == 0.0 and ends != EVERYTHING:
                    counted["loose"] += ends[1] - ends[0] > 1e-2 * (1 + abs(value))
    return counted


@pytest.mark.parametrize("seed", range(0, 40, 2))
def test_what_onnxruntime_gives_for_a_random_graph_lies_within_bounds(seed: int) -> None:
    found = checked(seed, FLOAT, 2 + seed % 9)
    assert not found["unknown"] and not found["loose"]


@pytest.mark.fuzz
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("kind", [FLOAT, DOUBLE])
def test_many_random_graphs(kind: int) -> None:
    total = Counter[str]()
    for seed in range(3000, 3600):
        total += checked(seed, kind, 2 + seed % 12)
    assert total["bounded"] > 5000 and total["unknown"] < total["bounded"] / 50, total
    assert total["loose"] < total["bounded"] / 100, total
