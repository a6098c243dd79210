"""ONNX files: neural networks; and with operators of ai.onnx.ml, tree ensembles and linear models.

protobuf_wire     bytes become fields
onnx_messages     fields become the messages that are needed
onnx_graph        with ai.onnx.ml, the walk from inputs to outputs; what is not known is refused by name
  preparations    columns before the model: each a feature, and steps
  ensemble_scores trees;  linear_scores  linear models;  class_numbers  their scores as numbers and a class
network_graph     without it, the same walk
  graph_values    what is computed with: constants, and places of elements in vectors
  moved_elements  Reshape, Slice, Concat;  folded_constants  what exporters compute of shapes
  network_operators  each of the others becomes layers (linear_layers, window_layers, element_functions, layer_builder)
  network_model   the layers and the outputs as a model
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from soid.engine.learned.model import LearnedModel, ModelRefused
from soid.engine.learned.readers.onnx.network_graph import NetworkGraph
from soid.engine.learned.readers.onnx.onnx_graph import ML, OnnxGraph
from soid.engine.learned.readers.onnx.onnx_messages import decoded, files_beside
from soid.engine.learned.readers.onnx.protobuf_wire import BYTES, VARINT, varint
from soid.errors import ProgramError

__all__ = ["files_beside", "read", "recognises"]

#: tags: the graph and the operator sets; and what stands before them, the producer, a domain, a version, a text
_MARKS: Final = (0x3A, 0x42)
_BEFORE: Final = (0x12, 0x1A, 0x22, 0x28, 0x32)
_WEIGHTED: Final = ("MatMul", "Gemm", "Conv")  # a graph with one of these is a network, whatever stands around it
_REMEDY: Final = (
    "Export it without this: `soid docs networks` lists what is modelled. Of trees, ask about the file of the library "
    "that has trained them."
)


def recognises(head: bytes) -> bool:
    """Whether a file begins as an ONNX file does, which has no mark: its version, the producer, the graph."""
    if len(head) < 4 or head[0] != 0x08 or not 0 < head[1] < 0x80:
        return False
    at = 2
    while at < len(head) and head[at] in _BEFORE:
        kind = head[at] & 7
        try:
            length, at = varint(head, at + 1)
        except ProgramError:
            return False
        at += {BYTES: length, VARINT: 0}[kind]
    return at > len(head) > 100 or (at < len(head) and head[at] in _MARKS)


def read(content: bytes, files: Mapping[str, bytes] | None = None) -> LearnedModel:
    """The model; `files` are those that lie beside it."""
    try:
        model = decoded(content, files)
        is_network = all(node.domain != ML for node in model.nodes) or any(
            node.domain != ML and node.operator in _WEIGHTED for node in model.nodes
        )
        return NetworkGraph(model).learned() if is_network else OnnxGraph(model).learned()
    except ModelRefused as refused:
        raise ModelRefused(refused.cause, refused.remedy or _REMEDY) from None
