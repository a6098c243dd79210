"""The page with a case's abstraction: a drawing of what all its answers together show of the program."""

from __future__ import annotations

from typing import Final, final
from urllib.parse import quote

from nicegui import ui

from soid.web.case_service import CaseService
from soid.web.page import parts
from soid.web.page.job_news import on_news
from soid.web.page.watched_job import CLOCK
from soid.web.work.job import Job, JobState

_MEANING: Final = (
    "Each question has visited states of the program: on the left what it was given, on the right what it made of it. "
    "Where two questions have visited the same, the box has a thick edge and the marks of both. What no question has "
    "visited is not known yet."
)


@final
class AbstractionPage:
    """The picture of one case."""

    def __init__(self, service: CaseService, job: Job) -> None:
        self._job = job
        back = ("◂ The case", f"/case/{quote(service.id)}")
        parts.head("What the questions have shown", service.case.title or service.case.first.program.name, back)
        with parts.box("div", "main sheet"), parts.card("The abstraction", "abstraction"):
            parts.text(_MEANING, "dim", tag="p")
            with parts.box("div", "row") as self._under_way:
                self._said = parts.text("", "dim", role="status")
                parts.button("Cancel", job.cancel, "small")
            self._shown = parts.box("div")
        ui.context.client.on_delete(job.cancel)  # a closed page needs no picture
        self._clock = ui.timer(CLOCK, self._show)
        on_news(job, self._show)

    def _show(self) -> None:
        job = self._job
        if not job.state.is_final:
            doing = job.progress.words if job.progress is not None else "begun"
            self._said.set_text(f"{doing}, {int(job.seconds)} s")
            return
        if not self._clock.active:
            return
        self._clock.deactivate()
        self._under_way.set_visibility(False)
        with self._shown:
            if job.state is JobState.DONE and job.result is not None:
                parts.Markup(job.result["svg"], classes="drawing")
            elif job.error is not None:
                parts.text(f"{job.error.cause}. {job.error.remedy}", "problem", tag="p", role="alert")
