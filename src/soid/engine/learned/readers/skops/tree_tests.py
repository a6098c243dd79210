"""Tests of trees, with all preparation folded in: each compares the application's own feature.

A preparation never falls, so the numbers that pass a test are those up to a cut. Of a category, those codes go left
whose number passes the test.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, final

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from soid.engine.learned import cuts
from soid.engine.learned.model import MISSING, Indicator, Refused, TreesBuilder
from soid.engine.learned.readers.skops.prepared_columns import (
    Coded,
    Inputs,
    MissingFlag,
    Numeric,
    Prepared,
    through,
)
from soid.engine.learned.readers.skops.skops_archive import broken

Indices = NDArray[np.int64]
Floats = NDArray[np.float64]


@final
class NodeArrays(Struct, frozen=True):
    """One tree as its library keeps it; checked to be within bounds."""

    left: Indices
    right: Indices
    is_leaf: NDArray[np.bool_]
    column: Indices
    threshold: Floats
    missing_left: NDArray[np.bool_]
    values: Floats  # a row for each node
    code_sets: dict[int, frozenset[int]] = {}  # of nodes that test a category: the numbers that go left


def checked(nodes: NodeArrays, columns: int, path: str) -> NodeArrays:
    """The same nodes, if every index in them is within bounds and every number is one."""
    count, inner = len(nodes.left), ~nodes.is_leaf
    if count == 0 or len(nodes.values) != count:
        raise broken(f"{path} has no nodes, or not a value for each")
    for children in (nodes.left[inner], nodes.right[inner]):
        if ((children <= 0) | (children >= count)).any():
            raise broken(f"{path} has a child that is no node of it")
    if ((nodes.column[inner] < 0) | (nodes.column[inner] >= columns)).any():
        raise broken(f"{path} tests a column that there is not")
    if np.isnan(nodes.threshold[inner]).any() or not np.isfinite(nodes.values[nodes.is_leaf]).all():
        raise broken(f"{path} has a threshold that is no number, or a leaf that is not finite")
    return nodes


@final
class TreeTests:
    """The tests of all trees over the same columns."""

    def __init__(self, inputs: Inputs, prepared: Prepared, trees: Sequence[NodeArrays], *, as_float32: bool) -> None:
        self._inputs = inputs
        self._as_float32 = as_float32
        self._columns: list[Any] = [None] * len(prepared.columns)
        self._cuts: list[dict[float, float]] = [{} for _ in prepared.columns]
        self._known: dict[tuple[int, float, bool], tuple[Any, ...]] = {}
        tested = np.concatenate([tree.column[~tree.is_leaf] for tree in trees])
        thresholds = np.concatenate([tree.threshold[~tree.is_leaf] for tree in trees])
        for place, column in enumerate(prepared.columns):
            self._columns[place] = known = inputs.number(column)
            if isinstance(known, MissingFlag) and inputs.kinds[known.feature] == "category":
                self._columns[place] = inputs.coded_flag(known)
            elif isinstance(known, Numeric):
                asked = np.unique(thresholds[tested == place])
                self._cuts[place] = dict(zip(asked.tolist(), self._cuts_of(known, asked), strict=True))

    def _rounded(self, values: Floats) -> Floats:
        if not self._as_float32:
            return values
        with np.errstate(over="ignore"):
            return values.astype(np.float32).astype(np.float64)

    def _cuts_of(self, column: Numeric, thresholds: Floats) -> list[float]:
        steps = column.steps
        if any(isinstance(step, Indicator) for step in steps) and len(thresholds):
            raise Refused(
                f"trees behind bins of column {self._inputs.features[column.feature].name} that are encoded one by one",
                "use KBinsDiscretizer(encode='ordinal') before trees",
            )
        if all(math.isnan(value) for value in through(steps, np.array([math.nan]))) and not steps:
            return [cuts.at_most_as_float32(each) if self._as_float32 else each for each in thresholds.tolist()]
        found = cuts.last_of_each(lambda x: self._rounded(through(steps, x)) <= thresholds, len(thresholds))
        return [float(each) for each in found]

    def add(self, builder: TreesBuilder, nodes: NodeArrays, path: str) -> None:
        """One tree, each child after its parent."""
        left, right, is_leaf = nodes.left.tolist(), nodes.right.tolist(), nodes.is_leaf.tolist()
        column, threshold, missing_left = nodes.column.tolist(), nodes.threshold.tolist(), nodes.missing_left.tolist()
        made = [-1] * len(left)
        inner, waiting = [], [0]
        builder.root()
        while waiting:
            node = waiting.pop()
            if made[node] >= 0:
                raise broken(f"{path} has a node with two parents")
            if is_leaf[node]:
                made[node] = builder.leaf(nodes.values[node].tolist())
                continue
            if node in nodes.code_sets:
                made[node] = self._code_node(builder, column[node], nodes.code_sets[node], missing_left[node])
            else:
                made[node] = self._node(builder, column[node], threshold[node], missing_left[node])
            inner.append(node)
            waiting += (right[node], left[node])
        for node in inner:
            builder.children(made[node], made[left[node]], made[right[node]])

    def _node(self, builder: TreesBuilder, column: int, threshold: float, missing_left: bool) -> int:
        key = (column, threshold, missing_left)
        test = self._known.get(key)
        if test is None:
            test = self._known[key] = self._test(*key)
        feature, cut, codes, goes_left = test
        if codes is None:
            return builder.number_test(feature, cut, missing_left=goes_left)
        return builder.code_test(feature, codes, missing_left=goes_left)

    def _test(self, place: int, threshold: float, missing_left: bool) -> tuple[Any, ...]:
        """Feature, cut, codes that go left, and where it goes that is missing."""
        column = self._columns[place]
        if isinstance(column, Coded):
            return self._codes_left(
                column, lambda value: bool(self._rounded(np.array([value]))[0] <= threshold), missing_left
            )
        if isinstance(column, MissingFlag):
            absent, present = (self._rounded(through(column.steps, np.array([0.0, 1.0]))) <= threshold).tolist()
            return column.feature, math.inf if absent else math.nan, None, present
        filled = self._rounded(through(column.steps, np.array([math.nan])))[0]
        goes_left = missing_left if math.isnan(filled) else bool(filled <= threshold)
        return column.feature, self._cuts[place][threshold], None, goes_left

    def _codes_left(self, column: Coded, passes: Any, missing_left: bool) -> tuple[Any, ...]:
        sides = {code: missing_left if math.isnan(value) else passes(value) for code, value in column.values.items()}
        codes = [code for code, goes_left in sides.items() if goes_left and code != MISSING]
        return column.feature, math.nan, codes, sides[MISSING]

    def _code_node(self, builder: TreesBuilder, place: int, numbers: frozenset[int], missing_left: bool) -> int:
        column = self._columns[place]
        if not isinstance(column, Coded):
            raise broken("a tree tests a category where there is none")
        feature, _, codes, goes_left = self._codes_left(column, lambda value: int(value) in numbers, missing_left)
        return builder.code_test(feature, codes, missing_left=goes_left)
