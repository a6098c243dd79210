"""Decision maps of several programs, or at several moments, over the same suppositions.

One place is read off in all of them, and what is the same looks the same. It knows no pages. What a program is asked
about its own decisions is called after it, as in `soid.query.program_names`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, final

from msgspec import Struct

from soid.errors import SoidError
from soid.mapping.claims import ClaimKind, RegionLabel
from soid.mapping.decision_map import DecisionMap
from soid.program.interface import Interface
from soid.query.language.query_parser import parse
from soid.query.language.query_printer import behavior_text
from soid.query.program_names import of_program
from soid.query.query import Query, QueryKind
from soid.web.page import map_plan

#: how many maps, or answers, fit beside each other
FEWEST: Final = 2
MOST: Final = 3


@final
class MapSet(Struct, frozen=True):
    """Maps with the same axes."""

    maps: Mapping[str, DecisionMap]  # by the name of the program, or of the moment

    @property
    def first(self) -> DecisionMap:
        return next(iter(self.maps.values()))

    def pointed(self, at: map_plan.Point, interface: Interface) -> PointedSet:
        """What each says of a point."""
        places = map_plan.pointed_places(tuple(self.maps.values()), at)
        told = {name: map_plan.happens(made, places) for name, made in self.maps.items()}
        alike = len({_shown(made, places) for made in self.maps.values()}) == 1
        return PointedSet(places, map_plan.where(self.first, places, interface), told, alike)

    def labels(self, name: str, like: MapSet) -> list[RegionLabel]:
        """The labels of one map in the order in which all have what they show, first those of `like`."""
        made = [label for each in (like, self) for one in each.maps.values() for label in _labels(one)]
        own = {_what(label): label for label in _labels(self.maps[name])}
        return [own.get(_what(label), label) for label in {_what(each): each for each in made}.values()]


@final
class PointedSet(Struct, frozen=True):
    """The state at a point of several maps."""

    places: tuple[int, ...]
    where: str
    told: Mapping[str, str]  # what happens, by map
    alike: bool  # all do the same

    @property
    def words(self) -> str:
        each = "; ".join(f"{name}: {told}" for name, told in self.told.items())
        return f"{self.where}: {each}. {'All alike.' if self.alike else 'They do not do the same.'}"


def by_of(behavior: str, program: str, interface: Interface) -> str:
    """What tells the regions of one program's map apart: its decisions, or whether a behavior occurs."""
    if not behavior or not program:
        return behavior or program
    asked = parse(f"{QueryKind.MIGHT.value} {behavior}")
    return behavior_text(of_program(asked, program, interface).behavior)


def choices(questions: Sequence[str], program: str, interface: Interface) -> list[tuple[str, str]]:
    """What can tell regions apart, as query text and in words: what is decided, or what some questions are about."""
    read = filter(None, map(_read, questions))
    behaviors = dict.fromkeys(behavior_text(each.behavior) for each in read if each.lives is None)
    return [
        ("", "by what each decides"),
        *((each, f"by whether {_said(each, program, interface)}") for each in behaviors),
    ]


def _said(behavior: str, program: str, interface: Interface) -> str:
    """A behavior as a clause; as it was typed where a program cannot be asked about it beside others."""
    try:
        return map_plan.whether(by_of(behavior, program, interface), interface)
    except SoidError:
        return behavior


def _read(question: str) -> Query | None:
    try:
        return parse(question)
    except SoidError:  # a question that is being typed
        return None


def _labels(made: DecisionMap) -> list[RegionLabel]:
    return [region.label for region in made.regions]


def _what(label: RegionLabel) -> tuple[ClaimKind, str]:
    """What a label shows, whichever map it is in: of a behavior, whether it occurs."""
    return label.kind, label.text if label.kind is ClaimKind.DECIDES else ""


def _shown(made: DecisionMap, places: Sequence[int]) -> tuple[ClaimKind, str]:
    region = made.at(places)
    return (ClaimKind.OUTSIDE, "") if region is None else _what(region.label)
