"""The panel with the comparisons of a whole log and the program: those that the record has, and a new one."""

from __future__ import annotations

from functools import partial
from typing import Final, final

from soid.case import validity
from soid.case.bundle_origin import author
from soid.case.record.entry import Entry, EntryKind
from soid.case.report import comparison_words as words
from soid.case.report.phrases import moment_in_time
from soid.oracle.whole_log import LogComparison
from soid.web.page import parts
from soid.web.page.session import About, Session
from soid.web.page.watched_job import WatchedJob
from soid.web.work.job import Job, JobState

_SAID: Final = "The program is run over every step of the log, and compared with what is logged."


@final
class ComparisonPanel:
    """The comparisons of the log that is looked at, the newest first; the others can be unfolded."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._work = WatchedJob(lambda words: self._said.set_text(words), self._ended)
        self._drawn: tuple[int, ...] | None = None  # the entries that are shown
        with parts.card("Log and program", "comparison", "comparison"):
            parts.text(_SAID, "dim", tag="p")
            with parts.box("div", "row"):
                self._compare = parts.button("Compare the whole log", self._begin)
                self._cancel = parts.button("Cancel", self._work.cancel, "small", aria_label="Cancel the comparison")
                self._said = parts.text("", "dim", role="status")
            self._list = parts.box("div")
        session.hear(About.RECORD, About.MOMENT, do=self._show)
        self._offer()
        self._show()

    def _offer(self) -> None:
        parts.attribute(self._compare, "disabled", True if self._work.is_busy else None)
        self._cancel.set_visibility(self._work.is_busy)

    async def _begin(self) -> None:
        session = self._session
        if not self._work.is_busy:
            compare = partial(session.service.compare, log=session.log)
            self._work.begin(await parts.in_thread(compare, session.refused))
            self._offer()

    def _ended(self, job: Job) -> None:
        if job.state is JobState.CANCELLED:
            self._said.set_text("Called off: nothing is kept of it.")
        if job.state is JobState.FAILED and job.error is not None:
            self._session.refused(job.error)
        self._session.look()
        self._offer()

    # --- what the record has

    def _show(self) -> None:
        entries = validity.in_force(self._session.case.entries, EntryKind.COMPARED)
        kept = [entry for entry in reversed(entries) if entry.log == self._session.log]
        drawn = tuple(entry.number for entry in kept)
        if drawn == self._drawn:
            return
        self._drawn = drawn
        self._list.clear()
        with self._list:
            if not kept:
                parts.text("It was not compared yet.", "dim", tag="p")
            for entry in kept[:1]:
                _comparison(entry, author(entry, self._session.case.entries))
            if kept[1:]:
                with parts.box("details"):
                    parts.text(f"Earlier ones: {len(kept) - 1}", tag="summary")
                    for entry in kept[1:]:
                        _comparison(entry, author(entry, self._session.case.entries))


def _comparison(entry: Entry, who: str) -> None:
    found = words.comparison_of(entry)
    with parts.box("div", "compared", data_entry=str(entry.number)):
        parts.text(words.outcome(found), "statement", tag="p")
        for line in (*words.amounts(found), *words.partings(found)):
            parts.text(line, tag="p")
        if found.partings:
            _causes(found)
        unlogged = list(words.unlogged(found))
        if unlogged:
            with parts.box("details"):
                parts.text("What was not logged", tag="summary")
                _lines(unlogged)
        if found.warnings:
            with parts.box("details"):
                parts.text(words.STRANGE.removesuffix(":"), tag="summary")
                _lines(list(found.warnings))
        by = f"entry {entry.number} · {who} · {moment_in_time(entry.when)}"
        parts.text(by, "dim", tag="small")


def _causes(found: LogComparison) -> None:
    heading, told = words.causes(found)
    parts.text(heading, tag="p")
    _lines(told)


def _lines(lines: list[str]) -> None:
    with parts.box("ul"):
        for line in lines:
            parts.text(line, tag="li")
