"""The DecisionMap: the states along one or two variables, as regions of exact boxes with what happens in each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, final

from msgspec import Struct, field

from soid.documents import JsonValue
from soid.formula.interval_program import Box
from soid.mapping.axes import Axis, bands_of
from soid.mapping.claims import ClaimKind, RegionLabel
from soid.program.interface import Interface
from soid.program.types import from_python


@final
class Region(Struct, frozen=True):
    """All states of which one label is true."""

    label: RegionLabel
    boxes: tuple[Box, ...]  # for each axis the first and the last place; no two share a state
    scenarios: int  # states of the family in it; in an open region there may be fewer

    @property
    def is_settled(self) -> bool:
        return self.label.kind is not ClaimKind.OPEN


@final
class FactMark(Struct, frozen=True):
    """Where the fact lies. It is no scenario of the family, and is not counted in any region."""

    places: tuple[int, ...]  # on each axis; not always one that is drawn
    label: RegionLabel | None  # what happens there; None: the suppositions exclude it
    is_drawn: bool = False  # whether it lies between the ends of the axes, and is like the map in all else


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
    scenarios: int
    boxes: list[BoxDocument]


@final
class FactDocument(Struct, frozen=True):
    """Where the fact lies, as JSON."""

    values: list[JsonValue]
    happens: str | None
    on_the_map: bool


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
    settled: int
    open: int
    settled_share: float | None
    relies_on: tuple[str, ...]
    paths: Mapping[str, int]
    boxes_looked_at: int
    seconds: Mapping[str, float]


@final
class DecisionMap(Struct, frozen=True):
    """What happens where."""

    axes: tuple[Axis, ...]  # one or two: across, and down
    by: str  # what regions are told apart by
    over: str  # the suppositions
    step: int
    regions: tuple[Region, ...]  # without what lies outside the family
    outside: tuple[Box, ...]  # states between the axes' ends for which the suppositions do not hold
    fact: FactMark
    relies_on: tuple[str, ...] = ()
    paths: Mapping[str, int] = field(default_factory=dict)  # by how they ended
    looked_at: int = 0  # boxes, to find these
    seconds: Mapping[str, float] = field(default_factory=dict)  # by stage

    @property
    def settled(self) -> int:
        """Scenarios of which it is proved what happens."""
        return sum(region.scenarios for region in self.regions if region.is_settled)

    @property
    def open(self) -> int:
        """At most so many scenarios are left open."""
        return sum(region.scenarios for region in self.regions if not region.is_settled)

    @property
    def is_empty(self) -> bool:
        """Whether there is no scenario at all: proved."""
        return not self.settled and not self.open

    @property
    def share(self) -> Fraction | None:
        """At least this share of the scenarios is settled; None if there are none."""
        return None if self.is_empty else Fraction(self.settled, self.settled + self.open)

    def at(self, places: Sequence[int]) -> Region | None:
        """The region that a state lies in; None outside the family."""
        for region in self.regions:
            if any(all(a <= at <= b for (a, b), at in zip(box, places, strict=True)) for box in region.boxes):
                return region
        return None

    @property
    def document(self) -> MapDocument:
        regions = [
            RegionDocument(one.label.kind, one.label.text, one.scenarios, [self._box(box) for box in one.boxes])
            for one in self.regions
        ]
        values = [axis.json(at) for axis, at in zip(self.axes, self.fact.places, strict=True)]
        happens = self.fact.label.text if self.fact.label is not None else None
        return MapDocument(
            over=self.over,
            by=self.by,
            step=self.step,
            axes=[_axis(axis) for axis in self.axes],
            regions=regions,
            outside=[self._box(box) for box in self.outside],
            fact=FactDocument(values, happens, self.fact.is_drawn),
            settled=self.settled,
            open=self.open,
            settled_share=None if self.share is None else float(self.share),
            relies_on=self.relies_on,
            paths=self.paths,
            boxes_looked_at=self.looked_at,
            seconds=self.seconds,
        )

    def _box(self, box: Box) -> BoxDocument:
        return [[axis.json(low), axis.json(high)] for axis, (low, high) in zip(self.axes, box, strict=True)]


def _axis(axis: Axis) -> AxisDocument:
    return AxisDocument(
        variable=axis.variable.path,
        unit=axis.unit,
        low=axis.json(axis.low),
        high=axis.json(axis.high),
        scale=axis.scale,
        values=[axis.json(first) for first, last in axis.bands if first == last],
        unnamed=any(first < last or axis.is_unnamed(first) for first, last in axis.bands),
    )


def read_map(said: Mapping[str, Any], interface: Interface) -> DecisionMap:
    """The map that `to_json` gave, in so far as it is drawn: labels are known by their texts."""
    axes = tuple(_read_axis(each, interface) for each in said["axes"])
    fact, happens = said["fact"], said["fact"]["happens"]
    regions = [
        Region(RegionLabel(ClaimKind(each["kind"]), each["label"]), _read_boxes(each["boxes"], axes), each["scenarios"])
        for each in said["regions"]
    ]
    label = next((region.label for region in regions if region.label.text == happens), None)
    return DecisionMap(
        axes,
        said["by"],
        said["over"],
        said["step"],
        tuple(regions),
        _read_boxes(said["outside"], axes),
        FactMark(_read_places(fact["values"], axes), label, fact["on_the_map"]),
        tuple(said["relies_on"]),
        said["paths"],
        said["boxes_looked_at"],
        said["seconds"],
    )


def _read_axis(said: Mapping[str, Any], interface: Interface) -> Axis:
    variable = interface.variable(said["variable"])
    low, high = (variable.order.place_of(from_python(variable.type, said[end])) for end in ("low", "high"))
    return Axis(variable, low, high, bands_of(variable, low, high, unnamed=said["unnamed"]))


def _read_places(values: Sequence[Any], axes: Sequence[Axis]) -> tuple[int, ...]:
    return tuple(axis.place(from_python(axis.variable.type, each)) for axis, each in zip(axes, values, strict=True))


def _read_boxes(boxes: Sequence[Sequence[Sequence[Any]]], axes: Sequence[Axis]) -> tuple[Box, ...]:
    ends = ((_read_places([side[n] for side in box], axes) for n in (0, 1)) for box in boxes)
    return tuple(tuple(zip(low, high, strict=True)) for low, high in ends)
