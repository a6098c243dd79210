"""The panel that finds out where two programs part: in fact, and over what is composed."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, final

from soid.case.report.phrases import badge
from soid.errors import SoidError
from soid.oracle.answer import Verdict
from soid.query.language.query_printer import suppositions_text
from soid.web.page import parts
from soid.web.page.session import Session
from soid.web.page.watched_job import WatchedJob
from soid.web.user import UserRole
from soid.web.work.job import Job, JobState


@final
class DifferencePanel:
    """Two programs to choose, and what was found."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._work = WatchedJob(lambda words: self._said.set_text(words), self._ended)
        programs = session.interface.programs
        self._one, self._other = programs[0], programs[1]
        options = [(each, each) for each in programs]
        with parts.card("Where two programs part", "difference", "difference"):
            parts.text("In fact, and in every scenario that “What if” leaves open.", "dim", tag="p")
            with parts.box("div", "row"):
                parts.Field("One program", kind="select", value=self._one, options=options, on_change=self._first)
                parts.text("and")
                parts.Field("The other one", kind="select", value=self._other, options=options, on_change=self._second)
                self._ask = parts.button("Do they decide alike?", self._begin)
                self._cancel = parts.button("Cancel", self._work.cancel, "small", aria_label="Cancel the comparison")
                self._said = parts.text("", "dim", role="status")
            self._wrong = parts.Complaint()
            self._found = parts.box("div", aria_live="polite")
        self._offer()

    def _first(self, program: str) -> None:
        self._one = program

    def _second(self, program: str) -> None:
        self._other = program

    def _offer(self) -> None:
        may = self._session.may(UserRole.ASK) and not self._work.is_busy
        parts.attribute(self._ask, "disabled", None if may else True)
        self._cancel.set_visibility(self._work.is_busy)

    async def _begin(self) -> None:
        session = self._session
        if self._work.is_busy:
            return
        self._wrong.put(None)
        self._found.clear()
        try:
            over = suppositions_text(session.draft.family.suppositions)
        except SoidError as error:
            self._wrong.put(error)
            return
        step, log = session.keyframe.step, session.log
        find = partial(session.service.differ, self._one, self._other, over, step=step, log=log)
        self._work.begin(await parts.in_thread(find, self._wrong.put))
        self._offer()

    def _ended(self, job: Job) -> None:
        self._session.look()
        if job.state is JobState.DONE and job.result is not None:
            with self._found:
                self._tell(job.result)
            self._session.trying(partial(self._session.show, int(job.result["entries"][-1])))
        elif job.state is JobState.FAILED and job.error is not None:
            self._session.refused(job.error)
        else:
            self._said.set_text("Called off: what was answered is on the record.")
        self._offer()

    def _tell(self, result: Mapping[str, Any]) -> None:
        session = self._session
        parts.text(result["asked"], "asked", tag="p")
        if result["headline"]:
            parts.text(result["headline"], "statement", tag="p")
        answers = zip(("in_fact", "elsewhere"), result["sentences"], result["entries"], strict=True)
        for name, told, entry in answers:
            verdict = Verdict(result[name]["verdict"])
            with parts.box("div", f"verdict-box {verdict.value}"):
                parts.Markup(badge(verdict), tag="span")
                with parts.box("div"):
                    parts.text(told, "reason", tag="p")
                    show = partial(session.trying, partial(session.open_entry, entry))
                    parts.button(f"Show entry {entry}", show, "small", title=result[name]["question"])
        if result["svg"] is not None:
            parts.Markup(result["svg"], classes="drawing")
