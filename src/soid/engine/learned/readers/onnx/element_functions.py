"""Operators that are functions of each element, of several at the same place, or of a group: Relu, Max, Softmax."""

from __future__ import annotations

import math
import sys
from typing import Final

import numpy as np

from soid.engine.learned.model import ModelRefused
from soid.engine.learned.network import Activated, ActivationFunction, Softmaxed
from soid.engine.learned.readers.onnx.graph_values import (
    LARGEST_VALUE,
    ComputedValue,
    ConstantValue,
    GraphElement,
    Number,
    Places,
    axis_of,
    floats,
    precision_of,
    refuse_large,
)
from soid.engine.learned.readers.onnx.layer_builder import LayerBuilder
from soid.engine.learned.readers.onnx.moved_elements import broadcast
from soid.engine.learned.readers.onnx.node_attributes import NodeAttributes
from soid.engine.learned.readers.onnx.onnx_messages import OnnxNode
from soid.engine.learned.readers.onnx.onnx_tensors import TYPE_NAMES
from soid.engine.learned.readers.onnx.protobuf_wire import broken
from soid.engine.learned.readers.onnx.window_layers import extreme

GREATEST: Final = sys.float_info.max  # a bound that no number is beyond
_PLAIN: Final[dict[str, ActivationFunction]] = {"Relu": "relu", "Sigmoid": "sigmoid", "Tanh": "tanh", "Exp": "exp"}
#: attributes and their defaults, which are float32 numbers
_PARAMETERS: Final[dict[str, tuple[tuple[str, float], ...]]] = {
    "LeakyRelu": (("alpha", 0.01),),
    "HardSigmoid": (("alpha", 0.2), ("beta", 0.5)),
}
_NAMES: Final[dict[str, ActivationFunction]] = {"LeakyRelu": "leaky_relu", "HardSigmoid": "hard_sigmoid"}

FUNCTIONS: Final = (*_PLAIN, *_NAMES)


def function(node: OnnxNode, layers: LayerBuilder, one: ComputedValue) -> Places:
    """A function of each element."""
    precision = precision_of(node, one.kind)
    parameters = _PARAMETERS.get(node.operator, ())
    attributes = NodeAttributes(node, " ".join(name for name, _ in parameters))
    values = [attributes.number(name, float(np.float32(default))) for name, default in parameters]
    if not all(map(math.isfinite, values)):
        raise ModelRefused(f"{node.name} with an attribute that is infinite or NaN is not modelled.")
    alpha, beta = (*values, 0.0, 0.0)[:2]
    name = _PLAIN.get(node.operator) or _NAMES[node.operator]
    return layers.add(Activated(layers.vector(one.places), name, alpha, beta, precision), one.shape)


def clipped(node: OnnxNode, layers: LayerBuilder, one: ComputedValue, bounds: list[GraphElement | None]) -> Places:
    """Clip; a bound that is left out, or infinite, is none."""
    NodeAttributes(node, "")
    low, high = (*bounds, None, None)[:2]
    least, most = _bound(node, low, one.kind, -GREATEST), _bound(node, high, one.kind, GREATEST)
    if least > most:
        raise ModelRefused(f"{node.name} whose bounds are {least:g} and {most:g} is not modelled.")
    return _between(node, layers, one, least, most)


def _between(node: OnnxNode, layers: LayerBuilder, one: ComputedValue, least: float, most: float) -> Places:
    precision = precision_of(node, one.kind)
    is_relu = least == 0.0 and most == GREATEST
    layer = (
        Activated(layers.vector(one.places), "relu", 0.0, 0.0, precision)
        if is_relu
        else Activated(layers.vector(one.places), "clip", least, most, precision)
    )
    return layers.add(layer, one.shape)


def _bound(node: OnnxNode, given: GraphElement | None, kind: int, otherwise: float) -> float:
    if given is None:
        return otherwise
    if not isinstance(given, ConstantValue):
        raise ModelRefused(f"{node.name} with a bound that depends on the inputs is not modelled.")
    if given.kind != kind or given.values.size != 1:
        raise broken(f"{node.name} has the bound {given.name}, which is no single {TYPE_NAMES[kind]}")
    value = float(given.values.ravel()[0])
    if math.isnan(value) or value == -math.copysign(math.inf, otherwise):
        raise ModelRefused(f"{node.name} with the bound {value} is not modelled.")
    return otherwise if math.isinf(value) else value


def extremes(node: OnnxNode, layers: LayerBuilder, given: list[Number]) -> Places:
    """Max and Min of values at the same place."""
    NodeAttributes(node, "")
    kind = next(each.kind for each in given if isinstance(each, ComputedValue))
    if any(each.kind != kind for each in given):
        raise broken(f"{node.name} of different types")
    shape = broadcast(node, *(each.shape for each in given))
    refuse_large(node, (len(given), *shape), LARGEST_VALUE)
    computed = [np.broadcast_to(each.places, shape) for each in given if isinstance(each, ComputedValue)]
    constants = [floats(node, each, kind) for each in given if isinstance(each, ConstantValue)]
    is_least = node.operator == "Min"
    if len(computed) == 1 and len(constants) == 1 and len(set(constants[0].ravel().tolist())) == 1:
        bound = float(constants[0].ravel()[0])
        ends = (-GREATEST, bound) if is_least else (bound, GREATEST)
        return _between(node, layers, ComputedValue(kind, computed[0]), *ends)
    precision = precision_of(node, kind)
    computed += [layers.constants(np.broadcast_to(each, shape), precision) for each in constants]
    count = int(np.prod(shape, dtype=np.int64))
    flat = np.concatenate([each.ravel() for each in computed])
    groups = [[each + count * number for number in range(len(computed))] for each in range(count)]
    return extreme(node, layers, flat, groups, shape, least=is_least)


def softmax(node: OnnxNode, layers: LayerBuilder, one: ComputedValue) -> Places:
    """Softmax along an axis, which becomes the last one for the layer."""
    axis = axis_of(node, NodeAttributes(node, "axis").integer("axis", -1), len(one.shape))
    precision = precision_of(node, one.kind)
    turned = np.moveaxis(one.places, axis, -1)
    layer = Softmaxed(layers.vector(turned), turned.shape[-1], precision)
    return np.moveaxis(layers.add(layer, turned.shape), -1, axis)
