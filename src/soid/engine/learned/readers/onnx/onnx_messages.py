"""The messages of an ONNX file that a model needs: the graph, nodes with their attributes, tensors, inputs, outputs.

Field numbers and enumerations are those of onnx.proto. Subgraphs are not looked into: no operator with one is known.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
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
    symbols: tuple[str, ...] = ()  # what the file calls each size that it does not say; else empty


@final
class OnnxModel(Struct, frozen=True):
    """The file."""

    producer: str
    versions: dict[str, int]  # of each domain of operators; the empty domain is ONNX itself
    nodes: tuple[OnnxNode, ...]
    constants: dict[str, OnnxTensor]
    inputs: tuple[OnnxInput, ...]
    outputs: tuple[OnnxInput, ...]
    metadata: dict[str, str]


#: the contents of files beside the model, by the names that it has for them
Files = Mapping[str, bytes]


def _graph(content: bytes) -> tuple[Fields, Fields]:
    model = wire.fields(content)
    graphs = wire.byte_strings(model, 7)
    if len(graphs) != 1:
        raise broken(f"it has {len(graphs)} graphs")
    return model, wire.fields(graphs[0])


def files_beside(content: bytes) -> tuple[str, ...]:
    """The files that hold constants of the model, by the names that it has for them."""
    _, graph = _graph(content)
    return tuple(dict.fromkeys(_place(each)[0] for each in _tensors(graph) if wire.integer(each, 14)))


def _tensors(graph: Fields) -> Iterator[Fields]:
    yield from map(wire.fields, wire.byte_strings(graph, 5))
    for node in map(wire.fields, wire.byte_strings(graph, 1)):
        for attribute in map(wire.fields, wire.byte_strings(node, 5)):
            yield from map(wire.fields, wire.byte_strings(attribute, 5))


def _place(message: Fields) -> tuple[str, int, int | None]:
    """Where a constant lies that is not in the model's file: the other file, the first byte, and how many."""
    pairs = map(wire.fields, wire.byte_strings(message, 13))
    known = {wire.text(each, 1): wire.text(each, 2) for each in pairs}
    first, length = known.get("offset", "0"), known.get("length")
    if not (first.isascii() and first.isdigit() and len(first) < 20):
        raise broken(f"a constant begins at the byte {first!r:.40} of another file")
    if length is not None and not (length.isascii() and length.isdigit() and len(length) < 20):
        raise broken(f"a constant in another file has {length!r:.40} bytes")
    return known.get("location", ""), int(first), None if length is None else int(length)


def decoded(content: bytes, files: Files | None = None) -> OnnxModel:
    model, graph = _graph(content)
    if wire.byte_strings(model, 25):
        raise ModelRefused("Functions that an ONNX file defines are not modelled.", "Export the model without them.")
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
        constants[wire.text(message, 8)] = tensor(message, files or {})
    metadata = [wire.fields(each) for each in wire.byte_strings(model, 14)]
    return OnnxModel(
        producer=f"{wire.text(model, 2)} {wire.text(model, 3)}".strip(),
        versions=versions,
        nodes=tuple(_node(wire.fields(each), files or {}) for each in wire.byte_strings(graph, 1)),
        constants=constants,
        # a constant may be listed as an input too, which then is its default
        inputs=tuple(_input(wire.fields(each)) for each in wire.byte_strings(graph, 11)),
        outputs=tuple(_input(wire.fields(each)) for each in wire.byte_strings(graph, 12)),
        metadata={wire.text(each, 1): wire.text(each, 2) for each in metadata},
    )


def _node(message: Fields, files: Files) -> OnnxNode:
    attributes: dict[str, Attribute] = {}
    for each in wire.byte_strings(message, 5):
        attribute = wire.fields(each)
        name = wire.text(attribute, 1)
        if name in attributes:
            raise broken(f"an operation has two attributes {name}")
        attributes[name] = _attribute(name, attribute, files)
    return OnnxNode(
        operator=wire.text(message, 4),
        domain=wire.text(message, 7),
        inputs=tuple(wire.texts(message, 1)),
        outputs=tuple(wire.texts(message, 2)),
        attributes=attributes,
    )


def _attribute(name: str, message: Fields, files: Files) -> Attribute:
    match wire.integer(message, 20):
        case 1:
            return float(_last(name, wire.float32s(message, 2)))
        case 2:
            return int(_last(name, wire.integers(message, 3)))
        case 3:
            return bytes(_last(name, wire.byte_strings(message, 4)))
        case 4:
            return tensor(wire.fields(_last(name, wire.byte_strings(message, 5))), files)
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


def tensor(message: Fields, files: Files) -> OnnxTensor:
    kind, shape = wire.integer(message, 2), tuple(wire.integers(message, 1))
    if any(size < 0 for size in shape) or math.prod(shape) > _LARGEST:
        raise broken(f"it has a tensor of shape {list(shape)[:8]}")
    if kind == STRING:
        values: NDArray[Any] = np.array(wire.byte_strings(message, 6), object)
    elif kind in _LAYOUTS:
        values = _numbers(kind, message, math.prod(shape), files)
    else:
        raise ModelRefused(f"Constants of the type {TYPE_NAMES.get(kind, kind)} are not modelled.")
    if len(values) != math.prod(shape):
        raise broken(f"a tensor of shape {list(shape)[:8]} has {len(values)} elements")
    return OnnxTensor(kind, shape, values)


def _numbers(kind: int, message: Fields, count: int, files: Files) -> NDArray[Any]:
    layout = np.dtype(_LAYOUTS[kind])
    raw = b"".join(wire.byte_strings(message, 9))
    if wire.integer(message, 14):
        return np.frombuffer(_from_beside(message, count * layout.itemsize, files), layout)
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


def _from_beside(message: Fields, size: int, files: Files) -> bytes:
    """The bytes of a constant in another file."""
    name, first, length = _place(message)
    content = files.get(name)
    if content is None:
        raise ModelRefused(f"Constants in the file {name!r:.80} cannot be read.", "Export the model as one file.")
    if length not in (None, size) or first + size > len(content):
        raise broken(f"a constant of {size} bytes lies at the byte {first} of {name!r:.80}, which has {len(content)}")
    return content[first : first + size]


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
    return OnnxInput(name, wire.integer(described, 1), shape, tuple(wire.text(size, 2) for size in sizes or []))
