"""The panel with the scripts of the project: they are read, run and watched line by line."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, Final, final

from soid.case import validity
from soid.case.bundle_origin import author
from soid.case.case_script import HeldScript
from soid.case.report.phrases import badge, sentence_of
from soid.case.script_runner import Ending
from soid.oracle.answer import Verdict
from soid.web.page import parts
from soid.web.page.job_news import on_news
from soid.web.page.session import About, Session
from soid.web.page.watched_job import WatchedJob
from soid.web.user import UserRole
from soid.web.work.job import Job, JobState

_MAY_NOT: Final = "Your token lets you read scripts, not run them."
_OFF: Final = "Called off. What was answered is on the record; a new run goes on from there."


@final
class ScriptsPanel:
    """One script at a time: its text with a verdict on each line, and what it concludes."""

    def __init__(self, session: Session, scripts: tuple[HeldScript, ...]) -> None:
        self._session = session
        self._scripts = {each.name: each for each in scripts}
        self._chosen = scripts[0]
        self._lines: list[_ScriptLine] = []
        self._job: Job | None = None
        self._told = 0  # events of the job
        self._work = WatchedJob(lambda words: self._said.set_text(words), self._ended)
        with parts.box("section", "card scripts", id="scripts", tabindex="-1", aria_labelledby="scripts-heading"):
            parts.text("Scripts", tag="h2", id="scripts-heading")
            parts.text(
                "A script asks one question after the other, and what it asks next hangs on the answers.", tag="p"
            )
            with parts.box("div", "row"):
                self._choice = parts.Field(
                    "Which script",
                    kind="select",
                    value=self._chosen.name,
                    options=[(each.name, each.title) for each in scripts],
                    on_change=self._choose,
                )
                self._run = parts.button("Run this script", self._begin, "go")
                self._cancel = parts.button("Cancel", self._work.cancel, "small", aria_label="Cancel the script")
                self._said = parts.text("", "dim", role="status")
            self._end = parts.box("div", "script-end", aria_live="polite")
            with parts.box("div", "script", role="region", tabindex="0", aria_label="The script, line by line"):
                self._text = parts.box("ol")
        session.hear(About.RECORD, do=self._conclusion)
        self._draw()
        under_way = next((job for job in session.jobs if job.kind == "script" and not job.state.is_final), None)
        if under_way is not None:
            self._watch(under_way)
        self._offer()

    # --- the text

    def _choose(self, name: str) -> None:
        self._chosen = self._scripts[name]
        self._draw()
        if self._job is not None:
            self._told = 0
            self._follow()

    def _draw(self) -> None:
        self._text.clear()
        with self._text:
            lines = self._chosen.text.splitlines()
            self._lines = [_ScriptLine(self._session, number, line) for number, line in enumerate(lines, start=1)]
        self._conclusion()

    def _conclusion(self) -> None:
        """What the script has concluded, as the record has it."""
        known = [each for each in validity.conclusions(self._session.case.entries) if each.script == self._chosen.file]
        self._end.clear()
        with self._end:
            for each in known:
                with parts.box("div", "verdict-box"):
                    parts.text("Conclusion", "verdict")
                    with parts.box("div"):
                        parts.text(sentence_of(each.text), "reason", tag="p")
                        who = author(each.note, self._session.case.entries)
                        by = f"In the words of the script, as run by {who}; entry {each.note.number}."
                        parts.text(f"{by}{f' In doubt: {each.doubt}.' if each.doubt else ''}", "dim", tag="p")

    # --- running

    def _offer(self) -> None:
        may = self._session.may(UserRole.ASK)
        parts.attribute(self._run, "disabled", True if self._work.is_busy or not may else None)
        self._cancel.set_visibility(self._work.is_busy)
        if not may:
            self._said.set_text(_MAY_NOT)

    async def _begin(self) -> None:
        session = self._session
        if self._work.is_busy:
            return
        for line in self._lines:
            line.forget()
        run = partial(session.service.run_script, self._chosen.name)
        job = await parts.in_thread(run, session.refused)
        if job is not None:
            self._watch(job)
        self._offer()

    def _watch(self, job: Job) -> None:
        self._job, self._told = job, 0
        self._work.begin(job)
        on_news(job, self._follow)

    def _follow(self) -> None:
        """Tell what has happened since; a job of another script marks no lines of this one."""
        job = self._job
        if job is None or self._text.is_deleted or job.question != self._chosen.file:
            return
        new, self._told = job.events[self._told :], len(job.events)
        for event in new:
            line = event.get("line")
            if line is not None and line <= len(self._lines):
                self._lines[line - 1].tell(event)
        if job.state.is_final:  # its last line may have begun since one last looked, and did not end
            for each in self._lines:
                each.rest()
        if new:
            self._session.look()

    def _ended(self, job: Job) -> None:
        if job.state is JobState.FAILED and job.error is not None:
            self._session.refused(job.error)
        elif job.state is JobState.CANCELLED:
            self._said.set_text(_OFF)
        elif job.result is not None and job.result["event"] != Ending.CONCLUDED.value:
            self._said.set_text(f"No conclusion: {job.result['reason']}.")
        else:
            self._said.set_text(f"Done in {job.seconds:.1f} s.")
        self._session.look()
        self._conclusion()
        self._offer()


@final
class _ScriptLine:
    """A line of the script, with the verdict that it came to."""

    def __init__(self, session: Session, number: int, text: str) -> None:
        self._session = session
        self._entry: int | None = None
        with parts.box("li", "line") as self._item:
            parts.text(str(number), "line-number", aria_hidden="true")
            parts.text(text or " ", "query", tag="code")
            self._verdict = parts.box("span", "found")

    def forget(self) -> None:
        self._verdict.clear()
        self.rest()

    def rest(self) -> None:
        """It is not being run."""
        self._item.classes(remove="running")
        parts.attribute(self._item, "aria-current", None)

    def tell(self, event: Mapping[str, Any]) -> None:
        """Something has happened to it: it began, it was answered, or the script ended here."""
        if event["event"] == "asking":
            self._item.classes(add="running")
            parts.attribute(self._item, "aria-current", "step")
            return
        self.rest()
        self._verdict.clear()
        with self._verdict:
            if event.get("verdict") is not None:
                parts.Markup(badge(Verdict(event["verdict"])), tag="span")
            elif event["event"] == Ending.CONCLUDED.value:
                parts.text("concluded", "dim")
            elif event["event"] == "studied":
                parts.text("found", "dim", title=str(event["statement"]))
            if event.get("entry") is not None and event["event"] != "studied":
                show = partial(self._show, int(event["entry"]))
                parts.button("Show", show, "small", aria_label=f"Show the answer of entry {event['entry']}")

    def _show(self, number: int) -> None:
        self._session.trying(lambda: self._session.open_entry(number))
