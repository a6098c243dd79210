"""A network as an application uses it: its inputs made of variables, and decisions made of its outputs.

The model of the file stays as it is, for a runtime is given what the file says. What the manifest adds becomes steps of
columns, numbers, and classes that are chosen, so that the rest of the engine sees one model.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

from msgspec import Struct
from msgspec.structs import replace

from soid.engine.learned.column_steps import Column
from soid.engine.learned.learned_source import FedBack, LearnedSource, OutputChoice, PreparedInput, Threshold
from soid.engine.learned.model import (
    ClassRule,
    Greatest,
    LearnedModel,
    ModelFeature,
    NamedChoice,
    NamedTensor,
)
from soid.engine.learned.network import Network, NetworkSum, NetworkTerm, Softmaxed
from soid.errors import ManifestError, did_you_mean


@final
class ModelApplication(Struct, frozen=True):
    """A model with the features and the decisions that an application has."""

    model: LearnedModel
    given: tuple[Column, ...] = ()  # of each feature in the file: how it is made of the model's; empty: it is the same
    compared: tuple[tuple[str, tuple[str, ...], bool], ...] = ()  # of each choice its outputs, and if it is the least
    states: tuple[tuple[int, str], ...] = ()  # features that are given an output of the call before
    told: tuple[str, ...] = ()  # how the inputs are made, as the manifest says it


def applied(model: LearnedModel, source: LearnedSource) -> ModelApplication:
    """The model with what the manifest says; a ManifestError names what does not fit."""
    if not model.networks:
        _refuse_all(source)
        return ModelApplication(model)
    with_decisions, compared = _chosen(_with_sums(model, source.thresholds), source.choices)
    prepared, given = _prepared(with_decisions, source.prepared)
    states = _states(model, given, source.fed_back)
    told = tuple(map(str, (*source.prepared, *source.fed_back)))
    return ModelApplication(prepared, given, compared, states, told)


def _refuse_all(source: LearnedSource) -> None:
    """A model that is no network has none of this."""
    decided = (*source.choices, *(each for each in source.thresholds if each.is_made))
    for table, entries in (("inputs", source.prepared), ("state", source.fed_back), ("decisions", decided)):
        if entries:
            raise ManifestError(
                f"[{table}] {entries[0]}: only a neural network has that", "Leave it out: the model has features."
            )


def _tensor(tensors: Sequence[NamedTensor], name: str, table: str, entry: object, what: str) -> NamedTensor:
    found = next((each for each in tensors if each.name == name), None)
    if found is None:
        names = [each.name for each in tensors]
        remedy = did_you_mean(name, names, f"It has: {', '.join(names) or 'none'}.")
        raise ManifestError(f"[{table}] {entry}: the network has no {what} {name}", remedy)
    return found


# --- decisions ------------------------------------------------------------------------------------------------


def _with_sums(model: LearnedModel, thresholds: Sequence[Threshold]) -> LearnedModel:
    """A number for each sum that is compared: a difference is rounded as an application does it."""
    sums = {each.name: each for each in model.sums if isinstance(each, NetworkSum)}
    shown = [each.name for each in model.outputs]
    made: dict[str, NetworkSum] = {}
    for one in thresholds:
        if not one.is_made:
            continue
        added = one.terms or ((one.number, 1.0), (one.minus, -1.0))
        for name, _ in added:
            if name not in shown:
                remedy = did_you_mean(name, shown, f"It has: {', '.join(shown) or 'none'}.")
                raise ManifestError(f"[decisions] {one.name}: the model gives no number {name}", remedy)
        precisions = {sums[name].precision for name, _ in added}
        if len(precisions) > 1:
            raise ManifestError(f"[decisions] {one}: one is float32 and the other float64", "Compare each of them.")
        terms = tuple(replace(term, factor=term.factor * factor) for name, factor in added for term in sums[name].terms)
        precision = 64 if one.terms else precisions.pop()
        made[one.compared] = NetworkSum(one.compared, 0, terms, precision, rounded=not one.terms)
    return replace(model, sums=(*model.sums, *made.values()))


def _chosen(
    model: LearnedModel, choices: Sequence[OutputChoice]
) -> tuple[LearnedModel, tuple[tuple[str, tuple[str, ...], bool], ...]]:
    sums: list[NetworkSum] = []
    made: list[NamedChoice] = []
    compared: list[tuple[str, tuple[str, ...], bool]] = []
    for one in choices:
        tensor = _tensor(model.results, one.output, "decisions", one, "output")
        if tensor.count < 2:
            raise ManifestError(f"[decisions] {one}: {one.output} is a single number", "Compare it with a bound.")
        shown = [each.number for each in model.outputs[tensor.first : tensor.first + tensor.count]]
        rule, own = _rule(model, one, shown)
        sums += own
        made.append(NamedChoice(one.name, ClassRule(tuple(map(str, range(tensor.count))), rule)))
        compared.append((one.name, tuple(shown), one.least))
    found = replace(model, sums=(*model.sums, *sums), choices=(*model.choices, *made))
    return found, tuple(compared)


def _rule(model: LearnedModel, one: OutputChoice, shown: Sequence[str]) -> tuple[Greatest, list[NetworkSum]]:
    """The rule of a choice, and numbers that it needs beside the outputs: those before a softmax, or negated ones.

    The least share of a softmax is compared as it is: small shares may be the same float, or 0, far from one another.
    """
    sums = {each.name: each for each in model.sums if isinstance(each, NetworkSum)}
    terms = [sums[name].terms[0] for name in shown]
    before = None if one.least else _before_softmax(model.networks[0], terms)
    if before is None and not one.least:
        return Greatest(tuple(shown)), []
    terms = before or terms
    factor = -1.0 if one.least else 1.0
    made = [
        NetworkSum(f"{name} for {one.name}", 0, (replace(term, factor=factor),), sums[name].precision)
        for name, term in zip(shown, terms, strict=True)
    ]
    return Greatest(tuple(each.name for each in made), before is not None), made


def _before_softmax(network: Network, terms: Sequence[NetworkTerm]) -> list[NetworkTerm] | None:
    """What a softmax was made of, if these elements are of one; None if they are not."""
    vectors = {term.vector for term in terms}
    vector = vectors.pop()
    layer = network.layers[vector - 1] if not vectors and vector else None
    if not isinstance(layer, Softmaxed) or len({term.element // layer.size for term in terms}) != 1:
        return None
    return [NetworkTerm(layer.source, term.element) for term in terms]


# --- inputs ---------------------------------------------------------------------------------------------------


def _prepared(model: LearnedModel, inputs: Sequence[PreparedInput]) -> tuple[LearnedModel, tuple[Column, ...]]:
    """The model over the application's variables, and how each feature of the file is made of them."""
    if not inputs:
        return model, ()
    made = _elements(model, inputs)
    kept = [number for number in range(len(model.features)) if number not in made]
    variables = _variables(inputs)
    features = [model.features[number] for number in kept]
    for one in inputs:
        if one.formula.variable in {each.name for each in features}:
            problem = f"{one.formula.variable} is an element of the network itself"
            raise ManifestError(f"[inputs] {one}: {problem}", "Give the variable another name.")
    numbers = {name: len(kept) + place for place, name in enumerate(variables)}
    given: list[Column] = []
    for number in range(len(model.features)):
        if number in made:
            one, place = made[number]
            given.append(Column(numbers[one.formula.variable], one.formula.columns[place]))
        else:
            given.append(Column(kept.index(number)))
    networks = tuple(
        replace(each, columns=tuple(_through(given[column.feature], column) for column in each.columns))
        for each in model.networks
    )
    return replace(model, features=(*features, *variables.values()), networks=networks), tuple(given)


def _through(given: Column, column: Column) -> Column:
    return Column(given.feature, given.steps + column.steps)


def _elements(model: LearnedModel, inputs: Sequence[PreparedInput]) -> dict[int, tuple[PreparedInput, int]]:
    """By feature of the file: what says how it is made, and which of its elements it is."""
    made: dict[int, tuple[PreparedInput, int]] = {}
    for one in inputs:
        tensor = _tensor(model.given, one.name, "inputs", one.place, "input")
        count = tensor.count if one.count is None else one.count
        if count != len(one.formula.columns):
            problem = f"it makes {len(one.formula.columns)} for {count} elements"
            raise ManifestError(f"[inputs] {one}: {problem}", 'Name as many elements: "x[3:6]" has three.')
        if one.first + count > tensor.count:
            raise ManifestError(
                f"[inputs] {one.place}: {one.name} has {tensor.count} elements", "They are counted from 0."
            )
        for place in range(count):
            number = tensor.first + one.first + place
            if number in made:
                raise ManifestError(f"[inputs] {one.place}: an element is made twice", "Write one entry for each.")
            if model.features[number].kind != "number":
                raise ManifestError(
                    f"[inputs] {one.place}: {one.name} is of whole numbers, and is given as it is", "Leave it out."
                )
            made[number] = (one, place)
    return made


def _variables(inputs: Sequence[PreparedInput]) -> dict[str, ModelFeature]:
    """The features that an application has, by their names."""
    found: dict[str, ModelFeature] = {}
    for one in inputs:
        name, labels = one.formula.variable, one.formula.labels
        made = ModelFeature(name, may_miss=False)
        if labels:
            categories = tuple((label, code) for code, label in enumerate(labels))
            made = ModelFeature(name, "category", categories, takes_unseen=False, knows_unseen=False, written="text")
        if found.setdefault(name, made) != made:
            raise ManifestError(
                f"[inputs] {one}: {name} has other labels elsewhere, or none",
                "Write the same labels in the same order.",
            )
    return found


# --- state ----------------------------------------------------------------------------------------------------


def _states(model: LearnedModel, given: Sequence[Column], fed_back: Sequence[FedBack]) -> tuple[tuple[int, str], ...]:
    """The features that are given an output of the call before, each with the output."""
    precisions = {each.name: each.precision for each in model.sums}
    found: list[tuple[int, str]] = []
    for one in fed_back:
        source = _tensor(model.given, one.name, "state", one, "input")
        result = _tensor(model.results, one.output, "state", one, "output")
        outputs = model.outputs[result.first : result.first + result.count]
        features = model.features[source.first : source.first + source.count]
        fit = len(outputs) == len(features) and all(
            feature.kind == "number" and feature.precision == precisions[output.number]
            for feature, output in zip(features, outputs, strict=False)
        )
        if not fit:
            raise ManifestError(
                f"[state] {one}: they have other sizes or types", "An input is given what the output was."
            )
        for place, output in enumerate(outputs):
            column = given[source.first + place] if given else Column(source.first + place)
            if column.steps or any(number == column.feature for number, _ in found):
                raise ManifestError(f"[state] {one}: it is also in [inputs], or twice", "Write it once.")
            found.append((column.feature, output.name))
    return tuple(found)
