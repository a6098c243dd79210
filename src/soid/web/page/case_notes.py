"""The panel with the notes on the case as a whole: those on its first entry."""

from __future__ import annotations

from functools import partial
from typing import final

from soid.case import validity
from soid.case.bundle_origin import of_authors
from soid.web.page import parts
from soid.web.page.note_lines import show_note
from soid.web.page.session import About, Session
from soid.web.user import UserRole


@final
class CaseNotes:
    """The notes, the oldest first, and a field for one more."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._shown: tuple[int, ...] | None = None
        with parts.box("section", "card notes", aria_labelledby="notes-heading"):
            parts.text("Notes on the case", tag="h2", id="notes-heading")
            self._list = parts.box("div", aria_live="polite")
            self._none = parts.text("There are none.", "dim", tag="p")
            if told := of_authors(session.case.entries):  # a case is made of a bundle before there is a page on it
                parts.text(told, "dim", tag="p")
            if session.may(UserRole.COMMENT):
                with parts.box("div", "row writing"):
                    add = parts.Field("Note on the case", placeholder="a note", kept=True, on_enter=lambda _: done())
                    done = partial(self._add, add)
                    parts.button("Add", done, "small", aria_label="Put it on the record")
        session.hear(About.RECORD, do=self._refresh)
        self._refresh()

    def _add(self, field: parts.Field) -> None:
        if self._session.trying(lambda: self._session.service.note(1, field.typed)) is not None:
            field.put("")
            self._session.look()

    def _refresh(self) -> None:
        notes = validity.notes_on(self._session.case.entries, 1)
        numbers = tuple(note.number for note in notes)
        if numbers == self._shown:
            return
        self._shown = numbers
        self._list.clear()
        with self._list:
            for note in notes:
                show_note(self._session, note)
        self._none.set_visibility(not notes)
