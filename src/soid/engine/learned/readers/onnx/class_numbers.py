"""From raw scores to the numbers that onnxruntime gives (rounded to float32, logistic, softmax), and to a class."""

from __future__ import annotations

import math
from typing import Final, Literal, final

from msgspec import Struct

from soid.engine.learned.model import (
    Above,
    ClassRule,
    Greatest,
    LinearSum,
    Link,
    ModelRefused,
    NamedNumber,
    TreeArrays,
    TreeSum,
)
from soid.engine.learned.readers.onnx.node_attributes import NodeAttributes
from soid.engine.learned.readers.onnx.onnx_messages import OnnxNode
from soid.engine.learned.readers.onnx.protobuf_wire import broken

#: how far onnxruntime's vectorised functions may be off, beside the last places; 1.7e-7 is the most that was seen
VECTORIZED_SLACK: Final = math.ldexp(1.0, -20)

#: versions 1.20 and 1.24 give the score itself, version 1.31 its logistic function
VERSION_DEPENDS: Final = (
    "What onnxruntime gives as the probability depends on its version here, so that only the score is modelled."
)


@final
class RawScores(Struct, frozen=True):
    """Sums, one for each class or target, or one for two classes."""

    trees: tuple[TreeArrays, ...]
    sums: tuple[TreeSum | LinearSum, ...]
    precision: Literal[32, 64]
    remarks: tuple[str, ...] = ()


@final
class ModelResult(Struct, frozen=True):
    """What the last operator of a graph gives."""

    scores: RawScores
    links: tuple[Link, ...]
    label: ClassRule | None
    outputs: tuple[NamedNumber, ...]
    shown: tuple[str, ...]  # the numbers that lie in the columns of its result, as far as they are modelled
    remarks: tuple[str, ...] = ()


def class_labels(attributes: NodeAttributes, node: OnnxNode, name: str) -> tuple[tuple[str, ...], bool]:
    """The classes, and whether they are integers."""
    numbers, texts = attributes.integers(name), attributes.texts("classlabels_strings")
    labels = tuple(texts or map(str, numbers))
    if (numbers and texts) or len(set(labels)) != len(labels):
        raise broken(f"{node.name} has a class twice")
    if len(labels) < 2:
        raise ModelRefused(f"{node.name} with {len(labels)} classes is not modelled.")
    return labels, not texts


def numbered(scores: RawScores, precision: Literal[32, 64], remarks: tuple[str, ...]) -> ModelResult:
    """Numbers without classes, in the precision of the result."""
    scores, links, names = _shown_scores(scores, precision)
    outputs = tuple(NamedNumber(name.removesuffix("_as_float32"), name) for name in names)
    return ModelResult(scores, links, None, outputs, tuple(names), scores.remarks + remarks)


def decided(
    node: OnnxNode,
    scores: RawScores,
    labels: tuple[str, ...],
    rule: Above | Greatest,
    transform: str,
    remarks: tuple[str, ...] = (),
    vectorized: bool = False,
) -> ModelResult:
    """Numbers and the class that is chosen; for two classes all but those of the second are left out of the outputs."""
    if transform not in ("NONE", "LOGISTIC", "SOFTMAX"):
        raise ModelRefused(f"{node.name} with the post_transform {transform} is not modelled.")
    scores, links, names = _shown_scores(scores, 32)
    places = range(len(names)) if len(labels) > 2 else [len(names) - 1]
    outputs = [NamedNumber(names[place].removesuffix("_as_float32"), names[place]) for place in places]
    shown = names
    if transform != "NONE":
        made = [_link(transform, place, names, labels, vectorized) for place in range(len(names))]
        links += tuple(made)
        shown = [link.name for link in made]
        outputs += [NamedNumber(shown[place], shown[place]) for place in places]
    return ModelResult(scores, links, ClassRule(labels, rule), tuple(outputs), tuple(shown), scores.remarks + remarks)


def _shown_scores(scores: RawScores, precision: int) -> tuple[RawScores, tuple[Link, ...], list[str]]:
    """The scores as they are shown: float64 sums are rounded for a float32 result; classes are chosen before that."""
    names = [each.name for each in scores.sums]
    if scores.precision == precision:
        return scores, (), names
    rounded = [Link(f"{name}_as_float32", "single", (name,), 32, exact=True) for name in names]
    return scores, tuple(rounded), [link.name for link in rounded]


def _link(transform: str, place: int, names: list[str], labels: tuple[str, ...], vectorized: bool) -> Link:
    last = place == len(names) - 1
    name = "probability" if len(labels) == 2 and last else f"probability_{labels[place]}"
    slack = VECTORIZED_SLACK if vectorized else 0.0
    if transform == "LOGISTIC":
        return Link(name, "logistic", (names[place],), 32, exact=not vectorized, slack=slack)
    arguments = (names[place], *names)
    return Link(name, "softmax_in_order", arguments, 32, exact=not vectorized, slack=slack)
