"""The panel with the decision map: the user reads it, picks a state from it and zooms into it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final, final

from soid.case.record.study_request import MapRequest
from soid.mapping import map_words
from soid.mapping.decision_map import DecisionMap, read_map
from soid.mapping.map_svg import panel
from soid.mapping.partition import Fineness
from soid.visible_text import visible
from soid.web.page import map_plan, parts
from soid.web.page.session import About, Session
from soid.web.page.watched_job import WatchedJob
from soid.web.work.job import Job, JobState

_WIDE: Final = 400.0  # px of the map in the narrowest column
_HELP: Final = (
    "Point at the map to read it off. A click makes that scenario the next question, dragging out a part zooms into "
    "it. Arrow keys move the point, with Shift faster; Enter picks it."
)


@final
class MapPanel:
    """The map, and the buttons that draw it."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._work = WatchedJob(lambda words: self._said.set_text(words), self._ended)
        self._by = ""
        self._maps: list[DecisionMap] = []  # the last is shown; each is a part of the one before
        self._about: tuple[int, str] | None = None  # their moment
        with parts.card("Decision map", "map", "decision-map"):
            self._plan = parts.text("", "dim", tag="p")
            with parts.box("div", "row"):
                self._choice = parts.Field("Regions", kind="select", on_change=self._chosen)
                self._draw = parts.button("Draw the map", self._drawn)
                self._cancel = parts.button("Cancel", self._work.cancel, "small", aria_label="Cancel the map")
                self._said = parts.text("", "dim", role="status")
            self._shown = parts.box("div")
        session.hear(About.DRAFT, do=self._offer)
        session.hear(About.MOMENT, do=self._moved)
        self._offer()
        self._show()

    # --- the choice of a map

    def _offer(self) -> None:
        draft = self._session.draft
        found = map_plan.plan(draft)
        self._plan.set_text(found.words)
        choices = map_plan.choices(self._session.interface, draft.behavior)
        if self._by not in [choice for choice, _ in choices]:
            self._by = ""
        self._choice.set("options", choices)
        self._choice.set("value", self._by)
        parts.attribute(self._draw, "disabled", None if found.over and not self._work.is_busy else True)
        self._cancel.set_visibility(self._work.is_busy)

    def _chosen(self, by: str) -> None:
        self._by = by

    def _moved(self) -> None:
        """Another moment has another map."""
        if self._about is not None and self._about != (self._session.keyframe.step, self._session.log):
            self._maps, self._about = [], None
            self._show()
        self._offer()

    # --- drawing

    async def _drawn(self) -> None:
        self._maps = []
        await self._begin(map_plan.plan(self._session.draft).over)

    async def _begin(self, over: str) -> None:
        session = self._session
        if not over or self._work.is_busy:
            return
        step, log = session.keyframe.step, session.log  # the slider may move before the desk has the job
        wanted = partial(session.service.map, over, by=self._by or None, step=step, log=log)
        job = await parts.in_thread(wanted, session.refused)
        if job is not None:
            self._work.begin(job)
            self._about = step, log
            self._offer()

    def _ended(self, job: Job) -> None:
        about = self._session.keyframe.step, self._session.log
        if job.state is JobState.DONE and job.result is not None and self._about == about:
            self._maps.append(read_map(job.result, self._session.interface))
            self._show()
        elif job.error is not None:
            self._session.refused(job.error)
        self._offer()

    def _show(self) -> None:
        self._shown.clear()
        self._shown.set_visibility(bool(self._maps))
        if not self._maps:
            return
        made = self._maps[-1]
        with self._shown:
            parts.text(map_plan.heading(made, self._session.interface), tag="h3")
            if made.is_empty:
                parts.text(map_words.settled_text(made), tag="p")
            parts.MapView(
                {"look": self._look, "pick": self._pick, "zoom": self._zoom},
                svg=panel(made, wide=_WIDE, known=[each.label for each in self._maps[0].regions]),
                said=visible(f"{map_words.heading(made)}. {_HELP}"),
                steps=map_plan.keys(made),
            )
            self._pointed = parts.text("", "pointed", tag="p", aria_live="polite")
            with parts.box("div", "row"):
                if len(self._maps) > 1:
                    parts.button("Zoom out", self._out)
                if made.fact.is_drawn and map_plan.around_fact(made, self._session.interface):
                    parts.button("Zoom in on the fact", self._in)
                parts.button("Put on the record", self._record)
            parts.text(_HELP, "dim", tag="p")

    # --- the pointer

    def _look(self, at: Sequence[float]) -> None:
        if not self._maps:
            return  # the map was removed while the pointer was on it
        self._pointed.set_text(map_plan.pointed(self._maps[-1], map_plan.point(at), self._session.interface).words)

    def _pick(self, at: Sequence[float]) -> None:
        if not self._maps:
            return
        made = self._maps[-1]
        found = map_plan.pointed(made, map_plan.point(at), self._session.interface)
        self._pointed.set_text(found.words)
        map_plan.suppose(self._session.draft, made, found.places)
        self._session.drafted()

    async def _zoom(self, drawn: Mapping[str, Any]) -> None:
        if not self._maps:
            return
        made = self._maps[-1]
        await self._begin(
            map_plan.part(made, self._session.interface, map_plan.point(drawn["from"]), map_plan.point(drawn["to"]))
        )

    async def _in(self) -> None:
        """Zoom to half of each axis, around the fact."""
        await self._begin(map_plan.around_fact(self._maps[-1], self._session.interface))

    async def _record(self) -> None:
        """Put the map that is shown on the record."""
        if not self._maps or self._about is None:
            return
        session, (step, log) = self._session, self._about
        wanted = MapRequest(self._maps[-1].over, self._by or None, Fineness().resolution)
        job = await parts.in_thread(partial(session.service.study, wanted, step=step, log=log), session.refused)
        if job is not None:
            session.work(job)

    def _out(self) -> None:
        self._maps.pop()
        self._show()
