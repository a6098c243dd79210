"""What a scene is made of, as a manifest tells it: ground, actors, and how positions and headings are to be read.

`soid.program.scene_table` reads it from `[scene]`; `soid.scene` puts it together with the program and draws it.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from typing import final

from msgspec import Struct

from soid.program.toml_table import TomlTable


@final
class Side(enum.Enum):
    """A direction in the picture."""

    RIGHT = "right"
    UP = "up"
    LEFT = "left"
    DOWN = "down"

    @property
    def degrees(self) -> float:
        """Counter-clockwise from the right."""
        return 90.0 * list(Side).index(self)


@final
class Angle(enum.Enum):
    """What headings are measured in."""

    RADIANS = "rad"
    DEGREES = "deg"


@final
class Turning(enum.Enum):
    """Where a growing heading turns to, as seen in the picture."""

    COUNTERCLOCKWISE = "counterclockwise"
    CLOCKWISE = "clockwise"


@final
class Paint(enum.Enum):
    """What lies on the ground."""

    GRASS = "grass"
    ROAD = "road"
    PAVEMENT = "pavement"
    ZEBRA = "zebra"
    OBSTACLE = "obstacle"
    EDGE = "edge"
    LANE = "lane"
    STOP = "stop"

    @property
    def is_line(self) -> bool:
        return self in (Paint.EDGE, Paint.LANE, Paint.STOP)


@final
class Look(enum.Enum):
    """What an actor looks like."""

    CAR = "car"
    PERSON = "person"
    THING = "thing"


@final
class Part(enum.Enum):
    """What an actor is to the investigation, and so how it is coloured."""

    INVESTIGATED = "investigated"
    OTHER = "other"
    BYSTANDER = "bystander"


@final
class Anchor(enum.Enum):
    """What of an actor its position is the position of."""

    CENTRE = "centre"
    FRONT = "front"
    REAR = "rear"


@final
class Blinking(enum.Enum):
    """What a signal looks like."""

    OFF = "off"
    LEFT = "left"
    RIGHT = "right"
    BOTH = "both"


@final
class Ground(Struct, frozen=True):
    """Something that lies still: an area between two corners, or a line between two ends."""

    paint: Paint
    ends: tuple[float, float, float, float]  # x and y of one, then of the other
    tile: float | None = None  # side of the squares that it is made of
    label: str = ""


@final
@dataclass(frozen=True, slots=True)
class ActorDeclaration:
    """An actor as the manifest has it: variables are paths, as yet unknown."""

    mark: str
    name: str
    look: Look
    part: Part
    size: tuple[float, float]  # length and width
    anchor: Anchor
    x: str | float
    y: str | float
    heading: str | float | None
    present: str | None
    present_when: tuple[str | int, ...]
    signal: str | None
    signals: tuple[tuple[str, Blinking], ...]
    shows: tuple[str, ...]
    draggable: bool
    entry: TomlTable = field(compare=False, repr=False)  # to say where a mistake is


@final
class Heading(Struct, frozen=True):
    """How headings are to be read."""

    unit: Angle
    zero: Side
    grows: Turning


@final
class SceneDeclaration(Struct, frozen=True):
    """What `[scene]` says."""

    title: str
    unit: str
    left_to_right: tuple[float, float]
    top_to_bottom: tuple[float, float]
    north: Side | None
    heading: Heading | None  # None: no actor has one
    ground: tuple[Ground, ...]
    actors: tuple[ActorDeclaration, ...]
