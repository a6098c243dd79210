"""Covers about the numbers of networks: made for a bundle, and checked.

A search has found boxes in which some condition is false, by bounds in floats that may be narrower than what can be
shown of a box by itself. So a bundle has the bounds that the checker computes (`plain_networks`), with the slopes of
the lines that the search takes there; a box that these do not exclude is halved until they do.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Final, final

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from soid.budget import Deadline
from soid.engine.learned.model import LearnedModel
from soid.engine.learned.network import NetworkSum
from soid.engine.learned.networks.network_function import NetworkFunction
from soid.engine.summary import Approximation
from soid.evidence.cover_spans import Sides
from soid.evidence.covers import MOST_BOXES, Bounds, Box, Conditions, GivenCover
from soid.evidence.learned import network_slopes
from soid.evidence.learned.feature_ranges import features_within, float_at, place_of
from soid.evidence.learned.plain_networks import EVERYTHING, network_numbers, network_sums, relu_sizes
from soid.evidence.learned.plain_sums import Enclosed, float_below
from soid.evidence.learned.plain_trees import FeatureBox, NotChecked
from soid.formula.sorts import BitVec, Float
from soid.formula.term import Term

_AT_ONCE: Final = 64  # boxes for which a search is asked for slopes


@final
class _BoxGroup(Struct, frozen=True):
    """Numbers of one network with the same arguments."""

    network: int
    arguments: tuple[Term, ...]
    sums: Mapping[Term, NetworkSum]  # by symbol
    function: NetworkFunction


@final
class _Boxes:
    """The numbers of a cover, as they are evaluated in one box after the other."""

    def __init__(self, cover: GivenCover, numbers: Sequence[Approximation], model: LearnedModel) -> None:
        self._model = model
        self._groups = _groups(cover, numbers, model)
        self._sizes = [relu_sizes(model.networks[each.network]) for each in self._groups]

    def numbers(self, sides: Sides, texts: Sequence[str] | None) -> dict[Term, Enclosed]:
        """What the numbers may be; without texts of slopes, with the slopes that follow from the ranges."""
        sizes = [size for each in self._sizes for size in each]
        slopes = None if texts is None else iter(network_slopes.read(texts, sizes))
        found: dict[Term, Enclosed] = {}
        for group, layers in zip(self._groups, self._sizes, strict=True):
            own = None if slopes is None else [next(slopes) for _ in layers]
            ends = network_numbers(self._model, list(group.sums.values()), self._features(group, sides), own)
            found |= {symbol: ends[one.name] for symbol, one in group.sums.items()}
        return found

    def slopes(self, boxes: Sequence[Sides]) -> Iterator[list[str]]:
        """The slopes that the search has in some boxes."""
        layers = []
        for group in self._groups:
            rows = [_row(self._features(group, sides), self._model) for sides in boxes]
            low, high, missing = (np.array(each) for each in zip(*rows, strict=True))
            layers += group.function.below_relus(low, high, missing.astype(bool))
        for row in range(len(boxes)):
            yield [network_slopes.written(layer[row]) for layer in layers]

    def _features(self, group: _BoxGroup, sides: Sides) -> FeatureBox:
        network = self._model.networks[group.network]
        used = sorted({column.feature for column in network.columns})
        return features_within(sides, group.arguments, used, self._model.features)


def _groups(cover: GivenCover, numbers: Sequence[Approximation], model: LearnedModel) -> list[_BoxGroup]:
    known = network_sums(model)
    found: dict[tuple[int, tuple[Term, ...]], _BoxGroup] = {}
    for one in numbers:
        number = one.enclosure.number
        if one.symbol not in cover.numbers or number is None:
            continue
        if number.name not in known or not isinstance(one.enclosure, NetworkFunction):
            raise NotChecked(f"{number.name} is no number of a network")
        total = known[number.name]
        key = total.network, one.arguments
        if key not in found:
            found[key] = _BoxGroup(*key, {}, one.enclosure)
        found[key] = replace(found[key], sums={**found[key].sums, one.symbol: total})
    return list(found.values())


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


def numbers_in_boxes(
    cover: GivenCover, rows: Sequence[int], numbers: Sequence[Approximation], model: LearnedModel, deadline: Deadline
) -> dict[Term, dict[int, Enclosed]]:
    """What each number may be in some of the boxes; NotChecked where time does not suffice for all of them."""
    boxes = _Boxes(cover, numbers, model)
    found: dict[Term, dict[int, Enclosed]] = {symbol: {} for symbol in cover.numbers}
    for done, row in enumerate(rows):
        if deadline.is_over:
            raise NotChecked(f"there was no time for all of its boxes: {done:,} of {len(rows):,} were checked")
        texts = cover.slopes[row] if cover.slopes else None
        for symbol, ends in boxes.numbers(cover.sides(cover.boxes[row]), texts).items():
            found[symbol][row] = ends
    return found


# --- made for a bundle --------------------------------------------------------------------------------------------


def certified(
    cover: GivenCover,
    terms: Sequence[Term],
    numbers: Sequence[Approximation],
    model: LearnedModel,
    deadline: Deadline,
) -> GivenCover | None:
    """The cover with slopes, and with the bounds that these give; None where that takes too many boxes, or too long."""
    boxes, conditions = _Boxes(cover, numbers, model), Conditions(terms)
    done: list[tuple[Box, Bounds, Sequence[str]]] = []
    waiting: list[Box] = []
    for box, bounds in zip(cover.boxes, cover.bounds, strict=True):
        if any(each is not None for each in bounds):
            waiting.append(box)
        else:
            done.append((box, bounds, ()))
    start = _hull(waiting)
    while waiting:
        some, waiting = waiting[:_AT_ONCE], waiting[_AT_ONCE:]
        slopes = boxes.slopes([cover.sides(box) for box in some])
        for box, texts in zip(some, slopes, strict=True):
            if deadline.is_over:
                return None
            found = boxes.numbers(cover.sides(box), texts)
            bounds = tuple(_places(symbol, found[symbol]) for symbol in cover.numbers)
            if conditions.exclude(cover.sides(box), cover.known(bounds)):
                done.append((box, bounds, texts))
                continue
            halves = _halved(cover, box, start)
            if not halves or len(done) + len(waiting) + len(some) > MOST_BOXES:
                return None
            waiting += halves
    made, bounded, below = zip(*done, strict=True)
    return replace(cover, boxes=made, bounds=bounded, slopes=below)


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
