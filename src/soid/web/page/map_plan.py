"""What a decision map shows: the suppositions that it maps, the state at a point, and the suppositions of a part of it.

It knows no pages. Points are shares of the map's frame, across and down, from 0 to 1.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, final

from msgspec import Struct

from soid.errors import QueryError, SoidError
from soid.mapping.axes import Axis
from soid.mapping.decision_map import DecisionMap
from soid.mapping.map_layout import MapLayout
from soid.program.interface import Interface
from soid.program.types import BoolType, EnumType, parse
from soid.query.language.query_parser import parse as parse_query
from soid.query.language.query_parser import parse_suppositions
from soid.query.language.query_printer import suppositions_text
from soid.query.query import QueryKind
from soid.query.words import Words, called, listed
from soid.query.words.amount_words import shown
from soid.scenario.expression_text import path_text
from soid.scenario.family import Family
from soid.web.page.question_draft import QuestionDraft
from soid.web.page.told_error import told_error

_SEEN: Final = 600.0  # points across the picture
_KEYS: Final = 200  # key presses from one side of a map to the other
_LEAST: Final = 0.02  # share of the frame: a shorter drag along an axis does not narrow it

Point = tuple[float, float]


@final
class MapPlan(Struct, frozen=True):
    """The map of a draft, or why there is none."""

    over: str  # the suppositions as query text; empty: there is no map
    words: str


def plan(draft: QuestionDraft) -> MapPlan:
    asked = QuestionDraft(draft.keyframe)
    asked.kind, asked.behavior, asked.supposed = QueryKind.MIGHT, "decides", draft.supposed
    read = asked.read()
    if read.query is None:
        if any(chip.problem for chip in read.chips):
            return MapPlan("", "A supposition cannot be read: it is marked above.")
        timed = read.problem is not None and bool(read.chips)
        return MapPlan("", "A map is about one step: leave out what is supposed of others." if timed else _NOTHING)
    try:
        family = Family(draft.interface, draft.fact, read.query.suppositions)
    except QueryError as error:
        return MapPlan("", str(told_error(error)))
    names = [called(variable.path, draft.interface) for variable in family.varying]
    if not 1 <= len(names) <= 2:
        varying = f"{len(names)} vary: {listed(names)}." if names else "nothing varies."
        return MapPlan("", f"A map goes along one variable or two; here {varying}")
    return MapPlan(suppositions_text(read.query.suppositions), f"What happens along {' and '.join(names)}.")


_NOTHING: Final = "A map goes along one variable or two: say what may differ."


def choices(interface: Interface, behavior: str) -> list[tuple[str, str]]:
    """What can separate regions, as query text and in words; the first is the default."""
    named = [v for v in interface.decisions if isinstance(v.type, BoolType | EnumType)] or list(interface.decisions)
    each = (
        [(path_text(v.path), f"by {called(v.path, interface)}") for v in interface.decisions]
        if len(interface.decisions) > 1
        else []
    )
    every = (
        "by what is decided"
        if len(named) > 1
        else f"by {called(named[0].path, interface)}"
        if named
        else "by how it ends"
    )
    return [("", every), *each, (behavior, f"by whether {whether(behavior, interface)}")]


def whether(behavior: str, interface: Interface) -> str:
    """A behavior as a clause; as it was typed if it cannot be read."""
    try:
        return Words(interface).whether(parse_query(f"{QueryKind.MIGHT.value} {behavior}", interface))
    except SoidError:
        return behavior


def heading(made: DecisionMap, interface: Interface) -> str:
    return " by ".join(called(axis.variable.path, interface) for axis in made.axes)


# --- the state at a point -------------------------------------------------------------------------------------


@final
class PointedState(Struct, frozen=True):
    """The state at a point."""

    places: tuple[int, ...]
    words: str


def pointed(made: DecisionMap, at: Point, interface: Interface) -> PointedState:
    places = pointed_places((made,), at)
    return PointedState(places, f"{where(made, places, interface)}: {happens(made, places)}")


def pointed_places(maps: Sequence[DecisionMap], at: Point) -> tuple[int, ...]:
    """The state at a point of maps with the same axes, rounded to visible decimals if that leaves it in its regions."""
    layout = MapLayout(maps[0])
    places = layout.at(*(min(max(each, 0.0), 1.0) for each in at))
    rounded = tuple(_rounded(axis, place) for axis, place in zip(maps[0].axes, places, strict=True))
    return rounded if all(made.at(rounded) is made.at(places) for made in maps) else places


def where(made: DecisionMap, places: Sequence[int], interface: Interface) -> str:
    """A state in words."""
    at = zip(made.axes, places, strict=True)
    return ", ".join(
        f"{called(axis.variable.path, interface)} {shown(axis.variable, axis.bits(place))}" for axis, place in at
    )


def happens(made: DecisionMap, places: Sequence[int]) -> str:
    """What happens in a state, in words."""
    region = made.at(places)
    return region.label.words if region is not None else "the suppositions do not hold here"


def keys(made: DecisionMap) -> list[int]:
    """The key presses along each of two axes: one for each band, if it has bands."""
    along = [max(len(axis.bands), 1) if axis.has_names else _KEYS for axis in made.axes]
    return [*along, _KEYS][:2]


def point(at: Sequence[float]) -> Point:
    return float(at[0]), float(at[1])


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


def suppose(draft: QuestionDraft, made: DecisionMap, places: Sequence[int]) -> None:
    """Suppose one state of the map, for the next question."""
    for axis, place in zip(made.axes, places, strict=True):
        draft.fix(axis.variable, axis.text(place))
    if draft.kind is QueryKind.DID:  # the user chose `did` again after supposing something
        draft.kind = QueryKind.WOULD


# --- a part of it ---------------------------------------------------------------------------------------------


def around_fact(made: DecisionMap, interface: Interface) -> str:
    """The suppositions for half of each axis, around the fact."""
    frame = MapLayout(made).frame
    x, y = MapLayout(made).point(made.fact.point)
    at = (x - frame.x) / frame.width, (y - frame.y) / frame.height
    ends = [(max(each - 0.25, 0.0), min(each + 0.25, 1.0)) for each in at]
    return part(made, interface, (ends[0][0], ends[1][0]), (ends[0][1], ends[1][1]))


def part(made: DecisionMap, interface: Interface, first: Point, last: Point) -> str:
    """The suppositions for the part of a map between two points; empty if that narrows no axis."""
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
