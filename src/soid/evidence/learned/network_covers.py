"""Covers about the numbers of networks, checked box by box: how such a cover is made is in `certified_covers`.

A box has the slopes of the lines below ReLUs, from which bounds follow (`plain_networks`), and where that does not
suffice, trees over signs of ReLUs, whose leaves have bounds of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import final

from msgspec import Struct
from msgspec.structs import replace

from soid.budget import Deadline
from soid.engine.learned.model import LearnedModel
from soid.engine.learned.network import NetworkSum
from soid.engine.learned.networks.network_function import NetworkFunction
from soid.engine.summary import Approximation
from soid.evidence.cover_spans import Sides
from soid.evidence.covers import GivenCover
from soid.evidence.learned import network_slopes
from soid.evidence.learned.feature_ranges import features_within
from soid.evidence.learned.plain_networks import EVERYTHING, NetworkBox, negative, network_sums, relu_sizes, shown
from soid.evidence.learned.plain_sums import Enclosed
from soid.evidence.learned.plain_trees import FeatureBox, NotChecked
from soid.evidence.learned.signed_parts import lower_in_leaves
from soid.evidence.learned.whole_rows import Unbounded
from soid.evidence.sign_trees import SignTree
from soid.formula.term import Term


@final
class BoxGroup(Struct, frozen=True):
    """Numbers of one network with the same arguments."""

    network: int
    arguments: tuple[Term, ...]
    sums: Mapping[Term, NetworkSum]  # by symbol
    function: NetworkFunction


@final
class NetworkBoxes:
    """The numbers of a cover, as they are evaluated in one box after the other."""

    def __init__(self, cover: GivenCover, numbers: Sequence[Approximation], model: LearnedModel) -> None:
        self.model = model
        self.groups = _groups(cover, numbers, model)
        self._sizes = [relu_sizes(model.networks[each.network]) for each in self.groups]

    def numbers(
        self, sides: Sides, texts: Sequence[str] | None, trees: Sequence[SignTree], deadline: Deadline
    ) -> dict[Term, Enclosed]:
        """What the numbers may be; without texts of slopes, with the slopes that follow from the ranges."""
        found: dict[Term, Enclosed] = {}
        for place, (group, box) in enumerate(zip(self.groups, self.bounded(sides, texts), strict=True)):
            own = {symbol: [tree for tree in trees if tree.number == symbol.name] for symbol in group.sums}
            try:
                found |= self._within(group, self._sizes[place], box(), own, deadline)
            except Unbounded:
                found |= dict.fromkeys(group.sums, EVERYTHING)
        return found

    def bounded(self, sides: Sides, texts: Sequence[str] | None) -> Iterator[Callable[[], NetworkBox]]:
        """For each group what gives its network in a box."""
        slopes = (
            None if texts is None else iter(network_slopes.read(texts, [size for each in self._sizes for size in each]))
        )
        for group, layers in zip(self.groups, self._sizes, strict=True):
            own = None if slopes is None else [next(slopes) for _ in layers]
            yield partial(NetworkBox.within, self.model, group.network, self.features(group, sides), own)

    def _within(
        self,
        group: BoxGroup,
        sizes: Sequence[int],
        box: NetworkBox,
        trees: Mapping[Term, Sequence[SignTree]],
        deadline: Deadline,
    ) -> dict[Term, Enclosed]:
        sums = list(dict.fromkeys(group.sums.values()))
        ends = dict(zip(sums, box.ends(sums), strict=True))
        for symbol, one in group.sums.items():
            for tree in trees[symbol]:
                low, high = ends[one]
                terms = one.terms if tree.side == "low" else negative(one.terms)
                least = lower_in_leaves(box, terms, tree.leaves, sizes, deadline)
                ends[one] = (max(low, least), high) if tree.side == "low" else (low, min(high, -least))
        return {symbol: shown(one, *ends[one]) for symbol, one in group.sums.items()}

    def features(self, group: BoxGroup, sides: Sides) -> FeatureBox:
        network = self.model.networks[group.network]
        used = sorted({column.feature for column in network.columns})
        return features_within(sides, group.arguments, used, self.model.features)


def _groups(cover: GivenCover, numbers: Sequence[Approximation], model: LearnedModel) -> list[BoxGroup]:
    known = network_sums(model)
    found: dict[tuple[int, tuple[Term, ...]], BoxGroup] = {}
    for one in numbers:
        number = one.enclosure.number
        if one.symbol not in cover.numbers or number is None:
            continue
        if number.name not in known or not isinstance(one.enclosure, NetworkFunction):
            raise NotChecked(f"{number.name} is no number of a network")
        total = known[number.name]
        key = total.network, one.arguments
        if key not in found:
            found[key] = BoxGroup(*key, {}, one.enclosure)
        found[key] = replace(found[key], sums={**found[key].sums, one.symbol: total})
    return list(found.values())


def numbers_in_boxes(
    cover: GivenCover, rows: Sequence[int], numbers: Sequence[Approximation], model: LearnedModel, deadline: Deadline
) -> dict[Term, dict[int, Enclosed]]:
    """What each number may be in some of the boxes; NotChecked where time does not suffice for all of them."""
    boxes = NetworkBoxes(cover, numbers, model)
    found: dict[Term, dict[int, Enclosed]] = {symbol: {} for symbol in cover.numbers}
    for done, row in enumerate(rows):
        if deadline.is_over:
            raise NotChecked(f"there was no time for all of its boxes: {done:,} of {len(rows):,} were checked")
        texts = cover.slopes[row] if cover.slopes else None
        trees = cover.splits[row] if cover.splits else ()
        for symbol, ends in boxes.numbers(cover.sides(cover.boxes[row]), texts, trees, deadline).items():
            found[symbol][row] = ends
    return found
