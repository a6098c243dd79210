"""The address of a page: it holds the moment, and the question that is composed or the entry that is shown.

    /case/crash                                              as the case begins
    /case/crash?step=5&ask=would+move+if+signal+is+anything  a question that is being composed, at a moment
    /case/crash?entry=7                                      an answer of the record

So a link leads to a fact, and the browser's back and forward through what was looked at. What an address says is no
more believed than what is typed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final
from urllib.parse import parse_qsl, quote, urlencode

from soid.case.record.entry import EntryKind
from soid.errors import CaseError, InputError, QueryError
from soid.web.case_service import LONGEST
from soid.web.page import parts
from soid.web.page.session import About, Session

_NUMBER: Final = re.compile(r"[0-9]{1,15}")
_NAMES: Final = frozenset({"entry", "step", "log", "ask"})
_LONGEST_NAME: Final = 500  # characters of a moment or a log
_MOST: Final = 8000  # characters of a question in an address: servers and browsers refuse much longer ones


def address_of(session: Session) -> str:
    """What stands behind the `?` for what the page shows; empty for the page as the case begins."""
    if session.shown is not None:
        return f"entry={session.shown.entry.number}"
    here, begin = (session.log, session.keyframe.step), session.begin
    said: dict[str, str] = {}
    if here != begin:
        said = {"step": str(session.keyframe.step)}
        if here[0] != begin[0]:
            said = {"log": session.log, **said}
    asked = session.draft.read().text if session.draft.state != session.unasked else ""
    if len(quote(asked)) <= _MOST:
        said["ask"] = asked
    return urlencode({name: text for name, text in said.items() if text})


def read_address(address: str) -> dict[str, str]:
    """What an address says, by name; the last one of several counts."""
    try:
        return dict(parse_qsl(address.removeprefix("?"), max_num_fields=20))
    except ValueError:  # more fields than any page writes
        return {}


def open_at(session: Session, said: Mapping[str, str]) -> None:
    """Begin with what an address says."""
    if set(said) & _NAMES:
        follow(session, said)
        session.begin_with(session.draft)
        session.opened = address_of(session)


def follow(session: Session, said: Mapping[str, str]) -> None:
    """Show what an address says. What is wrong with it becomes a notice; the rest of it holds."""
    if "entry" in said:
        session.trying(lambda: session.open_entry(_answered(session, said["entry"])))
        return
    session.hide()
    if "step" in said or "log" in said:
        session.trying(lambda: _go(session, said.get("step"), said.get("log")))
    if "ask" in said:
        session.trying(lambda: _compose(session, said["ask"]))


def _answered(session: Session, text: str) -> int:
    """The number of an entry that is an answer."""
    if not _NUMBER.fullmatch(text):
        raise InputError(f"{_short(text)!r} is no number of an entry", "The list of FACTS has what is on the record.")
    if session.case.entry(int(text)).kind is not EntryKind.ANSWERED:
        raise CaseError(f"entry {text} is no answer", "The list of FACTS has the answers of the record.")
    return int(text)


def _go(session: Session, step: str | None, log: str | None) -> None:
    """Look at a moment: a step's number, a name, or a time by the log's clock."""
    for text in (step or "", log or ""):
        if len(text) > _LONGEST_NAME:
            raise InputError(f"{_short(text)!r} is no moment", "Choose one on the slider.")
    case = session.case
    moment = case.moment(int(step) if step is not None and _NUMBER.fullmatch(step) else step, log)
    session.look_at(case.project_at(moment.step, moment.log).logged.step, moment.log)


def _compose(session: Session, question: str) -> None:
    if len(question) > LONGEST:
        raise QueryError(f"the question has {len(question)} characters", f"Say it in {LONGEST} or fewer.")
    session.paste(question)


def _short(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:57]}..."


def keep_address(session: Session) -> None:
    """Keep the browser's address as the page is, and follow it when the browser goes back or forward."""

    def went(address: object) -> None:
        if isinstance(address, str):
            follow(session, read_address(address))
        shown.put(address_of(session))

    shown = parts.Address({"went": went}, address=address_of(session))
    session.hear(About.DRAFT, About.MOMENT, About.ANSWER, do=lambda: shown.put(address_of(session)))
