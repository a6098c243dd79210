"""The numbers and the label of a model for given rows, with the library's own roundings in its own order.

A row has a float64 for each feature: the number, or the code of a category; NaN where it is missing.

>>> from soid.engine.learned.model import ClassRule
>>> from soid.engine.learned.trees_builder import TreesBuilder
>>> trees = TreesBuilder()
>>> trees.root()
>>> split = trees.number_test(0, 0.5, missing_left=True)
>>> trees.children(split, trees.leaf([-1.0]), trees.leaf([2.0]))
>>> model = LearnedModel(
...     "none", "", "one tree", (ModelFeature("x"),), (trees.done(),), (TreeSum("score", 0),),
...     label=ClassRule(("NO", "YES"), Above("score", 0.0)),
... )
>>> found = ModelEvaluation(model).of(np.array([[0.5], [0.75], [np.nan]]))
>>> found.numbers["score"].tolist(), found.labels.tolist()
([-1.0, 2.0, -1.0], [0, 1, 0])
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, final

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from soid.engine.learned import links
from soid.engine.learned.column_steps import Bins, Clip, Column, ColumnArithmetic, Impute, Indicator, Table, ToFloat32
from soid.engine.learned.model import (
    MISSING,
    UNSEEN,
    Above,
    LearnedModel,
    LinearSum,
    Link,
    ModelFeature,
    TreeArrays,
    TreeSum,
)

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]

DTYPES: Final[dict[int, Any]] = {32: np.float32, 64: np.float64}  # by precision
_AT_ONCE: Final = 1 << 20  # pairs of a row and a tree


@final
class Evaluated(Struct, frozen=True):
    """What a model gives for some rows."""

    numbers: Mapping[str, Floats]  # by name of the sum or the link; float32 numbers are held as float64
    labels: Indices  # indices of classes; all 0 if the model chooses none


@final
class Trees:
    """The arrays of trees, ready to be used."""

    def __init__(self, arrays: TreeArrays) -> None:
        self.roots = _ints(arrays.roots)
        self.feature = _ints(arrays.feature)
        self.cut = np.frombuffer(arrays.cut, "<f8")
        self.missing_left = np.frombuffer(arrays.missing_left, "i1").astype(bool)
        self.code_set = _ints(arrays.code_set)
        self.left = _ints(arrays.left)
        self.right = _ints(arrays.right)
        self.values = np.frombuffer(arrays.values, "<f8").reshape(-1, arrays.columns)
        self.code_sets = [np.array(codes, np.int64) for codes in arrays.code_sets]

    def leaves(self, rows: Floats, codes: Indices) -> Indices:
        """For each row and tree the row of `values`."""
        parts = max(1, _AT_ONCE // max(1, len(self.roots)))
        found = [self._leaves(rows[at : at + parts], codes[at : at + parts]) for at in range(0, len(rows), parts)]
        return np.concatenate(found) if found else np.empty((0, len(self.roots)), np.int64)

    def _leaves(self, rows: Floats, codes: Indices) -> Indices:
        at = np.tile(self.roots, (len(rows), 1)).ravel()
        row = np.repeat(np.arange(len(rows)), len(self.roots))
        inside = np.flatnonzero(self.feature[at] >= 0)
        while len(inside):
            nodes, which = at[inside], row[inside]
            feature = self.feature[nodes]
            value = rows[which, feature]
            goes_left = np.where(np.isnan(value), self.missing_left[nodes], value <= self.cut[nodes])
            by_code = np.flatnonzero(self.code_set[nodes] >= 0)
            if len(by_code):
                goes_left[by_code] = self._goes_left(nodes[by_code], codes[which[by_code], feature[by_code]])
            at[inside] = nodes = np.where(goes_left, self.left[nodes], self.right[nodes])
            inside = inside[self.feature[nodes] >= 0]
        return self.left[at].reshape(len(rows), -1)

    def _goes_left(self, nodes: Indices, codes: Indices) -> Any:
        sets = self.code_set[nodes]
        goes = np.empty(len(nodes), bool)
        for number in np.unique(sets):
            here = sets == number
            goes[here] = np.isin(codes[here], self.code_sets[number])
        return np.where(codes == MISSING, self.missing_left[nodes], goes)


def _ints(packed: bytes) -> Indices:
    return np.frombuffer(packed, "<i4").astype(np.int64)


@final
class ModelEvaluation:
    """Evaluates one model."""

    def __init__(self, model: LearnedModel) -> None:
        self.model = model
        self.trees = [Trees(each) for each in model.trees]

    def of(self, rows: Floats) -> Evaluated:
        with np.errstate(over="ignore", invalid="ignore"):  # what is too large is an infinity, as in the library
            return self._of(rows)

    def _of(self, rows: Floats) -> Evaluated:
        codes = self._codes(rows)
        leaves = [trees.leaves(rows, codes) for trees in self.trees]
        numbers: dict[str, Floats] = {}
        for each in self.model.sums:
            if isinstance(each, TreeSum):
                numbers[each.name] = self._tree_sum(each, leaves[each.trees])
            elif isinstance(each, LinearSum):  # a network has no bits of its own: its runtime adds in any order
                numbers[each.name] = _linear_sum(each, rows, codes)
        for link in self.model.links:
            numbers[link.name] = _linked(link, [numbers[name] for name in link.arguments])
        return Evaluated(numbers, self._labels(numbers, len(rows)))

    def _codes(self, rows: Floats) -> Indices:
        """The codes of categories; those that are missing or unseen have codes of their own."""
        codes = np.zeros(rows.shape, np.int64)
        for column, feature in enumerate(self.model.features):
            if feature.kind == "category":
                codes[:, column] = known_codes(feature, rows[:, column])
        return codes

    def _tree_sum(self, one: TreeSum, leaves: Indices) -> Floats:
        kind = DTYPES[one.precision]
        values = self.trees[one.trees].values[:, one.column].astype(kind)
        total: Any = np.full(len(leaves), one.start, kind)
        for tree in range(leaves.shape[1]):
            total = total + values[leaves[:, tree]]
        return np.asarray(finished(one, total), np.float64)

    def _labels(self, numbers: Mapping[str, Floats], count: int) -> Indices:
        if self.model.label is None:
            return np.zeros(count, np.int64)
        rule = self.model.label.rule
        if isinstance(rule, Above):
            number = numbers[rule.number]
            above: Any = number >= rule.bound if rule.inclusive else number > rule.bound
            return np.asarray(above, np.int64)
        return np.asarray(np.argmax(np.stack([numbers[name] for name in rule.numbers]), axis=0), np.int64)


def finished(one: TreeSum, total: Any) -> Any:
    """The sum after its last operations, in its own precision."""
    kind = DTYPES[one.precision]
    for operation, value in one.finish:
        match operation:
            case "add":
                total = total + kind(value)
            case "multiply":
                total = total * kind(value)
            case "divide":
                total = total / kind(value)
    return total


def known_codes(feature: ModelFeature, values: Floats) -> Indices:
    """The codes of a category, of which those that are missing or unseen have their own."""
    known = np.array([code for _, code in feature.categories], np.float64)
    values = np.trunc(values) if feature.truncates else values
    seen = np.isin(values, known)
    return np.where(np.isnan(values), MISSING, np.where(seen, np.where(seen, values, 0.0).astype(np.int64), UNSEEN))


def column_values(column: Column, rows: Floats, codes: Indices) -> Floats:
    """A column for each row."""
    values, code = rows[:, column.feature].copy(), codes[:, column.feature]
    for step in column.steps:
        match step:
            case Impute(value):
                values = np.where(np.isnan(values), value, values)
            case ColumnArithmetic(operation, value):
                values = _OPERATIONS[operation](values, value)
            case ToFloat32():
                with np.errstate(over="ignore"):
                    values = values.astype(np.float32).astype(np.float64)
            case Clip(low, high):
                values = np.clip(values, low, high)
            case Bins(edges):
                values = np.searchsorted(np.array(edges), values, side="right").astype(np.float64)
            case Indicator(value):
                values = (np.isnan(values) if value is None else values == value).astype(np.float64)
            case Table(entries, unseen, missing):
                otherwise = np.array([missing, unseen], np.float64)  # None becomes NaN
                given = np.where(code == MISSING, otherwise[0], otherwise[1])
                for known, number in entries:
                    given[code == known] = number
                values = given
    return values


_OPERATIONS: Final[dict[str, Any]] = {
    "add": np.add, "subtract": np.subtract, "multiply": np.multiply, "divide": np.divide,
}  # fmt: skip


def _linear_sum(one: LinearSum, rows: Floats, codes: Indices) -> Floats:
    kind = DTYPES[one.precision]
    total: Any = np.full(len(rows), one.intercept, kind)
    for column, weight in zip(one.columns, one.weights, strict=True):
        values = column_values(column, rows, codes).astype(kind)
        with np.errstate(over="ignore", invalid="ignore"):
            added = total + values * kind(weight)
        total = np.where(np.isnan(values), total, added) if one.skips_missing else added
    return np.asarray(total, np.float64)


def _linked(link: Link, arguments: list[Floats]) -> Floats:
    rows = zip(*(each.tolist() for each in arguments), strict=True)
    return np.array([links.value_of(link, row) for row in rows], np.float64)
