"""The page of a simulation: choose and place what a run starts with, run it, and investigate what comes out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final, assert_never, final

from nicegui import ui
from nicegui.elements.mixins.text_element import TextElement

from soid.errors import SoidError
from soid.examples.simulation import ChoiceSetting, NumberSetting, Setting, Simulation, TickSetting
from soid.web.desk_service import DeskService
from soid.web.page import parts
from soid.web.page.run_draft import RunDraft
from soid.web.page.stage import start_stage
from soid.web.page.watched_job import WatchedJob
from soid.web.work.job import Job, JobState, Trouble

_FAST: Final = 10  # small steps for an arrow key with Shift


@final
class SimulationPage:
    """What a run starts with, and the run."""

    def __init__(self, desk: DeskService, draft: RunDraft) -> None:
        self._desk, self._draft = desk, draft
        self._work = WatchedJob(lambda words: self._said.set_text(words), self._ended, begun="running")
        simulation = draft.simulation
        parts.head(run_title(simulation), simulation.summary, parts.TO_CASES)
        with parts.box("div", "main case live"):
            with parts.card(f"Where the {simulation.actor}s start", "start"):
                drag = f"Drag a {simulation.actor} along its way, or move it with the arrow keys."
                parts.text(drag, "dim", tag="p")
                self._view = parts.StageView({"move": self._moved, "nudge": self._nudged})
                self._unseen = parts.text("", "dim", tag="p")
            with parts.card(f"The run and its {simulation.actor}s", "actors"):
                for setting in simulation.settings:
                    value = draft.setup.run[setting.name]
                    self._choice(setting, value, partial(draft.choose, setting.name))
                self._actors = parts.box("div")
                with parts.box("div", "row"):
                    self._more = parts.button(f"Add a {simulation.actor}", partial(self._listed, draft.add))
                    parts.button(f"As it was in the {simulation.incident}", partial(self._listed, draft.reset))
                with parts.box("div", "row going"):
                    self._run = parts.button("Run", self._begin, "go")
                    self._said = parts.text("", "dim", role="status")
                    self._cancel = parts.button("Cancel", self._work.cancel, "small")
        self._list()

    # --- the settings of the actors

    def _listed(self, change: parts.Do) -> None:
        change()
        self._list()

    def _list(self) -> None:
        """The fields of all actors, made anew."""
        self._numbers: dict[tuple[int, str], parts.Field] = {}
        self._actors.clear()
        with self._actors:
            self._problems = [self._actor(number) for number in range(len(self._draft.setup.actors))]
        parts.attribute(self._more, "disabled", None if self._draft.has_room else True)
        self._draw()

    def _actor(self, number: int) -> TextElement:
        """The fields of one actor; gives the line for what is wrong with them."""
        name, settings = self._draft.name(number), self._draft.settings(number)
        with parts.box("fieldset", "variable car"):
            parts.text(name, "name", tag="legend")
            columns = parts.box("div", "lines"), parts.box("div", "lines")  # choices, and what is typed or ticked
            for setting in settings:
                with columns[not isinstance(setting, ChoiceSetting)]:
                    self._setting(number, setting)
            with columns[1]:
                if number:
                    remove = partial(self._listed, partial(self._draft.remove, number))
                    parts.button("Remove", remove, "small", aria_label=f"Remove {name}")
            return parts.text("", "problem", tag="p", role="alert")

    def _setting(self, number: int, setting: Setting) -> None:
        value, label = self._draft.setup.actors[number][setting.name], f"{self._draft.name(number)}: {setting.label}"
        chosen = partial(self._changed, self._draft.say, number, setting.name)
        match setting:
            case ChoiceSetting():
                self._choice(setting, value, chosen, label)
            case NumberSetting():
                with parts.box("label", "tick"):
                    parts.text(setting.label)
                    typed = partial(self._changed, self._draft.type, number, setting)
                    field = parts.Field(label, value=f"{value:g}", on_input=typed).classes("number")
                    parts.text(setting.unit, "dim")
                self._numbers[number, setting.name] = field
            case TickSetting():
                with parts.box("label", "tick"):
                    parts.Field(label, kind="checkbox", checked=value, on_change=chosen)
                    parts.text(setting.label)
            case _:
                assert_never(setting)

    def _choice(self, setting: ChoiceSetting, value: str, choose: parts.DoWith, label: str = "") -> None:
        with parts.box("label", "tick"):
            parts.text(setting.label)
            parts.Field(label, kind="select", value=value, options=setting.options.items(), on_change=choose)

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
        for (actor, name), field in self._numbers.items():
            if actor == number:
                field.put(f"{self._draft.setup.actors[number][name]:g}")
        self._draw()

    def _draw(self) -> None:
        draft, problems = self._draft, self._draft.problems
        for number, line in enumerate(self._problems):
            line.set_text(next((said for (actor, _), said in problems.items() if actor == number), ""))
        for at, field in self._numbers.items():
            field.set("invalid", at in problems)
        parts.attribute(self._run, "disabled", True if problems or self._work.is_busy else None)
        self._cancel.set_visibility(self._work.is_busy)
        self._view.props.update(svg=start_stage(draft.picture), stretching=False, chosen="")
        self._unseen.set_text(f"Not in sight yet: {'; '.join(draft.unseen)}." if draft.unseen else "")

    # --- the run

    async def _begin(self) -> None:
        if not self._work.is_busy:
            simulate = partial(self._desk.simulate, self._draft.simulation, self._draft.setup)
            self._work.begin(await parts.in_thread(simulate, self._refused))
            self._draw()

    def _refused(self, error: SoidError | Trouble) -> None:
        self._said.set_text(f"{error.cause}. {error.remedy}")

    def _ended(self, job: Job) -> None:
        if job.state is JobState.DONE and job.result is not None:
            self._said.set_text("The run is over.")
            ui.navigate.to(f"/case/{job.result['id']}")
        elif job.error is not None:
            self._refused(job.error)
        self._draw()


def run_title(simulation: Simulation) -> str:
    return f"Run the {simulation.incident}"
