"""A network in exact arithmetic, in wide floats and in its own precision: they agree as far as they can."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from soid.engine.learned.evaluation import ModelEvaluation, column_values
from soid.engine.learned.network import Activated, Layer, Softmaxed
from soid.engine.learned.network_evaluation import exact_vectors, plain_vectors
from soid.engine.learned.readers.onnx import read
from tests.network_files import DOUBLE, FLOAT, random_inputs, row_of
from tests.random_networks import RandomGraph


def _is_inexact(layer: Layer) -> bool:
    functions = ("sigmoid", "tanh", "exp")
    return isinstance(layer, Softmaxed) or (isinstance(layer, Activated) and layer.function in functions)


@pytest.mark.parametrize("seed", range(300, 340))
def test_exact_and_wide_results_are_the_same_function(seed: int) -> None:
    graph = RandomGraph(seed, DOUBLE if seed % 2 else FLOAT)
    graph.grow(5)
    model = read(graph.content)
    (network,) = model.networks
    given = row_of(model, random_inputs(model, {name: kind for name, (kind, _) in graph.inputs.items()}, graph.rng))
    columns = np.column_stack([column_values(each, given, np.zeros(given.shape, np.int64)) for each in network.columns])
    wide = plain_vectors(network, columns, np.longdouble)
    given_exactly = [Fraction(each) for each in columns[0].tolist()]
    if any(_is_inexact(each) for each in network.layers):
        with pytest.raises(ValueError, match="no exact value"):
            exact_vectors(network, given_exactly)
        return
    exact = exact_vectors(network, given_exactly)
    for one, other in zip(exact, wide, strict=True):
        assert [float(each) for each in one] == pytest.approx(other[0].astype(float).tolist(), rel=1e-12, abs=1e-12)


def test_a_model_is_evaluated_by_name() -> None:
    graph = RandomGraph(4)
    graph.grow(6)
    model = read(graph.content)
    rng = np.random.default_rng(4)
    rows = np.concatenate(
        [row_of(model, random_inputs(model, dict.fromkeys(graph.inputs, FLOAT), rng)) for _ in range(3)]
    )
    found = ModelEvaluation(model).of(rows)
    assert set(found.numbers) == {each.name for each in model.sums}
    assert all(len(each) == 3 and np.isfinite(each).all() for each in found.numbers.values())
