"""GradientBoosting: a start that is the same for every row, then rate times leaf, tree after tree, in float64."""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from msgspec import structs

from soid.engine.learned.model import LinearSum, Link, TreeArrays, TreeSum
from soid.engine.learned.readers.skops.fitted_model import (
    FittedModel,
    by_scores,
    classes_of,
    outputs_of,
    same_length,
    score_names,
    scored_links,
)
from soid.engine.learned.readers.skops.prepared_columns import GREATEST32, Inputs, Prepared
from soid.engine.learned.readers.skops.saved_objects import Floats, Saved, finite
from soid.engine.learned.readers.skops.sklearn_trees import nodes_of
from soid.engine.learned.readers.skops.skops_archive import broken, not_modelled
from soid.engine.learned.readers.skops.tree_tests import TreeTests, gathered
from soid.engine.learned.trees_builder import TreesBuilder

_IDENTITY_LOSSES: Final = ("squared_error", "absolute_error", "huber", "quantile")
_EPSILON: Final = float(np.finfo(np.float64).eps)
_START_REMARK: Final = (
    "scores start at a logarithm of the classes' shares, which the file does not have; it is taken as scipy 1.17 and "
    "numpy 2.4 compute it on this machine, and others may differ in its last bits"
)


def boosted(saved: Saved, inputs: Inputs, prepared: Prepared) -> FittedModel:
    """GradientBoostingClassifier and GradientBoostingRegressor."""
    classes = classes_of(saved) if saved.name.endswith("Classifier") else ()
    names = score_names(classes) if classes else ("value",)
    loss = saved["loss"].text()
    if loss not in (("log_loss", "exponential") if classes else _IDENTITY_LOSSES):
        raise not_modelled(f"{saved.name} with loss={loss!r}", "Use another loss.")
    inputs.check(prepared, GREATEST32, missing=False)
    starts = _starts(saved, classes, loss, len(names))
    trees, rounds = _trees(saved, inputs, prepared, len(names))
    sums = tuple(
        TreeSum(name, place, start=start) for place, (name, start) in enumerate(zip(names, starts, strict=True))
    )
    family = f"gradient-boosted trees ({saved.name}, {rounds} rounds)"
    if not classes:
        return FittedModel(family, trees, sums, outputs=outputs_of(names))
    fitted = boosted_classes(family, trees, sums, classes, doubled=loss == "exponential", inclusive=True)
    return fitted if starts == [0.0] * len(names) else structs.replace(fitted, remarks=(_START_REMARK,))


def boosted_classes(
    family: str,
    trees: tuple[TreeArrays, ...],
    sums: tuple[TreeSum | LinearSum, ...],
    classes: tuple[str, ...],
    *,
    doubled: bool,
    inclusive: bool,
) -> FittedModel:
    """What boosting gives that chooses a class by its scores."""
    links = scored_links(classes)
    if doubled:
        links = (
            Link("doubled", "twice", ("score",), exact=True),
            Link("probability", "sigmoid", ("doubled",), exact=True),
        )
    outputs = outputs_of([*score_names(classes), *(link.name for link in links if link.name != "doubled")])
    return FittedModel(family, trees, sums, links, by_scores(classes, inclusive=inclusive), outputs)


def _trees(saved: Saved, inputs: Inputs, prepared: Prepared, count: int) -> tuple[tuple[TreeArrays, ...], int]:
    rate = saved["learning_rate"].number()
    flat = _flat(saved["estimators_"], count)
    read = gathered(nodes_of(each, len(prepared.columns), 1) for each in flat)
    tests = TreeTests(inputs, prepared, read, as_float32=True)
    builders = [TreesBuilder() for _ in range(count)]
    for place, (each, nodes) in enumerate(zip(flat, read, strict=True)):
        if each.name != "DecisionTreeRegressor":
            raise not_modelled(f"gradient boosting of {each.name}", "soid knows boosted decision trees.")
        with np.errstate(over="ignore"):
            nodes.values[:] = rate * nodes.values
        finite(nodes.values[nodes.is_leaf], each.path)
        tests.add(builders[place % count], nodes, each.path)
    return tuple(builder.done() for builder in builders), len(flat) // count


def _flat(saved: Saved, count: int) -> list[Saved]:
    """The trees of an array with a row for each round and a column for each score."""
    found = []
    for row in saved.items():
        nested = row.items() if row.loader == "ListNode" else [row]
        same_length(len(nested), count, row.path)
        found += nested
    if not found:
        raise broken(f"{saved.path} has no trees")
    return found


def _starts(saved: Saved, classes: tuple[str, ...], loss: str, count: int) -> list[float]:
    """The sums before the first tree."""
    start = saved["init_"]
    if start.loader == "JsonNode" and start.value() == "zero":
        return [0.0] * count
    if not classes:
        return [_dummy_number(start)]
    prior = _dummy_prior(start, len(classes))
    clipped = np.clip(prior, _EPSILON, 1 - _EPSILON)
    if count == 1:
        logit = _logit(float(clipped[1]))
        return [0.5 * logit if loss == "exponential" else logit]
    # as numpy and scipy compute it; the last bits of its logarithm may depend on the processor
    centre = np.exp(np.mean(np.log(clipped)))
    return [float(each) for each in np.log(clipped / centre)]


def _logit(share: float) -> float:
    """As scipy computes it, with the C library's functions."""
    if 0.3 <= share <= 0.65:
        twice = 2 * (share - 0.5)
        return math.log1p(twice) - math.log1p(-twice)
    return math.log(share / (1 - share))


def _dummy_prior(saved: Saved, count: int) -> Floats:
    if saved.name != "DummyClassifier" or saved["strategy"].text() != "prior":
        raise not_modelled(f"gradient boosting that starts from {saved.name}", "Use init=None or init='zero'.")
    return saved["class_prior_"].floats(count)


def _dummy_number(saved: Saved) -> float:
    if saved.name != "DummyRegressor":
        raise not_modelled(f"gradient boosting that starts from {saved.name}", "Use init=None or init='zero'.")
    constant = saved["constant_"].floats(1, 1)
    return float(constant[0, 0])
