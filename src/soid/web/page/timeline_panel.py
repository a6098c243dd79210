"""The timeline: the slider over the log with its plot, and the controls that lead to another moment."""

from __future__ import annotations

from typing import Final, final

from msgspec.structs import asdict
from nicegui import ui

from soid.case.report.findings import ABOUT
from soid.errors import SoidError
from soid.scenario.typed_step import step_of
from soid.visible_text import visible
from soid.web.page import parts
from soid.web.page.plot_panel import PlotPanel
from soid.web.page.session import About, Session
from soid.web.page.timeline import marks

_PACE: Final = 0.35  # seconds for each step of a played log


@final
class TimelinePanel:
    """The slider, its marks and the controls below it; the plot is a part of its own."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._controls()
        self._problem = parts.Complaint()
        plot = PlotPanel(session, self._problem)
        self._line = plot.line(self._seek)
        with self._line:
            plot.tools()
        self._timer = ui.timer(_PACE, self._on, active=False)
        session.hear(About.MOMENT, do=self._follow)
        session.hear(About.RECORD, About.LOG, do=self._mark)
        self._mark()
        self._follow()

    def _controls(self) -> None:
        session = self._session
        with parts.box("div", "row controls"):
            parts.button("◀ Step", lambda: self._seek(session.index - 1), aria_label="One step back")
            self._play = parts.button("▶ Play", self._toggle, aria_label="Play")
            parts.button("Step ▶", lambda: self._seek(session.index + 1), aria_label="One step on")
            self._where = parts.Field("Go to a step, a time or a named moment", placeholder="go to", on_enter=self._go)
            logs = session.case.logs
            if len(logs) > 1:
                parts.Field(
                    "Log", kind="select", value=session.log, options=[(log, log) for log in logs], on_change=self._log
                )
            if stated := [entry.told(ABOUT) for entry in session.case.attested]:
                parts.text("; ".join(stated), "dim", tag="small")
            self._name = parts.Field("Name of this moment", placeholder="name it", on_enter=self._named)

    # --- the moment

    def _seek(self, index: int) -> None:
        self._pause()
        self._session.seek(int(index))

    def _go(self, text: str) -> None:
        """Go to what was typed."""
        session = self._session
        self._pause()
        names = {name: step for step, name in session.names.items()}
        try:
            step = step_of(text, session.trace, names)
        except SoidError as error:
            self._problem.put(error)
            return
        self._problem.put(None)
        session.seek_step(step)

    def _log(self, log: str) -> None:
        self._pause()
        self._session.open_log(log)

    def _toggle(self) -> None:
        if self._timer.active:
            self._pause()
            return
        if self._session.index == len(self._session.trace) - 1:
            self._session.seek(0)
        self._timer.activate()
        self._offer("❚❚", "Pause")

    def _pause(self) -> None:
        self._timer.deactivate()
        self._offer("▶", "Play")

    def _offer(self, sign: str, word: str) -> None:
        self._play.set_text(f"{sign} {word}")
        parts.attribute(self._play, "aria-label", word)

    def _on(self) -> None:
        if self._session.index == len(self._session.trace) - 1:
            self._pause()
        else:
            self._session.seek(self._session.index + 1)

    def _named(self, name: str) -> None:
        session = self._session
        session.trying(lambda: session.service.keyframe(session.keyframe.step, name, log=session.log))
        self._name.put("")
        session.look()

    # --- the slider

    def _follow(self) -> None:
        """Move the slider to the moment."""
        session, trace = self._session, self._session.trace
        if session.trace is not self._marked:
            self._mark()
        first, last = trace.steps[0].time, trace.steps[-1].time
        moment = session.keyframe
        self._line.props.update(index=session.index, step=moment.step, last=len(trace) - 1, said=moment.called)
        self._line.props.update(first=first, dense=last - first == len(trace) - 1)
        self._problem.put(None)

    def _mark(self) -> None:
        """The marks of the slider; they depend on the log and the record, not on the moment."""
        session = self._session
        self._marked = session.trace
        found = marks(session.trace, session.names, session.read)
        self._line.props.update(marks=[{**asdict(mark), "label": visible(mark.label)} for mark in found])
