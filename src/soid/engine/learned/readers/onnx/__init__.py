"""ONNX files with operators of ai.onnx.ml: tree ensembles and linear models, with the preparation of their columns.

protobuf_wire     bytes become fields
onnx_messages     fields become the messages that are needed
onnx_graph        the walk from inputs to outputs; what is not known is refused by name
  preparations    columns before the model: each a feature, and steps
  ensemble_scores trees;  linear_scores  linear models;  class_numbers  their scores as numbers and a class
"""

from __future__ import annotations

from typing import Final

from soid.engine.learned.model import LearnedModel
from soid.engine.learned.readers.onnx.onnx_graph import OnnxGraph
from soid.engine.learned.readers.onnx.onnx_messages import decoded

_GRAPH: Final = 0x3A
#: tags of what stands before the graph in a file: versions, the producer, a domain, a text
_BEFORE: Final = (0x12, 0x1A, 0x22, 0x28, 0x32)


def recognises(head: bytes) -> bool:
    """Whether a file begins as an ONNX file does, which has no mark: its version, the producer, the graph."""
    if len(head) < 4 or head[0] != 0x08 or not 0 < head[1] < 0x80:
        return False
    at = 2
    while at < len(head) and head[at] in _BEFORE:
        if head[at] == 0x28 or head[at + 1 : at + 2] >= b"\x80":
            at += 2
            while at <= len(head) and head[at - 1 : at] >= b"\x80":
                at += 1
        else:
            at += 2 + (head[at + 1] if at + 1 < len(head) else 0)
    return at < len(head) and head[at] in (_GRAPH, 0x42)


def read(content: bytes) -> LearnedModel:
    return OnnxGraph(decoded(content)).learned()
