"""The panel with the FACTS: the record with a filter, notes and retractions; the report and the evidence as files."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final, final

from nicegui import ui
from nicegui.element import Element

from soid.case import stored_answer, validity
from soid.case.bundle_origin import author
from soid.case.numbered_facts import NumberedFact
from soid.case.record.entry import Entry, EntryKind
from soid.case.report.fact_words import doubts, follows, repetitions
from soid.case.report.phrases import all_digits, badge
from soid.oracle.answer import Verdict
from soid.query.words import counted
from soid.web.page import parts
from soid.web.page.job_news import on_news
from soid.web.page.note_lines import show_note
from soid.web.page.session import About, Session
from soid.web.page.told_error import in_sentences
from soid.web.user import UserRole
from soid.web.work.job import Job, JobState

_FACTS, _HERE, _ALL = "facts", "here", "all"
_FILTERS: Final = ((_FACTS, "FACTS"), (_HERE, "FACTS at this moment"), (_ALL, "every answer"))
_AT_ONCE: Final = 15  # entries that are listed at first
_POLL: Final = 1.0  # seconds between two looks for entries of other users

#: whether an entry is shown, whether it is retracted, its notes, what the user writes about it, and its fact
_Look = tuple[bool, bool, tuple[Entry, ...], tuple[int, bool] | None, NumberedFact | None]

#: entries that say what came of a question, or of a study
_GIVEN: Final = (EntryKind.ANSWERED, EntryKind.FAILED, EntryKind.STUDIED)


@final
class FactsPanel:
    """The entries, the newest first."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._filter, self._search = _FACTS, ""
        self._most = _AT_ONCE
        self._writing: tuple[int, bool] | None = None  # the entry that the user writes about; True: to retract it
        self._views: dict[int, tuple[_Look, Element]] = {}  # by entry: its look, and its element
        with parts.box("aside", "card facts", aria_labelledby="facts-heading"):
            self._heading = parts.text("FACTS", tag="h2", id="facts-heading")
            with parts.box("div", "row"):
                parts.Field("What is listed", kind="select", value=_FACTS, options=_FILTERS, on_change=self._filtered)
                parts.Field("Search the record", kind="search", placeholder="search", on_input=self._searched)
            self._list = parts.box("ol", "facts", aria_live="polite", aria_relevant="additions")
            self._earlier = parts.button("Show earlier entries", self._more, "small")
            self._none = parts.text("", "dim", tag="p")
            self._seal = parts.text("", "dim seal", tag="p")
            with parts.box("div", "row"):
                parts.button("Download the report", partial(self._fetch, session.service.report))
                as_pdf = partial(session.service.report, pdf=True)
                parts.button("Report as PDF", partial(self._fetch, as_pdf))
                parts.button("Download the evidence", partial(self._fetch, session.service.bundle))
        session.hear(About.RECORD, About.ANSWER, do=self.refresh)
        session.hear(About.MOMENT, do=self._moved)
        ui.timer(_POLL, self._look)
        self.refresh()

    async def _look(self) -> None:
        """Look for entries of other users; another thread reads the file."""
        session = self._session
        version = await parts.in_thread(lambda: len(session.case.entries), session.refused)
        if version is None:
            return
        session.look(version)

    # --- the list

    def _moved(self) -> None:
        if self._filter == _HERE:
            self.refresh()

    def _filtered(self, which: str) -> None:
        self._filter = which
        self.refresh()

    def _searched(self, text: str) -> None:
        self._search = text
        self.refresh()

    def _more(self) -> None:
        self._most += _AT_ONCE
        self.refresh()

    def refresh(self) -> None:
        entries = self._session.case.entries
        facts = {fact.answer: fact for fact in self._session.case.numbered_facts}
        struck, notes = validity.struck(entries), validity.in_force(entries, EntryKind.NOTE)
        self._heading.set_text(f"FACTS · {len(facts)}")
        established = (*(fact.entry for fact in facts.values()), *validity.studies(entries))
        found = tuple(sorted(established, key=lambda each: each.number))
        fitting = list(reversed(self._wanted(found, entries)))
        wanted = fitting[: self._most]
        self._earlier.set_visibility(len(fitting) > len(wanted))
        looks = {entry.number: self._look_of(entry.number, struck, notes, facts.get(entry.number)) for entry in wanted}
        for gone in [number for number, (look, _) in self._views.items() if looks.get(number) != look]:
            self._views.pop(gone)[1].delete()
        for place, entry in enumerate(wanted):
            if entry.number not in self._views:
                with self._list:
                    view = self._entry(entry, looks[entry.number])
                view.move(self._list, target_index=place)
                self._views[entry.number] = (looks[entry.number], view)
        self._none.set_text("Nothing is established yet." if not facts else "Nothing fits the filter.")
        self._none.set_visibility(not wanted)
        last = entries[-1]
        self._seal.set_text(
            f"{counted(last.number, 'entry', 'entries')} in the record, sealed {last.hash[:4]}…{last.hash[-4:]}"
        )
        parts.attribute(self._seal, "title", last.hash)

    def _wanted(self, facts: tuple[Entry, ...], entries: tuple[Entry, ...]) -> list[Entry]:
        session = self._session
        here = [each for each in facts if (each.step, each.log) == (session.keyframe.step, session.log)]
        answered = [each for each in entries if each.kind in _GIVEN]
        unanswered = validity.unanswered(entries)
        listed = {_FACTS: list(facts), _HERE: here, _ALL: sorted([*answered, *unanswered], key=lambda e: e.number)}
        words = self._search.lower().split()
        return [each for each in listed[self._filter] if all(word in _searchable(each) for word in words)]

    def _look_of(
        self, number: int, struck: frozenset[int], notes: tuple[Entry, ...], fact: NumberedFact | None
    ) -> _Look:
        """Everything that an entry's element shows: the element is rebuilt only when this changes."""
        stated = {number} if fact is None else {each.number for each in fact.entries}
        shown = self._session.shown is not None and self._session.shown.entry.number in stated
        writing = self._writing if self._writing is not None and self._writing[0] == number else None
        return shown, number in struck, tuple(note for note in notes if note.payload["on"] in stated), writing, fact

    def _entry(self, entry: Entry, look: _Look) -> Element:
        session, (shown, struck, notes, writing, fact) = self._session, look
        state = f"{' shown' if shown else ''}{' struck' if struck else ''}"
        with parts.box("li", f"fact{state}", data_entry=str(entry.number)) as item:
            if entry.verdict is not None:
                parts.Markup(badge(entry.verdict), tag="span")
            exact = None if entry.fact is None else all_digits(entry.fact, session.interface)
            parts.text(_statement(entry), "statement", tag="p", **({"title": exact} if exact else {}))
            self._beside(fact)
            parts.text(entry.question or "", "query", tag="code")
            named = "" if fact is None else f"fact {fact.number} · "
            by = author(entry, session.case.entries)
            parts.text(f"{named}entry {entry.number} · step {entry.step} · {by}", "dim", tag="small")
            for note in notes:
                show_note(session, note)
            with parts.box("div", "row"):
                about = f"entry {entry.number}"
                if entry.kind is EntryKind.ANSWERED:
                    show = partial(session.trying, partial(session.open_entry, entry.number))
                    parts.button("Show", show, "small", aria_label=f"Show {about}")
                    parts.CopiedLink(to=f"?entry={entry.number}", said="Copy link", label=f"Copy the link to {about}")
                if session.may(UserRole.COMMENT):
                    write = partial(self._write, (entry.number, False))
                    parts.button("Note", write, "small", aria_label=f"Note on {about}")
                if session.may(UserRole.ASK) and not struck and entry.kind in (EntryKind.ANSWERED, EntryKind.STUDIED):
                    write = partial(self._write, (entry.number, True))
                    parts.button("Take back", write, "small", aria_label=f"Take back {about}")
            if writing == (entry.number, False):
                self._field("Your note", "Add the note", partial(session.service.note, entry.number))
            if writing == (entry.number, True):
                self._field("Why it is taken back", "Take it back", partial(self._retract, entry.number, fact))
        return item

    def _beside(self, fact: NumberedFact | None) -> None:
        """What speaks against a fact, what it follows from, and that it was asked for again."""
        if fact is None:
            return
        entries = self._session.case.entries
        for doubt in doubts(fact, entries):
            parts.text(doubt, "warning", tag="p", role="alert")
        for said in (follows(fact), *repetitions(fact, entries)):
            if said:
                parts.text(said, "note", tag="p")

    # --- notes and retractions

    def _retract(self, number: int, fact: NumberedFact | None, why: str) -> Entry:
        """Take back an entry; of a fact every answer that states it."""
        for again in () if fact is None else fact.again:
            self._session.service.retract(again.number, why)
        return self._session.service.retract(number, why)

    def _write(self, about: tuple[int, bool] | None) -> None:
        self._writing = about
        self.refresh()

    def _field(self, label: str, do: str, add: Callable[[str], Entry]) -> None:
        def done() -> None:
            if self._session.trying(lambda: add(field.typed)) is not None:
                self._session.look()
                self._write(None)

        with parts.box("div", "row writing"):
            field = parts.Field(label, placeholder=label.lower(), focused=True, kept=True, on_enter=lambda _: done())
            parts.button(do, done, "small")
            parts.button("Never mind", partial(self._write, None), "small")

    # --- files

    def _fetch(self, make: Callable[[], Job]) -> None:
        job = self._session.trying(make)
        if job is not None:
            on_news(self._session.work(job), partial(self._written, job))

    def _written(self, job: Job) -> None:
        if job.state is JobState.DONE and job.file is not None:
            ui.download.file(job.file, job.file.name)
            self._session.dismiss(job)


def _statement(entry: Entry) -> str:
    """The entry in one sentence."""
    if entry.fact is not None:
        return str(entry.fact["statement"])
    if entry.kind is EntryKind.FAILED:
        return in_sentences(str(entry.payload["error"]["cause"]), "").cause
    if entry.kind is EntryKind.STUDIED:
        return str(entry.payload["statement"])
    if entry.answer is not None:
        why = stored_answer.reason_of(entry.answer)  # how far an unknown is settled stands in the answer itself
        if entry.verdict is not Verdict.UNKNOWN:
            return str(why)
        return f"Open. {why.obstacle}" if why.obstacle else f"Open: {why}."
    return "Asked, and never answered: ask it again to go on."


def _searchable(entry: Entry) -> str:
    verdict = entry.verdict.value if entry.verdict is not None else ""
    return f"{_statement(entry)} {entry.question} {entry.who} {verdict} step {entry.step}".lower()
