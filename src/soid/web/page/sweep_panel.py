"""The panel that asks the present question at every moment of the log, and leads to each of them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, Final, final

from msgspec import convert

from soid.query.words import counted
from soid.sweep.verdict_timeline import LaneStretch, OutstandingFor, OutstandingMoment
from soid.web.page import parts
from soid.web.page.session import About, Session
from soid.web.page.watched_job import WatchedJob
from soid.web.user import UserRole
from soid.web.work.job import Job, JobState

_LEAD: Final = (
    "The question above is asked at each moment of this log, and nothing is recorded. A click on the strip goes there "
    "with the question; Ask puts it on the record."
)
_TURNS: Final = 12  # moments that are listed


@final
class SweepPanel:
    """The strip of verdicts, and the moments at which they turn."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._work = WatchedJob(lambda words: self._said.set_text(words), self._ended)
        self._about = ""  # the log that is shown
        with parts.box("details", "card compare-moments sweep"):
            parts.text("Ask at every moment", tag="summary")
            parts.text(_LEAD, "dim", tag="p")
            with parts.box("div", "row"):
                self._ask = parts.button("Ask at every moment", self._begin)
                self._cancel = parts.button("Cancel", self._work.cancel, "small", aria_label="Cancel the sweep")
                self._said = parts.text("", "dim", role="status")
            self._shown = parts.box("div")
        session.hear(About.DRAFT, About.MOMENT, do=self._offer)
        self._offer()

    def _offer(self) -> None:
        session = self._session
        can = session.may(UserRole.ASK) and session.draft.read().query is not None and not self._work.is_busy
        parts.attribute(self._ask, "disabled", None if can else True)
        self._cancel.set_visibility(self._work.is_busy)
        if self._about != session.log:  # the strip is of another log
            self._shown.clear()

    async def _begin(self) -> None:
        session, text = self._session, self._session.draft.read().text
        if self._work.is_busy:
            return
        job = await parts.in_thread(partial(session.service.sweep, text, log=session.log), session.refused)
        if job is not None:
            self._about = session.log
            self._work.begin(job)
            self._offer()

    def _ended(self, job: Job) -> None:
        if job.state is JobState.DONE and job.result is not None and self._about == self._session.log:
            self._show(job.result)
        elif job.error is not None:
            self._session.refused(job.error)
        self._offer()

    def _show(self, found: Mapping[str, Any]) -> None:
        """The sentences, the strip, and where verdicts turn."""
        question = found["question"]
        stretches = convert(found["stretches"], list[LaneStretch])
        outstanding = convert(found["outstanding"], list[OutstandingMoment])
        self._shown.clear()
        with self._shown:
            for line in found["told"].splitlines():
                parts.text(line, "statement", tag="p")
            with parts.box("div", "verdict-strip", role="group", aria_label="Verdicts along the log"):
                for each in stretches:
                    self._stretch(each, question)
            turns = [each for each in outstanding if each.why is not OutstandingFor.OPEN]
            with parts.box("ul", "outstanding"):
                for moment in turns[:_TURNS]:
                    with parts.box("li"):
                        parts.button(f"step {moment.step}", partial(self._open, moment.step, question), "small")
                        parts.text(f" {moment.told}")
            if len(turns) > _TURNS:
                parts.text(f"and {counted(len(turns) - _TURNS, 'more moment')}", "dim", tag="p")

    def _stretch(self, each: LaneStretch, question: str) -> None:
        steps = f"step {each.first}" if each.first == each.last else f"steps {each.first} to {each.last}"
        told = ", ".join(f"{count} {verdict}" for verdict, count in each.verdicts.items())
        only = next(iter(each.verdicts)) if len(each.verdicts) == 1 else None
        said = f"{steps}: {only or told}"
        go = partial(self._open, each.first, question)
        button = parts.button("", go, f"stretch {only or 'several'}", title=said, aria_label=said)
        button.style(f"flex-grow: {sum(each.verdicts.values())}")

    def _open(self, step: int, question: str) -> None:
        """Go to the moment, with the question that was asked there."""
        session = self._session
        session.seek_step(step)
        if session.draft.read().text != question:
            session.trying(lambda: session.paste(question))
