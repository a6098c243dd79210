"""ONNX files with operators of ai.onnx.ml: tree ensembles and linear models, with the preparation of their columns.

protobuf_wire     bytes become fields
onnx_messages     fields become the messages that are needed
onnx_graph        the walk from inputs to outputs; what is not known is refused by name
  preparations    columns before the model: each a feature, and steps
  ensemble_scores trees;  linear_scores  linear models;  class_numbers  their scores as numbers and a class
"""

from __future__ import annotations

from typing import Final

from soid.engine.learned.model import LearnedModel, ModelRefused
from soid.engine.learned.readers.onnx.onnx_graph import OnnxGraph
from soid.engine.learned.readers.onnx.onnx_messages import decoded
from soid.engine.learned.readers.onnx.protobuf_wire import BYTES, VARINT, varint
from soid.errors import ProgramError

#: tags: the graph and the operator sets; and what stands before them, the producer, a domain, a version, a text
_MARKS: Final = (0x3A, 0x42)
_BEFORE: Final = (0x12, 0x1A, 0x22, 0x28, 0x32)
_REMEDY: Final = "Ask about the model in the file of the library that has trained it, or export it without this."


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


def read(content: bytes) -> LearnedModel:
    try:
        return OnnxGraph(decoded(content)).learned()
    except ModelRefused as refused:
        raise ModelRefused(refused.cause, refused.remedy or _REMEDY) from None
