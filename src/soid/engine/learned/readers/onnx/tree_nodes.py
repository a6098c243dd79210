"""The nodes of a tree ensemble in one list, with indices for their children, whichever operator has them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, Final, final

from msgspec import Struct, field
from numpy.typing import NDArray

from soid.engine.learned.model import ModelRefused
from soid.engine.learned.readers.onnx.node_attributes import NodeAttributes
from soid.engine.learned.readers.onnx.onnx_messages import OnnxNode
from soid.engine.learned.readers.onnx.onnx_tensors import DOUBLE, FLOAT, OnnxTensor
from soid.engine.learned.readers.onnx.protobuf_wire import broken
from soid.engine.learned.readers.onnx.tested_values import COMPARISONS

LEAF: Final = "LEAF"
_MEMBER: Final = "BRANCH_MEMBER"
#: how the newer operator numbers its tests
_NUMBERED: Final = (*COMPARISONS, _MEMBER)
_MOST: Final = 1 << 24  # nodes
_GETS_WRONG: Final = (
    "Trees test one feature for several numbers in a row, some of them no integers from 1 to 30: onnxruntime 1.22 is "
    "known to get these wrong. Versions 1.20, 1.24 and 1.31 do what is modelled."
)


@final
class TreeNodes(Struct):
    """All nodes; in lists, since they are made one by one."""

    targets: int
    roots: list[int] = field(default_factory=list)
    features: list[int] = field(default_factory=list)
    modes: list[str] = field(default_factory=list)
    thresholds: list[float] = field(default_factory=list)
    passed: list[int] = field(default_factory=list)  # the child of what passes the test
    failed: list[int] = field(default_factory=list)
    missing: list[bool] = field(default_factory=list)  # whether NaN passes
    weights: dict[int, dict[int, float]] = field(default_factory=dict)  # of each leaf, by target

    def add(self, feature: int, mode: str, threshold: float, missing: bool) -> int:
        self.features.append(feature)
        self.modes.append(mode)
        self.thresholds.append(threshold)
        self.missing.append(missing)
        self.passed.append(-1)
        self.failed.append(-1)
        return len(self.modes) - 1


def listed_nodes(node: OnnxNode, attributes: NodeAttributes, kind: int, targets: int, prefix: str) -> TreeNodes:
    """TreeEnsembleClassifier and TreeEnsembleRegressor: nodes by number of tree and of node."""
    columns = {
        name: attributes.integers(f"nodes_{name}")
        for name in ("treeids", "nodeids", "featureids", "truenodeids", "falsenodeids")
    }
    modes = attributes.texts("nodes_modes")
    thresholds = numbers(attributes, node, "nodes_values", kind)
    missing = attributes.integers("nodes_missing_value_tracks_true")
    count = len(modes)
    sizes = {len(each) for each in columns.values()} | {len(thresholds)}
    if sizes != {count} or not 0 < count <= _MOST or len(missing) > count:
        raise broken(f"{node.name} has attributes of the lengths {sorted(sizes | {count})}")
    found = TreeNodes(targets)
    places = _places(columns["treeids"], columns["nodeids"])
    for place, mode in enumerate(modes):
        tracks = place < len(missing) and missing[place] == 1
        found.add(columns["featureids"][place], _mode(mode, node), thresholds[place], tracks)
        tree = columns["treeids"][place]
        if mode != LEAF:
            found.passed[place] = places.get((tree, columns["truenodeids"][place]), -1)
            found.failed[place] = places.get((tree, columns["falsenodeids"][place]), -1)
        if place == 0 or tree != columns["treeids"][place - 1]:
            found.roots.append(place)
    if len({columns["treeids"][root] for root in found.roots}) != len(found.roots):
        raise ModelRefused(f"{node.name} whose trees are not listed one after the other is not modelled.")
    _weigh(found, attributes, node, kind, prefix, places)
    return _checked(found, node)


def _places(trees: list[int], nodes: list[int]) -> dict[tuple[int, int], int]:
    places = {pair: place for place, pair in enumerate(zip(trees, nodes, strict=True))}
    if len(places) != len(trees):
        raise broken("a tree has two nodes of one number")
    return places


def _mode(mode: str, node: OnnxNode) -> str:
    if mode != LEAF and mode not in COMPARISONS:
        raise ModelRefused(f"The test {mode} of {node.name} is not modelled.")
    return mode


def _weigh(
    found: TreeNodes,
    attributes: NodeAttributes,
    node: OnnxNode,
    kind: int,
    prefix: str,
    places: dict[tuple[int, int], int],
) -> None:
    trees, nodes = attributes.integers(f"{prefix}_treeids"), attributes.integers(f"{prefix}_nodeids")
    targets, weights = attributes.integers(f"{prefix}_ids"), numbers(attributes, node, f"{prefix}_weights", kind)
    if not len(trees) == len(nodes) == len(targets) == len(weights):
        raise broken(f"{node.name} has {len(weights)} weights for {len(targets)} leaves")
    for tree, number, target, weight in zip(trees, nodes, targets, weights, strict=True):
        place = places.get((tree, number))
        if place is None:
            raise broken(f"{node.name} has a weight for a node that does not exist")
        if found.modes[place] == LEAF:  # weights of other nodes are not used
            weigh_leaf(found, place, target, weight, node)


def weigh_leaf(found: TreeNodes, place: int, target: int, weight: float, node: OnnxNode) -> None:
    if not 0 <= target < found.targets:
        raise broken(f"{node.name} has a weight for number {target} of {found.targets}")
    if not math.isfinite(weight):
        raise broken(f"{node.name} has the weight {weight} at a leaf")
    row = found.weights.setdefault(place, {})
    if target in row:
        raise ModelRefused(f"{node.name} with two weights for one number at one leaf is not modelled.")
    row[target] = weight


def linked_nodes(node: OnnxNode, attributes: NodeAttributes, kind: int) -> TreeNodes:
    """TreeEnsemble of ai.onnx.ml 5: nodes and leaves by index, each leaf with one weight."""
    found = TreeNodes(attributes.integer("n_targets", 0))
    modes = _elements(attributes.tensor("nodes_modes"), 2, node, "nodes_modes")
    splits = _elements(attributes.tensor("nodes_splits"), kind, node, "nodes_splits")
    weights = _elements(attributes.tensor("leaf_weights"), kind, node, "leaf_weights")
    targets = attributes.integers("leaf_targetids")
    lists = {name: attributes.integers(f"nodes_{name}") for name in _LINKS}
    missing = attributes.integers("nodes_missing_value_tracks_true") or [0] * len(modes)
    count = len(modes)
    sizes = {len(each) for each in lists.values()} | {len(splits), len(missing)}
    if sizes != {count} or not 0 < count + len(weights) <= _MOST or len(targets) != len(weights):
        raise broken(f"{node.name} has attributes of the lengths {sorted(sizes | {count})}")
    members = _members(attributes.tensor("membership_values"), kind, node)
    for place in range(count):
        if modes[place] >= len(_NUMBERED):
            raise ModelRefused(f"The test {int(modes[place])} of {node.name} is not modelled.")
        mode = _NUMBERED[int(modes[place])]
        found.add(lists["featureids"][place], mode, float(splits[place]), missing[place] == 1)
    for target, weight in zip(targets, weights, strict=True):
        weigh_leaf(found, found.add(0, LEAF, 0.0, False), target, float(weight), node)
    for place in range(count):
        found.passed[place] = _linked(lists["truenodeids"][place], lists["trueleafs"][place], count)
        found.failed[place] = _linked(lists["falsenodeids"][place], lists["falseleafs"][place], count)
        if found.modes[place] == _MEMBER:
            _chain(found, place, next(members, []), node)
    for root in attributes.integers("tree_roots"):
        if not 0 <= root < count:
            raise broken(f"{node.name} has a tree whose root does not exist")
        if found.passed[root] == found.failed[root] and lists["trueleafs"][root] and lists["falseleafs"][root]:
            # so a tree of one leaf is written; onnxruntime 1.24 takes the leaf that has the root's number
            raise ModelRefused(f"A tree of one leaf in {node.name}, which versions of onnxruntime read differently.")
        found.roots.append(root)
    return _checked(found, node)


_LINKS: Final = ("featureids", "truenodeids", "falsenodeids", "trueleafs", "falseleafs")


def _linked(index: int, is_leaf: int, count: int) -> int:
    if index < 0 or (not is_leaf and index >= count):
        return -1
    return index + count if is_leaf else index


def _elements(tensor: OnnxTensor | None, kind: int, node: OnnxNode, name: str) -> NDArray[Any]:
    if tensor is None or tensor.kind != kind:
        raise broken(f"the attribute {name} of {node.name} is missing, or has another type than its input")
    return tensor.values


def _members(tensor: OnnxTensor | None, kind: int, node: OnnxNode) -> Iterator[list[float]]:
    """The sets of the tests for membership, one after the other; NaN ends a set."""
    one: list[float] = []
    for value in [] if tensor is None else _elements(tensor, kind, node, "membership_values").tolist():
        if math.isnan(value):
            yield one
            one = []
        else:
            one.append(value)
    if one:
        yield one


def _chain(found: TreeNodes, place: int, members: list[float], node: OnnxNode) -> None:
    """A test for membership becomes tests for equality, one after the other, with one child for what passes."""
    if not members:
        raise broken(f"{node.name} tests for membership in nothing")
    if len(members) > 30 or any(member not in range(31) for member in members):
        # onnxruntime rounds what it looks up in other sets, or rejects them
        raise ModelRefused(f"{_MEMBER} of {node.name} with other members than integers from 0 to 30 is not modelled.")
    passed, failed = found.passed[place], found.failed[place]
    found.modes[place], found.thresholds[place] = "BRANCH_EQ", members[0]
    for member in members[1:]:
        found.failed[place] = found.add(found.features[place], "BRANCH_EQ", member, found.missing[place])
        place = found.failed[place]
        found.passed[place], found.failed[place] = passed, failed


def _checked(found: TreeNodes, node: OnnxNode) -> TreeNodes:
    count = len(found.modes)
    if not found.roots:
        raise broken(f"{node.name} has no tree")
    if not 0 < found.targets <= sum(map(len, found.weights.values())):
        raise broken(f"{node.name} has {found.targets} numbers, and not a weight for each")
    for place, mode in enumerate(found.modes):
        if mode == LEAF:
            continue
        if not (0 <= found.passed[place] < count and 0 <= found.failed[place] < count):
            raise broken(f"{node.name} has a node whose child does not exist")
        if math.isnan(found.thresholds[place]):
            raise broken(f"{node.name} compares with NaN")
        if _is_chained(found, place) and found.missing[place] != found.missing[found.failed[place]]:
            # onnxruntime makes one test of such a chain, and the first of them decides where NaN goes
            raise ModelRefused(
                f"{node.name} with a chain of tests for equality that treat NaN differently is not modelled."
            )
    return found


def _is_chained(nodes: TreeNodes, place: int) -> bool:
    """Whether a test for equality is followed by another one that has the same child for what passes."""
    following = nodes.failed[place]
    return (
        nodes.modes[place] == nodes.modes[following] == "BRANCH_EQ"
        and nodes.features[place] == nodes.features[following]
        and nodes.passed[place] == nodes.passed[following]
    )


def chain_remarks(nodes: TreeNodes) -> tuple[str, ...]:
    """Version 1.22 of onnxruntime takes some of the numbers of a chain for others."""
    for place, mode in enumerate(nodes.modes):
        if mode != LEAF and _is_chained(nodes, place):
            compared = (nodes.thresholds[place], nodes.thresholds[nodes.failed[place]])
            if any(value not in range(1, 31) for value in compared):
                return (_GETS_WRONG,)
    return ()


def numbers(attributes: NodeAttributes, node: OnnxNode, name: str, kind: int) -> list[float]:
    """Numbers that are in one of two attributes: floats, or a tensor whose type is that of the input."""
    tensor = attributes.tensor(f"{name}_as_tensor")
    floats = attributes.numbers(name)
    if tensor is None:
        return floats
    if floats or tensor.kind != (DOUBLE if kind == DOUBLE else FLOAT):
        raise broken(f"the attribute {name}_as_tensor of {node.name} has another type than its input")
    return [float(value) for value in tensor.values]
