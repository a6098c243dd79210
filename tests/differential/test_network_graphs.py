"""Random graphs of ONNX operators: what the reader makes of them against onnxruntime, optimised or not."""

from __future__ import annotations

import numpy as np
import pytest

from soid.engine.learned.readers.onnx import read
from tests.network_files import DOUBLE, FLOAT, compare, random_inputs, run
from tests.random_networks import RandomGraph


def agrees(seed: int, kind: int, operators: int, version: int = 17) -> bool:
    """Whether onnxruntime runs the graph; if so, its results lie within what the layers allow for."""
    graph = RandomGraph(seed, kind, version)
    graph.grow(operators)
    content, names = graph.content, graph.results
    model = read(content)
    kinds = {name: kind for name, (kind, _) in graph.inputs.items()}
    rng = np.random.default_rng(seed)
    for optimised in (True, False):
        for _ in range(3):
            given = random_inputs(model, kinds, rng)
            try:
                found = run(content, given, optimised)
            except Exception as error:
                if "NOT_IMPLEMENTED" in str(error):
                    return False
                if optimised and ("is not a graph input" in str(error) or "relu_clip_fusion" in str(error)):
                    continue  # what onnxruntime itself has made of the graph when it optimised it
                raise
            compare(model, given, found, names)
    return True


@pytest.mark.parametrize("seed", range(120))
def test_a_random_graph_is_read_as_onnxruntime_runs_it(seed: int) -> None:
    assert agrees(seed, FLOAT, 2 + seed % 9)


@pytest.mark.parametrize("version", [13, 14, 15, 16, 18, 19, 20, 21, 22, 23, 24, 25, 26])
def test_random_graphs_of_each_version(version: int) -> None:
    for seed in range(2000, 2020):
        assert agrees(seed, FLOAT, 6, version)


def test_random_graphs_of_doubles() -> None:
    assert sum(agrees(1000 + seed, DOUBLE, 2 + seed % 6) for seed in range(40)) > 10


@pytest.mark.fuzz
@pytest.mark.timeout(3600)
def test_three_thousand_random_graphs() -> None:
    for seed in range(10_000, 13_000):
        agrees(seed, FLOAT, 2 + seed % 12)
