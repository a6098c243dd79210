"""AdaBoostClassifier (SAMME): each tree votes for a class with its weight, and against the others with a part of it."""

from __future__ import annotations

import numpy as np

from soid.engine.learned.model import Link, TreeSum
from soid.engine.learned.readers.skops.fitted_model import (
    SOFTMAX_ULPS,
    FittedModel,
    by_scores,
    classes_of,
    outputs_of,
    score_names,
)
from soid.engine.learned.readers.skops.prepared_columns import GREATEST32, Inputs, Prepared
from soid.engine.learned.readers.skops.saved_objects import Floats, Saved
from soid.engine.learned.readers.skops.sklearn_trees import CLASSIFIER_TREES, nodes_of
from soid.engine.learned.readers.skops.skops_archive import broken, not_modelled
from soid.engine.learned.readers.skops.tree_tests import TreeTests, gathered
from soid.engine.learned.trees_builder import TreesBuilder


def boosted(saved: Saved, inputs: Inputs, prepared: Prepared) -> FittedModel:
    """AdaBoostClassifier over decision trees."""
    classes = classes_of(saved)
    algorithm = saved.get("algorithm")
    if algorithm is not None and algorithm.text() not in ("SAMME", "deprecated"):
        raise not_modelled(f"AdaBoostClassifier with algorithm={algorithm.text()!r}", "Use SAMME.")
    inputs.check(prepared, GREATEST32, missing=False)
    trees = saved["estimators_"].items()
    weights = saved["estimator_weights_"].floats(-1)
    total = float(weights.sum())
    if not trees or len(weights) < len(trees) or not total > 0:
        raise broken(f"{saved.path} has no trees, or not a weight for each")
    for tree in trees:
        if tree.name not in CLASSIFIER_TREES:
            raise not_modelled(f"AdaBoostClassifier of {tree.name}", "soid knows boosted decision trees.")
        if classes_of(tree) != classes:
            raise not_modelled("AdaBoostClassifier whose trees know different classes", "")
    read = gathered(nodes_of(tree, len(prepared.columns), len(classes)) for tree in trees)
    tests = TreeTests(inputs, prepared, read, as_float32=True)
    builder = TreesBuilder(len(classes))
    for tree, nodes, weight in zip(trees, read, weights.tolist(), strict=False):  # weights of trees never made are 0
        nodes.values[:] = _votes(nodes.values, weight)
        tests.add(builder, nodes, tree.path)
    sums, links = _sums_and_links(classes, total)
    family = f"adaptively boosted trees ({saved.name}, {len(trees)} trees)"
    outputs = outputs_of([*score_names(classes), *(link.name for link in links)])
    return FittedModel(family, (builder.done(),), sums, links, by_scores(classes), outputs)


def _votes(shares: Floats, weight: float) -> Floats:
    """What a leaf adds to the score of each class: the first of those with the greatest share gets the vote."""
    count = shares.shape[1]
    chosen = np.argmax(shares, axis=1)
    return np.where(np.arange(count) == chosen[:, None], weight, -1 / (count - 1) * weight)


def _sums_and_links(classes: tuple[str, ...], total: float) -> tuple[tuple[TreeSum, ...], tuple[Link, ...]]:
    """Scores, and what the softmax takes: of two classes half of the score and half of its negative."""
    if len(classes) == 2:  # the score is that of the second class less that of the first, its negative to the bit
        sums = [TreeSum("score", 0, 1, finish=(("divide", total), ("multiply", 2.0)))]
        halves = [TreeSum(f"half_{each}", 0, k, finish=(("divide", total), ("multiply", 2.0), ("divide", 2.0)))
                  for k, each in enumerate(classes)]  # fmt: skip
        names = ["", "probability"]
    else:
        sums = [TreeSum(f"score_{each}", 0, k, finish=(("divide", total),)) for k, each in enumerate(classes)]
        parts = float(len(classes) - 1)
        halves = [TreeSum(f"part_{each}", 0, k, finish=(("divide", total), ("divide", parts)))
                  for k, each in enumerate(classes)]  # fmt: skip
        names = [f"probability_{each}" for each in classes]
    arguments = tuple(each.name for each in halves)
    links = tuple(
        Link(name, "softmax", (own, *arguments), ulps=SOFTMAX_ULPS + len(classes))
        for name, own in zip(names, arguments, strict=True)
        if name
    )
    return (*sums, *halves), links
