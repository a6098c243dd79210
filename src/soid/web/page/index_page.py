"""The first page: the list of cases, and the ways to a new one."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import partial
from typing import Final, final

from nicegui import ui
from nicegui.element import Element

from soid.case.deletion import DeletedCase
from soid.errors import SoidError
from soid.examples import TITLES, folder, simulations
from soid.query.words import counted
from soid.web.desk import CaseCard
from soid.web.desk_service import DeskService
from soid.web.page import parts
from soid.web.page.case_menu import CaseMenu
from soid.web.page.simulation_page import run_title
from soid.web.page.told_error import told_error
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
    "overdraft": "A raise that lowered the limit of an account, and a bank that says it ignores the sex.",
    "lending": "A learned model refused a loan: what would have sufficed, and what the postcode stands for.",
    "triage": "A learned model, and a laboratory value that was missing.",
    "advisory": "A neural network advised an aircraft to descend towards another one.",
}


@final
class IndexPage:
    """The list of cases."""

    def __init__(self, desk: DeskService) -> None:
        self._desk = desk
        self._making: Job | None = None
        self._shown: tuple[tuple[CaseCard, ...], tuple[DeletedCase, ...]] | None = None
        parts.head("Cases", "Decision programs on the stand", user=desk.user)
        self._said = parts.text("", "notice", tag="p", role="status")
        with parts.box("div", "main index"):
            with parts.card("Open a case", "cases"):
                self._list = parts.box("ul", "cases")
                self._archived = _Folded("Archived")
                self._deleted = _Folded("Deleted")
            self._menu = CaseMenu(desk, self._refresh) if desk.user.may(UserRole.ASK) else None
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
        with parts.box("div", "column"):
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
            self._say(str(told_error(error)))

    def _say(self, text: str) -> None:
        self._said.set_text(text)
        self._said.set_visibility(bool(text))

    def _refresh(self) -> None:
        self._follow()
        cards, deleted = self._desk.cases(), self._gone()
        if (cards, deleted) == self._shown:
            return
        self._shown = cards, deleted
        shown = [card for card in cards if not card.archived]
        self._list.clear()
        with self._list:
            for card in shown:
                self._card(card)
            if not cards:
                parts.text("There is none yet: begin with an example.", "dim", tag="li")
            elif not shown:
                parts.text("All are archived.", "dim", tag="li")
        with self._archived.of(len(cards) - len(shown)):
            for card in cards:
                if card.archived:
                    self._card(card)
        with self._deleted.of(len(deleted)):
            for gone in deleted:
                _trace(gone)

    def _gone(self) -> tuple[DeletedCase, ...]:
        try:
            return self._desk.deleted()
        except SoidError as error:
            self._say(str(told_error(error)))
            return ()

    def _card(self, card: CaseCard) -> None:
        with parts.box("li"):
            if card.problem:
                parts.text(card.title, tag="b")
                parts.text(f"It cannot be opened: {card.problem}.", "problem", tag="p")
            else:
                parts.link(card.title, f"/case/{card.id}", "case-link")
            if self._menu is not None:
                keep = partial(self._menu.show, card)
                parts.button("Manage", keep, "small manage", aria_label=f"Manage {card.title}")
            if not card.problem:
                changed = datetime.fromtimestamp(card.changed, UTC)
                held = f"{counted(card.facts, 'fact')}, {counted(card.entries, 'entry', 'entries')}"
                program = f"{card.program} · " if card.program != card.title else ""
                parts.text(f"{program}{held} · {changed:%Y-%m-%d %H:%M} UTC", "dim", tag="p")

    def _follow(self) -> None:
        job = self._making
        if job is None:
            self._say("")
        elif job.state is JobState.DONE and job.result is not None:
            self._making = None
            ui.navigate.to(f"/case/{job.result['id']}")
        elif job.error is not None:
            self._making = None
            self._say(str(told_error(job.error)))
        else:
            self._say("Reading the program …")


def _way(title: str, about: str, to: str) -> None:
    """A link to a page that makes a case."""
    with parts.box("li"):
        parts.link(title, to, "case-link")
        parts.text(about, "dim", tag="p")


def _trace(gone: DeletedCase) -> None:
    with parts.box("li"):
        parts.text(gone.title, tag="b")
        held = counted(gone.entries, "entry", "entries")
        parts.text(f"deleted by {gone.who}, {gone.when.replace('T', ' ').rstrip('Z')} UTC · {held}", "dim", tag="p")
        head = f"last hash {gone.head}" if gone.head else f"SHA-256 of the file {gone.sha256}"
        parts.text(head, "dim seal", tag="p")


@final
class _Folded:
    """A list that is folded under its heading, and not there while it is empty."""

    def __init__(self, heading: str) -> None:
        self._heading = heading
        with parts.box("details", "folded") as self._all:
            self._summary = parts.text("", tag="summary")
            self._list = parts.box("ul", "cases")

    def of(self, count: int) -> Element:
        """The list, emptied, to be filled with so many."""
        self._summary.set_text(f"{self._heading} ({count})")
        self._all.set_visibility(count > 0)
        self._list.clear()
        return self._list
