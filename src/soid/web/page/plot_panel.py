"""The plot of the log under its slider: curves, bands and moments, and what zooms, jumps and chooses.

The log is read in another thread, once for all pages. The browser gets a drawing of as many cells as it has room for;
it moves the cursor itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, Final, final

from nicegui import background_tasks, ui

from soid.errors import SoidError
from soid.query.words import called, percent, readable
from soid.scenario.log_series import LogSeries
from soid.scenario.trace import Trace
from soid.scenario.typed_step import end_of
from soid.web.log_shelf import LogReading
from soid.web.page import parts
from soid.web.page.condition_search import FoundSteps, found_steps
from soid.web.page.plot_choice import PlotChoice
from soid.web.page.plot_view import PlotView
from soid.web.page.session import About, Session

_NARROWEST, _WIDEST = 240.0, 2400.0  # px
_ANY: Final = ""  # this choice jumps to changes of any decision
_HOLDS: Final = "?"  # and this one to where a condition begins to hold
_CLOSER, _FARTHER = 0.5, 2.0
_KEYS: Final = (
    "Click or drag in the plot to go to a step; drag with Shift to zoom. Keys, if its cursor has the focus: arrows go "
    "one step, with Shift ten; Page Up and Page Down go a tenth of the view, Home and End to its ends; + and - zoom, 0 "
    "shows everything; n and p go to the next and the previous change."
)


@final
class PlotPanel:
    """The plot and its tools; the slider's element draws it."""

    def __init__(self, session: Session, problem: parts.Complaint) -> None:
        self._session, self._problem = session, problem
        self._view: PlotView | None = None
        self._reading: LogReading | None = None
        self._trace: Trace | None = None  # the log that is read or drawn
        self._wanted: tuple[int, int] | None = None  # steps to show when they are read
        self._marked: dict[int, str] = {}  # the moments in the drawing
        self._behind = False  # the moment has left what is being read
        self._room = 0.0  # px across
        self._round = 0  # of drawings
        self._about = _ANY  # whose changes are looked for
        self._condition = ""  # as typed
        self._found: FoundSteps | None = None  # where it holds
        session.hear(About.MOMENT, do=self._follow)
        session.hear(About.RECORD, do=self._name)

    def line(self, seek: parts.DoWith) -> parts.Timeline:
        heard: dict[str, parts.DoWith] = {"zoom": self._zoom, "change": self._jump, "sized": self._sized}
        heard |= {"seek": seek, "step": lambda step: self._session.seek_step(int(step))}
        self._line = parts.Timeline(heard, unfolded=self._session.scene is None)
        return self._line

    def tools(self) -> None:
        """The controls below the plot."""
        with parts.box("div", "row plot-tools", role="group", aria_label="Changes in the log"):
            self._choice = parts.Field("Whose changes", kind="select", on_change=self._chosen)
            parts.button("◀ Change", lambda: self._jump(False), aria_label="Previous change")
            parts.button("Change ▶", lambda: self._jump(True), aria_label="Next change")
            self._sought = parts.Field(
                "Condition to look for",
                placeholder="such as speed > 3 and not brake",
                on_input=self._write,
                on_enter=lambda _: self._jump(True),
            ).classes("sought")
            self._sought.set_visibility(False)
        with parts.box("div", "row plot-tools", role="group", aria_label="Steps in the plot"):
            self._ends = [self._end(place, name) for place, name in enumerate(("from", "to"))]
            self._texts = ["", ""]
            parts.button("-", lambda: self._zoom({"by": _FARTHER}), aria_label="Show more steps")
            parts.button("+", lambda: self._zoom({"by": _CLOSER}), aria_label="Show fewer steps")
            self._all = parts.button("Whole log", lambda: self._zoom({}))
        self._said = parts.text("", "dim", tag="p", role="status")
        with parts.box("details", "plotted"):
            parts.text("Variables in the plot, and keys", tag="summary")
            parts.text(_KEYS, "dim", tag="p", id="plot-keys")
            own = parts.own_place(self._session.service.user, f"plot-{self._session.service.id}")
            self._variables = PlotChoice(own, self._session.interface, self._redraw)
        self._timer = ui.timer(0.3, self._tick, active=False)

    def _end(self, place: int, name: str) -> parts.Field:
        parts.text("Steps" if name == "from" else "to", "dim")
        typing = partial(self._type, place)
        return parts.Field(f"Plot {name} step", on_enter=self._typed, on_input=typing).classes("number")

    # --- reading

    def _sized(self, width: float) -> None:
        """The browser says how much room there is; the first time, the log is read."""
        self._room = min(max(float(width), _NARROWEST), _WIDEST)
        if self._trace is not self._session.trace:
            self._begin(self._session.keyframe.step)
        self._redraw()

    def _begin(self, step: int) -> None:
        """Read the log, or as much of it around a step as is kept."""
        session = self._session
        self._trace, self._view = session.trace, None
        self._reading = session.shelf.around(session.trace, step)
        self._timer.activate()
        background_tasks.create(self._read(self._reading, step), name="read the log")

    async def _read(self, reading: LogReading, step: int) -> None:
        """Read the log and show it; if that takes a while, first the steps around the moment."""
        session = self._session
        stretches = [reading] if reading.is_read else [session.shelf.near(session.trace, step), reading]
        for stretch in stretches:
            read = await parts.in_thread(stretch.series, session.refused)
            if reading is not self._reading:
                return
            if read is None:
                self._timer.deactivate()
                self._say("The log cannot be read to its end.")
                return
            self._shown(read)
        self._timer.deactivate()
        self._wanted = None
        if self._behind:
            self._behind = False
            self._follow()

    async def _read_near(self, step: int) -> None:
        """Show the steps around a moment until more is read."""
        near = self._session.shelf.near(self._session.trace, step)
        read = await parts.in_thread(near.series, self._session.refused)
        if read is not None and self._is_reading and step == self._session.keyframe.step:
            self._shown(read)

    def _shown(self, read: LogSeries) -> None:
        view, self._view = self._view, PlotView(read, self._variables.kept)
        if self._wanted is not None:
            self._view.show(*self._wanted)
        elif view is not None and not view.is_whole:  # the user has chosen steps meanwhile
            self._view.show(view.first, view.last)
        self._session.read = read
        self._session.changed(About.LOG)
        self._offer(self._view)
        self._variables.show(self._view)
        self._redraw()

    @property
    def _is_reading(self) -> bool:
        return self._reading is not None and not self._reading.is_read

    def _tick(self) -> None:
        if self._reading is not None and self._is_reading:
            self._say(f"Reading the log: {percent(self._reading.share)}")

    def _say(self, text: str) -> None:
        self._said.set_text(text)
        self._said.set_visibility(bool(text))

    # --- drawing

    def _redraw(self) -> None:
        """Draw the view as it is now; of several drawings under way, the last one counts."""
        if self._view is not None and self._room:
            self._round += 1
            background_tasks.create(self._draw(self._view, self._round), name="draw the log")

    async def _draw(self, view: PlotView, number: int) -> None:
        session = self._session
        moments = self._marked = self._moments()
        name = partial(called, interface=session.interface)
        drawn = await parts.in_thread(lambda: view.figure(moments, self._room, name), session.refused)
        if drawn is None or number != self._round:
            return
        self._line.props.update(svg=drawn, values=self._values(view))
        for place, (field, text) in enumerate(zip(self._ends, (str(view.first), str(view.last)), strict=True)):
            self._texts[place] = text
            field.put(text)
        parts.attribute(self._all, "disabled", True if view.is_whole else None)
        whole = self._reading is None or self._reading.is_whole
        self._all.set_text("Whole log" if whole else "All that was read")
        if not self._is_reading:
            self._say(self._limits())

    def _name(self) -> None:
        """The record has grown: moments may have names."""
        if self._moments() != self._marked:
            self._redraw()

    def _moments(self) -> dict[int, str]:
        """The moments to mark: the one that the manifest asks about, and those with names."""
        session = self._session
        manifest = session.case.first.manifest
        asked = manifest.keyframe if manifest is not None and session.log == session.case.logs[0] else None
        return ({} if asked is None else {asked: "asked about"}) | session.names

    def _limits(self) -> str:
        reading, trace = self._reading, self._session.trace
        if reading is None or reading.is_whole:
            return ""
        first, last = trace.steps[reading.begin].time, trace.steps[reading.end - 1].time
        return (
            f"The log has {len(trace):,} steps, of which {first} to {last} were read: go on, or type others, for more."
        )

    def _values(self, view: PlotView) -> dict[str, str]:
        """What the chosen variables were at the moment."""
        keyframe, found = self._session.keyframe, {}
        for each in view.log.series:
            name, text = each.name, partial(readable, each.variable)  # all digits are among the values at this step
            if name in view.names and name in keyframe.inputs and name not in keyframe.assumed:
                found[name] = keyframe.told(name, text(keyframe.inputs[name]))
            elif name in view.names and keyframe.output(name) is not None:
                found[name] = keyframe.told_output(name, text)
        return found

    # --- from moment to moment

    def _follow(self) -> None:
        """The moment is another one: what is not in view comes into it, what was not read is read."""
        session, view = self._session, self._view
        if not self._room:
            return
        if session.trace is not self._trace:
            self._begin(session.keyframe.step)
        elif view is not None and not view.has(session.keyframe.step):
            self._leave(view)
        elif view is not None:
            self._line.props.update(values=self._values(view))
            if view.follow(session.keyframe.step):
                self._redraw()

    def _leave(self, view: PlotView) -> None:
        """Go to a moment that was not read: read around it, after what is being read."""
        step = self._session.keyframe.step
        if self._is_reading:
            self._behind = True
            background_tasks.create(self._read_near(step), name="read near the moment")
        else:
            half = (view.last - view.first) // 2
            self._wanted = step - half, step + half
            self._begin(step)

    def _zoom(self, to: Mapping[str, Any]) -> None:
        """Show other steps: from one to another, more or fewer around the moment, or all."""
        view = self._view
        if view is None:
            return
        if "by" in to:
            view.zoom(float(to["by"]), self._session.keyframe.step)
        elif "first" in to:
            view.show(int(to["first"]), int(to["last"]))
        else:
            view.show(view.log.numbers[0], view.log.numbers[-1])
        self._redraw()

    def _type(self, place: int, text: str) -> None:
        self._texts[place] = text

    def _typed(self, _: str) -> None:
        """Show the typed steps, or those of typed times; those that were not read are read."""
        view, trace = self._view, self._session.trace
        try:
            begin, end = (end_of(text, trace, last=place == 1) for place, text in enumerate(self._texts))
        except SoidError as error:
            self._redraw()
            self._problem.put(error)
            return
        self._problem.put(None)
        if view is None:
            return
        first, last = sorted((begin, end))
        if self._reading is None or self._reading.is_whole or (view.has(first) and view.has(last)):
            view.show(first, last)
            self._redraw()
        else:
            self._wanted = first, last
            self._begin((first + last) // 2)

    def _chosen(self, about: str) -> None:
        self._about = about
        self._sought.set_visibility(about == _HOLDS)

    def _write(self, condition: str) -> None:
        self._condition = condition

    async def _jump(self, forward: bool) -> None:
        """Go to the next change of what is chosen, or to the one before; or to where a condition begins to hold."""
        view = self._view
        if view is None:
            return
        if self._about == _HOLDS:
            await self._jump_to_held(view, forward=bool(forward))
            return
        names = [self._about] if self._about else [each.name for each in view.decisions]
        found = view.change(names, self._session.keyframe.step, forward=bool(forward))
        if found is None:
            whose = called(self._about, self._session.interface) if self._about else "a decision"
            self._say(f"There is no {'later' if forward else 'earlier'} change of {whose}. {self._limits()}".strip())
        else:
            self._say(self._limits())
            self._session.seek_step(found)

    async def _jump_to_held(self, view: PlotView, *, forward: bool) -> None:
        session, text, known = self._session, self._condition.strip(), self._found
        if not text:
            self._say("Type the condition to look for.")
            return
        find = partial(found_steps, text, session.interface, view.log, known)
        found = await parts.in_thread(find, self._problem.put)
        if found is None:
            return
        self._found = found
        self._problem.put(None)
        step = view.next_of(found.begins, session.keyframe.step, forward=forward)
        none = "" if step is not None or not found.begins else f"None begins {'later' if forward else 'earlier'}."
        self._say(" ".join(filter(None, (found.told(), none, self._limits()))))
        if step is not None:
            session.seek_step(step)

    def _offer(self, view: PlotView) -> None:
        """What can be jumped to: decisions first."""
        others = [each for each in view.log.series if each not in view.decisions]
        named = [
            (each.name, f"where {called(each.name, self._session.interface)} changed")
            for each in (*view.decisions, *others)
        ]
        first = [(_ANY, "where a decision changed"), (_HOLDS, "where a condition begins to hold …")]
        self._choice.set("options", [*first, *named])
        self._choice.set("value", self._about)
