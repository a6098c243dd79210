"""A note, below the entry that it is about: by whom, when, and what it says. Its author may take it back."""

from __future__ import annotations

from functools import partial
from typing import Final

from soid.case.bundle_origin import author
from soid.case.record.entry import Entry
from soid.case.report.phrases import moment_in_time
from soid.web.page import parts
from soid.web.page.session import Session
from soid.web.user import UserRole

_WHY: Final = "its author takes it back"


def show_note(session: Session, note: Entry) -> None:
    with parts.box("div", "note"):
        by = author(note, session.case.entries)
        parts.text(f"{by}, {moment_in_time(note.when)}:", "dim", tag="small")
        parts.text(str(note.payload["text"]), tag="p")
        if note.who == session.service.user.author and session.may(UserRole.COMMENT):
            back = partial(_take_back, session, note)
            parts.button("Take back", back, "small", aria_label=f"Take back the note of entry {note.number}")


def _take_back(session: Session, note: Entry) -> None:
    if session.trying(lambda: session.service.withdraw_note(note.number, _WHY)) is not None:
        session.look()
