"""The head of a case's page: title, program, log, the user's name, and the notices below it."""

from __future__ import annotations

from functools import partial
from typing import Final, final
from urllib.parse import quote

from soid.case import stored_answer, validity
from soid.case.record.entry import Entry, EntryKind
from soid.oracle.reason import ReasonCode
from soid.oracle.whole_log import LogVerdict
from soid.query.words import counted
from soid.web.page import parts
from soid.web.page.session import About, Session

_ARCHIVED: Final = "This case is archived: it can be read, and nothing can be added until it is brought back."
_ABSTRACTION: Final = "What all answers together have shown of the program"

#: what an answer says of log and program; any other says that they agree
_DIFFERS: Final = "✗ differs from the program"
_UNCHECKED: Final = "? could not be checked against the program"
_MATCHES: Final = "✓ matches the program"
_COMPARED: Final = {
    ReasonCode.LOG_MISMATCH: _DIFFERS,
    ReasonCode.LOG_UNCHECKED: _UNCHECKED,
    ReasonCode.FACT_UNEXPLORED: _UNCHECKED,
    ReasonCode.FACT_VALUE_UNKNOWN: _UNCHECKED,
}


#: what a comparison of the whole log says, by its verdict
_WHOLE: Final = {
    LogVerdict.FITS.value: f"{_MATCHES} in every step",
    LogVerdict.DIFFERS.value: f"{_DIFFERS}, first at step {{step}}",
    LogVerdict.OPEN.value: "? compared with the program, and not settled in every step",
}


def _first_parting(compared: Entry) -> int | None:
    return next((each["step"] for each in compared.payload["result"]["partings"]), None)


@final
class CaseHeader:
    """Title, program, log."""

    def __init__(self, session: Session) -> None:
        self._session = session
        opened = session.case.entries[0].payload
        with parts.box("header", "head"):
            parts.link(*parts.TO_CASES, "back")
            with parts.box("div", "titles"):
                parts.text(session.case.title or str(opened["program"]), tag="h1")
                with parts.box("p", "meta"):
                    parts.text("program ")
                    parts.text(str(opened["program"]), tag="b")
                    entry = session.case.first.program.source.entry
                    parts.text(f", {entry}()" if entry else "")
                    compiled = str(opened.get("compiled") or "")
                    if compiled:
                        short = compiled if len(compiled) < 12 else f"{compiled[:4]}…{compiled[-4:]}"
                        parts.text(f" · {short}", title=compiled)
                    parts.text(" | log ")
                    self._log = parts.text("", tag="b")
                    self._matches = parts.text("")
            parts.text("", "spacer")
            parts.link("Abstraction", f"/case/{quote(session.service.id)}/abstraction", "button", title=_ABSTRACTION)
            parts.help_link(session.service.id)
            parts.user_sign(session.service.user)
            parts.ThemeSwitch()
        if session.case.archived is not None:
            parts.text(_ARCHIVED, "warning", tag="p", role="note")
        for warning in session.case.warnings:
            parts.text(warning, "warning", tag="p", role="note")
        session.hear(About.MOMENT, About.RECORD, do=self._refresh)
        self._refresh()

    def _refresh(self) -> None:
        session = self._session
        self._log.set_text(session.case.called(session.log))
        parts.attribute(self._log, "title", session.log)
        self._matches.set_text(f", {counted(len(session.trace), 'step')}, {self._agreement()}")

    def _agreement(self) -> str:
        """As far as the record has it: the last comparison of the whole log, else what each question found first.

        A question first holds the log against the program at its moment.
        """
        compared = validity.in_force(self._session.case.entries, EntryKind.COMPARED)
        if whole := [entry for entry in compared if entry.log == self._session.log]:
            return _WHOLE[whole[-1].payload["verdict"]].format(step=_first_parting(whole[-1]))
        steps: dict[str, set[int]] = {_DIFFERS: set(), _UNCHECKED: set(), _MATCHES: set()}
        for entry in self._session.case.entries:
            # an answer after an acceptance says nothing new of the log
            if entry.log == self._session.log and entry.answer is not None and entry.payload["accepted"] is None:
                agrees = _COMPARED.get(stored_answer.reason_of(entry.answer).code, _MATCHES)
                steps[agrees].add(entry.step or 0)
        if steps[_DIFFERS] or steps[_UNCHECKED]:
            del steps[_MATCHES]
        told = [f"{words} at step {', '.join(map(str, sorted(at)))}" for words, at in steps.items() if at]
        return "; ".join(told) or "not yet compared with the program"


@final
class Notices:
    """What was refused, until the user closes it."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._list = parts.box("div", "notices", role="alert")
        session.hear(About.NOTICES, do=self._show)
        self._show()

    def _show(self) -> None:
        self._list.clear()
        with self._list:
            for notice in self._session.notices:
                with parts.box("div", "notice"):
                    parts.text(notice.cause, tag="b")
                    parts.text(notice.remedy)
                    parts.button("Close", partial(self._session.hush, notice), "small")
        self._list.set_visibility(bool(self._session.notices))
