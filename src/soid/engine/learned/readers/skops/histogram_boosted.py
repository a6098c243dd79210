"""HistGradientBoosting: float64 inputs as they are, a side for what is missing, and sets of categories.

It encodes its categorical columns itself and puts them before the others; a category that training has not seen counts
as missing.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from soid.engine.learned.model import Link, TreeSum
from soid.engine.learned.readers.skops.category_encoders import categories_of, placed
from soid.engine.learned.readers.skops.fitted_model import (
    FittedModel,
    classes_of,
    outputs_of,
    same_length,
    score_names,
)
from soid.engine.learned.readers.skops.gradient_boosted import boosted_classes
from soid.engine.learned.readers.skops.prepared_columns import Inputs, Prepared
from soid.engine.learned.readers.skops.saved_objects import Saved
from soid.engine.learned.readers.skops.skops_archive import broken, not_modelled
from soid.engine.learned.readers.skops.tree_tests import NodeArrays, TreeTests, checked, gathered
from soid.engine.learned.trees_builder import TreesBuilder

_FIELDS: Final = (
    "value", "feature_idx", "num_threshold", "missing_go_to_left", "left", "right", "is_leaf", "is_categorical",
    "bitset_idx",
)  # fmt: skip
_IDENTITY_LOSSES: Final = ("squared_error", "absolute_error", "quantile")
_LOG_LOSSES: Final = ("gamma", "poisson")


def boosted(saved: Saved, inputs: Inputs, prepared: Prepared) -> FittedModel:
    """HistGradientBoostingClassifier and HistGradientBoostingRegressor."""
    classes = classes_of(saved) if saved.name.endswith("Classifier") else ()
    loss = saved["loss"].text()
    if loss not in (("log_loss",) if classes else _IDENTITY_LOSSES + _LOG_LOSSES):
        raise not_modelled(f"{saved.name} with loss={loss!r}", "Use another loss.")
    if prepared.sparse:
        raise not_modelled(f"{saved.name} over sparse columns", "Scikit-learn rejects this too.")
    names = score_names(classes) if classes else ("score",) if loss in _LOG_LOSSES else ("value",)
    starts = saved["_baseline_prediction"].floats(1, len(names))[0].tolist()
    ordered = _reordered(saved, inputs, prepared)
    rounds = saved["_predictors"].items()
    builders = [TreesBuilder() for _ in names]
    trees = [tree for each in rounds for tree in _trees_of(each, len(names))]
    read = gathered(_nodes(tree, len(ordered.columns)) for tree in trees)
    if not read:
        raise not_modelled(f"{saved.name} without trees", "It always decides the same.")
    tests = TreeTests(inputs, ordered, read, as_float32=False)
    for place, nodes in enumerate(read):
        tests.add(builders[place % len(names)], nodes, trees[place].path)
    trees_made = tuple(builder.done() for builder in builders)
    sums = tuple(
        TreeSum(name, place, start=start) for place, (name, start) in enumerate(zip(names, starts, strict=True))
    )
    family = f"gradient-boosted trees ({saved.name}, {len(rounds)} rounds)"
    if classes:
        return boosted_classes(family, trees_made, sums, classes, doubled=False, inclusive=False)
    links = (Link("value", "exp", ("score",)),) if loss in _LOG_LOSSES else ()
    return FittedModel(family, trees_made, sums, links, outputs=outputs_of([*names, *(link.name for link in links)]))


def _trees_of(saved: Saved, count: int) -> list[Saved]:
    """The trees of one round: one for each score."""
    found = saved.items()
    same_length(len(found), count, saved.path)
    return found


def _reordered(saved: Saved, inputs: Inputs, prepared: Prepared) -> Prepared:
    """The columns as its trees see them: first the categorical ones, encoded."""
    if saved.get("is_categorical_") is None:
        return Prepared(tuple(inputs.number(each) for each in prepared.columns))
    chosen = saved["is_categorical_"].array()
    if chosen.shape != (len(prepared.columns),) or chosen.dtype.kind != "b":
        raise broken(f"{saved.path}.is_categorical_ is not about its columns")
    parts = saved["_preprocessor"]["transformers_"].items()
    encoder = next((part.items()[1] for part in parts if part.items()[0].value() == "encoder"), None)
    if encoder is None or encoder.name != "OrdinalEncoder":
        raise broken(f"{saved.path} has no encoder of its categories")
    categorical = [column for column, each in zip(prepared.columns, chosen.tolist(), strict=True) if each]
    others = [column for column, each in zip(prepared.columns, chosen.tolist(), strict=True) if not each]
    known = categories_of(encoder, len(categorical))
    codes = [
        placed(inputs, column, each, math.nan, math.nan, rejects=False)
        for column, each in zip(categorical, known, strict=True)
    ]
    return Prepared((*codes, *(inputs.number(each) for each in others)))


def _nodes(saved: Saved, columns: int) -> NodeArrays:
    nodes, sets = saved["nodes"].array(), saved["raw_left_cat_bitsets"].array()
    names = nodes.dtype.names or ()
    if nodes.ndim != 1 or any(name not in names or nodes.dtype[name].kind not in "iuf" for name in _FIELDS):
        raise broken(f"{saved.path}.nodes are no nodes")
    if sets.ndim != 2 or sets.shape[1] != 8 or sets.dtype != np.uint32:
        raise broken(f"{saved.path}.raw_left_cat_bitsets are no sets")
    is_leaf = nodes["is_leaf"] != 0
    by_category = np.flatnonzero(~is_leaf & (nodes["is_categorical"] != 0))
    chosen = nodes["bitset_idx"][by_category].astype(np.int64)
    if (chosen >= len(sets)).any():
        raise broken(f"{saved.path} has a set of categories that there is not")
    threshold = nodes["num_threshold"].astype(np.float64)
    threshold[by_category] = 0.0  # which is not looked at
    found = NodeArrays(
        left=nodes["left"].astype(np.int64),
        right=nodes["right"].astype(np.int64),
        is_leaf=is_leaf,
        column=nodes["feature_idx"].astype(np.int64),
        threshold=threshold,
        missing_left=nodes["missing_go_to_left"] != 0,
        values=nodes["value"].astype(np.float64)[:, None],
        code_sets={
            node: _members(sets[index].tolist())
            for node, index in zip(by_category.tolist(), chosen.tolist(), strict=True)
        },
    )
    return checked(found, columns, saved.path)


def _members(words: list[int]) -> frozenset[int]:
    return frozenset(32 * place + bit for place, word in enumerate(words) for bit in range(32) if word >> bit & 1)
