"""The row that says over how many steps a question is asked, and in which world."""

from __future__ import annotations

from functools import partial
from typing import Final, final

from soid.query.query import QueryKind
from soid.query.steps import Over
from soid.scenario.future import Future
from soid.web.page import parts
from soid.web.page.draft_steps import OVERS, WORLDS, unlogged
from soid.web.page.session import Session

_ONE: Final = ""  # this choice asks about one step
_FIRST: Final = "10"  # steps, until the user types a number


@final
class StepsRow:
    """Steps and world; the world is asked for only where it matters."""

    def __init__(self, session: Session) -> None:
        self._session = session
        with parts.box("div", "row steps") as self._steps:
            options = [(_ONE, "at this step"), *((over.value, words) for over, words in OVERS.items())]
            self._over = parts.Field("In which steps", kind="select", options=options, on_change=self._chosen)
            self._count = parts.Field("How many steps", placeholder="steps", on_input=self._typed).classes("number")
        with parts.box("div", "world") as self._world:
            with parts.box("div", "row"):
                parts.text("The world:", "dim")
                with parts.box("div", "row segments", role="group", aria_label="The world after the first step"):
                    self._futures = {
                        future: parts.button(future.value, partial(self._go, future), "segment", title=meaning)
                        for future, meaning in WORLDS.items()
                        if future is not Future.CLOSED_LOOP or session.interface.produced
                    }
            self._meaning = parts.text("", "dim", tag="p", aria_live="polite")
            self._why_not = parts.text("", "caution", tag="p", id="world-why-not")

    def _chosen(self, over: str) -> None:
        draft = self._session.draft
        draft.over = Over(over) if over != _ONE else None
        draft.count = draft.count or _FIRST
        self._session.drafted()

    def _typed(self, text: str) -> None:
        self._session.draft.count = text
        self._session.drafted()

    def _go(self, future: Future) -> None:
        self._session.draft.future = future
        self._session.drafted()

    def show(self) -> None:
        draft = self._session.draft
        self._steps.set_visibility(not draft.has_typed_steps)
        self._over.set("value", draft.over.value if draft.over is not None else _ONE)
        self._count.set("value", draft.count)
        self._count.set_visibility(draft.over is not None)
        steps = draft.steps
        self._world.set_visibility(steps.count > 1 and draft.kind is not QueryKind.DID)
        if steps.count == 1:
            return
        chosen = steps.future or draft.future  # a typed one counts
        why = unlogged(draft.keyframe, steps.count)
        for future, button in self._futures.items():
            parts.attribute(button, "aria-pressed", "true" if future is chosen else "false")
            impossible = steps.future is not None or (future is Future.AS_LOGGED and bool(why))
            parts.attribute(button, "disabled", True if impossible else None)
        parts.attribute(self._futures[Future.AS_LOGGED], "aria-describedby", "world-why-not" if why else None)
        self._meaning.set_text(WORLDS[chosen])
        self._why_not.set_text(f"“As logged” is not possible: {why}." if why else "")
        self._why_not.set_visibility(bool(why))
