"""The parts of a scene in a manifest: ground, actors, and how to read positions and headings.

`soid.program.scene_table` reads them from `[scene]`; `soid.scene` combines them with the program and draws them.
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
    """The unit of headings."""

    RADIANS = "rad"
    DEGREES = "deg"


@final
class Turning(enum.Enum):
    """The direction in which a growing heading turns in the picture."""

    COUNTERCLOCKWISE = "counterclockwise"
    CLOCKWISE = "clockwise"


@final
class Paint(enum.Enum):
    """The kinds of ground."""

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
    """The shape of an actor."""

    CAR = "car"
    PERSON = "person"
    THING = "thing"


@final
class Part(enum.Enum):
    """The part of an actor in the investigation; it decides the colour."""

    INVESTIGATED = "investigated"
    OTHER = "other"
    BYSTANDER = "bystander"


@final
class Anchor(enum.Enum):
    """The point of an actor that its position gives."""

    CENTRE = "centre"
    FRONT = "front"
    REAR = "rear"


@final
class Blinking(enum.Enum):
    """The lights that a signal shows."""

    OFF = "off"
    LEFT = "left"
    RIGHT = "right"
    BOTH = "both"


@final
class Ground(Struct, frozen=True):
    """A thing that does not move: an area between two corners, or a line between two ends."""

    paint: Paint
    ends: tuple[float, float, float, float]  # x and y of one end or corner, then of the other
    tile: float | None = None  # side length of its squares
    label: str = ""


@final
@dataclass(frozen=True, slots=True)
class ActorDeclaration:
    """An actor in the manifest. Variables are paths; the program is not known yet."""

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
    entry: TomlTable = field(compare=False, repr=False)  # for the place of a mistake


@final
class Heading(Struct, frozen=True):
    """How to read headings."""

    unit: Angle
    zero: Side
    grows: Turning


@final
class SceneDeclaration(Struct, frozen=True):
    """The contents of `[scene]`."""

    title: str
    unit: str
    left_to_right: tuple[float, float]
    top_to_bottom: tuple[float, float]
    north: Side | None
    heading: Heading | None  # None: no actor has one
    ground: tuple[Ground, ...]
    actors: tuple[ActorDeclaration, ...]
