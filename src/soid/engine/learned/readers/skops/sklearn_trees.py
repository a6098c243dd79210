"""Decision trees and forests of scikit-learn.

A tree rounds its inputs to float32 and compares them with float64 thresholds. A forest adds up what its trees say, in
the order in which its threads are done, and divides by their number.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from soid.engine.learned.model import TreeSum
from soid.engine.learned.readers.skops.fitted_model import (
    FittedModel,
    by_probabilities,
    classes_of,
    one_output,
    outputs_of,
)
from soid.engine.learned.readers.skops.prepared_columns import GREATEST32, Inputs, Prepared
from soid.engine.learned.readers.skops.saved_objects import Saved
from soid.engine.learned.readers.skops.skops_archive import broken, not_modelled
from soid.engine.learned.readers.skops.tree_tests import NodeArrays, TreeTests, checked, gathered
from soid.engine.learned.trees_builder import TreesBuilder

_LEAF: Final = -1
_FIELDS: Final = ("left_child", "right_child", "feature", "threshold", "missing_go_to_left")
CLASSIFIER_TREES: Final = ("DecisionTreeClassifier", "ExtraTreeClassifier")
REGRESSOR_TREES: Final = ("DecisionTreeRegressor", "ExtraTreeRegressor")


def nodes_of(saved: Saved, columns: int, width: int) -> NodeArrays:
    """The nodes of a fitted tree, whose leaves have `width` numbers."""
    tree = saved["tree_"]
    nodes = tree["nodes"].array()
    if nodes.ndim != 1 or nodes.dtype.names is None or any(name not in nodes.dtype.names for name in _FIELDS[:4]):
        raise broken(f"{tree.path}.nodes are no nodes")
    if _FIELDS[4] not in nodes.dtype.names:
        raise not_modelled("a tree of scikit-learn before 1.3", "Load it with a later one, and dump it again.")
    values = tree["values"].array()
    if values.shape != (len(nodes), 1, width) or values.dtype.kind != "f":
        raise broken(f"{tree.path}.values have the shape {values.shape}")
    if any(nodes.dtype[name].kind not in "iufb" for name in _FIELDS):
        raise broken(f"{tree.path}.nodes are no numbers")
    found = NodeArrays(
        left=nodes["left_child"].astype(np.int64),
        right=nodes["right_child"].astype(np.int64),
        is_leaf=nodes["left_child"] == _LEAF,
        column=nodes["feature"].astype(np.int64),
        threshold=nodes["threshold"].astype(np.float64),
        missing_left=nodes["missing_go_to_left"] != 0,
        values=values[:, 0, :].astype(np.float64),
    )
    return checked(found, columns, tree.path)


def takes_missing(saved: Saved, prepared: Prepared) -> bool:
    """Whether a tree takes NaN, which none does from sparse columns; before 1.9 it hung on how the tree was trained."""
    if prepared.sparse:
        return False
    version, randomly = version_of(saved), saved["splitter"].text() == "random"
    if saved.name.startswith("ExtraTree"):
        return randomly and version >= (1, 6)
    if version >= (1, 9):
        return True
    plainly = saved["criterion"].text() != "absolute_error" and saved.get("monotonic_cst") is None
    return plainly and (version >= (1, 6) or not randomly)


def version_of(saved: Saved) -> tuple[int, int]:
    """The version of scikit-learn that has saved it: its first two numbers."""
    text = saved["_sklearn_version"].text()
    numbers = text.split(".")
    if len(numbers) < 2 or not all(each.isascii() and each.isdigit() for each in numbers[:2]):
        raise broken(f"{text!r} is no version of scikit-learn")
    return int(numbers[0]), int(numbers[1])


def tree(saved: Saved, inputs: Inputs, prepared: Prepared) -> FittedModel:
    """DecisionTreeClassifier, DecisionTreeRegressor, ExtraTreeClassifier, ExtraTreeRegressor."""
    return _ensemble(saved, [saved], inputs, prepared, "a decision tree")


def forest(saved: Saved, inputs: Inputs, prepared: Prepared) -> FittedModel:
    """RandomForest and ExtraTrees."""
    trees = saved["estimators_"].items()
    if not trees:
        raise broken(f"{saved.path} has no trees")
    return _ensemble(saved, trees, inputs, prepared, f"a forest of {len(trees)} trees ({saved.name})")


def _ensemble(saved: Saved, trees: Sequence[Saved], inputs: Inputs, prepared: Prepared, family: str) -> FittedModel:
    one_output(saved)
    classifies = saved.name.endswith("Classifier")
    classes = classes_of(saved) if classifies else ()
    for each in trees:
        if each.name not in (CLASSIFIER_TREES if classifies else REGRESSOR_TREES):
            raise not_modelled(f"a forest of {each.name}", "soid knows forests of decision trees.")
    inputs.check(prepared, GREATEST32, missing=takes_missing(trees[0], prepared))
    read = gathered(nodes_of(each, len(prepared.columns), len(classes) or 1) for each in trees)
    tests = TreeTests(inputs, prepared, read, as_float32=True)
    builder = TreesBuilder(len(classes) or 1)
    for each, nodes in zip(trees, read, strict=True):
        tests.add(builder, nodes, each.path)
    names = [f"probability_{each}" for each in classes] or ["value"]
    alone = saved.name in CLASSIFIER_TREES + REGRESSOR_TREES
    label, outputs = by_probabilities(classes) if classifies else (None, outputs_of(names))
    return FittedModel(
        family,
        (builder.done(),),
        tuple(_sum(name, column, len(trees), alone) for column, name in enumerate(names)),
        label=label,
        outputs=outputs,
    )


def _sum(name: str, column: int, count: int, alone: bool) -> TreeSum:
    if alone:  # -0.0 + x is x, whichever zero x may be
        return TreeSum(name, 0, column, start=-0.0)
    return TreeSum(name, 0, column, any_order=True, finish=(("divide", float(count)),))
