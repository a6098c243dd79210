"""ONNX files of neural networks for tests, what runs them, and how far off a runtime may be.

The error that the layers of a network allow for is carried along with each vector: a runtime's result must lie within.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

from soid.engine.learned.evaluation import column_values
from soid.engine.learned.model import LearnedModel
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
from soid.engine.learned.network_evaluation import numbers, places, plain_vectors

FLOAT, DOUBLE, INT64 = TensorProto.FLOAT, TensorProto.DOUBLE, TensorProto.INT64
KINDS: Final[dict[int, Any]] = {
    FLOAT: np.float32, DOUBLE: np.float64, INT64: np.int64, TensorProto.INT32: np.int32, TensorProto.BOOL: np.bool_,
}  # fmt: skip
_WIDE: Final = np.longdouble
_U: Final = {32: 2.0**-24, 64: 2.0**-53}
_TINY: Final = {32: 2.0**-126, 64: 2.0**-1022}
_FUNCTION: Final = {32: 1e-6, 64: 1e-14}  # how far sigmoid and tanh may be off

#: the ONNX operator of each function that an element can go through, and its settings
OPERATORS: Final[dict[str, Any]] = {
    "relu": ("Relu", {}),
    "leaky_relu": ("LeakyRelu", {"alpha": 0.1}),
    "hard_sigmoid": ("HardSigmoid", {"alpha": 0.25, "beta": 0.5}),
    "sigmoid": ("Sigmoid", {}),
    "tanh": ("Tanh", {}),
    "exp": ("Exp", {}),
}

Array = np.ndarray[Any, Any]


def network_file(
    nodes: Sequence[Any],
    inputs: Mapping[str, tuple[int, Sequence[int | str | None]]],
    outputs: Sequence[str],
    constants: Mapping[str, Any] | None = None,
    version: int = 17,
) -> bytes:
    """A file; the types of its outputs are inferred."""
    graph = helper.make_graph(
        list(nodes),
        "graph",
        [helper.make_tensor_value_info(name, kind, shape) for name, (kind, shape) in inputs.items()],
        [],
        [numpy_helper.from_array(np.asarray(value), name) for name, value in (constants or {}).items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", version)], ir_version=10)
    inferred = {each.name: each for each in onnx.shape_inference.infer_shapes(model).graph.value_info}
    known = {each.name: each for each in graph.input}
    for name in outputs:
        found = inferred.get(name) or known.get(name)
        model.graph.output.append(found or helper.make_tensor_value_info(name, FLOAT, None))
    content: bytes = model.SerializeToString()
    return content


def run(content: bytes, given: Mapping[str, Array], optimised: bool = True) -> list[Array]:
    """The outputs in onnxruntime."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 4
    if not optimised:
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
    return [np.asarray(each) for each in session.run(None, dict(given))]


def session_of(one: Network) -> Any:
    """A network made by hand as a graph in onnxruntime: its columns are v0, and it gives its last vector."""
    nodes, constants = [], []
    for number, layer in enumerate(one.layers, start=1):
        if isinstance(layer, Affine):
            bias = np.frombuffer(layer.bias).astype(np.float32)
            weights = np.frombuffer(layer.weights).astype(np.float32).reshape(len(bias), -1)
            for name, values in ((f"w{number}", weights), (f"b{number}", bias)):
                constants.append(numpy_helper.from_array(values, name))
            names = [f"v{layer.source}", f"w{number}", f"b{number}"]
            nodes.append(helper.make_node("Gemm", names, [f"v{number}"], transB=1))
        elif isinstance(layer, Softmaxed):
            nodes.append(helper.make_node("Softmax", [f"v{layer.source}"], [f"v{number}"], axis=1))
        else:
            assert isinstance(layer, Activated)
            operator, named = OPERATORS[layer.function]
            nodes.append(helper.make_node(operator, [f"v{layer.source}"], [f"v{number}"], **named))
    kind = TensorProto.FLOAT
    first = helper.make_tensor_value_info("v0", kind, [None, len(one.columns)])
    last = helper.make_tensor_value_info(f"v{len(one.layers)}", kind, [None, None])
    graph = helper.make_graph(nodes, "network", [first], [last], constants)
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(made.SerializeToString(), options, providers=["CPUExecutionProvider"])


def random_inputs(model: LearnedModel, kinds: Mapping[str, int], rng: np.random.Generator) -> dict[str, Array]:
    """One row for each input of a network."""
    found: dict[str, Array] = {}
    for each in model.given:
        kind = KINDS[kinds[each.name]]
        scale = rng.choice([0.01, 1.0, 3.0])
        values = rng.normal(size=each.shape) * scale
        found[each.name] = np.asarray(np.round(values * 5) if kind not in (np.float32, np.float64) else values, kind)
    return found


def row_of(model: LearnedModel, given: Mapping[str, Array]) -> Array:
    """The features of one row, as float64."""
    return np.concatenate([np.ravel(given[each.name]).astype(np.float64) for each in model.given])[None, :]


def compare(
    model: LearnedModel,
    given: Mapping[str, Array],
    found: Sequence[Array],
    results: Sequence[str],
    largest: float = 1e-2,
) -> None:
    """Assert that what a runtime gave lies within what the layers allow for, which is not much."""
    row = row_of(model, given)
    (network,) = model.networks
    columns = np.column_stack([column_values(each, row, np.zeros(row.shape, np.int64)) for each in network.columns])
    vectors = plain_vectors(network, columns, _WIDE)
    errors = error_bounds(network, [each[0] for each in vectors])
    sums = {each.name: each for each in model.sums if isinstance(each, NetworkSum)}
    by_name = dict(zip(results, found, strict=True))
    for tensor in model.results:
        values = np.ravel(by_name[tensor.name])
        assert by_name[tensor.name].shape == tensor.shape
        assert np.isfinite(values).all()
        for place, output in enumerate(model.outputs[tensor.first : tensor.first + tensor.count]):
            (term,) = sums[output.number].terms
            exact, most = vectors[term.vector][0, term.element], errors[term.vector][term.element]
            off = abs(_WIDE(values[place]) - exact)
            assert not off > most + 1e-300, f"{output.name}: {values[place]} and {exact}: off by {off}, allowed {most}"
            assert not most > largest * (1 + abs(exact)), f"{output.name} may be off by {most}"


def error_bounds(network: Network, vectors: Sequence[Array]) -> list[Array]:
    """For each element of each vector how far a runtime's result may be from the one without rounding."""
    errors = [np.zeros(len(vectors[0]), _WIDE)]
    for number, layer in enumerate(network.layers, start=1):
        errors.append(_errors(layer, vectors, errors, vectors[number]))
    return errors


def _gamma(count: Any, precision: int) -> Any:
    return count * _U[precision] / (1 - count * _U[precision])


def _errors(layer: Layer, vectors: Sequence[Array], errors: Sequence[Array], result: Array) -> Array:
    match layer:
        case Affine(source, weights, bias, precision, roundings):
            size = abs(vectors[source]) + errors[source]
            matrix, start = abs(numbers(weights)).reshape(-1, len(size)), abs(numbers(bias))
            terms = np.count_nonzero(matrix, axis=1) + 1 + roundings
            tiny = terms * _TINY[precision] * (1 + size.max())
            return np.asarray(matrix @ errors[source] + _gamma(terms, precision) * (matrix @ size + start) + tiny)
        case Scaled(source, factor, offset, roundings, precision):
            size, by = abs(vectors[source]) + errors[source], abs(numbers(factor))
            slack = _gamma(roundings, precision) * (by * size + abs(numbers(offset)))
            return np.asarray(by * errors[source] + slack + (roundings and _TINY[precision]))
        case Added(sources, _, precision):
            sizes = sum(abs(vectors[each]) + errors[each] for each in sources)
            return np.asarray(sum(errors[each] for each in sources) + _gamma(len(sources) - 1, precision) * sizes)
        case Selected(sources):
            which, element = places(layer.vector), places(layer.element)
            return np.array([errors[sources[one]][place] for one, place in zip(which, element, strict=True)], _WIDE)
        case Rounded(source, precision):
            return np.asarray(
                errors[source] + _U[precision] * (abs(vectors[source]) + errors[source]) + _TINY[precision]
            )
        case Extreme(source, groups, size):
            return np.asarray(errors[source][places(groups).reshape(-1, size)].max(axis=1))
        case Softmaxed(source, size, precision):
            most = errors[source].reshape(-1, size).max(axis=1, keepdims=True)
            grown = np.expm1(2 * most) + _gamma(size + 8, precision) * (1 + abs(vectors[source]).max())
            return np.asarray((result.reshape(-1, size) * grown + _FUNCTION[precision] / 4).ravel())
        case Activated():
            return _function_errors(layer, vectors[layer.source], errors[layer.source], result)


def _function_errors(layer: Activated, given: Array, error: Array, result: Array) -> Array:
    slack, size = _FUNCTION[layer.precision], abs(given) + error
    match layer.function:
        case "relu" | "clip":
            return error
        case "leaky_relu":
            return np.asarray(max(1.0, abs(layer.alpha)) * error + _gamma(1, layer.precision) * abs(layer.alpha) * size)
        case "hard_sigmoid":
            rounded = _gamma(2, layer.precision) * (abs(layer.alpha) * size + abs(layer.beta))
            return np.asarray(abs(layer.alpha) * error + rounded)
        case "sigmoid":
            return np.asarray(error / 4 + slack)
        case "tanh":
            return np.asarray(error + slack)
        case "exp":
            return np.asarray(result * (np.expm1(error) + slack) + _TINY[layer.precision])
