"""Operators whose results depend on the inputs: what each may be given, and the layers that it becomes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np
from msgspec.structs import replace

from soid.engine.learned.model import ModelRefused
from soid.engine.learned.network import Rounded
from soid.engine.learned.readers.onnx import element_functions as elements
from soid.engine.learned.readers.onnx import linear_layers as linear
from soid.engine.learned.readers.onnx import window_layers as windows
from soid.engine.learned.readers.onnx.graph_values import (
    WHOLE,
    ChosenValue,
    ComputedValue,
    ConstantValue,
    GraphElement,
    Number,
    Places,
    axis_of,
    integers,
    precision_of,
)
from soid.engine.learned.readers.onnx.layer_builder import LayerBuilder
from soid.engine.learned.readers.onnx.node_attributes import NodeAttributes
from soid.engine.learned.readers.onnx.onnx_messages import OnnxNode
from soid.engine.learned.readers.onnx.onnx_tensors import (
    BOOL,
    DOUBLE,
    FLOAT,
    INT32,
    INT64,
    STRING,
    TYPE_NAMES,
    OnnxTensor,
)
from soid.engine.learned.readers.onnx.protobuf_wire import broken

Given = Sequence[GraphElement | None]

#: casts that change no number
_WIDENED: Final = {FLOAT: (DOUBLE,), INT32: (INT64, DOUBLE), INT64: (DOUBLE,), BOOL: (INT32, INT64, FLOAT, DOUBLE)}
_MANY: Final = 1000  # inputs of an operator that takes any number of them


def _one(node: OnnxNode, given: Given, most: int) -> ComputedValue:
    """The first input, which is computed; there are at most so many."""
    if not 0 < len(given) <= most:
        raise broken(f"{node.name} has {len(given)} inputs")
    if not isinstance(given[0], ComputedValue):
        raise ModelRefused(f"{node.name} of a constant is not modelled.")
    return given[0]


def _numbers(node: OnnxNode, given: Given, least: int, most: int = 0) -> list[Number]:
    """Inputs that are all there."""
    found = [each for each in given if isinstance(each, ComputedValue | ConstantValue)]
    if len(found) != len(given) or not least <= len(found) <= (most or least):
        raise broken(f"{node.name} has {len(found)} inputs")
    return found


def _kind(given: Sequence[Number]) -> int:
    return next(each.kind for each in given if isinstance(each, ComputedValue))


def _cast(layers: LayerBuilder, node: OnnxNode, given: Given) -> GraphElement:
    target = NodeAttributes(node, "to saturate round_mode").integer("to", 0)
    one = _one(node, given, 1)
    if target == one.kind or target in _WIDENED.get(one.kind, ()):
        return ComputedValue(target, one.places)
    if target != FLOAT or one.kind not in (DOUBLE, *WHOLE):
        told = f"{TYPE_NAMES[one.kind]} to {TYPE_NAMES.get(target, str(target))}"
        raise ModelRefused(f"{node.name} from {told} is not modelled.")
    places = layers.as_float32(one.places)
    if places is None:
        places = layers.add(Rounded(layers.vector(one.places), 32), one.shape)
    return ComputedValue(target, places)


def _dropout(layers: LayerBuilder, node: OnnxNode, given: Given) -> GraphElement:
    NodeAttributes(node, "seed")
    training = given[2] if len(given) > 2 else None
    if training is not None and not (isinstance(training, ConstantValue) and not training.values.any()):
        raise ModelRefused(f"{node.name} while training is not modelled.")
    if any(node.outputs[1:]):
        raise ModelRefused(f"{node.name} that gives its mask is not modelled.")
    return _one(node, given, 3)


def _matmul(layers: LayerBuilder, node: OnnxNode, given: Given) -> GraphElement:
    one, other = _numbers(node, given, 2)
    return ComputedValue(_kind((one, other)), linear.product(node, layers, one, other))


def _gemm(layers: LayerBuilder, node: OnnxNode, given: Given) -> GraphElement:
    one, other, *more = _numbers(node, given, 2, 3)
    places = linear.gemm(node, layers, one, other, more[0] if more else None)
    return ComputedValue(_kind((one, other, *more)), places)


def _sum(layers: LayerBuilder, node: OnnxNode, given: Given) -> GraphElement:
    numbers = _numbers(node, given, 1 if node.operator == "Sum" else 2, _MANY if node.operator == "Sum" else 2)
    return ComputedValue(_kind(numbers), linear.sum_of(node, layers, numbers))


def _factor(layers: LayerBuilder, node: OnnxNode, given: Given) -> GraphElement:
    match _numbers(node, given, 2):
        case [ComputedValue() as one, ConstantValue() as by]:
            return ComputedValue(one.kind, linear.factor(node, layers, one, by))
        case [ConstantValue() as by, ComputedValue() as one] if node.operator == "Mul":
            return ComputedValue(one.kind, linear.factor(node, layers, one, by))
    raise ModelRefused(f"{node.name} by what depends on the inputs is not modelled, only by constants.")


def _negated(layers: LayerBuilder, node: OnnxNode, given: Given) -> GraphElement:
    one = _one(node, given, 1)
    return ComputedValue(one.kind, linear.negated(node, layers, one))


def _normalised(layers: LayerBuilder, node: OnnxNode, given: Given) -> GraphElement:
    one, constants = _one(node, given, 5), [each for each in given[1:] if isinstance(each, ConstantValue)]
    if len(constants) != 4:
        raise ModelRefused(f"{node.name} whose numbers are not constants is not modelled.")
    return ComputedValue(one.kind, linear.normalised(node, layers, one, constants))


def _convolved(layers: LayerBuilder, node: OnnxNode, given: Given) -> GraphElement:
    match _numbers(node, given, 2, 3):
        case [ComputedValue() as one, ConstantValue() as weights]:
            return ComputedValue(one.kind, windows.convolved(node, layers, one, weights, None))
        case [ComputedValue() as one, ConstantValue() as weights, ConstantValue() as bias]:
            return ComputedValue(one.kind, windows.convolved(node, layers, one, weights, bias))
    raise ModelRefused(f"{node.name} whose weights are not constants is not modelled.")


def _pooled(layers: LayerBuilder, node: OnnxNode, given: Given) -> GraphElement:
    one = _one(node, given, 1)
    precision_of(node, one.kind)
    if node.operator.startswith("Global"):
        return ComputedValue(one.kind, windows.pooled_whole(node, layers, one))
    return ComputedValue(one.kind, windows.pooled(node, layers, one, layers.version))


def _reduced(layers: LayerBuilder, node: OnnxNode, given: Given) -> GraphElement:
    one = _one(node, given, 2)
    precision_of(node, one.kind)
    axes = integers(node, given[1], "axes") if len(given) > 1 else None
    return ComputedValue(one.kind, windows.reduced(node, layers, one, axes))


def _function(layers: LayerBuilder, node: OnnxNode, given: Given) -> GraphElement:
    one = _one(node, given, 1)
    return ComputedValue(one.kind, elements.function(node, layers, one))


def _clipped(layers: LayerBuilder, node: OnnxNode, given: Given) -> GraphElement:
    one = _one(node, given, 3)
    return ComputedValue(one.kind, elements.clipped(node, layers, one, list(given[1:])))


def _extremes(layers: LayerBuilder, node: OnnxNode, given: Given) -> GraphElement:
    numbers = _numbers(node, given, 1, _MANY)
    return ComputedValue(_kind(numbers), elements.extremes(node, layers, numbers))


def _softmax(layers: LayerBuilder, node: OnnxNode, given: Given) -> GraphElement:
    one = _one(node, given, 1)
    return ComputedValue(one.kind, elements.softmax(node, layers, one))


def _chosen(layers: LayerBuilder, node: OnnxNode, given: Given) -> GraphElement:
    attributes = NodeAttributes(node, "axis keepdims select_last_index")
    one = _one(node, given, 1)
    precision = precision_of(node, one.kind)
    if attributes.flag("select_last_index"):
        raise ModelRefused(f"{node.name} with select_last_index is not modelled.")
    axis = axis_of(node, attributes.integer("axis", 0), len(one.shape))
    turned = np.moveaxis(one.places, axis, -1)
    shape = one.shape[:axis] + ((1,) if attributes.flag("keepdims", True) else ()) + one.shape[axis + 1 :]
    return ChosenValue(INT64, tuple(turned.reshape(-1, turned.shape[-1])), shape, precision, node.operator == "ArgMin")


def scaled(layers: LayerBuilder, node: OnnxNode, one: ComputedValue) -> ComputedValue:
    """Scaler of ai.onnx.ml: (x - offset) * scale, in float32."""
    attributes = NodeAttributes(node, "offset scale")
    for name, operator in (("offset", "Sub"), ("scale", "Mul")):
        numbers = np.array(attributes.numbers(name), np.float32)
        if one.kind != FLOAT or numbers.size not in (1, one.shape[-1] if one.shape else 0):
            raise ModelRefused(f"{node.name} of {TYPE_NAMES[one.kind]} with {numbers.size} numbers is not modelled.")
        plain, by = replace(node, operator=operator, attributes={}), ConstantValue(FLOAT, numbers, name)
        make = linear.factor if operator == "Mul" else _difference
        one = ComputedValue(FLOAT, make(plain, layers, one, by))
    return one


def _difference(node: OnnxNode, layers: LayerBuilder, one: ComputedValue, by: ConstantValue) -> Places:
    return linear.sum_of(node, layers, [one, by])


def class_labels(node: OnnxNode, given: OnnxTensor | None) -> tuple[str, ...] | None:
    """The labels that stand for indices: distinct whole numbers, or texts."""
    NodeAttributes(node, "")
    if given is None or given.kind not in (INT32, INT64, STRING) or len(given.shape) != 1:
        return None
    try:
        found = tuple(str(each, "utf-8") if isinstance(each, bytes) else str(int(each)) for each in given.values)
    except UnicodeDecodeError:
        return None
    return found if len(set(found)) == len(found) else None


OPERATORS: Final[dict[str, Callable[[LayerBuilder, OnnxNode, Given], GraphElement]]] = {
    "Cast": _cast,
    "Dropout": _dropout,
    "MatMul": _matmul,
    "Gemm": _gemm,
    **dict.fromkeys(("Add", "Sub", "Sum"), _sum),
    **dict.fromkeys(("Mul", "Div"), _factor),
    "Neg": _negated,
    "BatchNormalization": _normalised,
    "Conv": _convolved,
    **dict.fromkeys(("MaxPool", "AveragePool", "GlobalAveragePool", "GlobalMaxPool"), _pooled),
    **dict.fromkeys(("ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin"), _reduced),
    **dict.fromkeys(elements.FUNCTIONS, _function),
    "Clip": _clipped,
    **dict.fromkeys(("Max", "Min"), _extremes),
    "Softmax": _softmax,
    **dict.fromkeys(("ArgMax", "ArgMin"), _chosen),
}
