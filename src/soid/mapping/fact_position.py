"""The position of the fact on a map, and the states that may be the fact, which are no scenarios."""

from __future__ import annotations

from collections.abc import Sequence

from soid.formula.interval_program import Box
from soid.mapping.axes import Axis
from soid.mapping.claims import OUTSIDE, RegionLabel
from soid.mapping.decision_map import FactMark
from soid.mapping.partition import Labelled
from soid.mapping.region_prover import RegionProver
from soid.program.interface import Variable
from soid.program.types import FloatType
from soid.scenario.family import Family


def places_of(axes: Sequence[Axis], family: Family) -> tuple[int | None, ...]:
    """Where the fact is on each axis; None where that is not known."""
    paths = ((axis, axis.variable.path) for axis in axes)
    return tuple(None if path in family.assumed else axis.place(family.fact[path]) for axis, path in paths)


def mark_of(ground: RegionProver, boxes: Sequence[Labelled], family: Family) -> FactMark:
    places = places_of(ground.axes, family)
    at = [place for place in places if place is not None]
    between = len(at) == len(places) and all(a.low <= place <= a.high for a, place in zip(ground.axes, at, strict=True))
    shown = {axis.variable.path for axis in ground.axes} | family.assumed  # the other freed variables have one value
    if not (between and all(family.given[path] == family.fact[path] for path in family.freed if path not in shown)):
        return FactMark(places, None)
    label = _label_at(at, boxes) if family.undetermined else ground.at(at)
    return FactMark(places, label if label != OUTSIDE else None, is_drawn=True)


def _label_at(places: Sequence[int], boxes: Sequence[Labelled]) -> RegionLabel:
    """The label of one state; the boxes cover it."""
    inside = (label for box, label in boxes if all(a <= at <= b for (a, b), at in zip(box, places, strict=True)))
    return next(inside)


def punctured(axes: Sequence[Axis], family: Family) -> Box | None:
    """The states that may be the fact (several, if the log is rounded): none of these is a scenario."""
    shown = {axis.variable.path for axis in axes}
    kept = {variable.path for variable in family.undetermined}
    if family.assumed - kept:
        return None  # it is not known which of them is the fact
    for path in family.freed:
        if path not in shown | kept:
            variable = family.interface.variable(path)
            low, high = _may_be_fact(variable, family)
            if not low <= variable.order.place_of(family.given[path]) <= high:
                return None
    return tuple(_may_be_fact(axis.variable, family) for axis in axes)


def _may_be_fact(variable: Variable, family: Family) -> tuple[int, int]:
    kind, rounded = variable.type, family.rounded.get(variable.path)
    if rounded is None:
        place = variable.order.place_of(family.fact[variable.path])
        return place, place
    low, high = rounded.low, rounded.high
    if isinstance(kind, FloatType):  # a range compares as the program does: both zeros are one
        sign = kind.format.sign_bit
        low, high = (low | sign if not low & ~sign else low), (high & ~sign if not high & ~sign else high)
    return variable.order.place_of(low), variable.order.place_of(high)
