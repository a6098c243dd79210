"""The messages of an ONNX file that a model needs: the graph, nodes with their attributes, tensors, inputs, outputs.

Field numbers and enumerations are those of onnx.proto. Subgraphs are not looked into: no operator with one is known.
"""

from __future__ import annotations

import math
from typing import Any, Final, final

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from soid.engine.learned.model import ModelRefused
from soid.engine.learned.readers.onnx import protobuf_wire as wire
from soid.engine.learned.readers.onnx.protobuf_wire import Fields, broken

#: types of elements
FLOAT: Final = 1
INT32: Final = 6
INT64: Final = 7
STRING: Final = 8
BOOL: Final = 9
DOUBLE: Final = 11

TYPE_NAMES: Final = {
    0: "undefined", FLOAT: "float", 2: "uint8", 3: "int8", 4: "uint16", 5: "int16", INT32: "int32", INT64: "int64",
    STRING: "string", BOOL: "bool", 10: "float16", DOUBLE: "double", 12: "uint32", 13: "uint64", 16: "bfloat16",
}  # fmt: skip

#: how elements lie in raw data, and in which field they lie otherwise
_LAYOUTS: Final = {FLOAT: "<f4", 2: "u1", INT32: "<i4", INT64: "<i8", BOOL: "u1", DOUBLE: "<f8"}
_LARGEST: Final = 1 << 28  # elements of a tensor


@final
class OnnxTensor(Struct, frozen=True):
    """Numbers or texts that are in the file."""

    kind: int
    shape: tuple[int, ...]
    values: NDArray[Any]  # flat


Attribute = float | int | bytes | OnnxTensor | list[int] | list[float] | list[bytes] | None


@final
class OnnxNode(Struct, frozen=True):
    """One operation."""

    operator: str
    domain: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    attributes: dict[str, Attribute]  # None: of a kind that no known operator has

    @property
    def name(self) -> str:
        """As it is told to a user."""
        return f"{self.domain}.{self.operator}" if self.domain not in ("", "ai.onnx") else self.operator


@final
class OnnxInput(Struct, frozen=True):
    """What the application gives, or what it gets."""

    name: str
    kind: int  # 0: not a tensor
    shape: tuple[int | None, ...] | None  # None: a size, or all of them, are not in the file


@final
class OnnxModel(Struct, frozen=True):
    """The file."""

    producer: str
    versions: dict[str, int]  # of each domain of operators; the empty domain is ONNX itself
    nodes: tuple[OnnxNode, ...]
    constants: dict[str, OnnxTensor]
    inputs: tuple[OnnxInput, ...]
    outputs: tuple[OnnxInput, ...]


def decoded(content: bytes) -> OnnxModel:
    model = wire.fields(content)
    graphs = wire.byte_strings(model, 7)
    if len(graphs) != 1:
        raise broken(f"it has {len(graphs)} graphs")
    graph = wire.fields(graphs[0])
    if wire.byte_strings(graph, 15):
        raise ModelRefused("Sparse constants of ONNX files are not modelled.", "Export the model with dense ones.")
    versions = {}
    for each in wire.byte_strings(model, 8):
        operator_set = wire.fields(each)
        domain = wire.text(operator_set, 1)
        versions["" if domain == "ai.onnx" else domain] = wire.integer(operator_set, 2)
    constants = {}
    for each in wire.byte_strings(graph, 5):
        message = wire.fields(each)
        constants[wire.text(message, 8)] = tensor(message)
    return OnnxModel(
        producer=f"{wire.text(model, 2)} {wire.text(model, 3)}".strip(),
        versions=versions,
        nodes=tuple(_node(wire.fields(each)) for each in wire.byte_strings(graph, 1)),
        constants=constants,
        # a constant may be listed as an input too, which then is its default
        inputs=tuple(_input(wire.fields(each)) for each in wire.byte_strings(graph, 11)),
        outputs=tuple(_input(wire.fields(each)) for each in wire.byte_strings(graph, 12)),
    )


def _node(message: Fields) -> OnnxNode:
    attributes: dict[str, Attribute] = {}
    for each in wire.byte_strings(message, 5):
        attribute = wire.fields(each)
        name = wire.text(attribute, 1)
        if name in attributes:
            raise broken(f"an operation has two attributes {name}")
        attributes[name] = _attribute(name, attribute)
    return OnnxNode(
        operator=wire.text(message, 4),
        domain=wire.text(message, 7),
        inputs=tuple(wire.texts(message, 1)),
        outputs=tuple(wire.texts(message, 2)),
        attributes=attributes,
    )


def _attribute(name: str, message: Fields) -> Attribute:
    match wire.integer(message, 20):
        case 1:
            return float(_last(name, wire.float32s(message, 2)))
        case 2:
            return int(_last(name, wire.integers(message, 3)))
        case 3:
            return bytes(_last(name, wire.byte_strings(message, 4)))
        case 4:
            return tensor(wire.fields(_last(name, wire.byte_strings(message, 5))))
        case 6:
            return [float(value) for value in wire.float32s(message, 7)]
        case 7:
            return wire.integers(message, 8)
        case 8:
            return wire.byte_strings(message, 9)
        case _:
            return None


def _last(name: str, values: Any) -> Any:
    if not len(values):
        raise broken(f"the attribute {name} has no value")
    return values[-1]


def tensor(message: Fields) -> OnnxTensor:
    kind, shape = wire.integer(message, 2), tuple(wire.integers(message, 1))
    if wire.byte_strings(message, 13) or wire.integer(message, 14):
        raise ModelRefused("Constants in a second file are not modelled.", "Export the model as one file.")
    if any(size < 0 for size in shape) or math.prod(shape) > _LARGEST:
        raise broken(f"it has a tensor of shape {list(shape)[:8]}")
    if kind == STRING:
        values: NDArray[Any] = np.array(wire.byte_strings(message, 6), object)
    elif kind in _LAYOUTS:
        values = _numbers(kind, message)
    else:
        raise ModelRefused(f"Constants of the type {TYPE_NAMES.get(kind, kind)} are not modelled.")
    if len(values) != math.prod(shape):
        raise broken(f"a tensor of shape {list(shape)[:8]} has {len(values)} elements")
    return OnnxTensor(kind, shape, values)


def _numbers(kind: int, message: Fields) -> NDArray[Any]:
    layout = np.dtype(_LAYOUTS[kind])
    raw = b"".join(wire.byte_strings(message, 9))
    if raw:
        if len(raw) % layout.itemsize:
            raise broken("a tensor's numbers are cut off")
        return np.frombuffer(raw, layout)
    match kind:
        case 1:
            return wire.float32s(message, 4)
        case 11:
            return wire.float64s(message, 10)
        case 7:
            return np.array(wire.integers(message, 7), np.int64)
        case _:
            return np.array(wire.integers(message, 5), np.int64).astype(layout)


def _input(message: Fields) -> OnnxInput:
    name = wire.text(message, 1)
    types = wire.byte_strings(message, 2)
    tensors = wire.byte_strings(wire.fields(types[-1]), 1) if types else []
    if not tensors:
        return OnnxInput(name, 0, None)
    described = wire.fields(tensors[-1])
    shapes = wire.byte_strings(described, 2)
    sizes = [wire.fields(each) for each in wire.byte_strings(wire.fields(shapes[-1]), 1)] if shapes else None
    shape = None if sizes is None else tuple(wire.integer(size, 1) or None for size in sizes)
    return OnnxInput(name, wire.integer(described, 1), shape)
