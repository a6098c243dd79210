"""The messages of an ONNX file that a model needs: the graph, nodes with their attributes, tensors, inputs, outputs.

Field numbers and enumerations are those of onnx.proto. Subgraphs are not looked into: no operator with one is known.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, final

from msgspec import Struct

from soid.engine.learned.model import ModelRefused
from soid.engine.learned.readers.onnx import protobuf_wire as wire
from soid.engine.learned.readers.onnx.onnx_tensors import Files, OnnxTensor, place_beside, tensor
from soid.engine.learned.readers.onnx.protobuf_wire import Fields, broken

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


def _graph(content: bytes) -> tuple[Fields, Fields]:
    model = wire.fields(content)
    graphs = wire.byte_strings(model, 7)
    if len(graphs) != 1:
        raise broken(f"it has {len(graphs)} graphs")
    return model, wire.fields(graphs[0])


def files_beside(content: bytes) -> tuple[str, ...]:
    """The files that hold constants of the model, by the names that it has for them."""
    _, graph = _graph(content)
    return tuple(dict.fromkeys(place_beside(each)[0] for each in _tensors(graph) if wire.integer(each, 14)))


def _tensors(graph: Fields) -> Iterator[Fields]:
    yield from map(wire.fields, wire.byte_strings(graph, 5))
    for node in map(wire.fields, wire.byte_strings(graph, 1)):
        for attribute in map(wire.fields, wire.byte_strings(node, 5)):
            yield from map(wire.fields, wire.byte_strings(attribute, 5))


def decoded(content: bytes, files: Files | None = None) -> OnnxModel:
    model, graph = _graph(content)
    if wire.byte_strings(model, 25):
        raise ModelRefused("Functions that an ONNX file defines are not modelled.", "Export the model without them.")
    if wire.byte_strings(graph, 15):
        raise ModelRefused("Sparse constants of ONNX files are not modelled.", "Export the model with dense ones.")
    versions: dict[str, int] = {}
    for each in wire.byte_strings(model, 8):
        operator_set = wire.fields(each)
        written, version = wire.text(operator_set, 1), wire.integer(operator_set, 2)
        domain = "" if written == "ai.onnx" else written
        if versions.setdefault(domain, version) != version:
            raise broken(f"it has two versions of the operators of {domain or 'ONNX'}")
    constants = {}
    for each in wire.byte_strings(graph, 5):
        message = wire.fields(each)
        name = wire.text(message, 8)
        if name in constants:  # which of them counts is up to the runtime
            raise broken(f"two constants are called {name}")
        constants[name] = tensor(message, files or {})
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
