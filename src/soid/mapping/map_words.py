"""A map in words: the names of its axes and regions, and how much of it is settled."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Final

from soid.formula.interval_program import Box
from soid.formula.measure import Measure, Scale
from soid.mapping.axes import Axis
from soid.mapping.decision_map import DecisionMap, Region
from soid.query.words import Words, listed, percent, whatever
from soid.query.words.shares import by_magnitude
from soid.scenario.origin import NOT_KNOWN


def heading(made: DecisionMap) -> str:
    return "Decision map: " + " by ".join(axis_name(axis) for axis in made.axes)


def axis_name(axis: Axis) -> str:
    """The variable in words."""
    return axis.name or axis.variable.label or axis.variable.path


def axis_title(axis: Axis) -> str:
    """The same, with its unit."""
    name, unit = axis_name(axis), axis.variable.measure
    return f"{name}, in {unit}" if unit else name


def value(axis: Axis, place: int) -> str:
    """A value with its unit."""
    return axis.variable.amount(axis.bits(place))


def boxes_told(axes: tuple[Axis, ...], boxes: Sequence[Box]) -> list[str]:
    """Boxes in words; those that differ in labels alone are told together, since labels have no order."""
    named = next((number for number, axis in enumerate(axes) if axis.has_names), None)
    together: dict[Hashable, list[Box]] = {}
    for box in boxes:
        apart = box if named is None else (*box[:named], *box[named + 1 :])
        together.setdefault(apart, []).append(box)
    return [_told(axes, each) for each in together.values()]


def _told(axes: tuple[Axis, ...], boxes: Sequence[Box]) -> str:
    """Boxes that differ on one axis at most."""
    sides = (dict.fromkeys(box[number] for box in boxes) for number in range(len(axes)))
    stretches = (", ".join(_stretch(axis, *places) for places in side) for axis, side in zip(axes, sides, strict=True))
    return ", ".join(f"{axis_name(axis)} {text}" for axis, text in zip(axes, stretches, strict=True))


def _stretch(axis: Axis, low: int, high: int) -> str:
    if low == high:
        return value(axis, low)
    if axis.has_names:
        return ", ".join(axis.band_text(band) for band in axis.bands if low <= band[0] and band[1] <= high)
    return f"{axis.first_text(low, high)} to {value(axis, high)}"


def fact_text(made: DecisionMap) -> str:
    named = ((axis_name(axis), axis, place) for axis, place in zip(made.axes, made.fact.places, strict=True))
    where = ", ".join(
        f"{name} {value(axis, place)}" if place is not None else f"{name} is {NOT_KNOWN}" for name, axis, place in named
    )
    derived = f" ({_named(made, made.fact.derived)} derived)" if made.fact.derived else ""
    if None in made.fact.places:
        return f"in fact: {where}{derived}"
    if made.fact.label is None:
        return f"in fact: {where}{derived}, which the suppositions exclude"
    computed = f"; {_named(made, made.fact.computed)} as computed from what is logged" if made.fact.computed else ""
    return f"in fact: {where}: {made.fact.label.words}{derived}{computed}"


def _named(made: DecisionMap, paths: Iterable[str]) -> str:
    words = Words(made.interface)
    return listed(map(words.called, paths))


def region_share(made: DecisionMap, region: Region) -> str:
    """The region's share of the map; for an open region an upper bound."""
    if not region.is_open and not region.scenarios:
        return "the fact alone"
    part = next(share for each, share in zip(made.regions, made.shares, strict=True) if each is region)
    if made.is_thin(region):
        return "a line" if made.measure is Measure.AREA else "single values"
    share = percent(part, nearest=True)
    return f"at most {share}" if region.is_open else share


def settled_text(made: DecisionMap) -> str:
    if made.is_empty:
        return "No scenario satisfies these suppositions: there is nothing to map."
    count = f"{made.settled:,}".replace(",", " ")
    known = f", {whatever([Words(made.interface).called(path) for path in made.assumed])}" if made.assumed else ""
    depends = " Where it depends on what is not known, that is proved too." if made.depending else ""
    if not made.open and not made.depending:
        return f"All {count} scenarios are settled: what happens in each region is proved of every one of them{known}."
    share = made.share
    assert share is not None
    least = percent(share)
    more, nothing = (" or more", " Nothing is claimed of what is open.") if made.open else ("", "")
    whole, is_ = _WHOLE[made.measure]
    return (
        f"{least} of the {whole}{more} {is_} settled: what happens there is proved of every scenario{known}."
        f"{depends}{nothing}"
    )


#: for each measure what shares are shares of
_WHOLE: Final = {
    Measure.LENGTH: ("range", "is"),
    Measure.AREA: ("area", "is"),
    Measure.VOLUME: ("volume", "is"),
    Measure.NUMBER: ("scenarios", "are"),
}


def measure_text(made: DecisionMap) -> str:
    """What the shares are shares of, where that is not plain."""
    if made.measure is Measure.NUMBER:
        return ""
    whole = "range" if made.measure is Measure.LENGTH else "area over the ranges"
    axes = list(zip(made.axes, made.rulers, strict=True))
    told = f"Shares are shares of the {whole} of {listed([axis_name(axis) for axis, _ in axes])}"
    endless = [axis_name(axis) for axis, ruler in axes if ruler.scale is Scale.MAGNITUDE]
    if endless:
        return f"{told}, {by_magnitude(endless, len(axes))}."
    drawn = ", which is drawn by magnitude" if any(axis.scale == "by magnitude" for axis, _ in axes) else ""
    return f"{told}{drawn}."
