"""Live: the crash example run from the page. Choose who drives, place the cars, run it, investigate what comes out."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, Final, final

from nicegui import run, ui
from nicegui.elements.mixins.text_element import TextElement

from soid.errors import SoidError
from soid.examples.crash.program import DRIVERS
from soid.web.crash import CRASH, SIDES, TURNS
from soid.web.desk import Desk
from soid.web.page import parts
from soid.web.page.starting import FAST, NUDGE, NUMBERS, Start
from soid.web.work.job import Job, JobState

_DRIVERS: Final = {
    "standard": "standard: careful",
    "impatient": "impatient: does not heed signals",
    "pathological": "pathological: lies in wait",
}
_GOES: Final = {"STRAIGHT": "straight on", "LEFT": "to the left", "RIGHT": "to the right"}


@final
class Live:
    """What a run starts with, and the run."""

    def __init__(self, desk: Desk, start: Start) -> None:
        self._desk, self._start = desk, start
        self._job: Job | None = None
        self._beginning = False  # it is on its way to the desk: a second click is a slip of the hand
        self._problems: dict[tuple[int, str], str] = {}  # of what was typed, by car and field
        said = "Choose the driver, place the cars, and investigate the log that comes out."
        parts.head("Run the crash", said, parts.TO_CASES)
        with parts.box("div", "main case live"):
            with parts.box("section", "card", aria_labelledby="start-heading"):
                parts.text("Where the cars start", tag="h2", id="start-heading")
                parts.text("Drag a car along its way, or move it with the arrow keys.", "dim", tag="p")
                self._view = parts.StageView(move=self._moved, nudge=self._nudged)
                self._unseen = parts.text("", "dim", tag="p")
            with parts.box("section", "card", aria_labelledby="cars-heading"):
                parts.text("The driver and the cars", tag="h2", id="cars-heading")
                with parts.box("label", "tick"):
                    parts.text("Who drives A, the investigated car:")
                    drivers = [(name, _DRIVERS.get(name, name)) for name in DRIVERS]
                    parts.Field(kind="select", value=start.driver, options=drivers, on_change=self._driver)
                self._cars = parts.box("div")
                with parts.box("div", "row"):
                    self._more = parts.button("Add a car", self._added)
                    parts.button("As it was in the crash", self._reset)
                with parts.box("div", "row going"):
                    self._run = parts.button("Run", self._begin, "go")
                    self._said = parts.text("", "dim", role="status")
                    self._cancel = parts.button("Cancel", self._called_off, "small")
        ui.timer(0.3, self._tick)
        self._list()
        self._draw()

    # --- the cars

    def _list(self) -> None:
        """The fields of every car, anew."""
        self._problems = {}
        self._fields: dict[tuple[int, str], parts.Field] = {}
        self._wrong: list[TextElement] = []
        self._cars.clear()
        with self._cars:
            for number in range(len(self._start.cars)):
                self._car(number)
        parts.attribute(self._more, "disabled", None if len(self._start.cars) < self._start.most else True)

    def _car(self, number: int) -> None:
        start, car = self._start, self._start.cars[number]
        with parts.box("fieldset", "variable car"):
            parts.text(start.name(number), "name", tag="legend")
            with parts.box("div", "lines"):
                self._choice(number, "comes_from", "comes from the", {side: side for side in SIDES})
                self._choice(number, "turn", "goes", _GOES)
                self._choice(number, "signal", "signals", {turn: turn for turn in TURNS})
            with parts.box("div", "lines"):
                for name, said, unit in NUMBERS:
                    if name == "patience" and not number:
                        continue  # the program of the investigated car decides
                    with parts.box("label", "tick"):
                        parts.text(said)
                        field = parts.Field(
                            f"{start.name(number)}: {said}",
                            value=f"{getattr(car, name):g}",
                            on_input=partial(self._typed, number, name),
                        ).classes("number")
                        parts.text(unit, "dim")
                    self._fields[number, name] = field
                if number:
                    with parts.box("label", "tick"):
                        parts.Field(
                            f"{start.name(number)}: looks before it enters",
                            kind="checkbox",
                            checked=car.careful,
                            on_change=partial(self._chosen, number, "careful"),
                        )
                        parts.text("looks whether somebody is in its way, though it came first")
                    parts.button(
                        "Remove", partial(self._removed, number), "small", aria_label=f"Remove {start.name(number)}"
                    )
            self._wrong.append(parts.text("", "problem", tag="p", role="alert"))

    def _choice(self, number: int, name: str, said: str, options: Mapping[str, str]) -> None:
        with parts.box("label", "tick"):
            parts.text(said)
            parts.Field(
                f"{self._start.name(number)}: {said}",
                kind="select",
                value=getattr(self._start.cars[number], name),
                options=options.items(),
                on_change=partial(self._chosen, number, name),
            )

    def _driver(self, driver: str) -> None:
        if driver in DRIVERS:
            self._start.driver = driver

    def _chosen(self, number: int, name: str, value: str | bool) -> None:
        self._start.say(number, **{name: value})
        self._draw()

    def _typed(self, number: int, name: str, text: str) -> None:
        self._problems[number, name] = self._start.type(number, name, text)
        self._draw()

    def _added(self) -> None:
        self._start.add()
        self._list()
        self._draw()

    def _removed(self, number: int) -> None:
        self._start.remove(number)
        self._list()
        self._draw()

    def _reset(self) -> None:
        self._start.cars = list(CRASH)
        self._list()
        self._draw()

    # --- the picture

    def _moved(self, event: Mapping[str, Any]) -> None:
        x, y = self._start.scene.frame.point(*(float(each) for each in event["to"]))
        self._start.put(event["mark"], x, y)
        self._placed()

    def _nudged(self, event: Mapping[str, Any]) -> None:
        across, down = event["by"]
        self._start.nudge(event["mark"], (float(across) - float(down)) * (FAST if event["shift"] else NUDGE))
        self._placed()

    def _placed(self) -> None:
        """What was put by hand is what is typed now."""
        for number, car in enumerate(self._start.cars):
            self._problems.pop((number, "travelled"), None)
            self._fields[number, "travelled"].set("value", f"{car.travelled:g}")
        self._draw()

    def _draw(self) -> None:
        start = self._start
        said = [self._problem(number) for number in range(len(start.cars))]
        for line, problem in zip(self._wrong, said, strict=True):
            line.set_text(problem)
        for (number, name), field in self._fields.items():
            field.set("invalid", bool(self._problems.get((number, name))) or said[number].lower().startswith(name))
        parts.attribute(self._run, "disabled", True if any(said) or self._job is not None else None)
        self._cancel.set_visibility(self._job is not None)
        if not any(said):
            self._view.put(start.drawing(), stretching=False, chosen="")
        unseen = start.unseen()
        self._unseen.set_text(f"Not in sight yet: {'; '.join(unseen)}." if unseen else "")

    def _problem(self, number: int) -> str:
        typed = [text for (car, _), text in self._problems.items() if car == number and text]
        return typed[0] if typed else self._start.problem(number)

    # --- the run

    async def _begin(self) -> None:
        start = self._start
        if self._beginning or self._job is not None:
            return
        self._beginning = True
        try:
            self._job = await run.io_bound(partial(self._desk.run_crash, start.driver, tuple(start.cars)))
        except SoidError as error:
            self._said.set_text(f"{error.cause}. {error.remedy}")
        finally:
            self._beginning = False
        self._draw()

    def _called_off(self) -> None:
        if self._job is not None:
            self._job.cancel()

    def _tick(self) -> None:
        job = self._job
        if job is None:
            return
        if not job.state.is_final:
            self._said.set_text(f"driving, {int(job.seconds)} s")
            return
        self._job = None
        if job.state is JobState.DONE and job.result is not None:
            self._said.set_text("The run is over.")
            ui.navigate.to(f"/case/{job.result['id']}")
        else:
            self._said.set_text(f"{job.error.cause}. {job.error.remedy}" if job.error is not None else "Called off.")
        self._draw()
