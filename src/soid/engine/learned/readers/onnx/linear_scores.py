"""The linear operators of ai.onnx.ml, as onnxruntime computes them: float32 products, whose order is not documented."""

from __future__ import annotations

import math
from collections.abc import Sequence

from soid.engine.learned.column_steps import Column
from soid.engine.learned.model import Above, Greatest, LinearSum, ModelRefused
from soid.engine.learned.readers.onnx.class_numbers import (
    VERSION_DEPENDS,
    ModelResult,
    RawScores,
    class_labels,
    decided,
    numbered,
)
from soid.engine.learned.readers.onnx.node_attributes import NodeAttributes
from soid.engine.learned.readers.onnx.onnx_messages import OnnxNode
from soid.engine.learned.readers.onnx.protobuf_wire import broken


def linear_classifier(node: OnnxNode, columns: Sequence[Column]) -> ModelResult:
    """LinearClassifier: one row of coefficients a class, or one for two classes."""
    attributes = NodeAttributes(
        node, "classlabels_ints classlabels_strings coefficients intercepts multi_class post_transform"
    )
    labels, _ = class_labels(attributes, node, "classlabels_ints")
    intercepts = attributes.numbers("intercepts")
    transform = attributes.text("post_transform", "NONE")
    if len(intercepts) == 1 and len(labels) == 2:
        scores = _sums(node, columns, ["score"], attributes.numbers("coefficients"), intercepts)
        if transform not in ("NONE", "LOGISTIC"):
            raise ModelRefused(f"{node.name} with one score and the post_transform {transform} is not modelled.")
        remarks = () if transform == "NONE" else (VERSION_DEPENDS,)
        return decided(node, scores, labels, Above("score", 0.0), "NONE", remarks)
    if len(intercepts) != len(labels):
        raise ModelRefused(f"{node.name} with {len(intercepts)} intercepts for {len(labels)} classes is not modelled.")
    names = [f"score_{label}" for label in labels]
    if len(labels) == 2:
        names[1] = "score"
    scores = _sums(node, columns, names, attributes.numbers("coefficients"), intercepts)
    return decided(node, scores, labels, Greatest(tuple(names)), transform, vectorized=True)


def linear_regressor(node: OnnxNode, columns: Sequence[Column]) -> ModelResult:
    """LinearRegressor: one row of coefficients a target."""
    attributes = NodeAttributes(node, "coefficients intercepts post_transform targets")
    targets = attributes.integer("targets", 1)
    intercepts = attributes.numbers("intercepts") or [0.0] * min(max(targets, 0), len(columns) + 1)
    transform = attributes.text("post_transform", "NONE")
    if transform != "NONE":
        raise ModelRefused(f"{node.name} with the post_transform {transform} is not modelled.")
    if targets < 1 or len(intercepts) != targets:
        raise ModelRefused(f"{node.name} with {len(intercepts)} intercepts for {targets} targets is not modelled.")
    names = ["value"] if targets == 1 else [f"value_{place}" for place in range(targets)]
    return numbered(_sums(node, columns, names, attributes.numbers("coefficients"), intercepts), 32, ())


def _sums(
    node: OnnxNode, columns: Sequence[Column], names: Sequence[str], coefficients: list[float], intercepts: list[float]
) -> RawScores:
    count = len(columns)
    if len(coefficients) != count * len(names):
        raise broken(f"{node.name} has {len(coefficients)} coefficients for {count} columns and {len(names)} numbers")
    if not all(map(math.isfinite, coefficients + intercepts)):
        raise broken(f"{node.name} has coefficients that are not finite")
    rows = [tuple(coefficients[place * count : (place + 1) * count]) for place in range(len(names))]
    sums = tuple(
        LinearSum(name, tuple(columns), row, intercept, 32)
        for name, row, intercept in zip(names, rows, intercepts, strict=True)
    )
    return RawScores((), sums, 32)
