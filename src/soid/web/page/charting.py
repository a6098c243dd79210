"""What a decision map on a page is about: what may be mapped, what is pointed at, and what a part of it would be.

It knows nothing of pages. Points are shares of the map's frame, across and down, from 0 to 1.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, final

from msgspec import Struct

from soid.errors import QueryError
from soid.mapping.axes import Axis
from soid.mapping.decision_map import DecisionMap, Region
from soid.mapping.map_layout import MapLayout
from soid.program.interface import Interface
from soid.program.types import BoolType, EnumType, parse
from soid.query.language.query_parser import parse_suppositions
from soid.query.language.query_printer import suppositions_text
from soid.query.query import QueryKind
from soid.query.words import listed
from soid.scenario.expression_text import path_text
from soid.scenario.family import Family
from soid.web.page.amounts import called, shown
from soid.web.page.draft import Draft
from soid.web.page.supposing import How

_SEEN: Final = 600.0  # points of the picture across
_LEAST: Final = 0.02  # of the frame: what is drawn out along an axis by less than this was not meant

Point = tuple[float, float]


@final
class Plan(Struct, frozen=True):
    """What a map would be about, or why there is none to draw."""

    over: str  # the suppositions as query text; empty: there is nothing to map
    words: str


def plan(draft: Draft) -> Plan:
    """The map of what is supposed."""
    asked = Draft(draft.keyframe)
    asked.kind, asked.behavior, asked.supposed = QueryKind.MIGHT, "decides", draft.supposed
    read = asked.read()
    if read.query is None:
        wrong = any(chip.problem for chip in read.chips)
        return Plan("", "A supposition cannot be read: it is marked above." if wrong else _NOTHING)
    try:
        family = Family(draft.interface, draft.fact, read.query.suppositions)
    except QueryError as error:
        return Plan("", f"{error.cause}. {error.remedy}")
    names = [called(variable) for variable in family.varying]
    if not 1 <= len(names) <= 2:
        varying = f"{len(names)} vary: {listed(names)}." if names else "nothing varies."
        return Plan("", f"A map goes along one variable or two; here {varying}")
    return Plan(suppositions_text(read.query.suppositions), f"What happens along {' and '.join(names)}.")


_NOTHING: Final = "A map goes along one variable or two: say above what may differ."


def choices(interface: Interface, behavior: str) -> list[tuple[str, str]]:
    """What regions may be told apart by, and how that is said; the first is what is meant where nothing is said."""
    named = [v for v in interface.decisions if isinstance(v.type, BoolType | EnumType)] or list(interface.decisions)
    each = [(path_text(v.path), f"by {called(v)}") for v in interface.decisions] if len(interface.decisions) > 1 else []
    every = "by what is decided" if len(named) > 1 else f"by {called(named[0])}" if named else "by how it ends"
    return [("", every), *each, (behavior, f"by whether: {behavior}")]


def heading(made: DecisionMap) -> str:
    return " by ".join(called(axis.variable) for axis in made.axes)


# --- pointing -------------------------------------------------------------------------------------------------


@final
class Pointed(Struct, frozen=True):
    """A state that is pointed at."""

    places: tuple[int, ...]
    region: Region | None  # None: outside the family
    words: str


def pointed(made: DecisionMap, at: Point) -> Pointed:
    """The state under a point, with as many decimals as can be seen where that is the same region."""
    layout = MapLayout(made)
    places = layout.at(*(min(max(each, 0.0), 1.0) for each in at))
    region = made.at(places)
    rounded = tuple(_rounded(axis, place) for axis, place in zip(made.axes, places, strict=True))
    if made.at(rounded) is region:
        places = rounded
    where = ", ".join(
        f"{called(axis.variable)} {shown(axis.variable, axis.bits(place))}"
        for axis, place in zip(made.axes, places, strict=True)
    )
    happens = region.label.text if region is not None else "the suppositions do not hold here"
    return Pointed(places, region, f"{where}: {happens}")


def _rounded(axis: Axis, place: int) -> int:
    if axis.scale != "even":
        return place
    first, last = axis.numbers
    if last <= first:
        return place
    decimals = max(0, -math.floor(math.log10((last - first) / _SEEN)))
    try:
        bits = parse(axis.variable.type, f"{float(axis.text(place)):.{decimals}f}")
    except ValueError:  # a whole number, an infinity
        return place
    return min(max(axis.place(bits), axis.low), axis.high)


def suppose(draft: Draft, made: DecisionMap, places: Sequence[int]) -> None:
    """Make one state of the map what is supposed: the next question is about it."""
    for axis, place in zip(made.axes, places, strict=True):
        many = isinstance(axis.variable.type, EnumType)
        draft.put(axis.variable.path, How.ONE_OF if many else How.EXACTLY, axis.text(place))
    if draft.kind is QueryKind.DID:  # chosen again although something was supposed
        draft.kind = QueryKind.WOULD


# --- a part of it ---------------------------------------------------------------------------------------------


def around_fact(made: DecisionMap, interface: Interface) -> str:
    """The suppositions that leave the middle of a map around the fact: half of it each way."""
    frame = MapLayout(made).frame
    x, y = MapLayout(made).point(made.fact.places)
    at = (x - frame.x) / frame.width, (y - frame.y) / frame.height
    ends = [(max(each - 0.25, 0.0), min(each + 0.25, 1.0)) for each in at]
    return part(made, interface, (ends[0][0], ends[1][0]), (ends[0][1], ends[1][1]))


def part(made: DecisionMap, interface: Interface, first: Point, last: Point) -> str:
    """The suppositions that leave the part of a map between two points; empty if that is no part of it."""
    layout = MapLayout(made)
    drawn = [(min(a, b), max(a, b)) for a, b in zip(first, last, strict=True)]
    corners = layout.at(drawn[0][0], drawn[1][0]), layout.at(drawn[0][1], drawn[1][1])
    more = ""
    for number, axis in enumerate(made.axes):
        start, end = drawn[number]
        low, high = sorted(corner[number] for corner in corners)
        if axis.scale == "bands" or end - start < _LEAST or (low, high) == (axis.low, axis.high):
            continue
        more += f" and {axis.text(low)} <= {path_text(axis.variable.path)} <= {axis.text(high)}"
    if not more:
        return ""
    narrowed = parse_suppositions(more.removeprefix(" and "), interface)
    return suppositions_text((*parse_suppositions(made.over, interface), *narrowed))
