"""The interface of a model: features become inputs; the label, numbers and decisions by threshold become decisions."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import Final, final

from msgspec import Struct
from msgspec.structs import replace

from soid.engine.learned.feature_names import MISSING_LABEL, UNSEEN_LABEL, identifiers
from soid.engine.learned.float_places import SORTS
from soid.engine.learned.learned_source import Threshold
from soid.engine.learned.model import MISSING, UNSEEN, ClassRule, LearnedModel, ModelFeature
from soid.engine.learned.number_range import refuse_constant
from soid.engine.learned.sum_functions import CODE_WIDTH
from soid.errors import ManifestError, did_you_mean
from soid.formula.sorts import FLOAT32, FLOAT64
from soid.program.domain import DEFAULT, Domain, Range, Values
from soid.program.interface import LISTED, Interface, Role, Variable
from soid.program.override import Declaration, completed_by
from soid.program.types import BoolType, EnumType, FloatType, IntType, VariableType
from soid.visible_text import visible_line

DECISION: Final = "decision"  # the variable of the label
PROBABILITY: Final = "probability"  # of the second class of two
#: it may be missing, which a library may reject: then it fails; and a log may write it as a bool
_ANY_NUMBER: Final = FloatType(FLOAT64, missing=True, flags=True)
_CLASS_WIDTH: Final = 32  # bits
_EXACT: Final = 1 << 53  # up to it every whole number is a float64
_WHOLE: Final = re.compile(r"-?\d+(\.0)?")


@final
class ModelInterface(Struct, frozen=True):
    """The variables of a model, and which of them is which feature."""

    interface: Interface
    inputs: tuple[Variable | None, ...]  # for each feature; None: the model does not use it, and takes any


@final
class LearnedProgram(Struct, frozen=True):
    """A model as a program: what other code needs to evaluate it once more."""

    model: LearnedModel
    inputs: tuple[Variable | None, ...]  # for each feature; None: the model does not use it
    thresholds: tuple[Threshold, ...]
    sha256: str  # of the model's file
    states: tuple[tuple[str, str], ...] = ()  # outputs that are the state of the next call, each with what it is


def interface_of(
    model: LearnedModel,
    used: Collection[int],
    thresholds: tuple[Threshold, ...],
    declared: tuple[Declaration, ...],
    states: Collection[int] = (),
) -> ModelInterface:
    """The interface; `used` are the features that the model's numbers depend on, `states` those that are fed back.

    Another one is an input too if the library may reject it, and if the manifest names it.
    """
    taken: set[str] = set()
    decisions = _told(completed_by(each, declared) for each in _decisions(model, thresholds, taken))
    inputs: list[Variable | None] = []
    untouched: set[str] = set()
    spellings: dict[str, str] = {}
    paths = identifiers([feature.name for feature in model.features], taken)
    for number, (feature, path) in enumerate(zip(model.features, paths, strict=True)):
        if path != feature.name:
            spellings[feature.name] = path
        named = any(each.speaks_of(path) for each in declared)
        if number not in (*used, *states) and not named and not feature.may_be_rejected:
            untouched.add(path)
            inputs.append(None)
        else:
            label = "" if path == feature.name else visible_line(feature.name)
            kind = _stated(feature, path, declared) or _type(feature)
            role = Role.STATE if number in states else Role.ENVIRONMENT
            made = Variable(path, role, kind, _domain(feature, kind), label=label)
            inputs.append(completed_by(made, declared))
    variables = (*(each for each in inputs if each is not None), *decisions)
    _refuse_strange(declared, variables)
    found = Interface(variables, frozenset(untouched), spellings=spellings)
    return ModelInterface(found, tuple(inputs))


def _stated(feature: ModelFeature, path: str, declared: tuple[Declaration, ...]) -> VariableType | None:
    """The type that the manifest says an application has for a number: all of them become floats in the library."""
    stated = next((each.stated_type for each in reversed(declared) if each.speaks_of(path)), None)
    if feature.kind == "category":
        return None
    if isinstance(stated, FloatType) and not feature.may_miss:
        return stated if feature.kind == "number" and stated.format in (FLOAT32, FLOAT64) else None
    if isinstance(stated, FloatType) and stated.format == FLOAT64:
        return _ANY_NUMBER
    return stated if isinstance(stated, BoolType) or (isinstance(stated, IntType) and stated.width <= 64) else None


def is_narrowed(feature: ModelFeature, variable: Variable) -> bool:
    """Whether an application has fewer values for a feature than the model takes."""
    return feature.kind == "number" and not isinstance(variable.type, FloatType)


def _type(feature: ModelFeature) -> VariableType:
    match feature.kind:
        case "number":
            return _ANY_NUMBER if feature.may_miss else FloatType(SORTS[feature.precision])
        case "integer":
            return IntType(64, signed=True)
        case "flag":
            return BoolType()
        case "category":
            spellings = tuple((text, number) for number, (text, _) in enumerate(feature.categories))
            other = UNSEEN if feature.knows_unseen else None
            return EnumType(
                feature.name, CODE_WIDTH, True, _labels(feature), spellings, MISSING, other, feature.written
            )


def _labels(feature: ModelFeature) -> tuple[tuple[str, int], ...]:
    labels = identifiers([text for text, _ in feature.categories])
    missing, unseen = identifiers([MISSING_LABEL, UNSEEN_LABEL], labels)
    others = ((missing, MISSING), (unseen, UNSEEN)) if feature.knows_unseen else ((missing, MISSING),)
    return (*((label, number) for number, label in enumerate(labels)), *others)


def _domain(feature: ModelFeature, kind: VariableType) -> Domain:
    """A category may be one that training has not seen, where the library takes it: the world has others.

    What is missing is supposed only if a question or the manifest says so, as for numbers. Of whole numbers of 64 bits
    some are no float64: which floats a library then makes of them is not looked at.
    """
    if isinstance(kind, IntType) and kind.width == 64 and not feature.may_miss and feature.kind == "integer":
        least, greatest = feature.least or 0.0, feature.greatest or 0.0
        low = int(max(least, -_EXACT)) if kind.signed else 0
        return Range(low & (1 << 64) - 1, int(min(greatest, _EXACT)))
    if isinstance(kind, IntType) and kind.width == 64 and feature.kind == "number":
        return Range(-_EXACT & (1 << 64) - 1 if kind.signed else 0, _EXACT)
    if feature.kind != "category":
        return DEFAULT
    others = (UNSEEN & (1 << CODE_WIDTH) - 1,) if feature.takes_unseen else ()
    return Values((*range(len(feature.categories)), *others))


def _decisions(model: LearnedModel, thresholds: tuple[Threshold, ...], taken: set[str]) -> list[Variable]:
    found: list[Variable] = []
    precisions = {each.name: each.precision for each in (*model.sums, *model.links)}
    known = [each.name for each in model.outputs]
    for one in thresholds:
        if not one.terms and one.number not in known:
            remedy = did_you_mean(one.number, known, f"It has: {', '.join(known) or 'none'}.")
            raise ManifestError(f"[decisions] {one.name}: the model gives no number {one.number}", remedy)
        if not one.is_made:
            refuse_constant(model, one)
        found.append(Variable(one.name, Role.DECISION, BoolType()))
    if model.label is not None:
        found.append(Variable(DECISION, Role.DECISION, _class_type(model.label)))
    found += [Variable(each.name, Role.DECISION, _class_type(each.choice)) for each in model.choices]
    found += [Variable(each.name, Role.DECISION, FloatType(SORTS[precisions[each.number]])) for each in model.outputs]
    taken.update(each.path for each in found)
    return found


def _class_type(rule: ClassRule) -> EnumType:
    texts = [f"class_{text}" if _WHOLE.fullmatch(text) else text for text in rule.classes]
    labels = tuple((label, number) for number, label in enumerate(identifiers(texts)))
    spellings = tuple((text, number) for number, text in enumerate(rule.classes))
    return EnumType("class", _CLASS_WIDTH, True, labels, spellings)


def _told(decisions: Iterable[Variable]) -> list[Variable]:
    """The decisions with words for the probability of one class of two: the file has them in an order that it chose."""
    found = list(decisions)
    kinds = [each.type for each in found if each.path == DECISION]
    classes = [label for label, _ in kinds[0].labels] if kinds and isinstance(kinds[0], EnumType) else []
    if len(classes) != 2:
        return found
    words = f"the probability of {classes[1]}"
    return [replace(each, label=words) if each.path == PROBABILITY and not each.label else each for each in found]


def _refuse_strange(declared: tuple[Declaration, ...], variables: tuple[Variable, ...]) -> None:
    paths = [each.path for each in variables]
    for one in declared:
        if not any(one.speaks_of(path) for path in paths):
            one.entry.fail("", f"the model has no {one.path}", did_you_mean(one.path, paths, LISTED))
