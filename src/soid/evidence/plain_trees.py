"""Trees over boxes of features, leaf by leaf, in plain Python.

A leaf is reached by rows whose features lie in certain ranges, those that the tests on the way to it leave. A box
reaches the leaves whose ranges it meets. This shares no code with the bounds by which soid settles questions
(`soid.engine.learned.tree_bounds`), on purpose, so that one checks the other.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterator, Sequence
from typing import Final, Literal, final

from msgspec import Struct

from soid.engine.learned.model import MISSING, UNSEEN, Feature, TreeArrays


class NotChecked(Exception):
    """The model has something that is not evaluated here; the message says what."""


@final
class Numbers(Struct, frozen=True):
    """The values of a number: from low to high, or missing; low above high: none but that."""

    low: float
    high: float
    missing: bool = False

    def meets(self, other: Numbers) -> bool:
        return (self.low <= other.high and other.low <= self.high and self.low <= self.high) or (
            self.missing and other.missing
        )

    def within(self, other: Numbers) -> bool:
        inside = self.low > self.high or (other.low <= self.low and self.high <= other.high)
        return inside and (other.missing or not self.missing)

    def hull(self, other: Numbers) -> Numbers:
        return Numbers(min(self.low, other.low), max(self.high, other.high), self.missing or other.missing)


@final
class Codes(Struct, frozen=True):
    """The values of a category, by their codes."""

    codes: frozenset[int]

    def meets(self, other: Codes) -> bool:
        return not self.codes.isdisjoint(other.codes)

    def within(self, other: Codes) -> bool:
        return self.codes <= other.codes

    def hull(self, other: Codes) -> Codes:
        return Codes(self.codes | other.codes)


FeatureRange = Numbers | Codes
FeatureBox = Sequence[FeatureRange | None]  # for each feature; None: nothing depends on it

_ANY_NUMBER: Final = Numbers(-math.inf, math.inf, True)


def any_value(feature: Feature) -> FeatureRange:
    if feature.kind != "category":
        return _ANY_NUMBER
    return Codes(frozenset({MISSING, UNSEEN, *(code for _, code in feature.categories)}))


def categories(feature: Feature, low: int, high: int) -> Codes:
    """The codes of the labels from one number to another; a number that stands for no label is unseen."""
    count = len(feature.categories)
    found = {code for _, code in feature.categories[max(low, 0) : max(high + 1, 0)]}
    if low <= MISSING <= high:
        found.add(MISSING)
    if low <= UNSEEN or high >= count:
        found.add(UNSEEN)
    return Codes(frozenset(found))


@final
class Leaf(Struct, frozen=True):
    """A leaf, and the ranges of the features that decide whether it is reached."""

    row: int  # of the trees' values
    ranges: tuple[tuple[int, FeatureRange], ...]


Tree = tuple[Leaf, ...]


@final
class PlainTrees:
    """The trees of one `TreeArrays`."""

    def __init__(self, arrays: TreeArrays, features: Sequence[Feature]) -> None:
        self._features = features
        self._feature = _unpacked("i", arrays.feature)
        self._cut = _unpacked("d", arrays.cut)
        self._missing_left = _unpacked("b", arrays.missing_left)
        self._code_set = _unpacked("i", arrays.code_set)
        self._left = _unpacked("i", arrays.left)
        self._right = _unpacked("i", arrays.right)
        self._code_sets = arrays.code_sets
        self._roots = _unpacked("i", arrays.roots)
        self._columns = arrays.columns
        self._values = _unpacked("d", arrays.values)
        self.used = sorted({number for number in self._feature if number >= 0})

    def column(self, number: int) -> Sequence[float]:
        """One of the numbers of each row of values."""
        return self._values[number :: self._columns]

    def within(self, box: FeatureBox) -> list[Tree]:
        """The leaves that a box reaches, tree by tree, with the ranges that do not hold throughout the box."""
        return [tuple(self._leaves(root, box)) for root in self._roots]

    def _leaves(self, root: int, box: FeatureBox) -> Iterator[Leaf]:
        waiting: list[tuple[int, dict[int, FeatureRange]]] = [(root, {})]
        while waiting:
            node, ranges = waiting.pop()
            feature = self._feature[node]
            if feature < 0:
                kept = [each for each in ranges.items() if not _given(box, each[0]).within(each[1])]  # type: ignore[arg-type]
                yield Leaf(self._left[node], tuple(kept))
                continue
            before = ranges.get(feature) or any_value(self._features[feature])
            sides = zip((self._left[node], self._right[node]), self._sides(node, before), strict=True)
            for child, side in sides:
                if _given(box, feature).meets(side):  # type: ignore[arg-type]
                    waiting.append((child, {**ranges, feature: side}))

    def _sides(self, node: int, given: FeatureRange) -> tuple[FeatureRange, FeatureRange]:
        """What goes left at a node, and what goes right."""
        left_missing, number = bool(self._missing_left[node]), self._code_set[node]
        if isinstance(given, Codes) != (number >= 0):
            raise NotChecked("a number is tested as a category, or a category as a number")
        if isinstance(given, Codes):
            chosen = {*self._code_sets[number]} - {MISSING} | ({MISSING} if left_missing else set())
            return Codes(given.codes & chosen), Codes(given.codes - chosen)
        cut = self._cut[node]
        upto = given.high if given.high <= cut else -math.inf if math.isnan(cut) else cut
        above = given.low if math.isnan(cut) else max(given.low, math.nextafter(cut, math.inf))
        left = Numbers(given.low, upto, given.missing and left_missing)
        if math.isnan(cut):
            left = Numbers(math.inf, -math.inf, left.missing)
        right = Numbers(above, given.high, given.missing and not left_missing)
        if cut == math.inf:
            right = Numbers(math.inf, -math.inf, right.missing)
        return left, right


def _given(box: FeatureBox, feature: int) -> FeatureRange:
    given = box[feature]
    assert given is not None, "a feature that is tested is used"
    return given


def narrowed(trees: Sequence[Tree], box: FeatureBox) -> list[Tree]:
    """The leaves that a box inside an earlier one reaches."""
    return [tree if len(tree) == 1 else _narrowed(tree, box) for tree in trees]


def _narrowed(tree: Tree, box: FeatureBox) -> Tree:
    found: list[Leaf] = []
    for leaf in tree:
        left = []
        for feature, span in leaf.ranges:
            given = _given(box, feature)
            if given.within(span):  # type: ignore[arg-type]
                continue
            if not given.meets(span):  # type: ignore[arg-type]
                break
            left.append((feature, span))
        else:
            found.append(leaf if len(left) == len(leaf.ranges) else Leaf(leaf.row, tuple(left)))
    return tuple(found)


def _unpacked(kind: Literal["i", "b", "d"], data: bytes) -> list[int] | list[float]:
    found = array(kind)
    found.frombytes(data)
    if _BIG_ENDIAN:
        found.byteswap()
    return found.tolist()
