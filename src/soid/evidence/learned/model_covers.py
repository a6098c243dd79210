"""Checks the bounds of a cover: in each box, that the model's numbers lie between those that are given.

The model is evaluated by `plain_trees.py`, `plain_sums.py` and `plain_links.py`, box by box. Of a number that is known
between two ends, because its library adds in any order, the least must not be above what the library may give, nor the
greatest below it: then the formula holds for what the library gives, whichever order that was.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, final

from soid.budget import UNLIMITED, Budget, Deadline
from soid.engine.learned.model import LearnedModel, LinearSum, Link, TreeSum
from soid.engine.learned.network import NetworkSum
from soid.engine.summary import Approximation, ModelNumber
from soid.errors import BundleError
from soid.evidence import covers
from soid.evidence.covers import GivenCover
from soid.evidence.learned.feature_ranges import feature_box, float_at, float_of
from soid.evidence.learned.plain_links import linked
from soid.evidence.learned.plain_sums import Enclosed, TreeTerms, linear_sum
from soid.evidence.learned.plain_trees import (
    FeatureBox,
    FeatureRange,
    NotChecked,
    PlainTrees,
    Tree,
    narrowed,
)
from soid.formula.sorts import Float
from soid.formula.term import Term


def recheck(
    given: Mapping[str, Any],
    terms: Sequence[Term],
    numbers: Sequence[Approximation],
    model: LearnedModel,
    budget: Budget = UNLIMITED,
) -> str:
    """Check that a cover, with bounds of a model's numbers, shows the terms to be unsatisfiable together.

    The result is why not, or empty if it does. Raises a BundleError for data that is no cover, one that leaves a state
    out, and one that has a wrong bound.
    """
    cover, deadline = covers.read_cover(given, terms, numbers), budget.started()
    return check_bounds(cover, numbers, model, deadline) or covers.recheck(given, terms, numbers)


def check_bounds(cover: GivenCover, numbers: Sequence[Approximation], model: LearnedModel, deadline: Deadline) -> str:
    """Why the bounds of a cover are not shown; empty if they are. A BundleError names one that is wrong."""
    rows = [row for row, bounds in enumerate(cover.bounds) if any(each is not None for each in bounds)]
    try:
        known = _numbers_in(cover, rows, numbers, model, deadline)
    except NotChecked as why:
        return str(why)
    ends = {one.symbol: one.enclosure.number for one in numbers}
    for row in rows:
        for symbol, given in zip(cover.numbers, cover.bounds[row], strict=True):
            if given is not None:
                _compare(symbol, ends[symbol], given, known[symbol][row])
    return ""


def _compare(symbol: Term, number: ModelNumber | None, given: tuple[int, int], found: Enclosed) -> None:
    assert number is not None and isinstance(symbol.sort, Float)
    low, high = (float_at(symbol.sort.width, place) for place in given)
    if (number.end != 1 and not low <= found[0]) or (number.end != 0 and not high >= found[1]):
        words = f"{symbol.name} is not from {low!r} to {high!r} in one of its boxes"
        raise BundleError(f"a cover has a wrong bound: {words}, but from {found[0]!r} to {found[1]!r}")


def _numbers_in(
    cover: GivenCover, rows: Sequence[int], numbers: Sequence[Approximation], model: LearnedModel, deadline: Deadline
) -> dict[Term, dict[int, Enclosed]]:
    """What each number of the cover may be in some of its boxes."""
    if model.networks:
        from soid.evidence.learned.network_covers import numbers_in_boxes  # numpy takes long to load

        return numbers_in_boxes(cover, rows, numbers, model, deadline)
    sums, links = {each.name: each for each in model.sums}, {each.name: each for each in model.links}
    found: dict[Term, dict[int, Enclosed]] = {}
    forests: dict[tuple[int, tuple[Term, ...]], _BoundTrees] = {}
    for one in numbers:
        number = one.enclosure.number
        if one.symbol not in cover.numbers or number is None:
            continue
        total = sums.get(number.name)
        assert not isinstance(total, NetworkSum)
        if total is None:
            found[one.symbol] = {row: _linked(links[number.name], one, row, found) for row in rows}
        elif isinstance(total, LinearSum):
            used = sorted({column.feature for column in total.columns})
            boxes = {row: feature_box(cover, row, one.arguments, used, model.features) for row in rows}
            found[one.symbol] = {row: linear_sum(total, model.features, box) for row, box in boxes.items()}
        else:
            key = total.trees, one.arguments
            if key not in forests:
                trees = PlainTrees(model.trees[total.trees], model.features)
                boxes = {row: feature_box(cover, row, one.arguments, trees.used, model.features) for row in rows}
                forests[key] = _BoundTrees(trees, boxes)
            found[one.symbol] = forests[key].sums(total)
    return found


def _linked(link: Link, one: Approximation, row: int, found: Mapping[Term, Mapping[int, Enclosed]]) -> Enclosed:
    given = [
        found[argument][row] if argument in found else (_constant(argument), _constant(argument))
        for argument in one.arguments
    ]
    return linked(link, given)


def _constant(term: Term) -> float:
    assert term.is_const and isinstance(term.sort, Float)
    return float_of(term.sort.width, term.value)


@final
class _BoundTrees:
    """The leaves that trees reach in each of some boxes."""

    def __init__(self, trees: PlainTrees, boxes: Mapping[int, FeatureBox]) -> None:
        self._trees = trees
        self._boxes = boxes
        self._found: dict[int, list[tuple[int, ...]]] = {}  # by row of a box: for each tree the rows of its leaves
        if boxes:
            hull = self._hull(list(boxes))
            self._visit(list(boxes), trees.within(hull))

    def _hull(self, rows: Sequence[int]) -> FeatureBox:
        return {
            feature: functools.reduce(FeatureRange.hull, (self._boxes[row][feature] for row in rows))
            for feature in self._trees.used
        }

    def _visit(self, rows: list[int], trees: list[Tree]) -> None:
        """Halve the boxes, so that those that are near each other share what they do not reach."""
        waiting = [(rows, trees)]
        while waiting:
            rows, trees = waiting.pop()
            if len(rows) == 1:
                self._found[rows[0]] = [tuple(leaf.row for leaf in tree) for tree in trees]
                continue
            for part in self._halves(rows):
                waiting.append((part, narrowed(trees, self._hull(part))))

    def _halves(self, rows: list[int]) -> Iterator[list[int]]:
        boxes = self._boxes
        which = max(self._trees.used, key=lambda feature: len({boxes[row][feature].low for row in rows}), default=None)
        ordered = rows if which is None else sorted(rows, key=lambda row: boxes[row][which].low)
        middle = len(rows) // 2
        yield ordered[:middle]
        yield ordered[middle:]

    def sums(self, one: TreeSum) -> dict[int, Enclosed]:
        terms = TreeTerms.of(one, self._trees.column(one.column), self._trees.count)
        values = terms.values
        found: dict[int, Enclosed] = {}
        for row, trees in self._found.items():
            reached = [[values[leaf] for leaf in leaves] for leaves in trees]
            found[row] = terms.over([min(each) for each in reached], [max(each) for each in reached])
        return found
