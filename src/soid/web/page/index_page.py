"""The first page: the list of cases, and the ways to a new one."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import partial
from typing import Final, final

from nicegui import ui

from soid.case.report.phrases import counted
from soid.errors import SoidError
from soid.examples import TITLES, folder, simulations
from soid.web.desk import CaseCard
from soid.web.desk_service import DeskService
from soid.web.page import parts
from soid.web.page.simulation_page import run_title
from soid.web.user import UserRole
from soid.web.work.job import Job, JobState

#: the examples, and what each is about
_EXAMPLES: Final = {
    "crash/standard": "A car enters a crossing, and is hit.",
    "crash/impatient": "The same crash, another driver.",
    "crash/pathological": "The same crash, a third driver.",
    "diabetes": "A program that told someone that their risk is low.",
    "microwave": "A small one, to try things out.",
    "proper_response": "A guard between two cars that waited before it braked.",
    "pedestrian": "A truck hides a pedestrian, and the car is warned of a cyclist.",
    "drone": "A drone whose GPS failed, and which landed in a canal.",
}


@final
class IndexPage:
    """The list of cases."""

    def __init__(self, desk: DeskService) -> None:
        self._desk = desk
        self._making: Job | None = None
        self._cards: tuple[CaseCard, ...] | None = None
        parts.head("Cases", "Decision programs on the stand", user=desk.user)
        self._said = parts.text("", "notice", tag="p", role="status")
        with parts.box("div", "main index"):
            with parts.card("Open a case", "cases"):
                self._list = parts.box("ul", "cases")
            if desk.user.may(UserRole.ASK):
                self._beginnings()
        ui.timer(1.0, self._refresh)
        self._refresh()

    def _beginnings(self) -> None:
        """The ways to a new case."""
        with parts.card("Begin with an example", "new"), parts.box("ul", "cases"):
            for place, about in _EXAMPLES.items():
                with parts.box("li"):
                    parts.button(TITLES[place], partial(self._begin, place, TITLES[place]), "link")
                    parts.text(about, "dim", tag="p")
        with parts.card("Begin anew", "own"), parts.box("ul", "cases"):
            _way("New case from files", "Upload sources and log, and say what they mean.", "/new")
            for simulation in simulations():
                _way(run_title(simulation), simulation.summary, f"/{simulation.example}")
        with parts.card("Check evidence", "evidence"), parts.box("ul", "cases"):
            _way("Check a bundle", "Have what somebody claims derived, proved and run anew here.", "/verify")

    def _begin(self, place: str, title: str) -> None:
        if self._making is not None:  # a second click makes no second case
            return
        name, _, part = place.partition("/")
        try:
            self._making = self._desk.create(folder(name) / part, name=place.replace("/", "-"), title=title)
        except SoidError as error:
            self._say(f"{error.cause}. {error.remedy}")

    def _say(self, text: str) -> None:
        self._said.set_text(text)
        self._said.set_visibility(bool(text))

    def _refresh(self) -> None:
        self._follow()
        cards = self._desk.cases()
        if cards == self._cards:
            return
        self._cards = cards
        self._list.clear()
        with self._list:
            for card in cards:
                _card(card)
            if not cards:
                parts.text("There is none yet: begin with an example.", "dim", tag="li")

    def _follow(self) -> None:
        job = self._making
        if job is None:
            self._say("")
        elif job.state is JobState.DONE and job.result is not None:
            self._making = None
            ui.navigate.to(f"/case/{job.result['id']}")
        elif job.error is not None:
            self._making = None
            self._say(f"{job.error.cause}. {job.error.remedy}")
        else:
            self._say("Reading the program …")


def _way(title: str, about: str, to: str) -> None:
    """A link to a page that makes a case."""
    with parts.box("li"):
        parts.link(title, to, "case-link")
        parts.text(about, "dim", tag="p")


def _card(card: CaseCard) -> None:
    with parts.box("li"):
        if card.problem:
            parts.text(card.title, tag="b")
            parts.text(f"cannot be opened: {card.problem}", "problem", tag="p")
            return
        parts.link(card.title, f"/case/{card.id}", "case-link")
        changed = datetime.fromtimestamp(card.changed, UTC)
        held = f"{counted(card.facts, 'fact')}, {counted(card.entries, 'entry', 'entries')}"
        parts.text(f"{card.program} · {held} · {changed:%Y-%m-%d %H:%M} UTC", "dim", tag="p")
