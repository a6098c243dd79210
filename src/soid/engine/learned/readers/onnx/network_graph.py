"""A graph of plain ONNX operators, walked from its inputs to its outputs: each operator becomes layers of a network.

Every shape is known while it is read: the first size of an input, if the file leaves it open, is that of a batch, and
is taken as 1. What is not known is refused by name.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, final

import numpy as np
from msgspec.structs import replace

from soid.engine.learned.column_steps import Column, ToFloat32
from soid.engine.learned.model import LearnedModel, ModelFeature, ModelRefused, NamedTensor
from soid.engine.learned.readers.onnx.folded_constants import constant_node, folded, shape_of
from soid.engine.learned.readers.onnx.graph_values import (
    LARGEST_VALUE,
    ChosenValue,
    ComputedValue,
    ConstantValue,
    GraphElement,
    Places,
    constant,
    floats,
    precision_of,
    refuse_large,
)
from soid.engine.learned.readers.onnx.layer_builder import LayerBuilder
from soid.engine.learned.readers.onnx.moved_elements import MOVES, joined
from soid.engine.learned.readers.onnx.network_model import NetworkResult, learned_network
from soid.engine.learned.readers.onnx.network_operators import OPERATORS, class_labels, scaled
from soid.engine.learned.readers.onnx.node_attributes import NodeAttributes
from soid.engine.learned.readers.onnx.onnx_graph import ML, needed
from soid.engine.learned.readers.onnx.onnx_messages import OnnxInput, OnnxModel, OnnxNode
from soid.engine.learned.readers.onnx.onnx_tensors import BOOL, DOUBLE, FLOAT, INT32, INT64, STRING, TYPE_NAMES
from soid.engine.learned.readers.onnx.protobuf_wire import broken

_OWN: Final = ("", "ai.onnx")
_OLDEST: Final = 13
_NEWEST: Final = 26  # the operators were compared with onnxruntime up to this version
_MOST_COLUMNS: Final = 100_000
_MOST_NODES: Final = 20_000
_BOUNDS: Final = {INT32: (-(2.0**31), 2.0**31 - 1.0), INT64: (-(2.0**63), 2.0**63 - 1024.0)}
_FIXED: Final = "Export the model with fixed sizes; only that of a batch, which is the first, may be open."

Given = Sequence[GraphElement | None]


@final
class NetworkGraph:
    """Walks one graph."""

    def __init__(self, model: OnnxModel) -> None:
        self._model = model
        self._version = model.versions.get("", 0)
        self._layers = LayerBuilder(self._version)
        self._features: list[ModelFeature] = []
        self._inputs: list[NamedTensor] = []
        self._values: dict[str, GraphElement] = {}

    def learned(self) -> LearnedModel:
        if not _OLDEST <= self._version <= _NEWEST:
            raise ModelRefused(
                f"The graph has operators of ONNX opset {self._version}; {_OLDEST} to {_NEWEST} are modelled.",
                f"Export the model with opset {_OLDEST} or later, such as 17.",
            )
        if len(self._model.nodes) > _MOST_NODES:
            raise ModelRefused(f"The graph has {len(self._model.nodes):,} operators, more than {_MOST_NODES:,}.")
        with np.errstate(all="ignore"):  # what is not finite is refused where it is used
            return self._learned()

    def _learned(self) -> LearnedModel:
        read = {name: each for name, each in self._model.constants.items() if each.kind != STRING}
        self._values |= {name: constant(each, name) for name, each in read.items()}
        for each in self._model.inputs:
            if each.name not in self._model.constants:
                self._give(each)
        if not self._features:
            raise ModelRefused("The graph has no inputs.")
        for node in needed(self._model):
            self._walk(node)
        results = [NetworkResult(each.name, self._result(each.name)) for each in self._model.outputs]
        return learned_network(self._model, self._layers, tuple(self._features), tuple(self._inputs), results)

    def _give(self, given: OnnxInput) -> None:
        """An input: its elements become columns."""
        if given.name in self._values:
            raise broken(f"two inputs are called {given.name}")
        if given.kind not in (FLOAT, DOUBLE, INT32, INT64, BOOL):
            told = TYPE_NAMES.get(given.kind, str(given.kind))
            raise ModelRefused(f"The input {given.name} has the type {told}, which is not modelled.")
        shape = _shape(given)
        count, first = math.prod(shape), len(self._features)
        if not 0 < count <= _MOST_COLUMNS - first:
            raise ModelRefused(
                f"The input {given.name} has {count:,} elements; {_MOST_COLUMNS:,} columns are the most."
            )
        names = [given.name] if count == 1 else [f"{given.name}_{place}" for place in range(count)]
        self._features += [_feature(name, given.kind) for name in names]
        self._inputs.append(NamedTensor(given.name, shape, first, count))
        steps = (ToFloat32(),) if given.kind == FLOAT else ()
        places = [self._layers.column(Column(first + place, steps)) for place in range(count)]
        self._values[given.name] = ComputedValue(given.kind, np.array(places, np.int64).reshape(shape))

    def _result(self, name: str) -> ComputedValue | ChosenValue:
        found = self._values.get(name)
        if isinstance(found, ComputedValue) and found.kind in (FLOAT, DOUBLE):
            return found
        if isinstance(found, ChosenValue):
            return found
        raise ModelRefused(f"The output {name} of the graph is no number or class that depends on its inputs.")

    def _walk(self, node: OnnxNode) -> None:
        if node.domain == ML:
            self._walk_ml(node)
            return
        given: list[GraphElement | None] = []
        for name in node.inputs:
            if name in self._model.constants and name not in self._values:
                constant(self._model.constants[name], name)
            if name and name not in self._values:
                raise broken(f"{node.name} uses {name}, which is not made before it")
            given.append(self._values[name] if name else None)
        while given and given[-1] is None:
            given.pop()
        if not node.outputs or not node.outputs[0]:
            raise broken(f"{node.name} has no result")
        self._keep(node, self._made(node, given))

    def _walk_ml(self, node: OnnxNode) -> None:
        """What an exporter of scikit-learn puts around a network: a scaler before it, and the labels of its classes."""
        known = [self._values.get(name) for name in node.inputs]
        match node.operator, known:
            case "Scaler", [ComputedValue() as one]:
                self._keep(node, [scaled(self._layers, node, one)])
            case "ArrayFeatureExtractor", [_, ChosenValue() as one] if not one.labels:
                labels = class_labels(node, self._model.constants.get(node.inputs[0]))
                if labels is None or any(len(group) != len(labels) for group in one.groups):
                    raise _not_modelled(node)
                self._keep(node, [replace(one, labels=labels)])
            case "ZipMap", _:
                raise ModelRefused(f"{node.name} is not modelled.", 'Export with options={"zipmap": False}.')
            case _:
                raise _not_modelled(node)

    def _keep(self, node: OnnxNode, made: Sequence[GraphElement]) -> None:
        for name, value in zip(node.outputs, made, strict=False):
            if name in self._values:
                raise broken(f"{name} is made twice")
            if 0 in value.shape and not isinstance(value, ConstantValue):
                raise broken(f"{node.name} gives no elements")
            self._values[name] = value

    def _made(self, node: OnnxNode, given: Given) -> Sequence[GraphElement]:
        if node.domain not in _OWN:
            raise _not_modelled(node)
        first = given[0] if given else None
        constants = [each for each in given if isinstance(each, ConstantValue)]
        if node.operator == "Constant" and not given:
            return [constant_node(node)]
        if node.operator == "Shape" and first is not None and len(given) == 1:
            return [shape_of(node, first.shape)]
        if node.operator == "Concat" and given:
            return [self._joined(node, given)]
        if node.operator in MOVES and first is not None:
            return _moved(node, first, given[1:])
        if len(constants) == len(given) and (made := folded(node, constants)) is not None:
            return [made]
        if isinstance(first, ChosenValue) and node.operator == "Cast":
            return [_cast_choice(node, first)]
        is_computed = any(isinstance(each, ComputedValue) for each in given)
        if node.operator not in OPERATORS or not is_computed or any(isinstance(each, ChosenValue) for each in given):
            raise _not_modelled(node)
        return [OPERATORS[node.operator](self._layers, node, given)]

    def _joined(self, node: OnnxNode, given: Given) -> GraphElement:
        kinds = {each.kind for each in given if each is not None}
        if len(kinds) != 1 or None in given:
            raise broken(f"{node.name} of different types")
        kind = kinds.pop()
        if all(isinstance(each, ConstantValue) for each in given):
            arrays = [each.values for each in given if isinstance(each, ConstantValue)]
            return ConstantValue(kind, joined(node, arrays), node.outputs[0])
        return ComputedValue(kind, joined(node, [self._places(node, each) for each in given]))

    def _places(self, node: OnnxNode, given: GraphElement | None) -> Places:
        """Elements, also those of a constant."""
        if isinstance(given, ComputedValue):
            return given.places
        if isinstance(given, ConstantValue):
            values = floats(node, given, given.kind)
            return self._layers.constants(values, precision_of(node, given.kind))
        raise _not_modelled(node)


def _not_modelled(node: OnnxNode) -> ModelRefused:
    used = ", used like this" if node.operator in (*OPERATORS, *MOVES, "Concat", "Shape", "Constant") else ""
    return ModelRefused(f"The operator {node.name} is not modelled{used if node.domain in _OWN else ''}.")


def _moved(node: OnnxNode, one: GraphElement, others: Sequence[GraphElement | None]) -> Sequence[GraphElement]:
    """What an operator gives that moves elements."""
    move = MOVES[node.operator]
    match one:
        case ConstantValue():
            made = move(node, one.values, others)
            return [ConstantValue(one.kind, each, name) for each, name in zip(made, node.outputs, strict=False)]
        case ComputedValue():
            moved = move(node, one.places, others)
            for each in moved:
                refuse_large(node, each.shape, LARGEST_VALUE)
            return [ComputedValue(one.kind, each) for each in moved]
        case ChosenValue():
            numbers = move(node, np.arange(len(one.groups)).reshape(one.shape), others)
            return [
                replace(one, groups=tuple(one.groups[number] for number in each.ravel().tolist()), shape=each.shape)
                for each in numbers
            ]


def _cast_choice(node: OnnxNode, one: ChosenValue) -> ChosenValue:
    target = NodeAttributes(node, "to saturate round_mode").integer("to", 0)
    if target not in (INT32, INT64) and not (one.labels and target == STRING):
        raise ModelRefused(f"{node.name} of a class to {TYPE_NAMES.get(target, str(target))} is not modelled.")
    return replace(one, kind=target)


def _shape(given: OnnxInput) -> tuple[int, ...]:
    """The shape of an input, of which one row is given."""
    if given.shape is None:
        raise ModelRefused(f"The file does not say which shape the input {given.name} has.", _FIXED)
    found = []
    for axis, size in enumerate(given.shape):
        if size is None and axis:
            symbol = given.symbols[axis] or f"at the place {axis + 1}"
            raise ModelRefused(f"The input {given.name} has a size that is open: {symbol}.", _FIXED)
        if size is not None and size < 1:
            raise broken(f"the input {given.name} has the size {size}")
        found.append(1 if size is None else size)
    return tuple(found)


def _feature(name: str, kind: int) -> ModelFeature:
    """A feature of the element's own type, so that nothing is rounded on the way."""
    if kind in (FLOAT, DOUBLE):
        return ModelFeature(name, precision=32 if kind == FLOAT else 64, may_miss=False)
    if kind == BOOL:
        return ModelFeature(name, "flag", takes_missing=False, may_miss=False)
    least, greatest = _BOUNDS[kind]
    return ModelFeature(name, "integer", least=least, greatest=greatest, takes_missing=False, may_miss=False)
