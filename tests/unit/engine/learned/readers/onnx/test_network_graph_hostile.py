"""Files of networks that are damaged or mean harm: the reader says so, quickly, and has no other error."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, Final

import msgspec
import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from soid.engine.learned.model import LearnedModel
from soid.engine.learned.network_evaluation import plain_vectors
from soid.engine.learned.readers.onnx import files_beside, read, recognises
from soid.errors import ProgramError
from tests.mutated_models import mutations
from tests.network_files import DOUBLE, FLOAT, INT64, network_file
from tests.random_networks import RandomGraph

node = helper.make_node
_RNG: Final = np.random.default_rng(11)


def _numbers(*shape: int) -> Any:
    return _RNG.normal(size=shape).astype(np.float32)


def perceptron() -> bytes:
    nodes = [
        node("Cast", ["x"], ["a"], to=FLOAT), node("Gemm", ["a", "w", "b"], ["h"], transB=1, alpha=0.5),
        node("LeakyRelu", ["h"], ["r"], alpha=0.1), node("MatMul", ["r", "v"], ["o"]), node("Add", ["o", "c"], ["y"]),
        node("Softmax", ["y"], ["p"]), node("ArgMax", ["p"], ["l"], axis=1),
    ]  # fmt: skip
    constants = {"w": _numbers(4, 3), "b": _numbers(4), "v": _numbers(4, 3), "c": _numbers(3)}
    return network_file(nodes, {"x": (DOUBLE, ["N", 3])}, ["y", "l"], constants)


def convolution() -> bytes:
    nodes = [
        node("Conv", ["x", "w", "b"], ["a"], pads=[1, 0, 1, 1], strides=[2, 1], dilations=[1, 2], group=2),
        node("BatchNormalization", ["a", "s", "t", "m", "u"], ["n"]), node("Relu", ["n"], ["r"]),
        node("MaxPool", ["r"], ["q"], kernel_shape=[2, 2], pads=[0, 1, 1, 0]),
        node("AveragePool", ["q"], ["k"], kernel_shape=[2, 1]), node("Flatten", ["k"], ["f"]),
        node("Shape", ["f"], ["z"]), node("Slice", ["f", "one", "end", "axis", "two"], ["i"]),
        node("Concat", ["i", "f"], ["y"], axis=1),
    ]  # fmt: skip
    constants = {
        "w": _numbers(4, 1, 2, 2), "b": _numbers(4), "s": _numbers(4), "t": _numbers(4), "m": _numbers(4),
        "u": abs(_numbers(4)), "one": np.array([1]), "end": np.array([-1]), "axis": np.array([1]),
        "two": np.array([2]),
    }  # fmt: skip
    return network_file(nodes, {"x": (FLOAT, [1, 2, 5, 6])}, ["y"], constants)


def exported() -> bytes:
    graph = RandomGraph(17)
    graph.grow(14)
    return graph.content


FILES: Final = (perceptron(), convolution(), exported())


def survives(content: bytes) -> bool:
    """Whether it is read all the same; then it can be evaluated."""
    recognises(content[:4096])
    try:
        files_beside(content)
        model = read(content)
    except ProgramError:
        return False
    _is_sound(model)
    return True


def _is_sound(model: LearnedModel) -> None:
    """Every vector is there, and it is the same after it was kept."""
    (network,) = model.networks
    vectors = plain_vectors(network, np.array([[0.0] * len(network.columns), [-7.5] * len(network.columns)]))
    names = {each.name for each in model.sums}
    for one in model.sums:
        assert all(0 <= term.element < vectors[term.vector].shape[1] for term in one.terms)  # type: ignore[union-attr]
    assert all(each.number in names for each in model.outputs)
    assert msgspec.json.decode(msgspec.json.encode(model), type=LearnedModel) == model


def field_mutations(content: bytes, count: int, seed: int) -> Iterator[bytes]:
    """Files that are well-formed, but for one number: of an attribute, a constant or a shape."""
    rng = np.random.default_rng(seed)
    wholes = (-1, 0, 1, 2, 7, 1000, 2**31, 2**40, 2**62, -(2**63))
    floats = (math.nan, math.inf, -math.inf, 3e38, -1.0, 0.0, 1e-45)
    for _ in range(count):
        model = onnx.load_from_string(content)
        graph = model.graph
        match rng.integers(5):
            case 0:
                chosen = graph.node[rng.integers(len(graph.node))]
                for attribute in chosen.attribute[:3]:
                    if attribute.ints:
                        attribute.ints[rng.integers(len(attribute.ints))] = wholes[rng.integers(len(wholes))]
                    elif attribute.type == onnx.AttributeProto.INT:
                        attribute.i = wholes[rng.integers(len(wholes))]
                    elif attribute.type == onnx.AttributeProto.FLOAT:
                        attribute.f = floats[rng.integers(len(floats))]
            case 1:
                tensor = graph.initializer[rng.integers(len(graph.initializer))]
                if tensor.dims:
                    tensor.dims[rng.integers(len(tensor.dims))] = wholes[rng.integers(len(wholes))]
            case 2:
                tensor = graph.initializer[rng.integers(len(graph.initializer))]
                values = onnx.numpy_helper.to_array(tensor).copy().ravel()
                others = wholes if values.dtype.kind == "i" else floats
                values[rng.integers(len(values))] = others[rng.integers(len(others))]
                tensor.raw_data = values.tobytes()
            case 3:
                dims = graph.input[0].type.tensor_type.shape.dim
                dims[rng.integers(len(dims))].dim_value = wholes[rng.integers(len(wholes))]
            case _:
                chosen = graph.node[rng.integers(len(graph.node))]
                names = [*chosen.input, *graph.node[rng.integers(len(graph.node))].output, "", "x"]
                if chosen.input:
                    chosen.input[rng.integers(len(chosen.input))] = names[rng.integers(len(names))]
                else:
                    chosen.op_type = "Loop"
        yield model.SerializeToString()


def test_damaged_files_are_refused_or_read() -> None:
    read_all_the_same = 0
    for number, content in enumerate(FILES):
        assert survives(content)
        read_all_the_same += sum(survives(each) for each in mutations(content, 150, number))
        read_all_the_same += sum(survives(each) for each in field_mutations(content, 100, number))
    assert 0 < read_all_the_same < 600


@pytest.mark.fuzz
@pytest.mark.timeout(3600)
def test_ten_thousand_damaged_files_are_refused_or_read() -> None:
    for number, content in enumerate(FILES):
        for each in mutations(content, 2000, 100 + number):
            survives(each)
        for each in field_mutations(content, 1500, 200 + number):
            survives(each)


def one(operator: str, shape: list[Any], *constants: Any, version: int = 17, **more: Any) -> bytes:
    """One operator."""
    names = {f"c{number}": np.asarray(value) for number, value in enumerate(constants)}
    return network_file([node(operator, ["x", *names], ["y"], **more)], {"x": (FLOAT, shape)}, ["y"], names, version)


def changed(content: bytes, change: Any) -> bytes:
    model = onnx.load_from_string(content)
    change(model)
    found: bytes = model.SerializeToString()
    return found


def _claims(model: Any) -> None:
    model.graph.initializer[0].dims[:] = [10**5, 10**5]


def _in_a_circle(model: Any) -> None:
    model.graph.node[0].input[0] = "y"


def _as_function(model: Any) -> None:
    model.functions.add(name="Relu", domain="")


def _without_shape(model: Any) -> None:
    model.graph.input[0].type.tensor_type.ClearField("shape")


def _of_the_future(model: Any) -> None:
    model.opset_import[0].version = 99


def _of_another_domain(model: Any) -> None:
    model.graph.node[0].domain = "com.microsoft"


def _with_a_constant_twice(model: Any) -> None:
    model.graph.initializer.append(model.graph.initializer[0])


def _of_two_versions(model: Any) -> None:
    model.opset_import.append(helper.make_opsetid("ai.onnx", 13))


WITH_NAN: Final = np.array([[math.nan], [1.0]], np.float32)

REFUSED: Final[dict[str, tuple[bytes, str]]] = {
    "ten billion elements": (changed(one("Gemm", ["N", 2], _numbers(2, 3)), _claims), "tensor of shape"),
    "ten billion weights": (one("Conv", [1, 1, 300, 300], _numbers(4, 1, 3, 3)), "matrix of 355,216 x 90,000"),
    "ten billion zeros": (
        network_file(
            [node("ConstantOfShape", ["c"], ["z"]), node("Add", ["x", "z"], ["y"])], {"x": (FLOAT, [1])}, ["y"],
            {"c": np.array([10**5, 10**5])},
        ),
        "ConstantOfShape gives 10,000,000,000 numbers",
    ),
    "an input of a billion": (one("Relu", ["N", 10**9]), "1,000,000,000 elements"),
    "a value that is spread": (one("Expand", [1, 1], np.array([10**5, 10**5])), "Expand gives 10,000,000,000"),
    "a constant twice": (changed(one("Add", [2], _numbers(2)), _with_a_constant_twice), "two constants are called c0"),
    "two versions": (changed(one("Relu", [2]), _of_two_versions), "two versions of the operators of ONNX"),
    "a circle": (changed(one("Relu", ["N", 2]), _in_a_circle), "y, which is not made before"),
    "shapes that do not fit": (one("MatMul", ["N", 2], _numbers(3, 2)), "MatMul of the shapes"),
    "NaN as weight": (one("MatMul", ["N", 2], WITH_NAN), "c0 of MatMul has a number that is infinite or NaN"),
    "an infinite bias": (one("Add", ["N", 2], np.float32(math.inf)), "c0 of Add has a number that is infinite"),
    "a size that is open": (one("Relu", ["N", "words"]), "open: words"),
    "no shape": (changed(one("Relu", [2]), _without_shape), "which shape"),
    "old operators": (one("Relu", ["N", 2], version=12), "opset 12"),
    "operators of the future": (changed(one("Relu", [2]), _of_the_future), "opset 99"),
    "another domain": (changed(one("Relu", [2]), _of_another_domain), "com.microsoft.Relu is not modelled."),
    "quantised": (
        one("QuantizeLinear", ["N", 2], np.float32(0.1), np.array(3, np.uint8)), "QuantizeLinear is not modelled",
    ),
    "quantised weights": (one("MatMulInteger", ["N", 2], np.array([[1]], np.uint8)), "MatMulInteger is not modelled"),
    "recurrent": (one("LSTM", [1, 1, 2], _numbers(1, 4, 2), _numbers(1, 4, 1), hidden_size=1), "LSTM is not modelled"),
    "half precision": (
        network_file([node("Relu", ["x"], ["y"])], {"x": (TensorProto.FLOAT16, ["N", 2])}, ["y"]), "type float16",
    ),
    "a text": (network_file([node("Identity", ["x"], ["y"])], {"x": (TensorProto.STRING, [1])}, ["y"]), "type string"),
    "product of two that are computed": (
        network_file([node("Mul", ["x", "x"], ["y"])], {"x": (FLOAT, ["N", 2])}, ["y"]), "Mul by what depends",
    ),
    "division by what is computed": (
        network_file([node("Div", ["c", "x"], ["y"])], {"x": (FLOAT, [2])}, ["y"], {"c": np.float32(1)}), "Div by what",
    ),
    "division by zero": (one("Div", ["N", 2], np.float32(0)), "Div by zero"),
    "matrices that are computed": (
        network_file([node("MatMul", ["x", "x"], ["y"])], {"x": (FLOAT, [2, 2])}, ["y"]), "both depend on the inputs",
    ),
    "the last of equal ones": (one("ArgMax", ["N", 2], axis=1, select_last_index=1), "select_last_index"),
    "one class": (one("ArgMax", ["N", 2], axis=0), "ArgMax of a single number"),
    "a class that is computed with": (
        network_file(
            [node("ArgMax", ["x"], ["a"], axis=1), node("Cast", ["a"], ["y"], to=FLOAT)], {"x": (FLOAT, [1, 2])}, ["y"],
        ),
        "Cast of a class to float",
    ),
    "training": (
        one("Dropout", ["N", 2], np.float32(0.5), np.array(True)), "Dropout while training",
    ),
    "an average that rounds up": (
        one("AveragePool", [1, 1, 5], kernel_shape=[2], strides=[2], ceil_mode=1), "ceil_mode",
    ),
    "a window that begins in pads": (
        one("MaxPool", [1, 1, 3], kernel_shape=[2], strides=[3], pads=[0, 1], ceil_mode=1), "ceil_mode",
    ),
    "an average of pads": (
        one("AveragePool", [1, 1, 5], kernel_shape=[2], pads=[1, 0], count_include_pad=1, version=19),
        "count_include_pad",
    ),
    "three axes": (one("Conv", [1, 1, 2, 2, 2], _numbers(1, 1, 1, 1, 1)), "one or two axes"),
    "several pictures": (one("Conv", [2, 1, 4], _numbers(1, 1, 2)), "one picture"),
    "an attribute": (one("Relu", ["N", 2], slope=2.0), "attribute slope of Relu"),
    "a function of its own": (changed(one("Relu", ["N", 2]), _as_function), "Functions"),
    "nothing that depends on inputs": (
        network_file([node("Shape", ["x"], ["y"])], {"x": (FLOAT, ["N", 2])}, ["y"]), "output y of the graph",
    ),
    "an integer as result": (
        network_file([node("Identity", ["x"], ["y"])], {"x": (INT64, ["N", 2])}, ["y"]), "output y of the graph",
    ),
    "integers added": (
        network_file([node("Add", ["x", "x"], ["y"])], {"x": (INT64, ["N", 2])}, ["y"]), "Add of int64 is not modelled",
    ),
    "too many results": (one("Expand", [1, 1], np.array([150, 100])), "15,000 numbers"),
    "bounds the wrong way": (one("Clip", ["N", 2], np.float32(1), np.float32(0)), "Clip whose bounds"),
    "a shape from the inputs": (
        network_file(
            [node("Cast", ["x"], ["s"], to=INT64), node("Reshape", ["z", "s"], ["y"])],
            {"x": (TensorProto.INT32, [2]), "z": (FLOAT, [4])}, ["y"],
        ),
        "depends on the inputs",
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_not_modelled_is_refused_by_name(what: str) -> None:
    content, told = REFUSED[what]
    with pytest.raises(ProgramError, match=told):
        read(content)
