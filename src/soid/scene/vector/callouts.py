"""Labels beside the actors: they hide no actor and no other label, and as little as possible of the rest."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Final, final

from msgspec import Struct
from msgspec.structs import asdict, replace

from soid.program.scenery import Paint
from soid.scene.picture import DrawnActor
from soid.scene.vector.actor_shapes import space
from soid.scene.vector.elements import Rectangle, label, number, tag, width
from soid.scene.vector.panel import Panel
from soid.scene.vector.style import SMALL

_LINE: Final = 15.0  # px
_PAD: Final = 7.0
_AWAY: Final = (20.0, 38.0, 60.0, 86.0, 116.0)  # px from an actor's edge
_ROOM: Final = 22.0  # px around an actor for its arrow and its lamps

#: the cost of hiding a square px of the room around an actor, and of the ground; a px of distance costs 1
_NEAR: Final = 1.0
_GROUND: Final = {Paint.ROAD: 0.02, Paint.ZEBRA: 0.04, Paint.OBSTACLE: 0.1, Paint.STOP: 2.0}
_THICK: Final = 4.0  # px, of a line
_STRIDE: Final = 8.0  # px between two places that are tried all over a panel
_CROSSING: Final = 150.0  # the cost if the line to the label passes over an actor or a label


@final
class Callout(Struct, frozen=True):
    """The label of an actor."""

    figure: DrawnActor
    lines: tuple[str, ...]  # the first is its name
    ghost: bool = False


def callouts(panel: Panel, wanted: list[Callout], also: Iterable[DrawnActor] = ()) -> tuple[str, str]:
    """The labels of all drawn actors: the lines to the labels, drawn below the actors, and the cards, drawn above.

    No label hides an actor, one of those that are drawn `also`, or another label. Where there is no room for all that a
    label says it has the name alone, or the mark; where there is none for that, the actor has no label.
    """
    shown = [(each, box) for each in wanted if (box := space(panel, each.figure)) is not None]
    beside = [box for each in also if (box := space(panel, each)) is not None]
    room = _Room(panel, [box for _, box in shown], beside, [])
    leaders, cards = [], []
    for number_, (callout, actor) in enumerate(shown):
        for each in _shorter(callout):
            box = room.best(each, actor, number_)
            if box is not None:
                room.labels.append(box)
                leaders.append(_leader(actor.centre, box))
                cards.append(_card(each, box))
                break
    return tag("g", *leaders, aria_hidden="true"), tag("g", *cards, aria_hidden="true")


def _shorter(callout: Callout) -> Iterator[Callout]:
    yield callout
    yield replace(callout, lines=callout.lines[:1])
    yield replace(callout, lines=(callout.figure.actor.mark,))


def _places(width_: float, height: float, actor: Rectangle) -> Iterator[Rectangle]:
    """Candidate boxes for a label, in eight directions and at several distances."""
    (x, y), reach = actor.centre, max(actor.width, actor.height) / 2
    for away in _AWAY:
        off = reach + away
        for left in (x + off, x - off - width_, x - width_ / 2):
            for top in (y - height / 2, y - off - height, y + off):
                if (left, top) != (x - width_ / 2, y - height / 2):
                    yield Rectangle(left, top, width_, height)


def _anywhere(width_: float, height: float, inside: Rectangle) -> Iterator[Rectangle]:
    """Boxes for a label all over a panel."""
    for row in range(int((inside.height - height) / _STRIDE) + 1 if height <= inside.height else 0):
        for column in range(int((inside.width - width_) / _STRIDE) + 1 if width_ <= inside.width else 0):
            yield Rectangle(inside.x + column * _STRIDE, inside.y + row * _STRIDE, width_, height)


@final
class _Room(Struct, frozen=True):
    """The things that labels must not or should not hide."""

    panel: Panel
    actors: list[Rectangle]
    beside: list[Rectangle]  # what else is drawn
    labels: list[Rectangle]  # labels that are placed already

    @property
    def _inside(self) -> Rectangle:
        panel = self.panel
        return Rectangle(panel.x + 3, panel.y + 3, panel.width - 6, panel.height - 6)

    def best(self, callout: Callout, actor: Rectangle, number_: int) -> Rectangle | None:
        """The best place for a label near its actor, else anywhere in the panel; None where there is none."""
        wide = max(width(line, SMALL, bold=True) for line in callout.lines) + 2 * _PAD
        high = len(callout.lines) * _LINE + _PAD
        for boxes in (_places(wide, high, actor), _anywhere(wide, high, self._inside)):
            free = [box for box in boxes if self._is_free(box)]
            if free:
                return min(free, key=lambda box: self._cost(box, actor.centre, number_))
        return None

    def _is_free(self, box: Rectangle) -> bool:
        hidden = (*self.actors, *self.beside, *self.labels)
        return self._inside.holds(box) and not any(box.overlap(each) for each in hidden)

    def _cost(self, box: Rectangle, centre: tuple[float, float], actor: int) -> float:
        end = _nearest(box, centre)
        others = [each for number_, each in enumerate(self.actors) if number_ != actor]
        return (
            math.dist(centre, end)
            + _NEAR * sum(box.overlap(each.grown(_ROOM)) for each in self.actors)
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
