"""Operators over constants alone, as exporters write them to compute a shape, and the shape of a value itself.

Of floats only what every machine rounds in the same way is computed here: + - * /, square roots and casts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from soid.engine.learned.model import ModelRefused
from soid.engine.learned.readers.onnx.graph_values import (
    DTYPES,
    ConstantValue,
    constant,
    integers,
    refuse_large,
)
from soid.engine.learned.readers.onnx.moved_elements import broadcast
from soid.engine.learned.readers.onnx.node_attributes import NodeAttributes
from soid.engine.learned.readers.onnx.onnx_messages import OnnxNode
from soid.engine.learned.readers.onnx.onnx_tensors import BOOL, DOUBLE, FLOAT, INT32, INT64, TYPE_NAMES
from soid.engine.learned.readers.onnx.protobuf_wire import broken

Given = Sequence[ConstantValue]


def constant_node(node: OnnxNode) -> ConstantValue:
    """The operator Constant."""
    attributes = NodeAttributes(node, "value value_int value_ints value_float value_floats")
    tensor, name = attributes.tensor("value"), node.outputs[0]
    if tensor is not None:
        return constant(tensor, name)
    for one, several, kind in (("value_int", "value_ints", INT64), ("value_float", "value_floats", FLOAT)):
        if one in node.attributes:
            given: Any = attributes.integer(one, 0) if kind == INT64 else attributes.number(one, 0.0)
            return ConstantValue(kind, np.array(given, DTYPES[kind]), name)
        if several in node.attributes:
            listed: Any = attributes.integers(several) if kind == INT64 else attributes.numbers(several)
            return ConstantValue(kind, np.array(listed, DTYPES[kind]), name)
    raise broken("a Constant has no value")


def shape_of(node: OnnxNode, shape: tuple[int, ...]) -> ConstantValue:
    """The operator Shape."""
    attributes = NodeAttributes(node, "start end")
    chosen = slice(attributes.integer("start", 0), attributes.integer("end", len(shape)))
    return ConstantValue(INT64, np.array(shape, np.int64)[chosen], node.outputs[0])


def _filled(node: OnnxNode, given: Given) -> ConstantValue:
    value = NodeAttributes(node, "value").tensor("value")
    shape = tuple(integers(node, given[0], "a shape"))
    refuse_large(node, shape)
    if value is None:
        return ConstantValue(FLOAT, np.zeros(shape, np.float32), node.outputs[0])
    if len(value.values) != 1:
        raise broken(f"{node.name} has {len(value.values)} values")
    one = constant(value, node.outputs[0])
    return ConstantValue(one.kind, np.full(shape, one.values.ravel()[0]), one.name)


def _arithmetic(node: OnnxNode, given: Given) -> ConstantValue:
    NodeAttributes(node, "")
    one, other = given
    if one.kind != other.kind or one.kind not in (FLOAT, DOUBLE, INT32, INT64):
        raise ModelRefused(f"{node.name} of {TYPE_NAMES[one.kind]} and {TYPE_NAMES[other.kind]} is not modelled.")
    broadcast(node, one.shape, other.shape)
    if node.operator == "Div" and one.kind in (INT32, INT64):
        return ConstantValue(one.kind, _divided(node, one.values, other.values), node.outputs[0])
    found = _OPERATIONS[node.operator](one.values, other.values)
    return ConstantValue(one.kind, np.asarray(found, DTYPES[one.kind]), node.outputs[0])


def _divided(node: OnnxNode, one: NDArray[Any], other: NDArray[Any]) -> NDArray[Any]:
    """Integers, towards zero."""
    if (other == 0).any():
        raise broken(f"{node.name} divides by 0")
    found = np.abs(one) // np.abs(other) * np.sign(one) * np.sign(other)
    return np.asarray(found, one.dtype)


_OPERATIONS: Final[dict[str, Any]] = {"Add": np.add, "Sub": np.subtract, "Mul": np.multiply, "Div": np.divide}


def _negated(node: OnnxNode, given: Given) -> ConstantValue:
    NodeAttributes(node, "")
    if given[0].kind == BOOL:
        raise broken(f"{node.name} of bool")
    return ConstantValue(given[0].kind, np.negative(given[0].values), node.outputs[0])


def _root(node: OnnxNode, given: Given) -> ConstantValue:
    NodeAttributes(node, "")
    if given[0].kind not in (FLOAT, DOUBLE):
        raise broken(f"{node.name} of {TYPE_NAMES[given[0].kind]}")
    return ConstantValue(given[0].kind, np.sqrt(given[0].values), node.outputs[0])


def _cast(node: OnnxNode, given: Given) -> ConstantValue:
    target = NodeAttributes(node, "to saturate round_mode").integer("to", 0)
    one = given[0]
    if target not in (FLOAT, DOUBLE, INT32, INT64, BOOL):
        raise ModelRefused(f"{node.name} to {TYPE_NAMES.get(target, target)} is not modelled.")
    if one.kind in (FLOAT, DOUBLE) and target in (INT32, INT64) and not (np.abs(one.values) < 2.0**31).all():
        raise ModelRefused(f"{node.name} of a float to an integer that may not hold it is not modelled.")
    return ConstantValue(target, one.values.astype(DTYPES[target]), one.name)


def _equal(node: OnnxNode, given: Given) -> ConstantValue:
    NodeAttributes(node, "")
    broadcast(node, given[0].shape, given[1].shape)
    return ConstantValue(BOOL, np.asarray(given[0].values == given[1].values), node.outputs[0])


def _where(node: OnnxNode, given: Given) -> ConstantValue:
    NodeAttributes(node, "")
    condition, one, other = given
    if condition.kind != BOOL or one.kind != other.kind:
        raise broken(f"{node.name} of {TYPE_NAMES[condition.kind]}")
    broadcast(node, *(each.shape for each in given))
    return ConstantValue(one.kind, np.where(condition.values, one.values, other.values), node.outputs[0])


#: by operator: how many inputs, and what computes it
_FOLDED: Final[dict[str, tuple[int, Callable[[OnnxNode, Given], ConstantValue]]]] = {
    "Add": (2, _arithmetic),
    "Sub": (2, _arithmetic),
    "Mul": (2, _arithmetic),
    "Div": (2, _arithmetic),
    "Neg": (1, _negated),
    "Sqrt": (1, _root),
    "Cast": (1, _cast),
    "Equal": (2, _equal),
    "Where": (3, _where),
    "ConstantOfShape": (1, _filled),
}


def folded(node: OnnxNode, given: Given) -> ConstantValue | None:
    """The result of an operator over constants; None if it is not folded."""
    if node.operator not in _FOLDED:
        return None
    count, compute = _FOLDED[node.operator]
    if len(given) != count:
        raise broken(f"{node.name} has {len(given)} inputs")
    return compute(node, given)
