"""A picture as SVG: one self-contained text, for a page, a report or a printer.

The fact is drawn solid. A scenario is drawn beside it; dashed ghosts, arrows and labels show the differences. Sizes and
positions are to scale. Every part has a title for screen readers. Colours follow the reader's choice of light or dark.

A page finds an actor by `data-actor` (its mark) and `data-at` ("in fact", "in the scenario"). It turns a point of the
drawing into a point of the world with the panel's `data-left`, `-top`, `-width`, `-height` and `Viewport.point`.
"""

from __future__ import annotations

from typing import Final, final

from msgspec import Struct

from soid.scene import scene_words
from soid.scene.picture import DrawnActor, Picture
from soid.scene.vector.actor_shapes import figure, left_behind
from soid.scene.vector.callouts import Callout, callouts
from soid.scene.vector.elements import label, sheet, tag, wrapped
from soid.scene.vector.panel import TICKS_BELOW, TICKS_LEFT, Panel, ground
from soid.scene.vector.style import LARGE, SIZE, SMALL, Theme, style

_MARGIN: Final = 22.0  # px
_GAP: Final = 20.0  # between two panels
_ONE: Final = 520.0  # px, the width of a single panel,
_TWO: Final = 420.0  # of each of two panels side by side,
_WIDE: Final = 860.0  # and of an oblong panel
_OBLONG: Final = 2.0  # a panel with a larger ratio of width to height is oblong: panels are stacked
_HEADING: Final = 26.0  # px above a panel
_LINE: Final = 17.0
_HANG: Final = 30.0  # px, for the mark in the legend
_MOST: Final = 4  # lines of a label

_DRAWN: Final = "Who is drawn, and where, is what the program perceived; positions and sizes are to scale."
_DASHED: Final = "Dashed: what differs in the scenario; dotted: where it was in fact."


def svg(picture: Picture, *, theme: Theme = "auto") -> str:
    """The drawing; `theme` may fix light or dark."""
    return _SceneDrawing(picture, theme).written()


@final
class _SceneDrawing(Struct, frozen=True):
    """Lays out the parts, from top to bottom."""

    picture: Picture
    theme: Theme

    @property
    def _stacked(self) -> bool:
        frame = self.picture.scene.frame
        return frame.width / frame.height > _OBLONG

    @property
    def _panel_width(self) -> float:
        if self._stacked:
            return _WIDE
        return _ONE if self.picture.ghost is None else _TWO

    @property
    def _width(self) -> float:
        beside = 2 if self.picture.ghost is not None and not self._stacked else 1
        return 2 * _MARGIN + beside * (TICKS_LEFT + self._panel_width) + (beside - 1) * _GAP

    def written(self) -> str:
        picture, room = self.picture, self._width - 2 * _MARGIN
        parts = [label(picture.scene.title, _MARGIN, _MARGIN + LARGE, "soid-large")]
        if picture.caption:
            parts.append(label(picture.caption, self._width - _MARGIN, _MARGIN + LARGE, "soid-dim", anchor="end"))
        drawn, down = self._panels(_MARGIN + LARGE + 12)
        listed, height = _legend(picture, _MARGIN, down + 12, room)
        said = _DRAWN if picture.ghost is None else f"{_DRAWN} {_DASHED}"
        remark, remark_height = _note(said, _MARGIN, down + 12 + height + 6, room)
        total = down + 12 + height + 6 + remark_height + _MARGIN
        heading = f"{picture.scene.title}, {picture.caption}" if picture.caption else picture.scene.title
        said, head = scene_words.description(picture), style(self.theme)
        return sheet(self._width, total, heading, said, "soid", head, *parts, drawn, listed, remark)

    def _panels(self, y: float) -> tuple[str, float]:
        """The panels of the fact and of the scenario, and the y at which they end."""
        picture = self.picture
        first, down = self._panel(picture.fact, _MARGIN + TICKS_LEFT, y, ghost=False)
        if picture.ghost is None:
            return first, down
        x = _MARGIN + TICKS_LEFT
        if self._stacked:
            second, down = self._panel(picture.ghost, x, down + 8, ghost=True)
        else:
            second, beside = self._panel(picture.ghost, x + _TWO + _GAP + TICKS_LEFT, y, ghost=True)
            down = max(down, beside)
        return first + second, down

    def _panel(self, figures: tuple[DrawnActor, ...], x: float, y: float, *, ghost: bool) -> tuple[str, float]:
        picture = self.picture
        panel = Panel(picture.scene, x, y + _HEADING, self._panel_width)
        where = scene_words.IN_THE_SCENARIO if ghost else scene_words.IN_FACT
        pairs = picture.changed if ghost else []
        different = [new.actor for _, new in pairs]
        named = [self._callout(each, each.actor in different) for each in figures]
        leaders, cards = callouts(panel, named, (old for old, _ in pairs))
        parts = [label(where.capitalize(), x, y + _HEADING - 8, "soid-bold"), ground(panel), leaders]
        parts += [
            left_behind(panel, old, new)
            for old, new in pairs
            if (old.place, old.direction) != (new.place, new.direction)
        ]
        parts += [figure(panel, each) for each in figures if each.actor not in different]
        parts += [figure(panel, new, instead_of=old) for old, new in pairs]
        parts.append(cards)
        down = panel.y + panel.height + TICKS_BELOW
        for said in scene_words.overlaps(picture.scene, figures):
            parts.append(label(said, x, down + 14, "soid-bold"))
            down += _LINE
        outcome = picture.ghost_outcome if ghost else picture.outcome
        for line in wrapped(outcome, self._panel_width, SIZE) if outcome else ():
            parts.append(label(line, x, down + 14, "soid-bold" if not ghost else "soid-bold soid-changed"))
            down += _LINE
        place = {"data_left": panel.x, "data_top": panel.y, "data_width": panel.width, "data_height": panel.height}
        return tag(
            "g", *parts, role="graphics-object group", aria_label=where.capitalize(), data_panel=where, **place
        ), down

    def _callout(self, figure: DrawnActor, differs: bool) -> Callout:
        actor = figure.actor
        name = f"{actor.mark}  {actor.name}"
        if differs:
            lines = scene_words.differing(self.picture, actor)
            rest = (f"and {len(lines) - _MOST + 1} more",) if len(lines) > _MOST else ()
            return Callout(figure, (name, *lines[: _MOST - len(rest)], *rest), ghost=True)
        signal = (f"signal {figure.text(actor.signal)}",) if actor.signal is not None else ()
        return Callout(figure, (name, *signal))


def _legend(picture: Picture, x: float, y: float, room: float) -> tuple[str, float]:
    """The actors with all their values, and the height of that."""
    parts: list[str] = []
    down = y

    def write(text: str, class_: str) -> None:
        nonlocal down
        for line in wrapped(text, room - _HANG, SIZE):
            parts.append(label(line, x + _HANG, down + 12, class_))
            down += _LINE

    for drawn, ghost in zip(picture.fact, picture.ghost or picture.fact, strict=True):
        actor, differing = drawn.actor, scene_words.differing(picture, drawn.actor)
        if not drawn.present and not differing:
            continue
        parts.append(tag("circle", cx=x + 10, cy=down + 8, r=9, class_=f"soid-body soid-{actor.part.value}"))
        parts.append(label(actor.mark, x + 10, down + 12, "soid-small soid-bold soid-on", anchor="middle"))
        write(scene_words.about(picture.scene, drawn), "")
        if differing:
            seen = scene_words.seen(picture.scene, ghost)
            write(f"{scene_words.IN_THE_SCENARIO}: {', '.join((*seen, *differing))}", "soid-changed soid-bold")
        down += 5
    for text in scene_words.elsewhere(picture):
        write(f"also different: {text}", "soid-changed soid-bold")
    return tag("g", *parts), down - y


def _note(text: str, x: float, y: float, room: float) -> tuple[str, float]:
    """A remark in small letters, and its height."""
    lines = wrapped(text, room, SMALL)
    parts = [label(line, x, y + 11 + 14 * row, "soid-small soid-dim") for row, line in enumerate(lines)]
    return "".join(parts), 14.0 * len(lines)
