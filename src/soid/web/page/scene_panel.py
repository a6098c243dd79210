"""The panel with the scene and the log: actors that can be dragged, the timeline, and the logged values."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, Final

from nicegui import ui
from nicegui.elements.mixins.text_element import TextElement

from soid.program.interface import Interface, Role, Variable
from soid.query.words import called
from soid.query.words.amount_words import shown
from soid.scene.handles import Grip, Handle
from soid.web.page import parts
from soid.web.page.input_picture import InputPicture
from soid.web.page.session import About, Session, ShownSide
from soid.web.page.stage import stage
from soid.web.page.timeline_panel import TimelinePanel

_LOOK: Final = 0.5  # seconds that a moment is looked at before more than the log says is derived for it
_NUDGE: Final = 0.0025  # share of the frame for each key press
_TURN, _FAST_TURN = 1.0, 15.0  # degrees


class ScenePanel:
    """The picture, its timeline, and the logged values beside it."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._stretching = False
        with parts.box("section", "card scene", aria_labelledby="scene-heading"):
            with parts.box("h2", id="scene-heading"):
                parts.text(session.scene.title if session.scene is not None else "The log")
                self._moment = parts.text("", "at")
            if session.scene is not None:
                self._tools()
                self._view = parts.StageView(
                    {
                        "choose": session.choose,
                        "move": self._moved,
                        "stretch": self._stretched,
                        "nudge": self._nudged,
                        "putback": lambda event: session.put_back(event["mark"], Grip(event["grip"])),
                    }
                )
                self._outcome = parts.text("", "outcome", tag="p", aria_live="polite")
            else:
                InputPicture(session)
            TimelinePanel(session)
            with parts.box("details", "values"):
                parts.text("Values at this step", tag="summary")
                self._cells = _table(session.interface)
            ui.timer(_LOOK, session.derive)
        session.hear(About.MOMENT, About.DRAFT, About.ANSWER, About.CHOSEN, About.OUTPUTS, do=self._draw)
        session.hear(About.MOMENT, About.RECORD, About.OUTPUTS, do=self._follow)
        self._draw()
        self._follow()

    # --- around the picture

    def _tools(self) -> None:
        with parts.box("div", "row tools", role="group", aria_label="What dragging means"):
            parts.text("Drag:", "dim")
            self._modes = [
                parts.button("to a place", lambda: self._mode(False), "segment"),
                parts.button("along a stretch", lambda: self._mode(True), "segment"),
            ]
            self._sides = parts.box("div", "row sides", role="group", aria_label="What is drawn")
            with self._sides:
                self._side_buttons = [
                    parts.button("Fact", lambda: self._session.show_side(ShownSide.FACT), "segment"),
                    parts.button("Scenario", lambda: self._session.show_side(ShownSide.SCENARIO), "segment"),
                    parts.button("Play both", self._alternate, ""),
                ]
        self._swing = ui.timer(0.8, self._swung, active=False)
        self._swings = 0

    def _mode(self, stretching: bool) -> None:
        self._stretching = stretching
        self._draw()

    def _follow(self) -> None:
        """Show the values of the moment."""
        session, trace, moment = self._session, self._session.trace, self._session.keyframe
        first, last = trace.steps[0].time, trace.steps[-1].time
        named = f", “{session.names[moment.step]}”" if moment.step in session.names else ""
        self._moment.set_text(f" · {moment.called}{named}, of {first} to {last}")
        for name, (variable, cell) in self._cells.items():
            if name in moment.inputs:
                cell.set_text(session.draft.was(variable))
            else:
                cell.set_text(moment.told_output(name, partial(shown, variable)))

    # --- the picture

    def _draw(self) -> None:
        session = self._session
        drawn = session.picture()
        if drawn is None:
            return
        for button, on in zip(self._modes, (not self._stretching, self._stretching), strict=True):
            parts.attribute(button, "aria-pressed", "true" if on else "false")
        self._sides.set_visibility(session.shows_scenario)
        for button, side in zip(self._side_buttons, ShownSide, strict=False):
            parts.attribute(button, "aria-pressed", "true" if session.side is side else "false")
        svg = stage(drawn, session.draft, chosen=session.chosen)
        self._view.props.update(svg=svg, stretching=self._stretching, chosen=session.chosen)
        here = f"In fact {drawn.outcome}." if drawn.outcome else "What it decided is not logged."
        there = f" In the scenario {drawn.ghost_outcome}." if drawn.ghost_outcome else ""
        self._outcome.set_text(f"{here}{there}")

    def _alternate(self) -> None:
        """Show fact and scenario in turns, so that the difference catches the eye."""
        self._swings = 4
        self._swing.activate()

    def _swung(self) -> None:
        session = self._session
        self._swings -= 1
        if self._swings <= 0 or session.shown is None:
            self._swing.deactivate()
            session.show_side(ShownSide.SCENARIO)
        else:
            session.show_side(ShownSide.FACT if session.side is ShownSide.SCENARIO else ShownSide.SCENARIO)

    # --- dragging

    def _point(self, share: list[float]) -> tuple[float, float]:
        scene = self._session.scene
        assert scene is not None
        return scene.frame.point(float(share[0]), float(share[1]))

    def _moved(self, event: Mapping[str, Any]) -> None:
        across, down = event["along"]
        grip = Grip(event["grip"])
        self._session.move(event["mark"], grip, *self._point(event["to"]), (bool(across), bool(down)))

    def _stretched(self, event: Mapping[str, Any]) -> None:
        across, down = event["along"]
        first = None if event["from"] is None else self._point(event["from"])
        last = self._point(event["to"])
        self._session.stretch(event["mark"], first, last, (bool(across), bool(down)))

    def _nudged(self, event: Mapping[str, Any]) -> None:
        """A key press moves an actor a little, turns it by a degree, or lengthens its stretch."""
        session, (across, down) = self._session, event["by"]
        handle = session.handle(event["mark"], Grip(event["grip"]))
        if handle is None or handle.figure.place is None or session.scene is None:
            return
        if handle.grip is Grip.HEADING:
            self._turned(handle, -float(across) or float(-down), fast=bool(event["shift"]))
            return
        frame, (x, y) = session.scene.frame, handle.figure.place
        to = frame.point(frame.across(x) + across * _NUDGE, frame.down(y) + down * _NUDGE)
        if event["shift"]:
            session.draw_out(handle, bool(down), float(across or down) * _NUDGE * 4)
        else:
            session.move(event["mark"], Grip.POSITION, *to, (bool(across), bool(down)))

    def _turned(self, handle: Handle, way: float, *, fast: bool) -> None:
        scene, drawn = self._session.scene, handle.figure
        assert scene is not None and drawn.place is not None
        turned = (drawn.direction or 0.0) + way * (_FAST_TURN if fast else _TURN)
        x, y = scene.frame.ahead(*drawn.place, turned, max(handle.actor.size))
        self._session.move(handle.actor.mark, Grip.HEADING, x, y)


def _table(interface: Interface) -> dict[str, tuple[Variable, TextElement]]:
    """A row for each logged variable; gives the cells for the values."""
    cells = {}
    with parts.box("table", "values"), parts.box("tbody"):
        for name, variable, what in _columns(interface):
            with parts.box("tr"):
                parts.text(called(variable.path, interface), tag="th", scope="row", title=name)
                cells[name] = (variable, parts.text("", tag="td"))
                parts.text(what, "dim", tag="td")
    return cells


def _columns(interface: Interface) -> list[tuple[str, Variable, str]]:
    """The columns of a log by their names: decisions first, then inputs."""
    outputs = [
        (each.name, each.variable, "decided" if each.name == each.variable.path else "remembered from then on")
        for each in interface.outputs
    ]
    given = {Role.ENVIRONMENT: "perceived", Role.STATE: "remembered"}
    return outputs + [(each.path, each, given[each.role]) for each in interface.inputs]
