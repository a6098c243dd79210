"""Trees over boxes of features, leaf by leaf, in plain Python.

A leaf is reached by rows whose features lie in certain ranges, those that the tests on the way to it leave. A box
reaches the leaves whose ranges it meets. This shares no code with the bounds by which soid settles questions
(`soid.engine.learned.tree_bounds`), on purpose, so that one checks the other.
"""

from __future__ import annotations

import math
import struct
import sys
from array import array
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, Literal, final

from msgspec import Struct

from soid.engine.learned.model import MISSING, UNSEEN, ModelFeature, TreeArrays


class NotChecked(Exception):
    """The model has something that is not evaluated here; the message says what."""


@final
class FeatureRange(Struct, frozen=True):
    """Values of a feature: numbers from low to high, none if low is above high; or missing; or categories."""

    low: float = math.inf
    high: float = -math.inf
    missing: bool = False  # of a number
    codes: frozenset[int] = frozenset()  # of a category: MISSING and UNSEEN among them

    def meets(self, other: FeatureRange) -> bool:
        low, high = max(self.low, other.low), min(self.high, other.high)
        return low <= high or (self.missing and other.missing) or not self.codes.isdisjoint(other.codes)

    def within(self, other: FeatureRange) -> bool:
        inside = self.low > self.high or (other.low <= self.low and self.high <= other.high)
        return inside and (other.missing or not self.missing) and self.codes <= other.codes

    def hull(self, other: FeatureRange) -> FeatureRange:
        low, high = min(self.low, other.low), max(self.high, other.high)
        return FeatureRange(low, high, self.missing or other.missing, self.codes | other.codes)


FeatureBox = Mapping[int, FeatureRange]  # by the number of a feature

_ANY_NUMBER: Final = FeatureRange(-math.inf, math.inf, True)


def any_value(feature: ModelFeature) -> FeatureRange:
    if feature.kind != "category":
        return _ANY_NUMBER
    return FeatureRange(codes=frozenset({MISSING, UNSEEN, *(code for _, code in feature.categories)}))


def categories(feature: ModelFeature, low: int, high: int) -> FeatureRange:
    """The codes of the labels from one number to another; a number that stands for no label is unseen."""
    count = len(feature.categories)
    found = {code for _, code in feature.categories[max(low, 0) : max(high + 1, 0)]}
    if low <= MISSING <= high:
        found.add(MISSING)
    if low <= UNSEEN or high >= count:
        found.add(UNSEEN)
    return FeatureRange(codes=frozenset(found))


@final
class PlainLeaf(Struct, frozen=True):
    """A leaf, and the ranges of the features that decide whether it is reached."""

    row: int  # of the trees' values
    ranges: tuple[tuple[int, FeatureRange], ...]


Tree = tuple[PlainLeaf, ...]


@final
class PlainTrees:
    """The trees of one `TreeArrays`."""

    def __init__(self, arrays: TreeArrays, features: Sequence[ModelFeature]) -> None:
        self._features = features
        self._feature = _whole("i", arrays.feature)
        self._cut = _floats(arrays.cut)
        self._missing_left = _whole("b", arrays.missing_left)
        self._code_set = _whole("i", arrays.code_set)
        self._left = _whole("i", arrays.left)
        self._right = _whole("i", arrays.right)
        self._code_sets = arrays.code_sets
        self._roots = _whole("i", arrays.roots)
        self._columns = arrays.columns
        self._values = _floats(arrays.values)
        self.used = sorted({number for number in self._feature if number >= 0})
        self.count = len(self._roots)

    def column(self, number: int) -> Sequence[float]:
        """One of the numbers of each row of values."""
        return self._values[number :: self._columns]

    def within(self, box: FeatureBox) -> list[Tree]:
        """The leaves that a box reaches, tree by tree, with the ranges that do not hold throughout the box."""
        return [tuple(self._leaves(root, box)) for root in self._roots]

    def _leaves(self, root: int, box: FeatureBox) -> Iterator[PlainLeaf]:
        waiting: list[tuple[int, dict[int, FeatureRange]]] = [(root, {})]
        while waiting:
            node, ranges = waiting.pop()
            feature = self._feature[node]
            if feature < 0:
                kept = [each for each in ranges.items() if not box[each[0]].within(each[1])]
                yield PlainLeaf(self._left[node], tuple(kept))
                continue
            before = ranges.get(feature) or any_value(self._features[feature])
            sides = zip((self._left[node], self._right[node]), self._sides(node, before), strict=True)
            for child, side in sides:
                if box[feature].meets(side):
                    waiting.append((child, {**ranges, feature: side}))

    def _sides(self, node: int, given: FeatureRange) -> tuple[FeatureRange, FeatureRange]:
        """What goes left at a node, and what goes right."""
        left_missing, number = bool(self._missing_left[node]), self._code_set[node]
        by_code = self._features[self._feature[node]].kind == "category"
        if by_code != (number >= 0):
            raise NotChecked("a number is tested as a category, or a category as a number")
        if by_code:
            chosen = {*self._code_sets[number]} - {MISSING} | ({MISSING} if left_missing else set())
            return FeatureRange(codes=given.codes & chosen), FeatureRange(codes=given.codes - chosen)
        cut = self._cut[node]
        upto = -math.inf if math.isnan(cut) else min(given.high, cut)
        above = given.low if math.isnan(cut) else max(given.low, math.nextafter(cut, math.inf))
        first = math.inf if math.isnan(cut) else given.low  # nothing is at most NaN
        last = -math.inf if cut == math.inf else given.high  # nothing is above infinity
        left = FeatureRange(first, upto, given.missing and left_missing)
        return left, FeatureRange(above, last, given.missing and not left_missing)


def narrowed(trees: Sequence[Tree], box: FeatureBox) -> list[Tree]:
    """The leaves that a box inside an earlier one reaches."""
    return [tree if len(tree) == 1 else _narrowed(tree, box) for tree in trees]


def _narrowed(tree: Tree, box: FeatureBox) -> Tree:
    found: list[PlainLeaf] = []
    for leaf in tree:
        left = []
        for feature, span in leaf.ranges:
            given = box[feature]
            if given.within(span):
                continue
            if not given.meets(span):
                break
            left.append((feature, span))
        else:
            found.append(leaf if len(left) == len(leaf.ranges) else PlainLeaf(leaf.row, tuple(left)))
    return tuple(found)


def _whole(kind: Literal["i", "b"], data: bytes) -> list[int]:
    found: array[int] = array(kind)
    found.frombytes(data)
    if sys.byteorder == "big":
        found.byteswap()
    return found.tolist()


def _floats(data: bytes) -> list[float]:
    return list(struct.unpack(f"<{len(data) // 8}d", data))
