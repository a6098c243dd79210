"""Handles: the parts of a picture that can be dragged, the variables that dragging changes, and their limits.

A handle gives bits that are rounded to the variable's type and lie in its domain, so a question can be asked about
every dragged picture.

>>> from soid.case.project import Project
>>> from soid.examples import folder
>>> from soid.program.types import show
>>> from soid.scene.picture import of_keyframe
>>> from soid.scene.scene import scene_of
>>> case = Project.open(folder("proper_response"))
>>> picture = of_keyframe(scene_of(case.manifest), case.keyframe)
>>> (handle,) = handles(picture)
>>> handle.actor.mark, handle.grip.value, [limit.variable.path for limit in handle.limits]
('B', 'position', ['road.distance'])
>>> moved = handle.moved(x=22.25, y=5.0)  # its centre is dragged there; the distance is to its rear
>>> {path: show(case.program.interface.variable(path).type, bits) for path, bits in moved.items()}
{'road.distance': '20.0'}
"""

from __future__ import annotations

import enum
import math
from typing import Final, final

from msgspec import Struct

from soid.program.domain import Range, Values, contains
from soid.program.interface import Variable
from soid.program.scenery import Anchor, Angle
from soid.program.types import IntType, from_python
from soid.scene.picture import DrawnActor, Picture, amount
from soid.scene.scene import Actor, Scene


@final
class Grip(enum.Enum):
    """The part of an actor that is dragged."""

    POSITION = "position"
    HEADING = "heading"  # a dial


@final
class Limit(Struct, frozen=True):
    """A variable that a handle changes, and its least and greatest value."""

    variable: Variable
    low: float | None = None  # None: limited by the type only
    high: float | None = None

    def excess(self, value: float) -> float:
        """How far a value lies outside the limits."""
        below = self.low - value if self.low is not None else 0.0
        above = value - self.high if self.high is not None else 0.0
        return max(below, above, 0.0)

    def bits(self, value: float, otherwise: int) -> int:
        """The bits of the value of the domain that is nearest to a number; `otherwise` if there is none."""
        kind, domain = self.variable.type, self.variable.domain
        if isinstance(domain, Values):
            known = {bits: amount(self.variable, bits) for bits in domain.values}
            finite = {bits: number for bits, number in known.items() if number is not None}
            return min(finite, key=lambda bits: abs(finite[bits] - value), default=otherwise)
        if isinstance(domain, Range) and self.low is not None and value <= self.low:
            return domain.low
        if isinstance(domain, Range) and self.high is not None and value >= self.high:
            return domain.high
        if isinstance(kind, IntType):
            return from_python(kind, min(max(round(value), kind.least), kind.greatest))
        rounded = from_python(kind, value)
        return rounded if contains(kind, domain, rounded) else otherwise


@final
class Handle(Struct, frozen=True):
    """One part of the picture that can be dragged."""

    scene: Scene
    figure: DrawnActor  # before it is dragged
    grip: Grip
    limits: tuple[Limit, ...]  # of each variable that it changes

    @property
    def actor(self) -> Actor:
        return self.figure.actor

    def moved(self, x: float, y: float) -> dict[str, int]:
        """The bits of the variables after the actor's centre, or the hand of its dial, is dragged to a point."""
        wanted = self._position(x, y) if self.grip is Grip.POSITION else self._heading(x, y)
        return {
            limit.variable.path: limit.bits(wanted[limit.variable.path], self.figure.values[limit.variable.path])
            for limit in self.limits
            if limit.variable.path in wanted
        }

    def _position(self, x: float, y: float) -> dict[str, float]:
        actor, direction = self.actor, self.figure.direction
        if direction is not None and actor.anchor is not Anchor.CENTRE:
            ahead = actor.size[0] / 2 if actor.anchor is Anchor.FRONT else -actor.size[0] / 2
            x, y = self.scene.frame.ahead(x, y, direction, ahead)
        return {place.path: to for place, to in ((actor.x, x), (actor.y, y)) if isinstance(place, Variable)}

    def _heading(self, x: float, y: float) -> dict[str, float]:
        place = self.figure.place
        if place is None or place == (x, y) or self.scene.heading is None:
            return {}
        frame = self.scene.frame
        right = (frame.across(x) - frame.across(place[0])) * frame.width
        down = (frame.down(y) - frame.down(place[1])) * frame.height
        heading = self.scene.heading_of(math.degrees(math.atan2(-down, right)))
        turn = _FULL_TURN[self.scene.heading.unit]
        (limit,) = self.limits
        return {limit.variable.path: min((heading, heading - turn, heading + turn), key=limit.excess)}


_FULL_TURN: Final = {Angle.RADIANS: 2 * math.pi, Angle.DEGREES: 360.0}


def handles(picture: Picture) -> tuple[Handle, ...]:
    """All handles of the ghost, if there is one, else of the fact."""
    found = []
    for figure in picture.ghost or picture.fact:
        actor = figure.actor
        if actor.draggable and figure.place is not None:
            position = tuple(_limit(place) for place in (actor.x, actor.y) if isinstance(place, Variable))
            if position:
                found.append(Handle(picture.scene, figure, Grip.POSITION, position))
            if isinstance(actor.heading, Variable):
                found.append(Handle(picture.scene, figure, Grip.HEADING, (_limit(actor.heading),)))
    return tuple(found)


def _limit(variable: Variable) -> Limit:
    match variable.domain:
        case Range(low, high):
            return Limit(variable, amount(variable, low), amount(variable, high))
        case Values(values):
            known = [number for bits in values if (number := amount(variable, bits)) is not None]
            return Limit(variable, min(known, default=None), max(known, default=None))
        case _:
            return Limit(variable)
