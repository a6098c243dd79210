"""The tree ensembles of ai.onnx.ml, as onnxruntime computes them.

Trees are added up in the type of the input (float32 for integers), from 0, and the base values after them. The order
is that of the file as long as one thread does it: several threads add up parts of the trees, for single rows if there
are more than 80 trees and several numbers, and for batches of more than 50 rows. So for more than two trees the order
is left open.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, Literal

from soid.engine.learned.model import Above, Greatest, ModelRefused, TreeArrays, TreeSum
from soid.engine.learned.readers.onnx.class_numbers import (
    VERSION_DEPENDS,
    ModelResult,
    RawScores,
    class_labels,
    decided,
    numbered,
)
from soid.engine.learned.readers.onnx.input_features import ModelTable
from soid.engine.learned.readers.onnx.node_attributes import NodeAttributes
from soid.engine.learned.readers.onnx.onnx_messages import OnnxNode
from soid.engine.learned.readers.onnx.onnx_tensors import DOUBLE, FLOAT
from soid.engine.learned.readers.onnx.protobuf_wire import broken
from soid.engine.learned.readers.onnx.tree_growth import TreeGrowth
from soid.engine.learned.readers.onnx.tree_nodes import TreeNodes, chain_remarks, linked_nodes, listed_nodes, numbers
from soid.engine.learned.trees_builder import TreesBuilder

_NODES: Final = (
    "nodes_falsenodeids nodes_featureids nodes_hitrates nodes_hitrates_as_tensor nodes_missing_value_tracks_true "
    "nodes_modes nodes_nodeids nodes_treeids nodes_truenodeids nodes_values nodes_values_as_tensor "
    "base_values base_values_as_tensor post_transform "
)
_GREATEST: Final = {32: 2.0**127, 64: 2.0**1023}
_LARGEST: Final = 1 << 25  # numbers at all leaves together

Finish = tuple[tuple[Literal["add", "multiply", "divide"], float], ...]


def regressor(node: OnnxNode, given: ModelTable) -> ModelResult:
    """TreeEnsembleRegressor."""
    attributes = NodeAttributes(
        node,
        _NODES + "aggregate_function n_targets target_ids target_nodeids target_treeids target_weights "
        "target_weights_as_tensor",
    )
    targets = attributes.integer("n_targets", 0)
    nodes = listed_nodes(node, attributes, given.kind, targets, "target")
    base = numbers(attributes, node, "base_values", given.kind)
    transform = attributes.text("post_transform", "NONE")
    aggregate = attributes.text("aggregate_function", "SUM")
    remarks = _ignored(node, transform, targets)
    found = _values(node, nodes, aggregate, base, given)
    return numbered(found, 32, remarks)


def ensemble(node: OnnxNode, given: ModelTable) -> ModelResult:
    """TreeEnsemble of ai.onnx.ml 5, whose result has the type of its input."""
    attributes = NodeAttributes(
        node,
        "aggregate_function leaf_targetids leaf_weights membership_values n_targets nodes_falseleafs "
        "nodes_falsenodeids nodes_featureids nodes_hitrates nodes_missing_value_tracks_true nodes_modes "
        "nodes_splits nodes_trueleafs nodes_truenodeids post_transform tree_roots",
    )
    if given.kind not in (FLOAT, DOUBLE):
        raise ModelRefused(f"{node.name} of integers is not modelled.")
    if attributes.integer("post_transform", 0):
        raise ModelRefused(f"{node.name} with a post_transform is not modelled.")
    aggregate = ("AVERAGE", "SUM", "MIN", "MAX")[attributes.integer("aggregate_function", 1) & 3]
    nodes = linked_nodes(node, attributes, given.kind)
    found = _values(node, nodes, aggregate, [], given)
    return numbered(found, 64 if given.kind == DOUBLE else 32, ())


def _ignored(node: OnnxNode, transform: str, targets: int) -> tuple[str, ...]:
    if transform == "NONE":
        return ()
    if transform not in ("LOGISTIC", "SOFTMAX") or targets != 1:
        raise ModelRefused(f"{node.name} with the post_transform {transform} is not modelled.")
    return (
        f"onnxruntime ignores the post_transform {transform} of a regressor with one target: the value is the sum.",
    )


def _values(
    node: OnnxNode,
    nodes: TreeNodes,
    aggregate: str,
    base: list[float],
    given: ModelTable,
) -> RawScores:
    if aggregate not in ("SUM", "AVERAGE"):
        raise ModelRefused(f"{node.name} with the aggregate_function {aggregate} is not modelled.")
    if nodes.targets < 1 or len(base) not in (0, nodes.targets):
        raise broken(f"{node.name} has {len(base)} base values for {nodes.targets} numbers")
    names = ["value"] if nodes.targets == 1 else [f"value_{place}" for place in range(nodes.targets)]
    average: Finish = (("divide", float(len(nodes.roots))),) if aggregate == "AVERAGE" else ()
    return _sums(nodes, names, base, average, given)


def _sums(
    nodes: TreeNodes,
    names: Sequence[str],
    base: list[float],
    finish: Finish,
    given: ModelTable,
) -> RawScores:
    """A sum for each target; the names are those of the targets."""
    precision: Literal[32, 64] = 64 if given.kind == DOUBLE else 32
    growth = TreeGrowth(nodes, given.columns, given.features)
    by_root = [(root, frozenset(growth.targets(root))) for root in nodes.roots]
    trees: list[TreeArrays] = []
    sums: dict[int, TreeSum] = {}
    for targets, roots in _groups(by_root, nodes.targets):
        if len(targets) * len(nodes.weights) > _LARGEST:
            raise ModelRefused("The trees of the file have leaves for too many numbers to be modelled.")
        builder = TreesBuilder(len(targets))
        for root in roots:
            growth.grow(root, targets, builder)
        for column, target in enumerate(targets):
            last: Finish = (("add", base[target]),) if base else ()
            sums[target] = TreeSum(
                names[target], len(trees), column, precision, any_order=len(roots) > 2, finish=finish + last
            )
        trees.append(builder.done())
    _must_be_finite(nodes, base, precision)
    return RawScores(tuple(trees), tuple(sums[target] for target in sorted(sums)), precision, chain_remarks(nodes))


def _groups(by_root: list[tuple[int, frozenset[int]]], count: int) -> list[tuple[list[int], list[int]]]:
    """Trees with the same targets, if no target has trees in two groups; otherwise all trees, with all targets."""
    groups: dict[frozenset[int], list[int]] = {}
    for root, targets in by_root:
        groups.setdefault(targets, []).append(root)
    if sum(len(targets) for targets in groups) == count and frozenset().union(*groups) == frozenset(range(count)):
        return [(sorted(targets), roots) for targets, roots in groups.items()]
    return [(list(range(count)), [root for root, _ in by_root])]


def _must_be_finite(nodes: TreeNodes, base: list[float], precision: int) -> None:
    """No sum may become an infinity, of which the order of summation would make NaN or not."""
    largest = sum(max(map(abs, row.values())) for row in nodes.weights.values()) + max(map(abs, base), default=0.0)
    if not largest < _GREATEST[precision] or not all(map(math.isfinite, base)):
        raise broken("the weights of the leaves are too large to be added up")


def classifier(node: OnnxNode, given: ModelTable) -> ModelResult:
    """TreeEnsembleClassifier."""
    attributes = NodeAttributes(
        node,
        _NODES + "class_ids class_nodeids class_treeids class_weights class_weights_as_tensor classlabels_int64s "
        "classlabels_strings",
    )
    labels, whole = class_labels(attributes, node, "classlabels_int64s")
    nodes = listed_nodes(node, attributes, given.kind, len(labels), "class")
    base = numbers(attributes, node, "base_values", given.kind)
    transform = attributes.text("post_transform", "NONE")
    ids = set(attributes.integers("class_ids"))
    weights = numbers(attributes, node, "class_weights", given.kind)
    if not weights:
        raise broken(f"{node.name} has no weights")
    if len(labels) == 2:
        return _two_classes(node, nodes, base, transform, labels, whole, ids, min(weights) >= 0, given)
    if len(base) not in (0, len(labels)):
        raise broken(f"{node.name} has {len(base)} base values for {len(labels)} classes")
    if not base:
        _must_all_score(node, nodes)
    probable = transform == "NONE" and min(weights) >= 0 and not base
    names = [f"{'probability' if probable else 'score'}_{label}" for label in labels]
    scores = _sums(nodes, names, base, (), given)
    rule = Greatest(tuple(each.name for each in scores.sums))
    return decided(node, scores, labels, rule, transform)


def _must_all_score(node: OnnxNode, nodes: TreeNodes) -> None:
    """A class for which no leaf has a weight cannot be chosen, even if the numbers of all others are negative."""
    full = set(range(nodes.targets))
    if any(row.keys() != full for row in nodes.weights.values()):
        positive = all(min(row.values()) >= 0 and max(row.values()) > 0 for row in nodes.weights.values())
        if not positive and not _each_has_its_trees(nodes):
            raise ModelRefused(f"{node.name} whose leaves have weights for some of the classes only is not modelled.")


def _each_has_its_trees(nodes: TreeNodes) -> bool:
    """Whether each class has a tree all of whose leaves have a weight for it."""
    sure: set[int] = set()
    ends = [*nodes.roots[1:], len(nodes.modes)]
    for root, end in zip(nodes.roots, ends, strict=True):
        rows = [nodes.weights[place].keys() for place in range(root, end) if place in nodes.weights]
        sure |= set.intersection(*map(set, rows)) if rows else set()
    return sure == set(range(nodes.targets))


def _two_classes(
    node: OnnxNode,
    nodes: TreeNodes,
    base: list[float],
    transform: str,
    labels: tuple[str, ...],
    whole: bool,
    ids: set[int],
    positive: bool,
    given: ModelTable,
) -> ModelResult:
    """As a rule one number, the margin of the second class, which the file has as class 0 or 1."""
    if len(base) > 1 or (base and ids != {0}):
        raise ModelRefused(
            f"{node.name} with two classes and {len(base)} base values for classes {sorted(ids)} is not modelled."
        )
    if len(ids) == 2:
        return _both_classes(node, nodes, transform, labels, whole, given)
    target = min(ids)
    single = TreeNodes(1, nodes.roots, nodes.features, nodes.modes, nodes.thresholds, nodes.passed, nodes.failed)
    single.missing = nodes.missing
    single.weights = {place: {0: row[target]} for place, row in nodes.weights.items()}
    # onnxruntime takes weights that are all positive for shares, even if it makes a logistic function of their sum
    probable = transform == "NONE" and positive
    scores = _sums(single, ["probability" if probable else "score"], base, (), given)
    if transform not in ("NONE", "LOGISTIC"):
        raise ModelRefused(f"{node.name} with two classes and the post_transform {transform} is not modelled.")
    remarks: tuple[str, ...] = ()
    if positive and transform == "LOGISTIC":
        remarks = ("No weight is negative, so onnxruntime chooses the second class if the score is above 0.5, not 0.",)
        if target == 0:
            transform, remarks = "NONE", (*remarks, VERSION_DEPENDS)
    rule = Above(scores.sums[0].name, 0.5 if positive else 0.0)
    return decided(node, scores, labels, rule, transform, remarks)


def _both_classes(
    node: OnnxNode,
    nodes: TreeNodes,
    transform: str,
    labels: tuple[str, ...],
    whole: bool,
    given: ModelTable,
) -> ModelResult:
    """Weights for both classes: the second is chosen if its number is above 0, whatever that of the first is."""
    if any(len(row) != 2 for row in nodes.weights.values()):
        raise ModelRefused(f"{node.name} whose leaves have weights for one of two classes is not modelled.")
    if whole and labels != ("0", "1"):
        raise ModelRefused(f"{node.name} with weights for both of two classes that are not 0 and 1 is not modelled.")
    scores = _sums(nodes, [f"score_{labels[0]}", "score"], [], (), given)
    told = (
        f"onnxruntime chooses {labels[1]} whenever its own number is above 0, even if that of {labels[0]} is greater."
    )
    return decided(node, scores, labels, Above("score", 0.0), transform, (told,))
