"""Tests of trees, with all preparation folded in: each compares the application's own feature.

A preparation never falls, so the numbers that pass a test are those up to a cut. Of a category, those codes go left
whose number passes the test. Whether a number is in one bin takes two tests: below the bin, and up to its end.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, final

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from soid.engine.learned import cuts
from soid.engine.learned.column_steps import Impute, Indicator
from soid.engine.learned.model import MISSING
from soid.engine.learned.readers.skops.prepared_columns import (
    Coded,
    Inputs,
    MissingFlag,
    Numeric,
    Prepared,
    through,
)
from soid.engine.learned.readers.skops.skops_archive import broken, not_modelled
from soid.engine.learned.trees_builder import TreesBuilder

Indices = NDArray[np.int64]
Floats = NDArray[np.float64]


_MOST_CODES: Final = 20_000_000
_MOST_NODES: Final = 5_000_000


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


def gathered(trees: Iterable[NodeArrays]) -> list[NodeArrays]:
    """All trees, as long as they are not too many: a file may name the same tree again and again."""
    found: list[NodeArrays] = []
    room = _MOST_NODES
    for tree in trees:
        room -= len(tree.left)
        if room < 0:
            raise not_modelled(f"trees with more than {_MOST_NODES:,} nodes", "Train fewer or smaller trees.")
        found.append(tree)
    return found


@final
class _Bin(Struct, frozen=True):
    """A column that says whether a number is in one bin."""

    feature: int
    below: float  # numbers up to here are in the bins before it; NaN: none
    upto: float  # further numbers up to here are in it
    filled: bool | None  # whether what is missing is in it; None: it cannot be missing
    values: tuple[float, float]  # what the column is outside and inside


@final
class _Test(Struct, frozen=True):
    """A test of a feature; the one of a bin goes on where the first does not go left."""

    feature: int
    missing_left: bool
    cut: float = math.nan
    codes: tuple[int, ...] | None = None
    bin: _Bin | None = None


@final
class TreeTests:
    """The tests of all trees over the same columns."""

    def __init__(self, inputs: Inputs, prepared: Prepared, trees: Sequence[NodeArrays], *, as_float32: bool) -> None:
        self._inputs = inputs
        self._as_float32 = as_float32
        self._room = _MOST_CODES
        self._columns: list[Any] = [None] * len(prepared.columns)
        self._cuts: list[dict[float, float]] = [{} for _ in prepared.columns]
        self._known: dict[tuple[int, float, bool], _Test] = {}
        tested = np.concatenate([tree.column[~tree.is_leaf] for tree in trees])
        thresholds = np.concatenate([tree.threshold[~tree.is_leaf] for tree in trees])
        for place, column in enumerate(prepared.columns):
            self._columns[place] = known = inputs.number(column)
            if isinstance(known, MissingFlag) and inputs.kinds[known.feature] == "category":
                self._columns[place] = inputs.coded_flag(known)
            elif isinstance(known, Numeric) and any(isinstance(step, Indicator) for step in known.steps):
                self._columns[place] = self._bin(known)
            elif isinstance(known, Numeric):
                asked = np.unique(thresholds[tested == place])
                self._cuts[place] = dict(zip(asked.tolist(), self._cuts_of(known, asked), strict=True))

    def _rounded(self, values: Floats) -> Floats:
        if not self._as_float32:
            return values
        with np.errstate(over="ignore"):
            return values.astype(np.float32).astype(np.float64)

    def _cuts_of(self, column: Numeric, thresholds: Floats) -> list[float]:
        if not column.steps:
            return [cuts.at_most_as_float32(each) if self._as_float32 else each for each in thresholds.tolist()]
        found = cuts.last_of_each(lambda x: self._rounded(through(column.steps, x)) <= thresholds, len(thresholds))
        return [float(each) for each in found]

    def _bin(self, column: Numeric) -> _Bin:
        place = next(place for place, step in enumerate(column.steps) if isinstance(step, Indicator))
        before, number, after = column.steps[:place], column.steps[place], column.steps[place + 1 :]
        assert isinstance(number, Indicator) and number.value is not None  # what is missing has a column of its own
        ends = np.array([number.value - 1, number.value])
        below, upto = cuts.last_of_each(lambda x: through(before, x) <= ends, 2).tolist()
        outside, inside = through(after, np.array([0.0, 1.0])).tolist()
        can_be_missing = any(isinstance(step, Impute) for step in before)
        filled = bool(through(before, np.array([math.nan]))[0] == number.value) if can_be_missing else None
        return _Bin(column.feature, below, upto, filled, (outside, inside))

    def add(self, builder: TreesBuilder, nodes: NodeArrays, path: str) -> None:
        """One tree, each child after its parent."""
        left, right, is_leaf = nodes.left.tolist(), nodes.right.tolist(), nodes.is_leaf.tolist()
        column, threshold, missing_left = nodes.column.tolist(), nodes.threshold.tolist(), nodes.missing_left.tolist()
        made = [-1] * len(left)
        inner, seconds, waiting = [], dict[int, int](), [0]
        builder.root()
        while waiting:
            node = waiting.pop()
            if made[node] >= 0:
                raise broken(f"{path} has a node with two parents")
            if is_leaf[node]:
                made[node] = builder.leaf(nodes.values[node].tolist())
                continue
            if node in nodes.code_sets:
                test = self._code_test(column[node], nodes.code_sets[node], missing_left[node])
            else:
                test = self._test_of(column[node], threshold[node], missing_left[node])
            made[node] = _added(builder, test)
            if test.bin is not None:
                seconds[node] = builder.number_test(test.feature, test.bin.upto, missing_left=True)
            inner.append(node)
            waiting += (right[node], left[node])
        for node in inner:
            outer, inside = made[left[node]], made[right[node]]
            if node in seconds:  # below the bin, or else up to its end, or else beyond it
                builder.children(made[node], outer, seconds[node])
                builder.children(seconds[node], inside, outer)
            else:
                builder.children(made[node], outer, inside)

    def _test_of(self, place: int, threshold: float, missing_left: bool) -> _Test:
        key = (place, threshold, missing_left)
        if key not in self._known:
            self._known[key] = self._made(*key)
        return self._known[key]

    def _made(self, place: int, threshold: float, missing_left: bool) -> _Test:
        column = self._columns[place]
        if isinstance(column, Coded):
            return self._codes_left(column, lambda value: self._passes(value, threshold), missing_left)
        if isinstance(column, MissingFlag):
            absent, present = (self._passes(each, threshold) for each in through(column.steps, np.array([0.0, 1.0])))
            return _Test(column.feature, present, math.inf if absent else math.nan)
        if isinstance(column, _Bin):
            outside, inside = (self._passes(each, threshold) for each in column.values)
            if outside == inside:
                return _Test(column.feature, inside, math.inf if inside else math.nan)
            return _Test(column.feature, not column.filled, column.below, bin=column)
        filled = float(through(column.steps, np.array([math.nan]))[0])
        goes_left = missing_left if math.isnan(filled) else self._passes(filled, threshold)
        return _Test(column.feature, goes_left, self._cuts[place][threshold])

    def _passes(self, value: float, threshold: float) -> bool:
        return bool(self._rounded(np.array([value]))[0] <= threshold)

    def _code_test(self, place: int, numbers: frozenset[int], missing_left: bool) -> _Test:
        column = self._columns[place]
        if not isinstance(column, Coded):
            raise broken("a tree tests a category where there is none")
        return self._codes_left(column, lambda value: int(value) in numbers, missing_left)

    def _codes_left(self, column: Coded, passes: Callable[[float], bool], missing_left: bool) -> _Test:
        sides = {code: missing_left if math.isnan(value) else passes(value) for code, value in column.values.items()}
        codes = self._inputs.codes_left(column, sides)
        self._room -= len(codes)
        if self._room < 0:
            raise not_modelled("trees over sets of categories with more than 20 million codes", "Group the categories.")
        return _Test(column.feature, sides[MISSING], codes=codes)


def _added(builder: TreesBuilder, test: _Test) -> int:
    if test.codes is None:
        return builder.number_test(test.feature, test.cut, missing_left=test.missing_left)
    return builder.code_test(test.feature, test.codes, missing_left=test.missing_left)
