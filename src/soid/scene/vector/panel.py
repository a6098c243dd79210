"""One panel: the ground, the axes, and the mapping of points of the world to the drawing."""

from __future__ import annotations

import math
from typing import Final, final

from msgspec import Struct

from soid.program.scenery import Ground, Paint
from soid.scene.scene import Scene
from soid.scene.scene_words import COMPASS, towards
from soid.scene.vector.elements import label, number, tag, title, width
from soid.scene.vector.style import SMALL

TICKS_LEFT: Final = 34.0  # px, for the numbers beside the panel
TICKS_BELOW: Final = 32.0  # px, for those below it

_STRIPE: Final = 7.0  # px, of a zebra crossing
_MOST_STRIPES: Final = 60
_TICK: Final = 70.0  # px between two numbers of an axis, at least
_NORTH: Final = 15.0  # px, half the length of the arrow


@final
class Panel(Struct, frozen=True):
    """A rectangle of the drawing that shows the frame of a scene, with one scale for both axes."""

    scene: Scene
    x: float  # px, its upper left corner in the drawing
    y: float
    width: float  # px

    @property
    def scale(self) -> float:
        """px for each unit of the scene."""
        return self.width / self.scene.frame.width

    @property
    def height(self) -> float:
        return self.scene.frame.height * self.scale

    def at(self, x: float, y: float) -> tuple[float, float]:
        """The place in the drawing of a point of the world."""
        frame = self.scene.frame
        return self.x + frame.across(x) * self.width, self.y + frame.down(y) * self.height

    def nearest(self, x: float, y: float) -> tuple[float, float]:
        """The same, but moved to the nearest edge if it is outside the panel."""
        across, down = (min(max(part, 0.0), 1.0) for part in (self.scene.frame.across(x), self.scene.frame.down(y)))
        return self.x + across * self.width, self.y + down * self.height


def ground(panel: Panel, *, axes: bool = True) -> str:
    """The ground, clipped at the edges of the panel, with axes and the arrow to the north unless it is a small one."""
    inside = Panel(panel.scene, 0.0, 0.0, panel.width)
    shapes = "".join(_line(inside, each) if each.paint.is_line else _area(inside, each) for each in panel.scene.ground)
    size = {"x": panel.x, "y": panel.y, "width": panel.width, "height": panel.height}
    background = tag("rect", width=panel.width, height=panel.height, class_="soid-card")
    clipped = tag("svg", background, shapes, **size)
    border = tag("rect", **size, fill="none", class_="soid-frame")
    return tag("g", clipped, border, *((_north(panel), _axes(panel)) if axes else ()))


def _area(panel: Panel, ground: Ground) -> str:
    x1, y1, x2, y2 = ground.ends
    (left, top), (right, bottom) = panel.at(x1, y1), panel.at(x2, y2)
    x, y, w, h = min(left, right), min(top, bottom), abs(right - left), abs(bottom - top)
    colour = "road" if ground.paint is Paint.ZEBRA else ground.paint.value
    shape = tag("rect", x=x, y=y, width=w, height=h, class_=f"soid-{colour}")
    if ground.paint is Paint.ZEBRA:
        shape += _stripes(x, y, w, h)
    if ground.tile is not None:
        shape += _tiles(x, y, w, h, ground.tile * panel.scale)
    if ground.paint is Paint.OBSTACLE and ground.label and width(ground.label, SMALL) < w:
        shape += label(ground.label, x + w / 2, y + h / 2 + SMALL / 3, "soid-small soid-on", anchor="middle")
    return _named(ground, shape)


def _stripes(x: float, y: float, w: float, h: float) -> str:
    """The stripes of a zebra crossing, parallel to its shorter side."""
    count = min(max(round(max(w, h) / _STRIPE / 2), 1), _MOST_STRIPES)
    each = max(w, h) / count
    starts = [n * each for n in range(count)]
    if w > h:
        return "".join(tag("rect", x=x + n, y=y, width=each / 2, height=h, class_="soid-stripe") for n in starts)
    return "".join(tag("rect", x=x, y=y + n, width=w, height=each / 2, class_="soid-stripe") for n in starts)


def _tiles(x: float, y: float, w: float, h: float, side: float) -> str:
    columns, rows = math.ceil(w / side - 1e-6), math.ceil(h / side - 1e-6)
    across = [f"M{number(x + n * side)} {number(y)}v{number(h)}" for n in range(1, columns)]
    down = [f"M{number(x)} {number(y + n * side)}h{number(w)}" for n in range(1, rows)]
    return tag("path", d="".join(across + down), class_="soid-tile") if across or down else ""


def _line(panel: Panel, ground: Ground) -> str:
    x1, y1, x2, y2 = ground.ends
    (ax, ay), (bx, by) = panel.at(x1, y1), panel.at(x2, y2)
    return _named(ground, tag("line", x1=ax, y1=ay, x2=bx, y2=by, class_=f"soid-{ground.paint.value}"))


def _named(ground: Ground, shape: str) -> str:
    if not ground.label:
        return shape
    return tag("g", title(ground.label), shape, role="graphics-symbol img", aria_label=ground.label)


def _axes(panel: Panel) -> str:
    """Numbers along the lower and the left edge."""
    frame, parts = panel.scene.frame, []
    for x in ticks(frame.left, frame.right, panel.width / _TICK):
        across, _ = panel.at(x, frame.bottom)
        low = panel.y + panel.height
        parts.append(tag("path", d=f"M{number(across)} {number(low)}v4", class_="soid-axis"))
        parts.append(label(f"{x:g}", across, low + 15, "soid-small soid-dim", anchor="middle"))
    for y in ticks(frame.top, frame.bottom, max(panel.height / _TICK, 2)):
        _, down = panel.at(frame.left, y)
        parts.append(tag("path", d=f"M{number(panel.x)} {number(down)}h-4", class_="soid-axis"))
        parts.append(label(f"{y:g}", panel.x - 7, down + SMALL / 3, "soid-small soid-dim", anchor="end"))
    said = f"in {panel.scene.unit}, {_growing(panel.scene)}"
    parts.append(label(said, panel.x + panel.width, panel.y + panel.height + 28, "soid-small soid-dim", anchor="end"))
    return tag("g", *parts, aria_hidden="true")


def _growing(scene: Scene) -> str:
    """Whereto the numbers at the edges grow."""
    frame = scene.frame
    across = towards(scene, 0.0 if frame.left < frame.right else 180.0)
    down = towards(scene, 270.0 if frame.top < frame.bottom else 90.0)
    return f"growing {_to_the(across)} and {_to_the(down)}"


def _to_the(direction: str) -> str:
    """
    >>> _to_the("south"), _to_the("to the right"), _to_the("up")
    ('to the south', 'to the right', 'up')
    """
    return f"to the {direction}" if direction in COMPASS else direction


def ticks(first: float, last: float, most: float) -> list[float]:
    """Round numbers between two, with at most `most` intervals.

    >>> ticks(0.195, 3.9, 6), ticks(30.0, -5.0, 4)
    ([1.0, 2.0, 3.0], [0.0, 10.0, 20.0, 30.0])
    """
    low, high = sorted((first, last))
    step = 10.0 ** math.floor(math.log10((high - low) / max(most, 1.0)))
    step *= next(factor for factor in (1, 2, 5, 10, 20) if (high - low) / (step * factor) <= max(most, 1.0))
    count = math.floor(high / step) - math.ceil(low / step) + 1
    return [(math.ceil(low / step) + n) * step + 0.0 for n in range(count)]


def _north(panel: Panel) -> str:
    if panel.scene.north is None:
        return ""
    x, y = panel.x + panel.width - 24, panel.y + 28
    shape = f"M0 {_NORTH}V{-_NORTH + 6}M-4 {-_NORTH + 8}L0 {-_NORTH}L4 {-_NORTH + 8}"
    arrow = tag("path", d=shape, class_="soid-leader")
    turned = tag("g", arrow, transform=f"translate({number(x)} {number(y)}) rotate({90 - panel.scene.north.degrees:g})")
    right, up = math.cos(math.radians(panel.scene.north.degrees)), math.sin(math.radians(panel.scene.north.degrees))
    letter = label("N", x - up * 12, y + 4 - right * 12, "soid-small soid-dim", anchor="middle")
    said = f"north is {panel.scene.north.value} in the picture"
    return tag("g", title(said), turned, letter, role="graphics-symbol img", aria_label=said)
