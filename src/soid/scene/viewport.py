"""The visible part of the world, and the place of its points in the picture.

>>> frame = Viewport(left=0.0, right=4.0, top=10.0, bottom=8.0)
>>> frame.across(1.0), frame.down(8.5), frame.point(0.25, 0.75)
(0.25, 0.75, (1.0, 8.5))
"""

from __future__ import annotations

import math
from typing import final

from msgspec import Struct


@final
class Viewport(Struct, frozen=True):
    """The coordinates at the four edges. They may grow or fall to the right, and to the bottom."""

    left: float
    right: float
    top: float
    bottom: float

    @property
    def width(self) -> float:
        return abs(self.right - self.left)

    @property
    def height(self) -> float:
        return abs(self.bottom - self.top)

    def across(self, x: float) -> float:
        """The distance from the left edge; 1 is the right edge."""
        return (x - self.left) / (self.right - self.left)

    def down(self, y: float) -> float:
        """The distance from the top; 1 is the bottom."""
        return (y - self.top) / (self.bottom - self.top)

    def point(self, across: float, down: float) -> tuple[float, float]:
        """The point of the world at a place in the picture."""
        return self.left + across * (self.right - self.left), self.top + down * (self.bottom - self.top)

    def contains(self, x: float, y: float) -> bool:
        return 0 <= self.across(x) <= 1 and 0 <= self.down(y) <= 1

    def ahead(self, x: float, y: float, direction: float, distance: float) -> tuple[float, float]:
        """The point at a distance in a direction of the picture: degrees, counter-clockwise from the right."""
        right, up = math.cos(math.radians(direction)), math.sin(math.radians(direction))
        rightward = 1.0 if self.right > self.left else -1.0
        upward = 1.0 if self.top > self.bottom else -1.0
        return x + distance * right * rightward, y + distance * up * upward
