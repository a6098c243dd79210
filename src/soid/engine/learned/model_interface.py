"""The interface of a model: features become inputs; the label, numbers and decisions by threshold become decisions."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final, final

from msgspec import Struct

from soid.engine.learned.feature_names import MISSING_LABEL, UNSEEN_LABEL, identifiers
from soid.engine.learned.float_places import SORTS
from soid.engine.learned.learned_source import Threshold
from soid.engine.learned.model import MISSING, UNSEEN, LearnedModel, ModelFeature
from soid.engine.learned.sum_functions import CODE_WIDTH
from soid.errors import ManifestError, did_you_mean
from soid.formula.sorts import FLOAT64
from soid.program.domain import DEFAULT, Domain, Values
from soid.program.interface import Interface, Role, Variable
from soid.program.override import Declaration, completed_by
from soid.program.types import BoolType, EnumType, FloatType, IntType, VariableType

DECISION: Final = "decision"  # the variable of the label
_CLASS_WIDTH: Final = 32  # bits
_WHOLE: Final = re.compile(r"-?\d+(\.0)?")


@final
class ModelInterface(Struct, frozen=True):
    """The variables of a model, and which of them is which feature."""

    interface: Interface
    inputs: tuple[Variable | None, ...]  # for each feature; None: the model does not use it


@final
class LearnedProgram(Struct, frozen=True):
    """A model as a program: what other code needs to evaluate it once more."""

    model: LearnedModel
    inputs: tuple[Variable | None, ...]  # for each feature; None: the model does not use it
    thresholds: tuple[Threshold, ...]
    sha256: str  # of the model's file


def interface_of(
    model: LearnedModel, used: Collection[int], thresholds: tuple[Threshold, ...], declared: tuple[Declaration, ...]
) -> ModelInterface:
    """The interface; `used` are the features that the model's numbers depend on."""
    taken: set[str] = set()
    decisions = [completed_by(each, declared) for each in _decisions(model, thresholds, taken)]
    inputs: list[Variable | None] = []
    untouched: set[str] = set()
    spellings: dict[str, str] = {}
    paths = identifiers([feature.name for feature in model.features], taken)
    for number, (feature, path) in enumerate(zip(model.features, paths, strict=True)):
        if path != feature.name:
            spellings[feature.name] = path
        named = any(each.speaks_of(path) for each in declared)
        if number not in used and not named:
            untouched.add(path)
            inputs.append(None)
        else:
            label = "" if path == feature.name else feature.name
            made = Variable(path, Role.ENVIRONMENT, _type(feature), _domain(feature), label=label)
            inputs.append(completed_by(made, declared))
    variables = (*(each for each in inputs if each is not None), *decisions)
    _refuse_strange(declared, variables)
    found = Interface(variables, frozenset(untouched), spellings=spellings)
    return ModelInterface(found, tuple(inputs))


def _type(feature: ModelFeature) -> VariableType:
    match feature.kind:
        case "number":
            return FloatType(FLOAT64, missing=feature.takes_missing, flags=True)
        case "integer":
            return IntType(64, signed=True)
        case "flag":
            return BoolType()
        case "category":
            spellings = tuple((text, number) for number, (text, _) in enumerate(feature.categories))
            missing = MISSING if feature.takes_missing else None
            other = UNSEEN if feature.takes_unseen else None
            return EnumType(
                feature.name, CODE_WIDTH, True, _labels(feature), spellings, missing, other, feature.written
            )


def _labels(feature: ModelFeature) -> tuple[tuple[str, int], ...]:
    labels = identifiers([text for text, _ in feature.categories])
    others = [(MISSING_LABEL, MISSING, feature.takes_missing), (UNSEEN_LABEL, UNSEEN, feature.takes_unseen)]
    further = identifiers([label for label, _, _ in others], labels)
    codes = ((label, code) for label, (_, code, has) in zip(further, others, strict=True) if has)
    return (*((label, number) for number, label in enumerate(labels)), *codes)


def _domain(feature: ModelFeature) -> Domain:
    """A category may be one that training has not seen, where the library takes it: the world has others.

    What is missing is supposed only if a question or the manifest says so, as for numbers.
    """
    if feature.kind != "category":
        return DEFAULT
    others = (UNSEEN & (1 << CODE_WIDTH) - 1,) if feature.takes_unseen else ()
    return Values((*range(len(feature.categories)), *others))


def _decisions(model: LearnedModel, thresholds: tuple[Threshold, ...], taken: set[str]) -> list[Variable]:
    found: list[Variable] = []
    precisions = {each.name: each.precision for each in (*model.sums, *model.links)}
    known = [each.name for each in model.outputs]
    for one in thresholds:
        if one.number not in known:
            remedy = did_you_mean(one.number, known, f"It has: {', '.join(known) or 'none'}.")
            raise ManifestError(f"[decisions] {one.name}: the model gives no number {one.number}", remedy)
        found.append(Variable(one.name, Role.DECISION, BoolType()))
    if model.label is not None:
        texts = [f"class_{text}" if _WHOLE.fullmatch(text) else text for text in model.label.classes]
        labels = tuple((label, number) for number, label in enumerate(identifiers(texts)))
        spellings = tuple((text, number) for number, text in enumerate(model.label.classes))
        kind = EnumType("class", _CLASS_WIDTH, True, labels, spellings)
        found.append(Variable(DECISION, Role.DECISION, kind))
    found += [Variable(each.name, Role.DECISION, FloatType(SORTS[precisions[each.number]])) for each in model.outputs]
    taken.update(each.path for each in found)
    return found


def _refuse_strange(declared: tuple[Declaration, ...], variables: tuple[Variable, ...]) -> None:
    paths = [each.path for each in variables]
    for one in declared:
        if not any(one.speaks_of(path) for path in paths):
            one.entry.fail(
                "", f"the model has no {one.path}", did_you_mean(one.path, paths, "`soid inspect` lists them.")
            )
