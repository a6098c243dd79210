"""Covers about the numbers of networks, made for a bundle.

A search has found boxes in which some condition is false, by bounds in floats that may be narrower than what can be
shown of a box by itself. So a bundle has the bounds that the checker computes (`plain_networks`), with the slopes of
the lines that the search takes there; a box that these do not exclude is halved until they do. Where many sides are
free, and a search has split signs of ReLUs, the boxes become one again, and trees over signs show its bounds.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import Final, final

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from soid.budget import Budget, Deadline
from soid.engine.learned.model import LearnedModel
from soid.engine.learned.network import NetworkSum
from soid.engine.learned.networks.relu_splits import beyond
from soid.engine.summary import Approximation
from soid.evidence.cover_spans import Sides
from soid.evidence.covers import MOST_BOXES, Bounds, Box, Conditions, GivenCover
from soid.evidence.learned import network_slopes
from soid.evidence.learned.feature_ranges import float_at, place_of
from soid.evidence.learned.network_covers import NetworkBoxes
from soid.evidence.learned.plain_networks import EVERYTHING, negative
from soid.evidence.learned.plain_sums import Enclosed, float_below
from soid.evidence.learned.plain_trees import FeatureBox, NotChecked
from soid.evidence.learned.sign_search import bounded_by, searched
from soid.evidence.learned.whole_rows import Unbounded
from soid.evidence.sign_trees import Side, SignTree
from soid.formula.sorts import BitVec, Float
from soid.formula.term import Term

_AT_ONCE: Final = 64  # boxes for which a search is asked for slopes
_FREE: Final = 8  # sides: with more of them a search may have split signs
_EARLY: Final = 15.0  # seconds for trees over signs, before boxes are tried


def certified(
    cover: GivenCover,
    terms: Sequence[Term],
    numbers: Sequence[Approximation],
    model: LearnedModel,
    deadline: Deadline,
) -> GivenCover | None:
    """The cover with slopes, and with the bounds that these give; None where that takes too many boxes, or too long."""
    made = _Certified(cover, NetworkBoxes(cover, numbers, model), Conditions(terms), deadline)
    try:
        early = made.by_signs(deadline.sooner(Budget(_EARLY).started())) if made.is_for_signs else None
        return early or made.by_cuts() or made.by_signs(deadline)
    except NotChecked:  # for want of time
        return None


_End = tuple[Term, Side]  # of a number


@final
class _Shown(Struct, frozen=True):
    """A box, and what shows its bounds."""

    box: Box
    bounds: Bounds
    slopes: Sequence[str] = ()
    splits: Sequence[SignTree] = ()


@final
class _Certified:
    """A cover of a search, whose boxes are to be excluded by the checker's bounds."""

    def __init__(self, cover: GivenCover, boxes: NetworkBoxes, conditions: Conditions, deadline: Deadline) -> None:
        self._cover, self._boxes, self._conditions, self._deadline = cover, boxes, conditions, deadline
        given = list(zip(cover.boxes, cover.bounds, strict=True))
        self._outside = [_Shown(box, bounds) for box, bounds in given if not any(bounds)]
        self._inside = [(box, bounds) for box, bounds in given if any(bounds)]
        self._hull = _hull([box for box, _ in self._inside])

    def by_cuts(self) -> GivenCover | None:
        done, waiting = list(self._outside), [box for box, _ in self._inside]
        while waiting:
            some, waiting = waiting[:_AT_ONCE], waiting[_AT_ONCE:]
            for found in self._shown(some):
                if self._is_excluded(found):
                    done.append(found)
                    continue
                halves = _halved(self._cover, found.box, self._hull)
                if not halves or len(done) + len(waiting) + len(some) > MOST_BOXES:
                    return None
                waiting += halves
        return self._with(done)

    @property
    def is_for_signs(self) -> bool:
        """Whether boxes are many, or the search has most of them by something else than their slopes."""
        few = [box for box, _ in self._inside[: _AT_ONCE + 1]]
        return self._is_wide and (len(few) > _AT_ONCE or 2 * sum(map(self._is_excluded, self._shown(few))) <= len(few))

    @property
    def _is_wide(self) -> bool:
        """Whether there are enough free sides, and all boxes are one together."""
        volumes = [math.prod(high - low + 1 for low, high in box) for box, _ in self._inside]
        whole = math.prod(high - low + 1 for low, high in self._hull)
        return sum(low < high for low, high in self._hull) > _FREE and whole == sum(volumes)

    def by_signs(self, deadline: Deadline) -> GivenCover | None:
        """All boxes as one, whose bounds are shown by trees over signs."""
        cover, hull = self._cover, self._hull
        if not self._is_wide:
            return None
        (whole,) = self._shown([hull])
        needed = self._needed(whole)
        if needed is None:
            return None
        sides, trees = cover.sides(hull), list[SignTree]()
        for (symbol, side), place in self._each_once(needed):
            tree = _tree(self._boxes, sides, whole.slopes, symbol, side, place, deadline)
            if tree is None:
                return None
            trees.append(tree)
        found = self._bounded(hull, whole.slopes, trees)
        return self._with([*self._outside, found]) if self._is_excluded(found) else None

    def _needed(self, whole: _Shown) -> dict[_End, int] | None:
        """Ends of numbers that exclude all boxes as one, each as wide as it may be; None if those of the search do not.

        None of them could be left out.
        """
        wide = dict[_End, int]()
        ends = dict[_End, int]()
        for place, (symbol, known) in enumerate(zip(self._cover.numbers, whole.bounds, strict=True)):
            if known is None or not all(bounds[place] for _, bounds in self._inside):
                continue
            given = [bounds[place] or known for _, bounds in self._inside]
            wide[symbol, "low"], wide[symbol, "high"] = known
            ends[symbol, "low"], ends[symbol, "high"] = min(low for low, _ in given), max(high for _, high in given)
        if not self._would_exclude(whole, ends):
            return None
        for end in list(ends):
            step = 1 if end[1] == "low" else -1
            first, last = 0, max(0, step * (ends[end] - wide[end]))  # places from the wide end
            while first < last:
                middle = (first + last) // 2
                if self._would_exclude(whole, ends | {end: wide[end] + step * middle}):
                    last = middle
                else:
                    first = middle + 1
            ends[end] = wide[end] + step * last
        return {end: place for end, place in ends.items() if place != wide[end]}

    def _each_once(self, needed: Mapping[_End, int]) -> Iterator[tuple[_End, int]]:
        """Of symbols of the same sum the one whose end is narrower: what shows it shows the other's."""
        sums = {symbol: one for group in self._boxes.groups for symbol, one in group.sums.items()}
        by_sum = dict[tuple[NetworkSum, Side], list[tuple[_End, int]]]()
        for end, place in needed.items():
            by_sum.setdefault((sums[end[0]], end[1]), []).append((end, place))
        for (_, side), ends in by_sum.items():
            yield (max if side == "low" else min)(ends, key=lambda each: each[1])

    def _would_exclude(self, whole: _Shown, ends: Mapping[_End, int]) -> bool:
        pairs = zip(self._cover.numbers, whole.bounds, strict=True)
        bounds = tuple(
            known and (ends.get((symbol, "low"), known[0]), ends.get((symbol, "high"), known[1]))
            for symbol, known in pairs
        )
        return self._is_excluded(replace(whole, bounds=bounds))

    def _shown(self, boxes: Sequence[Box]) -> Iterator[_Shown]:
        """Boxes with the slopes that the search has there."""
        slopes = _slopes(self._boxes, [self._cover.sides(box) for box in boxes])
        for box, texts in zip(boxes, slopes, strict=True):
            yield self._bounded(box, texts)

    def _bounded(self, box: Box, texts: Sequence[str], trees: Sequence[SignTree] = ()) -> _Shown:
        if self._deadline.is_over:
            raise NotChecked("there was no time for all of its boxes")
        found = self._boxes.numbers(self._cover.sides(box), texts, trees, self._deadline)
        bounds = tuple(_places(symbol, found[symbol]) for symbol in self._cover.numbers)
        return _Shown(box, bounds, texts, trees)

    def _is_excluded(self, one: _Shown) -> bool:
        return self._conditions.exclude(self._cover.sides(one.box), self._cover.known(one.bounds))

    def _with(self, done: Sequence[_Shown]) -> GivenCover:
        return replace(
            self._cover,
            boxes=tuple(each.box for each in done),
            bounds=tuple(each.bounds for each in done),
            slopes=tuple(each.slopes for each in done),
            splits=tuple(each.splits for each in done),
        )


def _row(box: FeatureBox, model: LearnedModel) -> tuple[list[float], list[float], list[bool]]:
    """The ranges of features as a search has them: of categories, the places of their labels."""
    low, high, missing = [], [], []
    for number, span in sorted(box.items()):
        feature = model.features[number]
        if feature.kind == "category":
            places = [place for place, (_, code) in enumerate(feature.categories) if code in span.codes] or [0]
            span = replace(span, low=float(places[0]), high=float(places[-1]))
        low.append(span.low)
        high.append(span.high)
        missing.append(span.missing)
    return low, high, missing


def _slopes(boxes: NetworkBoxes, some: Sequence[Sides]) -> Iterator[list[str]]:
    """The slopes that the search has in some boxes."""
    layers = []
    for group in boxes.groups:
        rows = [_row(boxes.features(group, sides), boxes.model) for sides in some]
        low, high, missing = (np.array(each) for each in zip(*rows, strict=True))
        layers += group.function.below_relus(low, high, missing.astype(bool))
    for row in range(len(some)):
        yield [network_slopes.written(layer[row]) for layer in layers]


def _tree(
    boxes: NetworkBoxes, sides: Sides, texts: Sequence[str], symbol: Term, side: Side, place: int, deadline: Deadline
) -> SignTree | None:
    """A tree over signs that shows a number not to be below a place, or not above; None if none is found in time."""
    for group, bounded in zip(boxes.groups, boxes.bounded(sides, texts), strict=True):
        one = group.sums.get(symbol)
        if one is None:
            continue
        try:
            box = bounded()
        except Unbounded:
            return None
        terms = one.terms if side == "low" else negative(one.terms)
        row = _row(boxes.features(group, sides), boxes.model)
        low, high, missing = (np.array(each) for each in row)
        sign, checker = 1 if side == "low" else -1, partial(bounded_by, box, terms)
        assert isinstance(symbol.sort, Float)
        above = one, sign, beyond(sign * float_at(symbol.sort.width, place))
        search = group.function.relu_search(low, high, missing.astype(bool), above, checker)
        leaves = None if search is None else searched(search, deadline)
        return None if leaves is None else SignTree(symbol.name, side, leaves)
    return None


def _places(symbol: Term, ends: Enclosed) -> tuple[int, int] | None:
    """The places of floats that are not inside; an end that is a zero stands for both zeros."""
    sort = symbol.sort
    assert isinstance(sort, Float)
    if ends == EVERYTHING:
        return None
    low, high = float_below(Fraction(ends[0]), sort.width), -float_below(-Fraction(ends[1]), sort.width)
    return (-1 if low == 0 else place_of(sort.width, low)), (0 if high == 0 else place_of(sort.width, high))


def _hull(boxes: Sequence[Box]) -> Box:
    return tuple((min(low for low, _ in sides), max(high for _, high in sides)) for sides in zip(*boxes, strict=True))


def _halved(cover: GivenCover, box: Box, start: Box) -> list[Box]:
    """Two halves of a box, cut where it has the largest part of the width of all; none of a single state."""
    shares = [
        _width(cover, side, ends) / (_width(cover, side, whole) or 1.0) if ends[0] < ends[1] else -1.0
        for side, (ends, whole) in enumerate(zip(box, start, strict=True))
    ]
    side = max(range(len(box)), key=shares.__getitem__)
    low, high = box[side]
    if low == high:
        return []
    middle = (low + high) // 2
    if cover.orders[side] == "float":
        first, last = _ends(cover, side, box[side])
        middle = min(max(place_of(_bits(cover, side), first + (last - first) / 2), low), high - 1)
    return [(*box[:side], part, *box[side + 1 :]) for part in ((low, middle), (middle + 1, high))]


def _width(cover: GivenCover, side: int, ends: tuple[int, int]) -> float:
    if cover.orders[side] != "float":
        return float(ends[1] - ends[0])
    low, high = _ends(cover, side, ends)
    return high - low


def _ends(cover: GivenCover, side: int, ends: tuple[int, int]) -> tuple[float, float]:
    low, high = (float_at(_bits(cover, side), end) for end in ends)
    return low, high


def _bits(cover: GivenCover, side: int) -> int:
    sort = cover.variables[side].sort
    assert isinstance(sort, BitVec)
    return sort.width
