"""Actors: to scale, with their direction and blinking lamps. Ghosts are dashed and have an arrow from the fact."""

from __future__ import annotations

import math
from typing import Final

from soid.program.scenery import Look
from soid.scene import scene_words
from soid.scene.overlaps import outline
from soid.scene.picture import DrawnActor
from soid.scene.vector.elements import Rectangle, around, label, number, tag, title
from soid.scene.vector.panel import Panel
from soid.scene.vector.style import SMALL

MARK_BACK: Final = 0.12  # of the length, from an actor's middle to its mark

_LEAST: Final = 5.0  # px, the least length and width
_ARROW: Final = 20.0  # px, from the front to the tip of the arrow
_HEAD: Final = 5.0  # px, half the width of an arrow's head
_FITS_MARK: Final = 11.0  # px, the least width of a body on which the mark can be read
_POINTER: Final = 11.0  # px, half of the square for the pointer to an actor outside the panel
_FAR: Final = 6.0  # px; a shorter arrow from the fact to a ghost is left out


def figure(panel: Panel, drawn: DrawnActor, *, instead_of: DrawnActor | None = None) -> str:
    """An actor, or if it is outside the panel a pointer at its edge. A ghost has the factual actor as `instead_of`."""
    if drawn.place is None:
        return ""
    ghost = instead_of is not None
    if panel.scene.frame.contains(*drawn.place):
        x, y = panel.at(*drawn.place)
        body = tag("g", *_shapes(panel, drawn, instead_of), transform=_turned(x, y, drawn.direction))
        mark = _mark(panel, drawn, x, y, ghost=ghost)
    else:
        body, mark = _beyond(panel, drawn, ghost=ghost)
    said = f"{drawn.actor.mark}, {scene_words.about(panel.scene, drawn)}"
    where = scene_words.IN_THE_SCENARIO if ghost else scene_words.IN_FACT
    return tag(
        "g",
        title(f"{said} ({where})"),
        body,
        mark,
        role="graphics-symbol img",
        aria_label=f"{said} ({where})",
        data_actor=drawn.actor.mark,
        data_at=where,
    )


def left_behind(panel: Panel, fact: DrawnActor, ghost: DrawnActor) -> str:
    """The factual place of an actor, and an arrow from there to its place in the scenario."""
    if fact.place is None or not panel.scene.frame.contains(*fact.place):
        return ""
    x, y = panel.at(*fact.place)
    length, breadth = size(panel, fact)
    outline = tag("rect", x=-length / 2, y=-breadth / 2, width=length, height=breadth, rx=2, class_="soid-was")
    was = tag("g", outline, transform=_turned(x, y, fact.direction))
    if ghost.place is None:
        path = f"M{number(x - 7)} {number(y - 7)}l14 14m0 -14l-14 14"
        cross = tag("path", d=path, class_="soid-way soid-ghost-line")
        return tag("g", title(f"{fact.actor.mark} is not there in the scenario"), was, cross)
    return tag("g", was, _way((x, y), panel.nearest(*ghost.place), breadth / 2 + 8), aria_hidden="true")


def shapes(panel: Panel, drawn: DrawnActor) -> list[str]:
    """What is drawn of an actor that is at the origin and faces to the right."""
    return _shapes(panel, drawn, None)


def fits_mark(panel: Panel, drawn: DrawnActor) -> bool:
    """Whether its mark can be read on its body."""
    return min(size(panel, drawn)) >= _FITS_MARK


def size(panel: Panel, drawn: DrawnActor) -> tuple[float, float]:
    """Length and width in px."""
    length, breadth = drawn.actor.size
    return max(length * panel.scale, _LEAST), max(breadth * panel.scale, _LEAST)


def space(panel: Panel, drawn: DrawnActor) -> Rectangle | None:
    """The part of the drawing that an actor takes, without its arrow and its lamps; None where nothing is drawn."""
    if drawn.place is None:
        return None
    if not panel.scene.frame.contains(*drawn.place):
        x, y = _pointed_at(panel, drawn.place)
        return Rectangle(x - _POINTER, y - _POINTER, 2 * _POINTER, 2 * _POINTER)
    x, y = panel.at(*drawn.place)
    (length, breadth), (long, broad) = size(panel, drawn), drawn.actor.size
    grown = max(length / long, breadth / broad)  # where it is drawn larger than it is
    return around((x + across, y + down) for across, down in outline(drawn, grown))


# --- outside the panel ----------------------------------------------------------------------------------------


def _pointed_at(panel: Panel, place: tuple[float, float]) -> tuple[float, float]:
    """Where the pointer to a place outside the panel is: inside, at the edge."""
    x, y = panel.nearest(*place)
    left, right = panel.x + _POINTER, panel.x + panel.width - _POINTER
    return min(max(x, left), right), min(max(y, panel.y + _POINTER), panel.y + panel.height - _POINTER)


def _beyond(panel: Panel, drawn: DrawnActor, *, ghost: bool) -> tuple[str, str]:
    """A drop whose tip points at an actor outside the panel, and its mark."""
    assert drawn.place is not None
    x, y = _pointed_at(panel, drawn.place)
    edge_x, edge_y = panel.nearest(*drawn.place)
    angle = math.atan2(edge_y - y, edge_x - x)
    r = _POINTER * 0.75
    shape = f"M0 {-r:g}A{r:g} {r:g} 0 1 0 0 {r:g}L{_POINTER:g} 0z"
    role = "ghost" if ghost else drawn.actor.part.value
    turned = f"translate({number(x)} {number(y)}) rotate({number(math.degrees(angle))})"
    drop = tag("g", tag("path", d=shape, class_=f"soid-body soid-{role}"), transform=turned)
    colour = "soid-changed" if ghost else "soid-on"
    return drop, label(drawn.actor.mark, x, y + SMALL / 3, f"soid-small soid-bold {colour}", anchor="middle")


# --- shapes, all of them facing to the right ------------------------------------------------------------------


def _shapes(panel: Panel, drawn: DrawnActor, instead_of: DrawnActor | None) -> list[str]:
    role = drawn.actor.part.value if instead_of is None else "ghost"
    length, breadth = size(panel, drawn)
    shapes = []
    if drawn.direction is not None:
        shapes.append(_pointer(length, role))
    body = f"soid-body soid-{role}"
    if drawn.actor.look is Look.PERSON:
        shapes.append(tag("circle", r=max(length, breadth) / 2, class_=body))
    else:
        round_ = breadth / 4 if drawn.actor.look is Look.CAR else 1.0
        shapes.append(tag("rect", x=-length / 2, y=-breadth / 2, width=length, height=breadth, rx=round_, class_=body))
    if drawn.actor.look is Look.CAR and drawn.direction is not None and length > 2 * _LEAST:
        glass = {"x": length * 0.28, "y": -breadth * 0.36, "width": length * 0.1, "height": breadth * 0.72}
        shapes.append(tag("rect", **glass, class_="soid-glass", fill_opacity=0.8))
    for side in drawn.blinking_sides:
        shapes += _lamps(length, breadth, side)
    if instead_of is not None:
        for side in set(instead_of.blinking_sides) - set(drawn.blinking_sides):
            shapes += _lamps(length, breadth, side, lit=False)
    return shapes


def _pointer(length: float, role: str) -> str:
    start, tip = length / 2 + 2, length / 2 + _ARROW
    head = f"M{number(tip - 2 * _HEAD)} {-_HEAD:g}L{number(tip)} 0L{number(tip - 2 * _HEAD)} {_HEAD:g}"
    return tag("path", d=f"M{number(start)} 0H{number(tip)}{head}", fill="none", class_=f"soid-way soid-{role}-line")


def _lamps(length: float, breadth: float, side: int, *, lit: bool = True) -> list[str]:
    """A lamp at each end of a side, and the glow of the front one. Unlit lamps blink in fact only."""
    radius = min(max(breadth * 0.2, 2.2), 6.0)
    front, rear, edge = length / 2 - radius, -length / 2 + radius, side * breadth / 2
    look = {"class_": "soid-lamp", "stroke_width": 0.8} if lit else {"class_": "soid-was"}
    lamps = [tag("circle", cx=x, cy=edge, r=radius, **look) for x in (front, rear)]
    if not lit:
        return lamps
    glow = []
    for far in (radius + 3.5, radius + 7.0):
        (ax, ay), (bx, by) = ((front + far * math.cos(a), edge + side * far * math.sin(a)) for a in (0.5, 1.9))
        sweep = 1 if side > 0 else 0
        arc = f"M{number(ax)} {number(ay)}A{number(far)} {number(far)} 0 0 {sweep} {number(bx)} {number(by)}"
        glow.append(tag("path", d=arc, class_="soid-glow"))
    return [*lamps, *glow]


def _mark(panel: Panel, drawn: DrawnActor, x: float, y: float, *, ghost: bool) -> str:
    """The mark on the body, if it can be read there. The label beside the actor always has it."""
    if not fits_mark(panel, drawn):
        return ""
    colour = "soid-changed" if ghost else "soid-on"
    back = 0.0 if drawn.direction is None else size(panel, drawn)[0] * MARK_BACK
    angle = math.radians(drawn.direction or 0.0)
    return label(
        drawn.actor.mark,
        x - back * math.cos(angle),
        y + back * math.sin(angle) + SMALL / 3,
        f"soid-small soid-bold {colour}",
        anchor="middle",
    )


def _way(start: tuple[float, float], end: tuple[float, float], aside: float) -> str:
    """An arrow from one point to another, drawn beside them like a dimension: it must not look like a heading."""
    dx, dy = end[0] - start[0], end[1] - start[1]
    length = math.hypot(dx, dy)
    if length < _FAR:
        return ""
    side = -aside if dx >= 0 else aside  # above both points
    tip, back = f"{number(length)} {number(side)}", number(length - 6)
    head = f"M{back} {number(side - 3.5)}L{tip}L{back} {number(side + 3.5)}"
    ends = f"M0 {number(side - 4)}v8M{number(length)} {number(side - 4)}v8"
    line = f"M0 {number(side)}L{tip}{head}{ends}"
    turned = _turned(*start, -math.degrees(math.atan2(dy, dx)))
    return tag("path", d=line, class_="soid-ghost-line soid-dimension", transform=turned)


def _turned(x: float, y: float, direction: float | None) -> str:
    """The transformation of a shape that faces to the right, to a place and a direction."""
    return f"translate({number(x)} {number(y)}) rotate({number(-(direction or 0.0))})"
