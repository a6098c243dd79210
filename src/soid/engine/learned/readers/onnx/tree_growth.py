"""From the nodes of an ensemble to trees whose tests are of the features themselves.

A test for equality becomes two tests of a number, so that what fails it is grown twice; so is a node with two parents.
What the tests above say of such a feature is remembered, and tests whose outcome is known are left out.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Final, final

from soid.engine.learned.column_steps import Column
from soid.engine.learned.model import ModelFeature, ModelRefused
from soid.engine.learned.readers.onnx.protobuf_wire import broken
from soid.engine.learned.readers.onnx.tested_values import CodeSet, NumberBand, code_sets, number_bands
from soid.engine.learned.readers.onnx.tree_nodes import LEAF, TreeNodes
from soid.engine.learned.trees_builder import TreesBuilder

#: what is known of a feature: above the first number (None: no bound), up to the second, and whether it may be NaN
Known = tuple[float | None, float, bool]
_UNKNOWN: Final[Known] = (None, math.inf, True)
_ROOM: Final = 200_000  # nodes that may be added, beside four for each node


def tests_of(
    nodes: TreeNodes, columns: Sequence[Column], features: Sequence[ModelFeature]
) -> dict[int, NumberBand | CodeSet]:
    """What passes the test of each node."""
    by_column: dict[int, list[int]] = {}
    for place, mode in enumerate(nodes.modes):
        if mode != LEAF:
            by_column.setdefault(nodes.features[place], []).append(place)
    found: dict[int, NumberBand | CodeSet] = {}
    for number, places in by_column.items():
        if not 0 <= number < len(columns):
            raise broken(f"a tree tests column {number} of {len(columns)}")
        column = columns[number]
        feature = features[column.feature]
        made: Sequence[NumberBand | CodeSet]
        if feature.kind == "category":
            made = code_sets(column, feature, [(nodes.modes[place], nodes.thresholds[place]) for place in places])
        else:
            made = number_bands(
                column, [(nodes.modes[place], nodes.thresholds[place], nodes.missing[place]) for place in places]
            )
        found |= zip(places, made, strict=True)
    return found


@final
class TreeGrowth:
    """Grows trees of one ensemble."""

    def __init__(self, nodes: TreeNodes, columns: Sequence[Column], features: Sequence[ModelFeature]) -> None:
        self._nodes = nodes
        self._columns = columns
        self._features = features
        self._tests = tests_of(nodes, columns, features)
        # of these features tests are split: what is known of them is remembered
        self._followed = {
            columns[nodes.features[place]].feature
            for place, test in self._tests.items()
            if isinstance(test, NumberBand) and not math.isnan(test.low)
        }
        self._left = 4 * len(nodes.modes) + _ROOM

    def targets(self, root: int) -> set[int]:
        """Which numbers the leaves of a tree have weights for."""
        found: set[int] = set()
        seen, waiting = {root}, [root]
        while waiting:
            place = waiting.pop()
            if self._nodes.modes[place] == LEAF:
                if place not in self._nodes.weights:
                    raise broken("a leaf has no weight")
                found |= self._nodes.weights[place].keys()
            else:
                new = {self._nodes.passed[place], self._nodes.failed[place]} - seen
                seen |= new
                waiting += new
        return found

    def grow(self, root: int, targets: Sequence[int], trees: TreesBuilder) -> None:
        """Adds one tree, whose leaves have the weights for these targets."""
        trees.root()
        children: dict[int, list[int]] = {}
        waiting: list[tuple[int, Mapping[int, Known], int, int, int]] = [(root, {}, -1, 0, 0)]
        while waiting:
            place, known, parent, side, depth = waiting.pop()
            place, depth = self._next_open(place, known, depth)
            self._left -= 1
            if self._left < 0:
                raise ModelRefused("The tests for equality in the trees of the file are too many to be modelled.")
            if self._nodes.modes[place] == LEAF:
                row = self._nodes.weights[place]
                made = trees.leaf([row.get(target, 0.0) for target in targets])
            else:
                made, ways = self._split(place, known, trees)
                children[made] = [-1, -1]
                waiting += [(*way, made, which, depth + 1) for which, way in enumerate(ways)]
            if parent >= 0:
                children[parent][side] = made
        for node, (left, right) in children.items():
            trees.children(node, left, right)

    def _next_open(self, place: int, known: Mapping[int, Known], depth: int) -> tuple[int, int]:
        """The first node from here whose outcome is not known."""
        while self._nodes.modes[place] != LEAF:
            outcome = self._outcome(place, known)
            if outcome is None:
                break
            place, depth = (self._nodes.passed if outcome else self._nodes.failed)[place], depth + 1
            if depth > 4 * len(self._nodes.modes):
                break
        if depth > 4 * len(self._nodes.modes):
            raise broken("a tree goes in a circle")
        return place, depth

    def _outcome(self, place: int, known: Mapping[int, Known]) -> bool | None:
        test = self._tests[place]
        feature = self._columns[self._nodes.features[place]].feature
        if isinstance(test, CodeSet):
            all_codes = len(self._features[feature].categories) + 1
            return None if 0 < len(test.codes) < all_codes else bool(test.codes)
        low, high, may_miss = known.get(feature, _UNKNOWN)
        pieces = _pieces(test, low, high)
        outcomes = {passes for _, passes in pieces} | ({test.missing} if may_miss else set())
        return outcomes.pop() if len(outcomes) == 1 else None

    def _split(
        self, place: int, known: Mapping[int, Known], trees: TreesBuilder
    ) -> tuple[int, list[tuple[int, Mapping[int, Known]]]]:
        """A test of the feature, and for both sides the node that comes next and what is then known."""
        test = self._tests[place]
        feature = self._columns[self._nodes.features[place]].feature
        passed, failed = self._nodes.passed[place], self._nodes.failed[place]
        if isinstance(test, CodeSet):
            made = trees.code_test(feature, test.codes, missing_left=False)
            return made, [(passed, known), (failed, known)]
        low, high, may_miss = known.get(feature, _UNKNOWN)
        pieces = _pieces(test, low, high)
        if len(pieces) == 1:  # NaN alone has another outcome than all numbers
            cut, missing_left = math.inf, False
        else:
            cut = pieces[-2][0]
            missing_left = pieces[-1][1] != test.missing
        made = trees.number_test(feature, cut, missing_left=missing_left)
        below: Known = (low, min(cut, high), may_miss and missing_left)
        above: Known = (cut, high, may_miss and not missing_left)
        if len(pieces) == 3:  # what is below is still to be split, by the same node
            beyond = failed if test.inside else passed
            return made, [(place, {**known, feature: below}), (beyond, {**known, feature: above})]
        outcomes = [pieces[0][1], test.missing if len(pieces) == 1 else pieces[1][1]]
        nexts = [passed if outcome else failed for outcome in outcomes]
        if feature not in self._followed:
            return made, [(each, known) for each in nexts]
        return made, [(nexts[0], {**known, feature: below}), (nexts[1], {**known, feature: above})]


def _pieces(test: NumberBand, low: float | None, high: float) -> list[tuple[float, bool]]:
    """Of the numbers above `low` and up to `high`: up to where they pass or fail, no two alike in a row."""
    found: list[tuple[float, bool]] = []
    ends = [(test.low, not test.inside), (test.high, test.inside), (math.inf, not test.inside)]
    begin = low
    for end, passes in ends:
        until = min(end, high)
        if math.isnan(end) or (begin is not None and until <= begin):
            continue
        if found and found[-1][1] == passes:
            found[-1] = (until, passes)
        else:
            found.append((until, passes))
        begin = until
    return found
