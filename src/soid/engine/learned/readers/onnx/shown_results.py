"""What comes after a model in a graph: operators that show its class and its numbers in another way."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, final

from msgspec import Struct
from msgspec.structs import replace

from soid.engine.learned.model import LearnedModel, Link, ModelRefused, NamedNumber
from soid.engine.learned.readers.onnx.node_attributes import NodeAttributes
from soid.engine.learned.readers.onnx.onnx_messages import OnnxNode
from soid.engine.learned.readers.onnx.onnx_tensors import DOUBLE, FLOAT, INT64, STRING, OnnxTensor

#: operators that are modelled, though not in every use
_KNOWN: Final = (
    "Add", "ArrayFeatureExtractor", "Cast", "Concat", "Constant", "Div", "FeatureVectorizer", "Gather", "Identity",
    "Imputer", "LabelEncoder", "Mul", "Normalizer", "OneHotEncoder", "Reshape", "Scaler", "Slice", "Sub", "ZipMap",
)  # fmt: skip


def not_modelled(node: OnnxNode) -> ModelRefused:
    used = ", used like this" if node.operator in _KNOWN else ""
    return ModelRefused(f"The operator {node.name} is not modelled{used}.")


@final
class ShownNumbers(Struct, frozen=True):
    """A result whose columns are numbers of the model; those of two classes may be fewer than the columns."""

    names: tuple[str, ...]
    whole: bool = True  # False: some of its columns


@final
class ShownLabel(Struct, frozen=True):
    """A result that is the class."""


def shown(node: OnnxNode, given: Sequence[object], model: LearnedModel) -> ShownNumbers | ShownLabel:
    """The same result, shown in another way: none of these operators changes a number."""
    one = given[0]
    if not isinstance(one, ShownNumbers | ShownLabel):
        raise not_modelled(node)
    match node.operator, given[1:]:
        case "Identity", []:
            return one
        case "Cast", [] if _keeps(one, NodeAttributes(node, "to saturate round_mode").integer("to", 0)):
            return one
        case "ZipMap", [] if isinstance(one, ShownNumbers) and one.whole and _has_its_classes(node, model):
            return one
        case "Mul", [OnnxTensor() as by] if by.kind != STRING and all(value == 1 for value in by.values):
            return one
        case "Reshape", [OnnxTensor()]:
            return one
        case (("Slice" | "Gather" | "ArrayFeatureExtractor"), others) if isinstance(one, ShownNumbers) and all(
            isinstance(each, OnnxTensor) for each in others
        ):
            return ShownNumbers(one.names, whole=False)
        case _:
            raise not_modelled(node)


def _keeps(one: ShownNumbers | ShownLabel, target: int) -> bool:
    """Whether a cast of a result changes nothing."""
    return target in ((INT64, STRING) if isinstance(one, ShownLabel) else (FLOAT, DOUBLE))


def _has_its_classes(node: OnnxNode, model: LearnedModel) -> bool:
    attributes = NodeAttributes(node, "classlabels_int64s classlabels_strings")
    labels = attributes.texts("classlabels_strings") or list(map(str, attributes.integers("classlabels_int64s")))
    return model.label is not None and list(model.label.classes) == labels


def normalized(node: OnnxNode, one: ShownNumbers, model: LearnedModel) -> tuple[ShownNumbers, LearnedModel]:
    """Normalizer: each number over the sum of all, which are probabilities."""
    functions = {link.function for link in model.links if link.name in one.names}
    if (
        NodeAttributes(node, "norm").text("norm", "MAX") != "L1"
        or not one.whole
        or model.label is None
        or len(model.label.classes) != len(one.names)
        or not functions
        or not functions <= {"logistic", "softmax_in_order"}
    ):
        raise ModelRefused(f"{node.name} of anything but probabilities, by the norm L1, is not modelled.")
    # not exact: where all are zero, onnxruntime divides by nothing
    links = [Link(f"{name}_normalized", "share", (name, *one.names), 32) for name in one.names]
    renamed = {name: link.name for name, link in zip(one.names, links, strict=True)}
    outputs = tuple(NamedNumber(each.name, renamed.get(each.number, each.number)) for each in model.outputs)
    return (
        ShownNumbers(tuple(renamed.values())),
        replace(model, links=model.links + tuple(links), outputs=outputs),
    )
