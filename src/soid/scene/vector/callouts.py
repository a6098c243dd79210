"""Labels beside the actors, placed so that they hide as little as possible."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final, final

from msgspec import Struct
from msgspec.structs import asdict

from soid.program.scenery import Paint
from soid.scene.picture import DrawnActor
from soid.scene.vector.actor_shapes import size
from soid.scene.vector.elements import Rectangle, label, number, tag, width
from soid.scene.vector.panel import Panel
from soid.scene.vector.style import SMALL

_LINE: Final = 15.0  # px
_PAD: Final = 7.0
_AWAY: Final = (20.0, 38.0, 60.0, 86.0, 116.0)  # px from an actor's edge
_ROOM: Final = 22.0  # px around an actor for its arrow and its lamps

#: the cost of hiding a square px of these; a px of distance costs 1
_ACTOR, _OUTSIDE, _LABEL = 1.0, 5.0, 5.0
_GROUND: Final = {Paint.ROAD: 0.02, Paint.ZEBRA: 0.04, Paint.OBSTACLE: 0.1, Paint.STOP: 2.0}
_THICK: Final = 4.0  # px, of a line
_CROSSING: Final = 150.0  # the cost if the line to the label passes over an actor or a label


@final
class Callout(Struct, frozen=True):
    """The label of an actor."""

    figure: DrawnActor
    lines: tuple[str, ...]  # the first is its name
    ghost: bool = False


def callouts(panel: Panel, wanted: list[Callout]) -> tuple[str, str]:
    """The labels of all drawn actors: the lines to the labels, drawn below the actors, and the cards, drawn above."""
    frame = panel.scene.frame
    shown = [(each, each.figure.place) for each in wanted]
    inside = [(each, panel.at(*place)) for each, place in shown if place is not None and frame.contains(*place)]
    room = _Room(panel, [_around(panel, each.figure, centre) for each, centre in inside], [])
    leaders, cards = [], []
    for number_, (each, centre) in enumerate(inside):
        boxes = _places(panel, each, centre)
        box = min(boxes, key=lambda box: room.cost(box, centre, number_))
        room.labels.append(box)
        leaders.append(_leader(centre, box))
        cards.append(_card(each, box))
    return tag("g", *leaders, aria_hidden="true"), tag("g", *cards, aria_hidden="true")


def _around(panel: Panel, figure: DrawnActor, centre: tuple[float, float]) -> Rectangle:
    reach = max(size(panel, figure)) / 2 + _ROOM
    return Rectangle(centre[0] - reach, centre[1] - reach, 2 * reach, 2 * reach)


def _places(panel: Panel, callout: Callout, centre: tuple[float, float]) -> Iterator[Rectangle]:
    """Candidate boxes for a label, in eight directions and at several distances."""
    x, y = centre
    w = max(width(line, SMALL, bold=True) for line in callout.lines) + 2 * _PAD
    h = len(callout.lines) * _LINE + _PAD
    for away in _AWAY:
        off = max(size(panel, callout.figure)) / 2 + away
        for left in (x + off, x - off - w, x - w / 2):
            for top in (y - h / 2, y - off - h, y + off):
                if (left, top) != (x - w / 2, y - h / 2):
                    yield Rectangle(left, top, w, h)


@final
class _Room(Struct, frozen=True):
    """The things that labels should not hide."""

    panel: Panel
    actors: list[Rectangle]
    labels: list[Rectangle]  # labels that are placed already

    def cost(self, box: Rectangle, centre: tuple[float, float], actor: int) -> float:
        panel, end = self.panel, _nearest(box, centre)
        edge = Rectangle(panel.x + 3, panel.y + 3, panel.width - 6, panel.height - 6)
        others = [each for number_, each in enumerate(self.actors) if number_ != actor]
        return (
            math.dist(centre, end)
            + _ACTOR * sum(box.overlap(each) for each in self.actors)
            + _LABEL * sum(box.overlap(each) for each in self.labels)
            + _OUTSIDE * (box.width * box.height - box.overlap(edge))
            + sum(weight * box.overlap(each) for weight, each in self._ground())
            + _CROSSING * sum(_crosses(centre, end, each) for each in (*others, *self.labels))
        )

    def _ground(self) -> Iterator[tuple[float, Rectangle]]:
        for ground in self.panel.scene.ground:
            if ground.paint in _GROUND:
                x1, y1, x2, y2 = ground.ends
                (ax, ay), (bx, by) = self.panel.at(x1, y1), self.panel.at(x2, y2)
                thick = max(abs(bx - ax), _THICK), max(abs(by - ay), _THICK)
                yield _GROUND[ground.paint], Rectangle(min(ax, bx), min(ay, by), *thick)


def _crosses(start: tuple[float, float], end: tuple[float, float], box: Rectangle) -> bool:
    """Whether a line passes over a box, tested at seven points."""
    points = ((start[0] + (end[0] - start[0]) * n / 8, start[1] + (end[1] - start[1]) * n / 8) for n in range(1, 8))
    return any(_nearest(box, point) == point for point in points)


def _nearest(box: Rectangle, point: tuple[float, float]) -> tuple[float, float]:
    return min(max(point[0], box.x), box.x + box.width), min(max(point[1], box.y), box.y + box.height)


def _leader(centre: tuple[float, float], box: Rectangle) -> str:
    x, y = _nearest(box, centre)
    return tag("path", d=f"M{number(centre[0])} {number(centre[1])}L{number(x)} {number(y)}", class_="soid-leader")


def _card(callout: Callout, box: Rectangle) -> str:
    edge = "soid-ghost-line" if callout.ghost else "soid-frame"
    text = []
    for row, line in enumerate(callout.lines):
        colour = "soid-bold" if row == 0 else "soid-changed soid-bold" if callout.ghost else "soid-dim"
        text.append(label(line, box.x + _PAD, box.y + _LINE * (row + 1) - 1, f"soid-small {colour}"))
    return tag("g", tag("rect", **asdict(box), rx=3.0, class_=f"soid-paper {edge}"), *text)
