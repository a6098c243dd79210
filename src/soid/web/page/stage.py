"""The stage: a drawing of a moment with handles, so that actors can be dragged or moved with the keys.

The fact is solid; a supposed or found scenario is dashed over it; a supposed stretch is a dashed area. `soid.scene`
draws the parts; `static/stage.js` finds the handles by their `data-` attributes.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Final, final

from msgspec import Struct

from soid.program.interface import Variable
from soid.scene import scene_words
from soid.scene.handles import Grip, Handle, handles
from soid.scene.picture import DrawnActor, Picture, amount, short
from soid.scene.vector.actor_shapes import figure, left_behind, size
from soid.scene.vector.callouts import Callout, callouts
from soid.scene.vector.elements import document, label, number, tag, title
from soid.scene.vector.panel import TICKS_BELOW, TICKS_LEFT, Panel, ground
from soid.web.page.question_draft import QuestionDraft

_WIDTH: Final = 440.0  # px of the panel: near its size on the page, so that its text has the size of the page's text
_MARGIN: Final = 6.0
_DIAL: Final = 26.0  # px from an actor's front to the knob of its dial
_KNOB: Final = 6.5  # px
_ROUND: Final = 9.0  # px around an actor that belong to its handle
_LINE: Final = 16.0  # px
_LINES: Final = 3  # the most lines of a label


def run_stage(picture: Picture, *, fixed: bool = False) -> str:
    """A moment of a simulation's run, with a handle for each actor in sight, unless it is `fixed`.

    What overlaps stands below it, among what the run's film says of the moment.
    """
    panel = _panel(picture)
    names = [Callout(each, (f"{each.actor.mark}  {each.actor.name}",)) for each in picture.fact]
    leaders, cards = callouts(panel, names)
    parts = [ground(panel), leaders, *(figure(panel, each) for each in picture.fact), cards]
    keys = "Right and up arrow keys put it further on, left and down further back, with Shift faster."
    for each in picture.fact if not fixed else ():
        if each.place is not None and panel.scene.frame.contains(*each.place):
            x, y = panel.at(*each.place)
            said = f"{each.actor.mark}, {each.actor.name}. Drag it along its way. {keys}"
            parts.append(_grip(each.actor.mark, Grip.POSITION, _body(panel, each, x, y), said, x, y))
    return _sheet(panel, scene_words.description(picture), parts, ())


def stage(picture: Picture, draft: QuestionDraft, *, chosen: str = "") -> str:
    """The drawing; `chosen` is the mark of the actor that the editor shows."""
    return _Stage(picture, draft, chosen).written()


@final
class _Stage(Struct, frozen=True):
    """One drawing."""

    picture: Picture
    draft: QuestionDraft
    chosen: str

    def written(self) -> str:
        panel, picture = _panel(self.picture), self.picture
        pairs = picture.changed
        different = [new.actor for _, new in pairs]
        figures = [each for each in picture.fact if each.actor not in different] + [new for _, new in pairs]
        named = [self._callout(each, each.actor in different) for each in figures]
        leaders, cards = callouts(panel, named, (old for old, _ in pairs))
        parts = [ground(panel), *self._stretches(panel), leaders]
        parts += [left_behind(panel, old, new) for old, new in pairs]
        parts += [figure(panel, each) for each in picture.fact if each.actor not in different]
        parts += [figure(panel, new, instead_of=old) for old, new in pairs]
        parts += [cards, *self._grips(panel)]
        return _sheet(panel, scene_words.description(picture), parts, figures)

    def _callout(self, drawn: DrawnActor, differs: bool) -> Callout:
        actor = drawn.actor
        who = f"{actor.mark}  {actor.name}"
        lines = scene_words.differing(self.picture, actor)[:_LINES] if differs else ()
        if not differs and actor.signal is not None:
            lines = (f"signal {drawn.text(actor.signal)}",)
        return Callout(drawn, (who, *lines), ghost=differs)

    # --- supposed stretches

    def _stretches(self, panel: Panel) -> Iterator[str]:
        for drawn in self.picture.ghost or self.picture.fact:
            actor = drawn.actor
            across, down = self._extent(drawn, actor.x, drawn.x), self._extent(drawn, actor.y, drawn.y)
            if drawn.place is not None and (across or down):
                yield self._stretch(panel, drawn, across, down)

    def _extent(self, drawn: DrawnActor, place: Variable | float, centre: float | None) -> tuple[float, float] | None:
        """The range of the actor's centre; the variable may be the place of its front or its rear."""
        if not isinstance(place, Variable) or centre is None:
            return None
        found = self.draft.extent(place.path)
        now = amount(place, drawn.values[place.path])
        low, high = (amount(place, bits) for bits in found) if found is not None else (None, None)
        if now is None or low is None or high is None:
            return None
        return low + centre - now, high + centre - now

    def _stretch(
        self, panel: Panel, drawn: DrawnActor, across: tuple[float, float] | None, down: tuple[float, float] | None
    ) -> str:
        assert drawn.place is not None
        x, y = drawn.place
        half = max(drawn.actor.size) / 2
        left, right = across or (x - half, x + half)
        top, bottom = down or (y - half, y + half)
        (ax, ay), (bx, by) = panel.nearest(left, top), panel.nearest(right, bottom)
        box = {"x": min(ax, bx), "y": min(ay, by), "width": abs(bx - ax), "height": abs(by - ay)}
        said = f"{drawn.actor.mark} anywhere here"
        caption = label(said, box["x"] + 4, box["y"] - 4, "soid-small soid-supposed-text")
        return tag(
            "g", title(said), tag("rect", **box, rx=4, class_="soid-supposed"), caption, data_stretch=drawn.actor.mark
        )

    # --- handles

    def _grips(self, panel: Panel) -> Iterator[str]:
        for handle in handles(self.picture):
            place = handle.figure.place
            if place is None or not panel.scene.frame.contains(*place):
                continue
            x, y = panel.at(*place)
            draw = self._position if handle.grip is Grip.POSITION else self._dial
            yield draw(panel, handle, x, y)

    def _position(self, panel: Panel, handle: Handle, x: float, y: float) -> str:
        mark, shape = handle.actor.mark, _body(panel, handle.figure, x, y)
        keys = "Arrow keys move it, with Shift they stretch where it may be, Escape puts it back."
        return _grip(mark, handle.grip, shape, f"{_told(handle)}. {keys}", x, y, chosen=mark == self.chosen)

    def _dial(self, panel: Panel, handle: Handle, x: float, y: float) -> str:
        drawn = handle.figure
        reach = size(panel, drawn)[0] / 2 + _DIAL
        angle = math.radians(drawn.direction or 0.0)
        knob_x, knob_y = x + reach * math.cos(angle), y - reach * math.sin(angle)
        shape = tag("circle", cx=knob_x, cy=knob_y, r=_KNOB, class_="soid-knob")
        keys = "Left and right arrow keys turn it by a degree, with Shift by fifteen, Escape puts it back."
        return _grip(handle.actor.mark, handle.grip, shape, f"{_told(handle)}. {keys}", x, y)


def stage_of_run(picture: Picture) -> tuple[Panel, tuple[float, float]]:
    """The panel of a run's moments, and the size of the drawing that it is in."""
    panel = _panel(picture)
    return panel, (panel.x + panel.width + _MARGIN, panel.y + panel.height + TICKS_BELOW)


def _panel(picture: Picture) -> Panel:
    return Panel(picture.scene, _MARGIN + TICKS_LEFT, _MARGIN, _WIDTH)


def _sheet(panel: Panel, said: str, parts: Iterable[str], figures: Iterable[DrawnActor]) -> str:
    """The drawing with its one panel, and below it what overlaps among the figures that it shows."""
    overlaps = scene_words.overlaps(panel.scene, tuple(figures))
    below = panel.y + panel.height + TICKS_BELOW
    remarks = [label(each, panel.x, below + _LINE * row, "soid-bold") for row, each in enumerate(overlaps, start=1)]
    place = {"data_left": panel.x, "data_top": panel.y, "data_width": panel.width, "data_height": panel.height}
    width, height = panel.x + panel.width + _MARGIN, below + (_LINE * len(remarks) + _MARGIN if remarks else 0)
    drawing = tag("g", *parts, *remarks, data_panel="stage", **place)
    return document(width, height, panel.scene.title, drawing, said=said)


def _body(panel: Panel, drawn: DrawnActor, x: float, y: float) -> str:
    """The area of an actor's handle."""
    length, breadth = (each + 2 * _ROUND for each in size(panel, drawn))
    turned = 0.0 if drawn.direction is None else -drawn.direction
    shape = tag("rect", x=-length / 2, y=-breadth / 2, width=length, height=breadth, rx=6, class_="soid-grip")
    return tag("g", shape, transform=f"translate({number(x)} {number(y)}) rotate({number(turned)})")


def _grip(mark: str, grip: Grip, shape: str, said: str, x: float, y: float, *, chosen: bool = False) -> str:
    return tag(
        "g",
        title(said),
        shape,
        class_=f"soid-handle soid-handle-{grip.value}{' soid-chosen' if chosen else ''}",
        tabindex="0",
        role="button",
        aria_label=said,
        data_handle=mark,
        data_grip=grip.value,
        data_x=f"{x:.4f}",
        data_y=f"{y:.4f}",
    )


def _told(handle: Handle) -> str:
    actor, drawn = handle.actor, handle.figure
    values = ", ".join(f"{short(limit.variable, actor)} {drawn.text(limit.variable)}" for limit in handle.limits)
    turn = "turn " if handle.grip is Grip.HEADING else ""
    return f"{turn}{actor.mark}, {actor.name}: {values}"
