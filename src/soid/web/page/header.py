"""The head of a case's page: what it is about, whether log and program agree, and who is sitting here."""

from __future__ import annotations

from typing import Final, final
from urllib.parse import quote

from soid.case.record.entry import EntryKind
from soid.case.report.phrases import counted
from soid.oracle.fact import LOG_MISMATCH, LOG_UNCHECKED
from soid.program.program import CSource
from soid.web.page import parts
from soid.web.page.session import About, Session

_ABSTRACTION: Final = "What all answers together have shown of the program"


@final
class Header:
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
                    parts.text(_entry(session))
                    compiled = str(opened.get("compiled") or "")
                    if compiled:
                        parts.text(f" · {_short(compiled)}", title=compiled)
                    parts.text(" | log ")
                    self._log = parts.text("", tag="b")
                    self._matches = parts.text("")
            parts.text("", "spacer")
            parts.link("Abstraction", f"/case/{quote(session.case.id)}/abstraction", "button", title=_ABSTRACTION)
            parts.help_link()
            parts.Who(session.case.who, on_name=self._named)
            parts.Theme()
        for warning in session.case.warnings:
            parts.text(warning, "warning", tag="p", role="note")
        session.hear(About.MOMENT, About.RECORD, do=self._refresh)
        self._refresh()

    def _named(self, name: str) -> None:
        if name.strip():
            self._session.case.who = name.strip()

    def _refresh(self) -> None:
        session = self._session
        self._log.set_text(session.log)
        self._matches.set_text(f", {counted(len(session.trace), 'step')}, {self._agreement()}")

    def _agreement(self) -> str:
        """As far as the record has it: each question first holds the log against the program at its moment."""
        answered = [
            each
            for each in self._session.case.entries
            if each.kind is EntryKind.ANSWERED and each.log == self._session.log
        ]
        differs: set[int] = set()
        agrees: set[int] = set()
        for entry in answered:
            reason = str((entry.answer or {}).get("reason", ""))
            (differs if reason.startswith((LOG_MISMATCH, LOG_UNCHECKED)) else agrees).add(entry.step or 0)
        if differs:
            return f"✗ differs from the program at step {', '.join(map(str, sorted(differs)))}"
        if agrees:
            return f"✓ matches the program at step {', '.join(map(str, sorted(agrees)))}"
        return "not yet compared with the program"


def _entry(session: Session) -> str:
    source = session.case.program.source
    return f", {source.entry}()" if isinstance(source, CSource) else ""


def _short(digest: str) -> str:
    return digest if len(digest) < 20 else f"{digest[:14]}…{digest[-4:]}"
