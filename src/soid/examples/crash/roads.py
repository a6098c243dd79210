"""The map and the ways over it: two roads that cross, and where a car is after so many metres of its way."""

from __future__ import annotations

import math
from typing import Final, final

from msgspec import Struct

from soid.examples.crash.car_program import Signal

TILE: Final = 0.585  # m
MIDDLE: Final = 3.5 * TILE  # of the crossing, either way: tiles 1 to 5 are the block, 0 and 6 its rim of grass
HALF: Final = TILE / 2
LANE: Final = TILE / 4  # m, from the middle of a road to that of a lane
ROAD: Final = 2 * TILE  # m, from the end of a road to the crossing
CAR_LENGTH: Final = 0.18  # m
CAR_WIDTH: Final = 0.10  # m
_ROUNDING: Final = 1e-9  # m: both ends of a way are on the road, however their numbers were rounded

_RADIUS: Final = {Signal.RIGHT: HALF - LANE, Signal.LEFT: HALF + LANE}


@final
class Pose(Struct, frozen=True):
    """Where a car's centre is, and where it looks."""

    x: float
    z: float
    angle: float  # rad, 0 looks east, counter-clockwise


@final
class Way(Struct, frozen=True):
    """From the end of one road, through the crossing, to the end of another."""

    quarter: int  # the heading at its start: 0 east, 1 north, 2 west, 3 south
    turn: Signal

    @property
    def inside(self) -> float:
        """How long the part in the crossing is."""
        return TILE if self.turn is Signal.STRAIGHT else _RADIUS[self.turn] * math.pi / 2

    @property
    def length(self) -> float:
        return ROAD + self.inside + ROAD

    def at(self, travelled: float) -> Pose:
        """After so many metres."""
        forward, right, turned = self._local(travelled - ROAD)
        heading = self.quarter * math.pi / 2
        cos, sin = math.cos(heading), math.sin(heading)
        x = MIDDLE + forward * cos + right * sin
        z = MIDDLE - forward * sin + right * cos
        return Pose(x, z, (heading + turned) % (2 * math.pi))

    def _local(self, entered: float) -> tuple[float, float, float]:
        """Ahead of and to the right of the crossing's middle, and by how much it has turned."""
        if entered <= 0 or self.turn is Signal.STRAIGHT:
            return entered - HALF, LANE, 0.0
        radius = _RADIUS[self.turn]
        side = 1.0 if self.turn is Signal.RIGHT else -1.0
        turned = min(entered / radius, math.pi / 2)
        beyond = max(0.0, entered - self.inside)
        forward = radius * math.sin(turned) - HALF
        return forward, side * (HALF - radius * math.cos(turned) + beyond), -side * turned


def on_road(pose: Pose) -> bool:
    """Whether a car's centre is on one of the two roads."""
    aside, along = sorted((abs(pose.x - MIDDLE), abs(pose.z - MIDDLE)))
    return aside <= HALF and along <= HALF + ROAD + _ROUNDING


def touch(one: Pose, other: Pose) -> bool:
    """Whether two cars overlap: no axis of either separates them."""
    dx, dz = other.x - one.x, other.z - one.z
    if dx * dx + dz * dz > CAR_LENGTH**2 + CAR_WIDTH**2:
        return False
    return not any(_separated(axis, one, other, dx, dz) for axis in (one.angle, other.angle))


def _separated(angle: float, one: Pose, other: Pose, dx: float, dz: float) -> bool:
    cos, sin = math.cos(angle), math.sin(angle)
    along, across = abs(dx * cos - dz * sin), abs(dx * sin + dz * cos)
    reach_along = reach_across = 0.0
    for pose in (one, other):
        c, s = abs(math.cos(pose.angle - angle)), abs(math.sin(pose.angle - angle))
        reach_along += (CAR_LENGTH * c + CAR_WIDTH * s) / 2
        reach_across += (CAR_LENGTH * s + CAR_WIDTH * c) / 2
    return along >= reach_along or across >= reach_across
