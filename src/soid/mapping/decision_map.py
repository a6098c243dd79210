"""The DecisionMap: the states along one or two variables, as regions of exact boxes, each with a label."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any, final

from msgspec import Struct, field
from msgspec.structs import replace

from soid.assumptions import Assumption, stored
from soid.documents import JsonValue
from soid.formula.interval_program import Box
from soid.formula.measure import Measure, Ruler, Scale, measure_of, ruler_for
from soid.mapping.axes import Axis, bands_of
from soid.mapping.claims import ClaimKind, RegionLabel
from soid.program.interface import Interface
from soid.program.types import from_python
from soid.query.language.query_parser import parse_suppositions
from soid.query.words import Words, called
from soid.query.words.shares import rounded_down
from soid.shown import Shown


@final
class Region(Struct, frozen=True):
    """All states with one label."""

    label: RegionLabel
    boxes: tuple[Box, ...]  # for each axis the first and the last place; no two share a state
    scenarios: int  # states of the family in it; an upper bound in an open region

    @property
    def is_settled(self) -> bool:
        """Whether one thing happens in all of it."""
        return self.label.kind not in (ClaimKind.OPEN, ClaimKind.DEPENDS)

    @property
    def is_open(self) -> bool:
        return self.label.kind is ClaimKind.OPEN


@final
class FactMark(Struct, frozen=True):
    """The position of the fact. It is no scenario of the family, and no region counts it."""

    places: tuple[int | None, ...]  # on each axis, possibly beyond its ends; None: it is not known
    label: RegionLabel | None  # None: the suppositions exclude it, or it is not known which state it is
    is_drawn: bool = False  # it lies between the ends of the axes, and the map's other variables are as in fact
    derived: tuple[str, ...] = ()  # what of it is not logged, and follows
    computed: tuple[str, ...] = ()  # what of it is not logged, and is so for the rounded values, but may have differed

    @property
    def point(self) -> tuple[int, ...]:
        """The places of a fact that is drawn."""
        return tuple(place for place in self.places if place is not None)


#: for each axis the first and the last value
BoxDocument = list[list[JsonValue]]


@final
class AxisDocument(Struct, frozen=True):
    """An axis as JSON."""

    variable: str
    unit: str
    low: JsonValue
    high: JsonValue
    scale: str
    values: list[JsonValue]
    unnamed: bool


@final
class RegionDocument(Struct, frozen=True):
    """A region as JSON."""

    kind: ClaimKind
    label: str
    words: str  # the same as a clause, where there are words for it
    scenarios: int
    share: float
    boxes: list[BoxDocument]


@final
class FactDocument(Struct, frozen=True):
    """The position of the fact as JSON."""

    values: list[JsonValue | None]
    happens: str | None
    on_the_map: bool
    derived: tuple[str, ...]
    computed: tuple[str, ...]


@final
class MapDocument(Struct, frozen=True):
    """A decision map as JSON."""

    over: str
    by: str
    step: int
    axes: list[AxisDocument]
    regions: list[RegionDocument]
    outside: list[BoxDocument]
    fact: FactDocument
    assumed: tuple[str, ...]
    settled: int
    depending: int
    open: int
    settled_share: float | None
    measure: Measure
    relies_on: tuple[Assumption, ...]
    paths: Mapping[str, int]
    boxes_looked_at: int
    seconds: Mapping[str, float]


@final
class DecisionMap(Shown, Struct, frozen=True, dict=True):
    """Regions along one or two axes."""

    axes: tuple[Axis, ...]  # across, and down
    by: str  # the outputs or the behavior that distinguish regions
    over: str  # the suppositions
    step: int
    regions: tuple[Region, ...]  # of the family
    outside: tuple[Box, ...]  # states between the axes' ends for which the suppositions do not hold
    fact: FactMark
    interface: Interface  # the program's
    relies_on: tuple[Assumption, ...] = ()
    paths: Mapping[str, int] = field(default_factory=dict)  # number by ending
    looked_at: int = 0  # number of boxes
    seconds: Mapping[str, float] = field(default_factory=dict)  # by stage
    assumed: tuple[str, ...] = ()  # inputs that are not known: what a region says is so for every value of them

    @property
    def supposed(self) -> str:
        """What may differ, in words: "whatever the other car's signal had been"."""
        return ", ".join(Words(self.interface).family(parse_suppositions(self.over, self.interface)))

    def __repr__(self) -> str:
        return f"DecisionMap({len(self.regions)} regions by {self.by} over {self.over!r} at step {self.step})"

    @property
    def settled(self) -> int:
        """The number of scenarios with a proved label."""
        return sum(region.scenarios for region in self.regions if region.is_settled)

    @property
    def depending(self) -> int:
        """The number of scenarios in which it depends on what is not known."""
        return sum(region.scenarios for region in self.regions if not region.is_settled and not region.is_open)

    @property
    def open(self) -> int:
        """An upper bound of the open scenarios."""
        return sum(region.scenarios for region in self.regions if region.is_open)

    @property
    def scenarios(self) -> int:
        """An upper bound of all scenarios."""
        return self.settled + self.depending + self.open

    @property
    def is_empty(self) -> bool:
        """Whether it is proved that there is no scenario."""
        return not self.scenarios

    @property
    def measure(self) -> Measure:
        """What shares are shares of."""
        return measure_of([ruler.scale for ruler in self.rulers])

    @cached_property
    def rulers(self) -> tuple[Ruler, ...]:
        """What each axis is measured with."""
        found = []
        for number, axis in enumerate(self.axes):
            sides = {box[number] for region in self.regions for box in region.boxes}
            found.append(ruler_for(axis.variable.order, axis.low, axis.high, _covered(sides)))
        return tuple(found)

    @cached_property
    def shares(self) -> tuple[Fraction, ...]:
        """The share of each region by the map's measure, of an open one an upper bound."""
        sizes = tuple(sum(map(self._size, region.boxes)) for region in self.regions)
        if self.measure is Measure.NUMBER:
            sizes = tuple(region.scenarios for region in self.regions)
        whole = sum(sizes) or 1
        return tuple(Fraction(each, whole) for each in sizes)

    def _size(self, box: Box) -> int:
        return math.prod(ruler.size(*ends) for ruler, ends in zip(self.rulers, box, strict=True))

    def is_thin(self, region: Region) -> bool:
        """Whether a region has single values only of something that is measured by length."""
        long = [number for number, ruler in enumerate(self.rulers) if ruler.scale is not Scale.NUMBER]
        return bool(long) and all(any(box[each][0] == box[each][1] for each in long) for box in region.boxes)

    @property
    def share(self) -> Fraction | None:
        """A lower bound of the share that is settled, by the map's measure; None if there are no scenarios."""
        if self.is_empty:
            return None
        at = zip(self.regions, self.shares, strict=True)
        return sum((share for region, share in at if region.is_settled), Fraction(0))

    def at(self, places: Sequence[int]) -> Region | None:
        """The region of a state; None outside the family."""
        for region in self.regions:
            if any(all(a <= at <= b for (a, b), at in zip(box, places, strict=True)) for box in region.boxes):
                return region
        return None

    def relabelled(self, change: Callable[[RegionLabel], RegionLabel]) -> DecisionMap:
        """The map with other labels for the same regions."""
        regions = tuple(replace(region, label=change(region.label)) for region in self.regions)
        fact = self.fact if self.fact.label is None else replace(self.fact, label=change(self.fact.label))
        return replace(self, regions=regions, fact=fact)

    @property
    def document(self) -> MapDocument:
        regions = [
            RegionDocument(
                each.label.kind,
                each.label.text,
                each.label.words,
                each.scenarios,
                rounded_down(share),
                [self._box(box) for box in each.boxes],
            )
            for each, share in zip(self.regions, self.shares, strict=True)
        ]
        at = zip(self.axes, self.fact.places, strict=True)
        values = [axis.json(place) if place is not None else None for axis, place in at]
        happens = self.fact.label.text if self.fact.label is not None else None
        return MapDocument(
            over=self.over,
            by=self.by,
            step=self.step,
            axes=[_axis(axis) for axis in self.axes],
            regions=regions,
            outside=[self._box(box) for box in self.outside],
            fact=FactDocument(values, happens, self.fact.is_drawn, self.fact.derived, self.fact.computed),
            assumed=self.assumed,
            settled=self.settled,
            depending=self.depending,
            open=self.open,
            settled_share=None if self.share is None else rounded_down(self.share),
            measure=self.measure,
            relies_on=self.relies_on,
            paths=self.paths,
            boxes_looked_at=self.looked_at,
            seconds=self.seconds,
        )

    def _box(self, box: Box) -> BoxDocument:
        return [[axis.json(low), axis.json(high)] for axis, (low, high) in zip(self.axes, box, strict=True)]


def _covered(sides: Iterable[tuple[int, int]]) -> int:
    """How many places some ranges have together."""
    count, reached = 0, None
    for low, high in sorted(sides):
        first = low if reached is None else max(low, reached + 1)
        count += max(high - first + 1, 0)
        reached = high if reached is None else max(reached, high)
    return count


def _axis(axis: Axis) -> AxisDocument:
    return AxisDocument(
        variable=axis.variable.path,
        unit=axis.variable.unit,
        low=axis.json(axis.low),
        high=axis.json(axis.high),
        scale=axis.scale,
        values=[axis.json(first) for first, last in axis.bands if first == last],
        unnamed=any(first < last or axis.is_unnamed(first) for first, last in axis.bands),
    )


def read_map(data: Mapping[str, Any], interface: Interface) -> DecisionMap:
    """The map of a `MapDocument`, for drawing: its labels have no values."""
    axes = tuple(_read_axis(each, interface) for each in data["axes"])
    fact, happens = data["fact"], data["fact"]["happens"]
    regions = [
        Region(
            RegionLabel(ClaimKind(each["kind"]), each["label"], said=each.get("words", "")),  # older records have none
            _read_boxes(each["boxes"], axes),
            each["scenarios"],
        )
        for each in data["regions"]
    ]
    label = next((region.label for region in regions if region.label.text == happens), None)
    return DecisionMap(
        axes,
        data["by"],
        data["over"],
        data["step"],
        tuple(regions),
        _read_boxes(data["outside"], axes),
        FactMark(_read_known(fact["values"], axes), label, fact["on_the_map"], *_origins(fact)),
        interface,
        tuple(stored(each) for each in data["relies_on"]),
        data["paths"],
        data["boxes_looked_at"],
        data["seconds"],
        tuple(data["assumed"]),
    )


def _read_axis(data: Mapping[str, Any], interface: Interface) -> Axis:
    variable = interface.variable(data["variable"])
    low, high = (variable.order.place_of(from_python(variable.type, data[end])) for end in ("low", "high"))
    bands = bands_of(variable, low, high, unnamed=data["unnamed"])
    return Axis(variable, low, high, bands, name=called(variable.path, interface))


def _read_places(values: Sequence[Any], axes: Sequence[Axis]) -> tuple[int, ...]:
    return tuple(axis.place(from_python(axis.variable.type, each)) for axis, each in zip(axes, values, strict=True))


def _read_known(values: Sequence[Any], axes: Sequence[Axis]) -> tuple[int | None, ...]:
    return tuple(
        None if each is None else axis.place(from_python(axis.variable.type, each))
        for axis, each in zip(axes, values, strict=True)
    )


def _read_boxes(boxes: Sequence[Sequence[Sequence[Any]]], axes: Sequence[Axis]) -> tuple[Box, ...]:
    ends = ((_read_places([side[n] for side in box], axes) for n in (0, 1)) for box in boxes)
    return tuple(tuple(zip(low, high, strict=True)) for low, high in ends)


def _origins(fact: Mapping[str, Any]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What of the fact was derived, and what computed; maps of earlier versions do not say."""
    return tuple(fact.get("derived", ())), tuple(fact.get("computed", ()))
