"""Decision maps of programs or moments side by side: the place that is pointed at in one is marked in all."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final, final

from msgspec import Struct
from nicegui.elements.mixins.text_element import TextElement

from soid.mapping import map_words
from soid.mapping.decision_map import read_map
from soid.mapping.map_svg import panel
from soid.visible_text import visible
from soid.web.page import map_plan, map_set, parts
from soid.web.page.compared_side import ComparedSide
from soid.web.page.job_news import on_news
from soid.web.page.map_set import MapSet
from soid.web.page.session import About, Session
from soid.web.work.job import Job, JobState

_WIDE: Final = 400.0  # px of each map
_HELP: Final = (
    "Point at one map to read off all of them: the same place is marked in each. A click makes that scenario the next "
    "question, dragging out a part zooms into it in all. Arrow keys move the point, with Shift faster; Enter picks it."
)


@final
class _Wanted(Struct, frozen=True):
    """Maps that are being made."""

    jobs: Mapping[ComparedSide, Job]
    wider: Sequence[MapSet]  # those that they are a part of

    @property
    def ended(self) -> int:
        return sum(job.state.is_final for job in self.jobs.values())


@final
class LinkedMaps:
    """The maps, and the buttons that draw them."""

    def __init__(
        self, session: Session, chosen: Callable[[], Sequence[ComparedSide]], questions: Sequence[str], *, group: str
    ) -> None:
        self._session = session
        self._chosen = chosen
        self._group = group  # of the maps that show one place: pages may have several such groups
        self._behavior = self._by = ""  # what will tell regions apart, and what does in the maps that are shown
        self._wanted: _Wanted | None = None
        self._sets: list[MapSet] = []  # the last is shown; each is a part of the one before
        self._sides: Mapping[str, ComparedSide] = {}  # whose they are, by name
        self._told: dict[str, TextElement] = {}
        parts.text("Their decision maps", tag="h3")
        self._plan = parts.text("", "dim", tag="p")
        with parts.box("div", "row"):
            options = map_set.choices(questions, chosen()[0].program, session.interface)
            parts.Field("Regions of each map", kind="select", options=options, on_change=self._choose)
            self._draw = parts.button("Draw the maps", self._drawn)
            self._cancel = parts.button("Cancel", self._call_off, "small", aria_label="Cancel the maps")
            self._said = parts.text("", "dim", role="status")
        self._shown = parts.box("div")
        session.hear(About.DRAFT, do=self.offer)
        session.hear(About.MOMENT, do=self.moved)
        self.offer()
        self._show()

    # --- the choice

    def offer(self) -> None:
        """Say what would be drawn."""
        found = map_plan.plan(self._session.draft)
        self._plan.set_text(found.words)
        enough = map_set.FEWEST <= len(self._chosen()) <= map_set.MOST
        ready = bool(found.over) and enough and self._wanted is None
        parts.attribute(self._draw, "disabled", None if ready else True)
        self._cancel.set_visibility(self._wanted is not None)

    def _choose(self, behavior: str) -> None:
        self._behavior = behavior

    def moved(self) -> None:
        """Another moment has other maps, unless they are of moments that were chosen."""
        if not {side.moment for side in self._sides.values()} <= {side.moment for side in self._chosen()}:
            self._sets, self._sides = [], {}
            self._show()
        self.offer()

    # --- drawing

    async def _drawn(self) -> None:
        if self._wanted is None:
            self._by = self._behavior
            await self._begin(map_plan.plan(self._session.draft).over, self._chosen(), [])

    async def _part(self, over: str) -> None:
        """Draw a part of the maps that are shown."""
        await self._begin(over, list(self._sides.values()), self._sets)

    async def _begin(self, over: str, sides: Sequence[ComparedSide], wider: Sequence[MapSet]) -> None:
        if not over or self._wanted is not None:
            return
        jobs = await parts.in_thread(partial(self._ask, over, sides), self._session.refused)
        if jobs is not None:
            self._wanted = _Wanted(jobs, wider)
            for job in jobs.values():
                on_news(job, self._follow)
            self.offer()

    def _ask(self, over: str, sides: Sequence[ComparedSide]) -> dict[ComparedSide, Job]:
        by = {side: side.by(self._by, self._session.interface) for side in sides}
        ask = self._session.service.map
        return {side: ask(over, by=by[side], step=side.step, log=side.log, own=bool(side.program)) for side in sides}

    def _call_off(self) -> None:
        for job in self._wanted.jobs.values() if self._wanted is not None else ():
            job.cancel()

    def _follow(self) -> None:
        wanted = self._wanted
        if wanted is None:
            return
        if wanted.ended < len(wanted.jobs):
            self._said.set_text(f"{wanted.ended} of {len(wanted.jobs)} are drawn")
            return
        self._wanted = None
        self._said.set_text("")
        self._ended(wanted)
        self.offer()

    def _ended(self, wanted: _Wanted) -> None:
        results = {side: job.result for side, job in wanted.jobs.items() if job.state is JobState.DONE}
        read = {side: read_map(made, self._session.interface) for side, made in results.items() if made}
        still = {side.moment for side in wanted.jobs} <= {side.moment for side in self._chosen()}  # the slider may move
        if len(read) == len(wanted.jobs) and still:
            self._sides = {side.name: side for side in read}
            self._sets = [*wanted.wider, MapSet({side.name: made for side, made in read.items()})]
        self._show()
        for error in dict.fromkeys(job.error for job in wanted.jobs.values() if job.error is not None):
            self._session.refused(error)

    def _show(self) -> None:
        self._shown.clear()
        self._told = {}
        if not self._sets:
            return
        made = self._sets[-1]
        with self._shown:
            parts.text(map_plan.heading(made.first, self._session.interface), "dim", tag="p")
            with parts.box("div", "beside"):
                for name in made.maps:
                    with parts.box("section", "one", aria_label=f"The map {self._sides[name].whose}"):
                        self._map(made, name)
            self._pointed = parts.text("", "spoken", tag="p", aria_live="polite")
            with parts.box("div", "row"):
                if len(self._sets) > 1:
                    parts.button("Zoom out", self._out, aria_label="Zoom out in all maps")
                one_moment = len({side.moment for side in self._sides.values()}) == 1
                if (
                    one_moment
                    and made.first.fact.is_drawn
                    and map_plan.around_fact(made.first, self._session.interface)
                ):
                    parts.button("Zoom in on the fact", self._in, aria_label="Zoom in on the fact in all maps")
            parts.text(_HELP, "dim", tag="p")

    @property
    def _have_one_fact(self) -> bool:
        """Whether the fact is drawn, at the same place in all of them."""
        return self._sets[-1].first.fact.is_drawn and len({side.moment for side in self._sides.values()}) == 1

    def _map(self, made: MapSet, whose: str) -> None:
        one = made.maps[whose]
        parts.text(whose, tag="h4")
        self._told[whose] = parts.text("", "pointed", tag="p")  # above, so that it is in one line with the others
        if one.is_empty:
            parts.text(map_words.settled_text(one), tag="p")
        name, known = f"{self._group}-{list(made.maps).index(whose)}", made.labels(whose, self._sets[0])
        parts.MapView(
            {"look": self._look, "pick": self._pick, "zoom": self._zoom},
            svg=panel(one, wide=_WIDE, name=name, known=known),
            said=visible(f"{whose}. {map_words.heading(one)}. {_HELP}"),
            steps=map_plan.keys(one),
            group=self._group,
        )

    # --- the pointer

    def _look(self, at: Sequence[float]) -> map_set.PointedSet | None:
        if not self._sets:
            return None  # the maps were removed while the pointer was on one
        found = self._sets[-1].pointed(map_plan.point(at), self._session.interface)
        for whose, said in self._told.items():
            said.set_text(f"{found.where}: {found.told[whose]}")
            said.classes(add="apart" if not found.alike else "", remove="apart" if found.alike else "")
        self._pointed.set_text(found.words)
        return found

    def _pick(self, at: Sequence[float]) -> None:
        found = self._look(at)
        if found is not None:
            map_plan.suppose(self._session.draft, self._sets[-1].first, found.places)
            self._session.drafted()

    async def _zoom(self, drawn: Mapping[str, Any]) -> None:
        if self._sets:
            made = self._sets[-1]
            ends = (map_plan.point(drawn[end]) for end in ("from", "to"))
            await self._part(map_plan.part(made.first, self._session.interface, *ends))

    async def _in(self) -> None:
        """Zoom to half of each axis, around the fact."""
        await self._part(map_plan.around_fact(self._sets[-1].first, self._session.interface))

    def _out(self) -> None:
        self._sets.pop()
        self._show()
