"""The page of a simulation: a run is placed, played, halted, changed by hand, and asked about at any moment."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final, assert_never, final

from msgspec.structs import replace
from nicegui import ui
from nicegui.elements.mixins.text_element import TextElement

from soid.errors import SoidError
from soid.examples.simulation import ChoiceSetting, NumberSetting, Setting, Simulation, TickSetting
from soid.web.desk_service import DeskService
from soid.web.page import parts
from soid.web.page.run_draft import RunDraft
from soid.web.page.run_film import legend, run_film
from soid.web.page.stage import run_stage, stage_of_run
from soid.web.page.told_error import told_error
from soid.web.page.watched_job import WatchedJob
from soid.web.work.job import Job, JobState, Trouble

_FAST: Final = 10  # small steps for an arrow key with Shift


@final
class SimulationPage:
    """The run, halted where the draft says, and what there is to change."""

    def __init__(self, desk: DeskService, draft: RunDraft) -> None:
        self._desk, self._draft = desk, draft
        self._work = WatchedJob(lambda words: self._said.set_text(words), self._ended, begun="running")
        self._filmed: object = None  # the course whose film the browser has
        simulation = draft.simulation
        parts.head(run_title(simulation), simulation.summary, parts.TO_CASES, user=desk.user)
        with parts.box("div", "main case live"):
            with parts.card("The run", "run"):
                self._how = parts.text("", "dim", tag="p")
                self._run = parts.RunView({"halt": self._halted})
                with self._run:
                    self._view = parts.StageView({"move": self._moved, "nudge": self._nudged})
                self._who = parts.text("", "dim", tag="p")
                self._unseen = parts.text("", "dim", tag="p")
                with parts.box("div", "row going"):
                    self._ask = parts.button("Ask about this moment", self._begin, "go")
                    self._said = parts.text("", "dim", role="status")
                    self._cancel = parts.button("Cancel", self._work.cancel, "small")
            with parts.box("section", "card settings", aria_labelledby="actors-heading"):
                self._heading = parts.text("", tag="h2", id="actors-heading")
                self._of_run = {
                    each.name: self._choice(each, draft.setup.run[each.name], partial(self._chosen, each.name))
                    for each in simulation.settings
                }
                self._actors = parts.box("div")
                with parts.box("div", "row"):
                    self._more = parts.button(f"Add a {simulation.actor}", partial(self._listed, draft.add))
                    self._undo = parts.button("Undo the last change", partial(self._listed, draft.undo))
                    parts.button(f"As it was in the {simulation.incident}", partial(self._listed, draft.reset))
                self._by_hand = parts.box("ul", "by-hand", aria_label="What was changed by hand on the way")
        place = parts.own_place(self._desk.user, f"run-{simulation.example}")
        self._keeper = parts.Keeper({"restore": self._restored}, place=place, state=draft.kept)
        self._list()

    async def _restored(self, text: object) -> None:
        """After a reload; another driver is compiled first."""
        await parts.in_thread(partial(self._draft.restore, text), self._refused)
        for name, field in self._of_run.items():
            field.put(self._draft.setup.run[name])
        self._list()

    # --- where it is halted

    def _halted(self, at: int) -> None:
        self._listed(partial(self._draft.halt, int(at)))

    async def _chosen(self, name: str, value: str) -> None:
        """The first run of a driver compiles it."""
        await parts.in_thread(partial(self._draft.choose, name, value), self._refused)
        self._list()

    # --- the settings of the actors

    def _listed(self, change: parts.Do) -> None:
        change()
        self._list()

    def _list(self) -> None:
        """The fields of all actors, made anew."""
        draft = self._draft
        self._numbers: dict[tuple[int, str], parts.Field] = {}
        self._actors.clear()
        with self._actors:
            self._problems = [self._actor(number) for number in range(len(draft.actors))]
        self._offered = self._offers
        self._draw()

    @property
    def _offers(self) -> list[list[str]]:
        """The names of what can be changed, by actor."""
        return [[each.name for each in self._draft.settings(number)] for number in range(len(self._draft.actors))]

    def _actor(self, number: int) -> TextElement:
        """The fields of one actor; gives the line for what is wrong with them."""
        draft = self._draft
        name, settings = draft.name(number), draft.settings(number)
        with parts.box("fieldset", "variable car") as fields:
            parts.attribute(fields, "disabled", True if draft.is_over else None)
            parts.text(name, "name", tag="legend")
            if not settings:
                parts.text("It is no longer there.", "dim", tag="p")
            columns = parts.box("div", "lines"), parts.box("div", "lines")  # choices, and what is typed or ticked
            for setting in settings:
                with columns[not isinstance(setting, ChoiceSetting)]:
                    self._setting(number, setting)
            with columns[1]:
                if number and settings:
                    remove = partial(self._listed, partial(draft.remove, number))
                    parts.button("Remove", remove, "small", aria_label=f"Remove {name}")
            return parts.text("", "problem", tag="p", role="alert")

    def _setting(self, number: int, setting: Setting) -> None:
        actor, label = self._draft.actors[number], f"{self._draft.name(number)}: {setting.label}"
        assert actor is not None
        value, chosen = actor[setting.name], partial(self._changed, self._draft.say, number, setting.name)
        match setting:
            case ChoiceSetting():
                self._choice(setting, value, chosen, label)
            case NumberSetting():
                with parts.box("label", "tick"):
                    parts.text(setting.label)
                    typed = partial(self._changed, self._draft.type, number, setting)
                    field = parts.Field(label, value=f"{value:.4g}", on_input=typed).classes("number")
                    parts.text(setting.unit, "dim")
                self._numbers[number, setting.name] = field
            case TickSetting():
                with parts.box("label", "tick"):
                    parts.Field(label, kind="checkbox", checked=value, on_change=chosen)
                    parts.text(setting.label)
            case _:
                assert_never(setting)

    def _choice(self, setting: ChoiceSetting, value: str, choose: parts.DoWith, label: str = "") -> parts.Field:
        with parts.box("label", "tick"):
            parts.text(setting.label)
            return parts.Field(label, kind="select", value=value, options=setting.options.items(), on_change=choose)

    def _changed(self, change: Callable[..., None], *given: Any) -> None:
        change(*given)
        self._draw()

    # --- the picture

    def _moved(self, event: Mapping[str, Any]) -> None:
        x, y = self._draft.picture.scene.frame.point(*(float(each) for each in event["to"]))
        self._placed(self._draft.place(event["mark"], x, y))

    def _nudged(self, event: Mapping[str, Any]) -> None:
        across, down = event["by"]
        by = int(across) - int(down)
        self._placed(self._draft.nudge(event["mark"], by * _FAST if event["shift"] else by))

    def _placed(self, number: int) -> None:
        """The fields of an actor show where it was put."""
        if self._offers != self._offered:  # what can be changed hangs on where it is
            self._list()
            return
        placed = self._draft.actors[number]
        for (actor, name), field in self._numbers.items():
            if actor == number and placed is not None:
                field.put(f"{placed[name]:.4g}")
        self._draw()

    def _draw(self) -> None:
        draft, problems = self._draft, self._draft.problems
        for number, line in enumerate(self._problems):
            line.set_text(next((said for (actor, _), said in problems.items() if actor == number), ""))
        for at, field in self._numbers.items():
            field.set("invalid", at in problems)
        parts.attribute(self._ask, "disabled", True if problems or self._work.is_busy else None)
        parts.attribute(self._more, "disabled", None if draft.has_room else True)
        parts.attribute(self._undo, "disabled", None if draft.setup.interventions else True)
        self._cancel.set_visibility(self._work.is_busy)
        parts.attribute(self._keeper, "state", draft.kept)
        self._show(draft)

    def _show(self, draft: RunDraft) -> None:
        picture, actor = draft.picture, draft.simulation.actor
        self._view.props.update(svg=run_stage(picture, fixed=draft.is_over), stretching=False, chosen="")
        if self._filmed is not draft.course:
            self._filmed = draft.course
            self._run.props["film"] = run_film(draft.simulation, draft.course, *stage_of_run(picture))
        self._run.props.update(shown=draft.at, round=self._run.props.get("round", 0) + 1)
        self._heading.set_text(f"The {actor}s before step {draft.at}" if draft.at else f"The {actor}s at the start")
        drag = f"Drag a {actor} along its way, or move it with the arrow keys. The run goes on from what you change."
        self._how.set_text("The run is over. Go back to change something." if draft.is_over else drag)
        self._who.set_text(legend(picture, len(draft.actors)))
        self._unseen.set_text(f"Not in sight yet: {'; '.join(draft.unseen)}." if draft.unseen else "")
        self._by_hand.clear()
        with self._by_hand:
            for said in draft.by_hand:
                parts.text(said, tag="li")

    # --- the case

    async def _begin(self) -> None:
        if not self._work.is_busy:
            draft = self._draft
            asked = replace(draft.setup, moment=min(draft.at, max(len(draft.course.steps) - 2, 0)))
            self._work.begin(
                await parts.in_thread(partial(self._desk.simulate, draft.simulation, asked), self._refused)
            )
            self._draw()

    def _refused(self, error: SoidError | Trouble) -> None:
        self._said.set_text(str(told_error(error)))

    def _ended(self, job: Job) -> None:
        if job.state is JobState.DONE and job.result is not None:
            self._said.set_text("The case is made.")
            ui.navigate.to(f"/case/{job.result['id']}")
        elif job.error is not None:
            self._refused(job.error)
        self._draw()


def run_title(simulation: Simulation) -> str:
    return f"Run the {simulation.incident}"
