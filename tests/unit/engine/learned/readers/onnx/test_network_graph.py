"""Graphs of plain operators: each is read as layers whose results lie within what onnxruntime gives."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pytest
from onnx import TensorProto, helper

from soid.engine.learned.evaluation import ModelEvaluation
from soid.engine.learned.model import Greatest
from soid.engine.learned.readers.onnx import read
from tests.network_files import DOUBLE, FLOAT, KINDS, compare, network_file, random_inputs, run

RNG: Final = np.random.default_rng(7)
node = helper.make_node


def f32(*shape: int) -> Any:
    return RNG.normal(size=shape).astype(np.float32)


def i64(*values: int) -> Any:
    return np.array(values, np.int64)


Case = tuple[list[Any], dict[str, Any], dict[str, Any]]


def one(operator: str, shape: list[Any], constants: dict[str, Any] | None = None, **more: Any) -> Case:
    """One operator over an input x; the constants are its further inputs, in order."""
    constants = constants or {}
    return [node(operator, ["x", *constants], ["y"], **more)], {"x": (FLOAT, shape)}, constants


def second(operator: str, shape: list[Any], constant: Any, **more: Any) -> Case:
    """One operator with the input in the second place."""
    return [node(operator, ["c", "x"], ["y"], **more)], {"x": (FLOAT, shape)}, {"c": constant}


CASES: Final[dict[str, Case]] = {
    "gemm": one("Gemm", ["N", 3], {"w": f32(3, 4), "b": f32(4)}),
    "gemm transposed": one("Gemm", ["N", 3], {"w": f32(4, 3), "b": f32(1, 4)}, transB=1, alpha=0.3, beta=1.7),
    "gemm of columns": one("Gemm", [3, 2], {"w": f32(3, 4), "b": f32(2, 1)}, transA=1),
    "gemm of columns, both": one("Gemm", [3, 2], {"w": f32(4, 3)}, transA=1, transB=1, alpha=-2.0),
    "gemm of a constant": second("Gemm", [3, 2], f32(4, 3)),
    "gemm without beta": one("Gemm", ["N", 3], {"w": f32(3, 4), "b": f32(4)}, beta=0.0),
    "matmul": one("MatMul", ["N", 3], {"w": f32(3, 4)}),
    "matmul of a vector": one("MatMul", [3], {"w": f32(3, 4)}),
    "matmul by a vector": one("MatMul", ["N", 3], {"w": f32(3)}),
    "matmul of many": one("MatMul", [2, 4, 3], {"w": f32(3, 5)}),
    "matmul of many by many": one("MatMul", [2, 1, 4, 3], {"w": f32(5, 3, 2)}),
    "matmul on the left": second("MatMul", [2, 3, 2], f32(4, 3)),
    "matmul on the left, a vector": second("MatMul", [3, 2], f32(3)),
    "matmul on the left of a vector": second("MatMul", [3], f32(4, 3)),
    "add": one("Add", ["N", 3], {"c": f32(3)}),
    "add that spreads": one("Add", [1, 3], {"c": f32(4, 1)}),
    "sub": one("Sub", ["N", 3], {"c": f32(1, 3)}),
    "sub from": second("Sub", ["N", 3], f32(3)),
    "mul": one("Mul", ["N", 3], {"c": f32(1)}),
    "mul on the left": second("Mul", ["N", 3], f32(2, 3)),
    "div": one("Div", ["N", 3], {"c": f32(3)}),
    "neg": one("Neg", ["N", 3]),
    "relu": one("Relu", ["N", 3]),
    "leaky": one("LeakyRelu", ["N", 3]),
    "leaky, more": one("LeakyRelu", ["N", 3], alpha=0.25),
    "clip": one("Clip", ["N", 6], {"low": np.float32(-0.2), "high": np.float32(0.4)}),
    "clip below": one("Clip", ["N", 6], {"low": np.float32(0.1)}),
    "clip at zero": one("Clip", ["N", 6], {"low": np.float32(0.0)}),
    "clip by infinity": one("Clip", ["N", 6], {"low": np.float32(-0.5), "high": np.float32(np.inf)}),
    "hard sigmoid": one("HardSigmoid", ["N", 6]),
    "hard sigmoid, more": one("HardSigmoid", ["N", 6], alpha=0.7, beta=0.1),
    "sigmoid": one("Sigmoid", ["N", 6]),
    "tanh": one("Tanh", ["N", 6]),
    "exp": one("Exp", ["N", 6]),
    "softmax": one("Softmax", ["N", 6]),
    "softmax on another axis": one("Softmax", [2, 3, 4], axis=1),
    "softmax on the first axis": one("Softmax", [2, 3], axis=-2),
    "max with a number": one("Max", ["N", 4], {"c": np.float32(0.3)}),
    "max with numbers": one("Max", ["N", 4], {"c": f32(4)}),
    "min with a number": one("Min", ["N", 4], {"c": f32(1, 1)}),
    "min with numbers": second("Min", ["N", 4], f32(3, 1)),
    "max of one": one("Max", ["N", 4]),
    "concat with a constant": one("Concat", [1, 4], {"c": f32(1, 2)}, axis=1),
    "slice": one("Slice", [1, 6], {"s": i64(1), "e": i64(5), "a": i64(1), "t": i64(2)}),
    "slice from the end": one("Slice", [1, 6], {"s": i64(-1), "e": i64(-10), "a": i64(-1), "t": i64(-2)}),
    "slice beyond": one("Slice", [3, 4], {"s": i64(0, -100), "e": i64(2**62, 3), "a": i64(0, 1)}),
    "slice back from before": one("Slice", [1, 6], {"s": i64(-100), "e": i64(-(2**62)), "a": i64(1), "t": i64(-1)}),
    "slice without axes": one("Slice", [3, 4], {"s": i64(1, 2), "e": i64(3, 4)}),
    "gather": one("Gather", [3, 4], {"i": i64(-1, 0, 2)}, axis=-1),
    "gather of one": one("Gather", [3, 4], {"i": np.array(1, np.int64)}, axis=0),
    "reshape": one("Reshape", [2, 6], {"s": i64(0, 3, -1)}),
    "flatten": one("Flatten", [2, 3, 4], axis=-1),
    "flatten from the first": one("Flatten", [2, 3, 4], axis=0),
    "transpose": one("Transpose", [2, 3, 4], perm=[2, 0, 1]),
    "transpose, reversed": one("Transpose", [2, 3, 4]),
    "squeeze": one("Squeeze", [1, 3, 1], {"a": i64(-1)}),
    "squeeze all": one("Squeeze", [1, 3, 1]),
    "unsqueeze": one("Unsqueeze", [3], {"a": i64(-1, 0)}),
    "expand": one("Expand", [3, 1], {"s": i64(2, 1, 4)}),
    "identity": one("Identity", [3]),
    "normalised": one("BatchNormalization", ["N", 3], {"s": f32(3), "b": f32(3), "m": f32(3), "v": abs(f32(3))}),
    "normalised pictures": one(
        "BatchNormalization", [1, 2, 3, 2], {"s": f32(2), "b": f32(2), "m": f32(2), "v": abs(f32(2))}, epsilon=0.01
    ),
    "average": one("AveragePool", ["N", 2, 5, 4], kernel_shape=[2, 3], strides=[2, 1]),
    "average with pads": one("AveragePool", [1, 2, 5, 4], kernel_shape=[3, 2], pads=[1, 0, 2, 1]),
    "average with pads that count": one(
        "AveragePool", [1, 2, 5, 4], kernel_shape=[3, 2], pads=[1, 0, 2, 1], count_include_pad=1
    ),
    "average, same": one("AveragePool", [1, 1, 6], kernel_shape=[4], strides=[2], auto_pad="SAME_LOWER"),
    "average of all": one("GlobalAveragePool", [1, 3, 2, 5]),
    "greatest of all": one("GlobalMaxPool", [1, 3, 2, 5]),
    "greatest": one("MaxPool", [1, 2, 5, 4], kernel_shape=[2, 3], strides=[2, 1]),
    "greatest with pads": one("MaxPool", [1, 2, 5, 4], kernel_shape=[3, 2], pads=[1, 0, 2, 1], dilations=[2, 1]),
    "greatest, rounded up": one("MaxPool", [1, 2, 6, 5], kernel_shape=[3, 2], strides=[2, 3], ceil_mode=1),
    "greatest with pads, rounded up": one(
        "MaxPool", [1, 1, 8, 7], kernel_shape=[3, 3], strides=[2, 3], pads=[1, 1, 0, 0], ceil_mode=1
    ),
    "greatest, where nothing is rounded": one("MaxPool", [1, 1, 7], kernel_shape=[3], strides=[2], ceil_mode=1),
    "average, where nothing is rounded": one("AveragePool", [1, 1, 6], kernel_shape=[2], strides=[2], ceil_mode=1),
    "greatest, same": one("MaxPool", [1, 2, 7], kernel_shape=[3], strides=[3], auto_pad="SAME_UPPER"),
    "conv": one("Conv", ["N", 2, 5, 4], {"w": f32(3, 2, 3, 2), "b": f32(3)}),
    "conv with pads": one("Conv", [1, 2, 5, 4], {"w": f32(3, 2, 3, 2)}, pads=[0, 1, 2, 0], strides=[2, 1]),
    "conv in groups": one("Conv", [1, 4, 5, 4], {"w": f32(6, 2, 2, 2), "b": f32(6)}, group=2, dilations=[2, 1]),
    "conv of each channel": one("Conv", [1, 3, 4, 4], {"w": f32(3, 1, 3, 3)}, group=3, auto_pad="SAME_UPPER"),
    "conv over time": one("Conv", [1, 3, 9], {"w": f32(2, 3, 4), "b": f32(2)}, strides=[2], auto_pad="SAME_LOWER"),
    "conv, valid": one("Conv", [1, 1, 9], {"w": f32(2, 1, 4)}, dilations=[2], auto_pad="VALID"),
    "sum over an axis": one("ReduceSum", [2, 3, 4], {"a": i64(-1)}, keepdims=0),
    "mean over axes": one("ReduceMean", [2, 3, 4], axes=[0, -1]),
    "greatest over an axis": one("ReduceMax", [2, 3, 4], axes=[1], keepdims=0),
    "least of all": one("ReduceMin", [2, 3]),
    "dropout": one("Dropout", ["N", 3], {"r": np.float32(0.5)}),
    "dropout that does not train": one("Dropout", ["N", 3], {"r": np.float32(0.5), "t": np.array(False)}),
    "cast up": one("Cast", ["N", 3], to=DOUBLE),
    "sum of one": one("Sum", ["N", 3]),
    "sum of three": (
        [node("Sum", ["x", "c", "x"], ["y"])], {"x": (FLOAT, ["N", 3])}, {"c": f32(4, 1)},
    ),
    "split": (
        [node("Split", ["x"], ["a", "b"], axis=1), node("Sub", ["a", "b"], ["y"])], {"x": (FLOAT, ["N", 6])}, {},
    ),
    "residual": (
        [
            node("Gemm", ["x", "w"], ["a"]), node("Relu", ["a"], ["r"]), node("Gemm", ["r", "w", "b"], ["g"]),
            node("Add", ["g", "x"], ["y"]),
        ],
        {"x": (FLOAT, ["N", 5])}, {"w": f32(5, 5), "b": f32(5)},
    ),
    "gemm onto what is computed": (
        [node("Gemm", ["x", "w", "z"], ["y"], beta=0.7)],
        {"x": (FLOAT, ["N", 5]), "z": (FLOAT, ["N", 4])}, {"w": f32(5, 4)},
    ),
    "conv, then normalised": (
        [node("Conv", ["x", "w", "c"], ["a"]), node("BatchNormalization", ["a", "s", "b", "m", "v"], ["y"])],
        {"x": (FLOAT, [1, 2, 5, 5])},
        {"w": f32(3, 2, 3, 3), "c": f32(3), "s": f32(3), "b": f32(3), "m": f32(3), "v": abs(f32(3))},
    ),
    "conv, times, plus": (
        [node("Conv", ["x", "w"], ["a"]), node("Mul", ["a", "s"], ["t"]), node("Add", ["t", "b"], ["y"])],
        {"x": (FLOAT, [1, 2, 5, 5])}, {"w": f32(3, 2, 3, 3), "s": f32(3, 1, 1), "b": f32(3, 1, 1)},
    ),
    "two inputs": (
        [node("Concat", ["x", "z"], ["a"], axis=-1), node("MatMul", ["a", "w"], ["y"])],
        {"x": (FLOAT, ["N", 2]), "z": (FLOAT, ["N", 3])}, {"w": f32(5, 2)},
    ),
    "an integer": (
        [node("Cast", ["x"], ["a"], to=FLOAT), node("Div", ["a", "c"], ["y"])],
        {"x": (TensorProto.INT64, ["N", 3])}, {"c": f32(1)},
    ),
    "a flag": (
        [node("Cast", ["x"], ["a"], to=FLOAT), node("MatMul", ["a", "c"], ["y"])],
        {"x": (TensorProto.BOOL, ["N", 3])}, {"c": f32(3, 2)},
    ),
    "a double, rounded": (
        [node("Cast", ["x"], ["a"], to=FLOAT), node("Mul", ["a", "c"], ["y"])], {"x": (DOUBLE, [3])}, {"c": f32(1)},
    ),
    "a double, rounded later": (
        [node("Mul", ["x", "c"], ["a"]), node("Cast", ["a"], ["y"], to=FLOAT)],
        {"x": (DOUBLE, [3])}, {"c": f32(3).astype(np.float64)},
    ),
    "a single number": ([node("Mul", ["x", "c"], ["y"])], {"x": (FLOAT, [])}, {"c": f32()}),
    "as torch writes it": (
        [
            node("Shape", ["x"], ["a"]), node("Gather", ["a", "zero"], ["n"], axis=0),
            node("Unsqueeze", ["n", "first"], ["u"]), node("Concat", ["u", "rest"], ["s"], axis=0),
            node("Reshape", ["x", "s"], ["r"]), node("Transpose", ["w"], ["t"], perm=[1, 0]),
            node("MatMul", ["r", "t"], ["y"]),
        ],
        {"x": (FLOAT, ["N", 2, 3])},
        {"zero": np.array(0, np.int64), "first": i64(0), "rest": i64(-1), "w": f32(4, 6)},
    ),
    "constants that are computed": (
        [
            node("ConstantOfShape", ["s"], ["o"]), node("Constant", [], ["k"], value_float=2.5),
            node("Add", ["o", "k"], ["p"]), node("Sqrt", ["p"], ["q"]), node("Neg", ["q"], ["r"]),
            node("Div", ["x", "r"], ["y"]),
        ],
        {"x": (FLOAT, ["N", 3])}, {"s": i64(3)},
    ),
    "a shape with whole divisions": (
        [
            node("Shape", ["x"], ["a"], start=1), node("Div", ["a", "two"], ["h"]), node("Neg", ["two"], ["m"]),
            node("Div", ["h", "m"], ["k"]), node("Concat", ["k", "h"], ["s"], axis=0),
            node("Reshape", ["x", "s"], ["y"]),
        ],
        {"x": (FLOAT, ["N", 4])}, {"two": i64(2)},
    ),
    "expand as torch writes it": (
        [
            node("Equal", ["s", "m"], ["q"]),
            node("ConstantOfShape", ["l"], ["o"], value=helper.make_tensor("v", TensorProto.INT64, [1], [1])),
            node("Where", ["q", "o", "s"], ["t"]), node("Expand", ["x", "t"], ["y"]),
        ],
        {"x": (FLOAT, [1, 3])}, {"s": i64(2, -1), "m": i64(-1), "l": i64(2)},
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", CASES)
def test_an_operator_is_read_as_onnxruntime_runs_it(what: str) -> None:
    nodes, inputs, constants = CASES[what]
    content = network_file(nodes, inputs, ["y"], constants)
    model = read(content)
    kinds = {name: kind for name, (kind, _) in inputs.items()}
    rng = np.random.default_rng(len(what))
    for optimised in (True, False):
        for _ in range(8):
            given = random_inputs(model, kinds, rng)
            compare(model, given, run(content, given, optimised), ["y"])


@pytest.mark.parametrize(
    "what", [name for name, case in CASES.items() if {kind for kind, _ in case[1].values()} == {FLOAT}]
)
def test_an_operator_of_doubles(what: str) -> None:
    """The same, with float64 in the place of float32, where onnxruntime runs that."""
    nodes, inputs, constants = CASES[what]
    if any(each.op_type in ("HardSigmoid", "LeakyRelu", "Cast", "ConstantOfShape", "Constant") for each in nodes):
        pytest.skip("not of doubles")
    doubled = {
        name: value.astype(np.float64) if value.dtype == np.float32 and name != "r" else value
        for name, value in constants.items()
    }
    shapes = {name: (DOUBLE, shape) for name, (_, shape) in inputs.items()}
    content = network_file(nodes, shapes, ["y"], doubled)
    model = read(content)
    given = random_inputs(model, dict.fromkeys(inputs, DOUBLE), np.random.default_rng(3))
    try:
        found = run(content, given)
    except Exception as error:
        if "NOT_IMPLEMENTED" not in str(error):
            raise
        pytest.skip("onnxruntime has no such operator of doubles")
    compare(model, given, found, ["y"])
    assert KINDS[DOUBLE] == found[0].dtype


@pytest.mark.parametrize("operator", ["ArgMax", "ArgMin"])
@pytest.mark.parametrize(
    ("shape", "more"),
    [([1, 5], {"axis": 1}), ([1, 5], {"axis": -1, "keepdims": 0}), ([1, 3, 4], {"axis": 1}), ([4, 2], {})],
)
def test_the_first_of_equal_ones_is_chosen(operator: str, shape: list[int], more: dict[str, Any]) -> None:
    """Each index, with many ties, is what the rule gives; elements are moved before and after."""
    nodes = [
        node("Transpose", ["x"], ["t"], perm=list(range(len(shape)))[::-1]),
        node("Transpose", ["t"], ["u"], perm=list(range(len(shape)))[::-1]),
        node(operator, ["u"], ["i"], **more), node("Flatten", ["i"], ["y"], axis=0),
    ]  # fmt: skip
    content = network_file(nodes, {"x": (FLOAT, shape)}, ["y"])
    model = read(content)
    chosen_by = [each.choice for each in model.choices] if model.choices else [model.label]
    rules = [each.rule for each in chosen_by if each is not None and isinstance(each.rule, Greatest)]
    rng = np.random.default_rng(1)
    for _ in range(30):
        given = rng.integers(-2, 3, size=shape).astype(np.float32)
        found = ModelEvaluation(model).of(given.reshape(1, -1).astype(np.float64)).numbers
        chosen = [
            int(np.argmax([found[name][0] for name in rule.numbers])) for rule in rules if isinstance(rule, Greatest)
        ]
        assert chosen == run(content, {"x": given})[0].ravel().tolist()
