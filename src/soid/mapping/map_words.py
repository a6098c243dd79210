"""A map in words: the names of its axes and regions, and how much of it is settled."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from fractions import Fraction
from typing import Final

from soid.formula.interval_program import Box
from soid.mapping.axes import Axis
from soid.mapping.decision_map import DecisionMap, Measure, Region
from soid.query.words import listed, whatever
from soid.scenario.origin import NOT_KNOWN


def heading(made: DecisionMap) -> str:
    return "Decision map: " + " by ".join(axis.variable.path for axis in made.axes)


def axis_title(axis: Axis) -> str:
    return f"{axis.variable.path} in {axis.variable.unit}" if axis.variable.unit else axis.variable.path


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
    return ", ".join(f"{axis.variable.path} {text}" for axis, text in zip(axes, stretches, strict=True))


def _stretch(axis: Axis, low: int, high: int) -> str:
    if low == high:
        return value(axis, low)
    if axis.has_names:
        return ", ".join(axis.band_text(band) for band in axis.bands if low <= band[0] and band[1] <= high)
    return f"{axis.text(low)} to {value(axis, high)}"


def fact_text(made: DecisionMap) -> str:
    where = ", ".join(
        f"{axis.variable.path} = {value(axis, place)}" if place is not None else f"{axis.variable.path} is {NOT_KNOWN}"
        for axis, place in zip(made.axes, made.fact.places, strict=True)
    )
    derived = f" ({listed(made.fact.derived)} derived)" if made.fact.derived else ""
    if None in made.fact.places:
        return f"in fact: {where}{derived}"
    if made.fact.label is None:
        return f"in fact: {where}{derived}, which the suppositions exclude"
    computed = f"; {listed(made.fact.computed)} as computed from what is logged" if made.fact.computed else ""
    return f"in fact: {where}: {made.fact.label.text}{derived}{computed}"


def share_text(share: Fraction) -> str:
    """A share as a percentage; only all is 100 % and only nothing is 0 %.

    >>> [share_text(Fraction(*each)) for each in ((1, 1), (99999, 100000), (2, 3), (1, 100000), (0, 1))]
    ['100 %', '99.9 %', '66.7 %', 'less than 0.1 %', '0 %']
    """
    if share in (0, 1):
        return f"{share * 100} %"
    tenths = min(round(share * 1000), 999)
    return f"{tenths / 10:g} %" if tenths else "less than 0.1 %"


def region_share(made: DecisionMap, region: Region) -> str:
    """The region's share of the map; for an open region an upper bound."""
    if not region.is_open and not region.scenarios:
        return "the fact alone"
    part = next(share for each, share in zip(made.regions, made.shares, strict=True) if each is region)
    share = share_text(part) if part else "a line" if made.measure is Measure.AREA else "single values"
    return f"at most {share}" if region.is_open and part else share


def settled_text(made: DecisionMap) -> str:
    if made.is_empty:
        return "No scenario satisfies these suppositions: there is nothing to map."
    count = f"{made.settled:,}".replace(",", " ")
    known = f", {whatever(made.assumed)}" if made.assumed else ""
    depends = " Where it depends on what is not known, that is proved too." if made.depending else ""
    if not made.open and not made.depending:
        return f"All {count} scenarios are settled: what happens in each region is proved of every one of them{known}."
    share = made.share
    assert share is not None
    least = share_text(Fraction(share.numerator * 1000 // share.denominator, 1000))
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
    Measure.NUMBER: ("scenarios", "are"),
}


def measure_text(made: DecisionMap) -> str:
    """What the shares are shares of, where that is not plain."""
    axes = " and ".join(axis.variable.path for axis in made.axes)
    by_magnitude = any(axis.scale == "by magnitude" for axis in made.axes)
    drawn = ", which is drawn by magnitude" if by_magnitude else ""
    match made.measure:
        case Measure.LENGTH:
            return f"Shares are shares of the range of {axes}{drawn}."
        case Measure.AREA:
            return f"Shares are shares of the area over the ranges of {axes}{drawn}."
        case Measure.NUMBER:
            return ""
