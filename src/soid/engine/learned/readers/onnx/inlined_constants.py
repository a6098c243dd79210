"""An ONNX file with the constants in it that lie in files beside it, for a runtime that cannot open any file."""

from __future__ import annotations

import math
from typing import Final

from soid.engine.learned.readers.onnx import protobuf_wire as wire
from soid.engine.learned.readers.onnx.onnx_tensors import Files, bytes_beside, size_of
from soid.engine.learned.readers.onnx.protobuf_wire import BYTES, VARINT, Fields

_GRAPH: Final = 7 << 3 | BYTES
_NODE: Final = 1 << 3 | BYTES
_CONSTANT: Final = 5 << 3 | BYTES
_ATTRIBUTE: Final = 5 << 3 | BYTES
_VALUE: Final = 5 << 3 | BYTES
_RAW: Final = 9 << 3 | BYTES
_BESIDE: Final = (13 << 3 | BYTES, 14 << 3 | VARINT)


def inlined(content: bytes, files: Files) -> bytes:
    """The same model as one file; what it says beside its constants stays as it is."""
    model = wire.fields(content)
    model[_GRAPH] = [_graph(each, files) for each in model.get(_GRAPH, [])]
    return wire.encoded(model)


def _graph(data: bytes, files: Files) -> bytes:
    graph = wire.fields(data)
    graph[_CONSTANT] = [_tensor(each, files) for each in graph.get(_CONSTANT, [])]
    graph[_NODE] = [_node(each, files) for each in graph.get(_NODE, [])]
    return wire.encoded(graph)


def _node(data: bytes, files: Files) -> bytes:
    node = wire.fields(data)
    node[_ATTRIBUTE] = [_attribute(each, files) for each in node.get(_ATTRIBUTE, [])]
    return wire.encoded(node)


def _attribute(data: bytes, files: Files) -> bytes:
    attribute = wire.fields(data)
    attribute[_VALUE] = [_tensor(each, files) for each in attribute.get(_VALUE, [])]
    return wire.encoded(attribute)


def _tensor(data: bytes, files: Files) -> bytes:
    message = wire.fields(data)
    if not wire.integer(message, 14):
        return data
    size = math.prod(wire.integers(message, 1)) * size_of(wire.integer(message, 2))
    kept: Fields = {tag: values for tag, values in message.items() if tag not in _BESIDE}
    return wire.encoded({**kept, _RAW: [bytes_beside(message, size, files)]})
