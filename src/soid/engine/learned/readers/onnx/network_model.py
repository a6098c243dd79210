"""The layers and the outputs of a graph as a model: numbers with names, and the classes that ArgMax chooses."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Final, final

from msgspec import Struct
from msgspec.structs import replace

from soid.engine.learned.feature_names import identifiers
from soid.engine.learned.model import (
    ClassRule,
    Greatest,
    LearnedModel,
    ModelFeature,
    ModelRefused,
    NamedChoice,
    NamedNumber,
    NamedTensor,
)
from soid.engine.learned.network import NetworkSum, NetworkTerm, Precision
from soid.engine.learned.readers.onnx.graph_values import PRECISIONS, ChosenValue, ComputedValue, Places
from soid.engine.learned.readers.onnx.layer_builder import LayerBuilder
from soid.engine.learned.readers.onnx.onnx_messages import OnnxModel
from soid.engine.learned.readers.onnx.onnx_tensors import INT64

_MOST_NUMBERS: Final = 10_000  # of all outputs
_LABEL: Final = "decision"  # what the class is called, if only one is chosen
_CONVOLUTION: Final = (
    "A convolution is taken for a sum of products: a runtime that computes it by another transform (Winograd) is not "
    "modelled."
)


@final
class NetworkResult(Struct, frozen=True):
    """An output of a graph."""

    name: str
    value: ComputedValue | ChosenValue


@final
class _ComparedElements(Struct, frozen=True):
    """The elements of which one is chosen."""

    name: str
    places: Places
    precision: Precision
    least: bool
    after_softmax: bool = False
    labels: tuple[str, ...] = ()  # of the classes, where the graph gives them


def learned_network(
    model: OnnxModel,
    layers: LayerBuilder,
    features: tuple[ModelFeature, ...],
    inputs: tuple[NamedTensor, ...],
    results: list[NetworkResult],
) -> LearnedModel:
    numbers = [(each.name, each.value) for each in results if isinstance(each.value, ComputedValue)]
    groups = _groups(results)
    names = identifiers(_spelt(numbers), [_LABEL] if len(groups) == 1 else [])
    chosen = identifiers([each.name for each in groups], names)
    compared = [_compared(layers, each, name) for each, name in zip(groups, chosen, strict=True)]
    count = sum(value.places.size for _, value in numbers) + sum(len(each.places) for each in compared)
    if not 0 < count <= _MOST_NUMBERS:
        raise ModelRefused(f"The graph gives {count:,} numbers; 1 to {_MOST_NUMBERS:,} are modelled.")
    network, terms = layers.done([value.places for _, value in numbers] + [each.places for each in compared])
    sums, tensors = _outputs(numbers, names, terms)
    choices, more = _choices(model, compared, terms[len(numbers) :], {each.name for each in sums})
    sums += more
    is_label = len(choices) == 1
    return LearnedModel(
        library="onnxruntime",
        version=model.producer,
        family="neural network",
        features=_named(model, features),
        networks=(network,),
        sums=tuple(sums),
        label=choices[0].choice if is_label else None,
        choices=() if is_label else tuple(choices),
        outputs=tuple(NamedNumber(name, name) for name in names),
        settings=(
            ("ai.onnx", str(model.versions[""])),
            ("graph", "network"),
            ("choices", " ".join(each.name for each in choices)),
            *((("labels", "given"),) if any(each.labels for each in compared) else ()),
        ),
        remarks=tuple(_remarks(model)),
        given=inputs,
        results=tuple(tensors),
    )


def _remarks(model: OnnxModel) -> Iterator[str]:
    if any(node.operator == "Conv" for node in model.nodes):
        yield _CONVOLUTION
    long = [each.name for each in model.inputs if each.kind == INT64 and each.name not in model.constants]
    if long:
        yield f"{', '.join(long)}: whole numbers beyond 2^53 are not modelled."


def _spelt(numbers: list[tuple[str, ComputedValue]]) -> list[str]:
    """Names for all elements of outputs."""
    counts = [(name, value.places.size) for name, value in numbers]
    return [each for name, count in counts for each in _element_names(name, count)]


def _element_names(name: str, count: int) -> list[str]:
    return [name] if count == 1 else [f"{name}_{place}" for place in range(count)]


def _outputs(
    numbers: list[tuple[str, ComputedValue]], names: list[str], terms: list[list[tuple[int, int]]]
) -> tuple[list[NetworkSum], list[NamedTensor]]:
    """A number for each element of each output that is no class."""
    sums: list[NetworkSum] = []
    tensors: list[NamedTensor] = []
    for (name, value), own in zip(numbers, terms, strict=False):
        tensors.append(NamedTensor(name, value.shape, len(sums), len(own)))
        here = names[len(sums) : len(sums) + len(own)]
        sums += [_sum(each, term, PRECISIONS[value.kind]) for each, term in zip(here, own, strict=True)]
    return sums, tensors


def _choices(
    model: OnnxModel, compared: list[_ComparedElements], terms: list[list[tuple[int, int]]], taken: set[str]
) -> tuple[list[NamedChoice], list[NetworkSum]]:
    """The classes that are chosen, and the numbers that are compared for that, which no output may show."""
    named = _class_names(model, compared)
    if len(compared) > 1 and any(each.labels for each in compared):
        raise ModelRefused("Labels of several classes are not modelled.", "Export a network that chooses one.")
    classes = [each.labels or named or tuple(map(str, range(len(each.places)))) for each in compared]
    spelt = [f"{each.name}_{label}" for each, labels in zip(compared, classes, strict=True) for label in labels]
    names = iter(identifiers(spelt, taken))
    choices: list[NamedChoice] = []
    sums: list[NetworkSum] = []
    for each, labels, own in zip(compared, classes, terms, strict=True):
        factor = -1.0 if each.least else 1.0
        made = [_sum(next(names), term, each.precision, factor) for term in own]
        rule = Greatest(tuple(one.name for one in made), each.after_softmax)
        choices.append(NamedChoice(each.name, ClassRule(labels, rule)))
        sums += made
    return choices, sums


def _sum(name: str, term: tuple[int, int], precision: Precision, factor: float = 1.0) -> NetworkSum:
    return NetworkSum(name, 0, (NetworkTerm(*term, factor),), precision)


def _groups(results: list[NetworkResult]) -> list[_ComparedElements]:
    """Each class that is chosen."""
    found: list[_ComparedElements] = []
    for each in results:
        value = each.value
        if isinstance(value, ChosenValue):
            names = _element_names(each.name, len(value.groups))
            pairs = zip(names, value.groups, strict=True)
            given = value.precision, value.least
            found += [_ComparedElements(name, group, *given, labels=value.labels) for name, group in pairs]
    return found


def _compared(layers: LayerBuilder, one: _ComparedElements, name: str) -> _ComparedElements:
    """What is compared, under a name that questions can use; before a softmax, whose greatest share it has too.

    The least share is another matter: small ones may be the same float, or 0.
    """
    if len(one.places) < 2:
        raise ModelRefused(f"ArgMax of a single number ({name}) is not modelled.")
    before = None if one.least else layers.before_softmax(one.places)
    if before is None:
        return replace(one, name=name)
    return replace(one, name=name, places=before, after_softmax=True)


def _class_names(model: OnnxModel, compared: list[_ComparedElements]) -> tuple[str, ...]:
    """Classes as the file's metadata calls them, if it has a name for each."""
    names = _listed(model, "class_names")
    fit = len(compared) == 1 and len(compared[0].places) == len(names) == len(set(names))
    return names if fit else ()


def _named(model: OnnxModel, features: tuple[ModelFeature, ...]) -> tuple[ModelFeature, ...]:
    """Features as the file's metadata calls them, if it has a name for each."""
    names = _listed(model, "feature_names")
    if len(names) != len(features) or len(set(names)) != len(names):
        return features
    return tuple(replace(each, name=name) for each, name in zip(features, names, strict=True))


def _listed(model: OnnxModel, key: str) -> tuple[str, ...]:
    """A list of names in the metadata: as JSON, or with commas."""
    text = model.metadata.get(key, "")
    try:
        found = json.loads(text) if text.startswith("[") else [each.strip() for each in text.split(",")]
    except (ValueError, RecursionError):
        return ()
    return tuple(found) if isinstance(found, list) and all(isinstance(each, str) and each for each in found) else ()
