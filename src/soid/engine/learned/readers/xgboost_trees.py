"""XGBoost's trees as arrays: a float32 goes left if it is below the threshold, a category if the node's set lacks it.

Nodes are put into an order in which children come after their parents, and those that pruning has left unused go.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import final

from soid.engine.learned.cuts import below_as_float32, to_float32
from soid.engine.learned.readers.xgboost_document import XgboostTree, broken, whole
from soid.engine.learned.trees_builder import TreesBuilder


def single(number: float, name: str) -> float:
    """A number of the file as the float32 that it stands for, which must be finite."""
    found = _rounded(number)
    if not math.isfinite(found):
        raise broken(f"{name} is {number}")
    return found


def _rounded(number: float) -> float:
    """Rounded to float32, if that is what rounding the file's text once gives.

    The text was rounded to a float64 before. That matters only for one that lies halfway between two float32 numbers,
    which XGBoost does not write.
    """
    found = to_float32(number)
    other = 2 * number - found
    if found != number and to_float32(other) == other:
        raise broken(f"{number} lies halfway between two float32 numbers")
    return found


def leaf_columns(tree: XgboostTree) -> int:
    """How many values each of its leaves has."""
    return max(1, whole(tree.tree_param.size_leaf_vector, "size_leaf_vector"))


@final
class TreeReader:
    """Adds trees of a model to builders, and notes which features are numbers and which categories."""

    def __init__(self, features: int, columns: int) -> None:
        self._features = features
        self._columns = columns
        self._cuts: dict[float, float] = {}
        self.numeric: set[int] = set()
        self.greatest_code: dict[int, int] = {}  # by feature that is a category

    def add(self, tree: XgboostTree, builder: TreesBuilder, weighted: Callable[[float], float]) -> float:
        """Adds a tree, with leaf values as they are added up; gives the greatest of their absolute values."""
        shape = _NodeArrays(tree, self._columns)
        builder.root()
        made: dict[int, int] = {}  # node of the file: node of the builder
        inner: list[tuple[int, int, int]] = []
        waiting, greatest = [0], 0.0
        while waiting:
            node = waiting.pop()
            if not 0 <= node < shape.count or node in made:
                raise broken(f"its trees have a node {node} that is out of range, or has two parents")
            left, right = tree.left_children[node], tree.right_children[node]
            if left == -1:
                values = [weighted(value) for value in shape.leaf(node)]
                greatest = max(greatest, *map(abs, values))
                made[node] = builder.leaf(values)
                continue
            made[node], swapped = self._test(tree, shape, node, builder)
            inner.append((made[node], right, left) if swapped else (made[node], left, right))
            waiting += [right, left]
        for node, first, second in inner:
            builder.children(node, made[first], made[second])
        return greatest

    def _test(self, tree: XgboostTree, shape: _NodeArrays, node: int, builder: TreesBuilder) -> tuple[int, bool]:
        """The test of a node, and whether its sides are swapped."""
        feature, missing_left = tree.split_indices[node], bool(tree.default_left[node])
        if not 0 <= feature < self._features:
            raise broken(f"a tree tests feature {feature}, but there are {self._features}")
        if not (tree.split_type and tree.split_type[node]):
            self.numeric.add(feature)
            return builder.number_test(
                feature, self._cut(tree.split_conditions[node]), missing_left=missing_left
            ), False
        codes = shape.codes(node)
        self.greatest_code[feature] = max(self.greatest_code.get(feature, 0), max(codes, default=0))
        # The file has the categories that go right, and unseen ones go left: the set is kept, the sides are swapped.
        return builder.code_test(feature, codes, missing_left=not missing_left), True

    def _cut(self, threshold: float) -> float:
        cut = self._cuts.get(threshold)
        if cut is None:
            if math.isnan(threshold):
                raise broken("a tree has a threshold that is not a number")
            rounded = _rounded(threshold)
            cut = self._cuts[threshold] = math.nan if rounded == -math.inf else below_as_float32(rounded)
        return cut


@final
class _NodeArrays:
    """Whether a tree's arrays fit each other, and what they say of a node."""

    def __init__(self, tree: XgboostTree, columns: int) -> None:
        self.count = whole(tree.tree_param.num_nodes, "num_nodes", least=1)
        self._tree = tree
        self._columns = columns
        if leaf_columns(tree) != columns:
            raise broken(f"a leaf has {leaf_columns(tree)} values, another one {columns}")
        arrays: list[tuple[str, Sequence[float]]] = [
            ("left_children", tree.left_children), ("right_children", tree.right_children),
            ("split_indices", tree.split_indices), ("split_conditions", tree.split_conditions),
            ("default_left", tree.default_left), ("split_type", tree.split_type or tree.default_left),
        ]  # fmt: skip
        for name, array in arrays:
            if len(array) != self.count:
                raise broken(f"a tree of {self.count} nodes has {len(array)} of {name}")
        self._codes = self._code_sets()

    def _code_sets(self) -> dict[int, tuple[int, int]]:
        """For each node that tests a category: where its codes begin and end."""
        tree = self._tree
        if not len(tree.categories_nodes) == len(tree.categories_segments) == len(tree.categories_sizes):
            raise broken("a tree's lists of categories do not have the same length")
        if sum(tree.categories_sizes) > len(tree.categories):
            raise broken("a tree's lists of categories overlap")
        found: dict[int, tuple[int, int]] = {}
        for node, begin, size in zip(
            tree.categories_nodes, tree.categories_segments, tree.categories_sizes, strict=True
        ):
            if node in found or not 0 <= begin <= begin + size <= len(tree.categories):
                raise broken("a tree's list of categories is out of range")
            found[node] = (begin, begin + size)
        return found

    def codes(self, node: int) -> list[int]:
        if node not in self._codes:
            raise broken(f"node {node} of a tree tests a category, but has none")
        begin, end = self._codes[node]
        codes = self._tree.categories[begin:end]
        if codes and not 0 <= min(codes) <= max(codes) < 2**24:
            raise broken("a category is out of range")
        return codes

    def leaf(self, node: int) -> list[float]:
        tree = self._tree
        if self._columns == 1:
            return [single(tree.split_conditions[node], "a leaf's value")]
        rows, row = tree.leaf_weights or [], tree.right_children[node]
        if not 0 <= row < len(rows) // self._columns:
            raise broken("a leaf has no values")
        return [single(value, "a leaf's value") for value in rows[row * self._columns : (row + 1) * self._columns]]
