"""The page with a case's abstraction: what all its answers together show of the program, in words, drawn, as tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, final
from urllib.parse import quote

from nicegui import ui

from soid.errors import SoidError
from soid.web.case_service import CaseService
from soid.web.page import parts
from soid.web.page.job_news import on_news
from soid.web.page.told_error import told_error
from soid.web.page.watched_job import CLOCK
from soid.web.work.job import JobState


@final
class AbstractionPage:
    """The abstraction of one case."""

    def __init__(self, service: CaseService) -> None:
        back = ("◂ The case", f"/case/{quote(service.id)}")
        called = service.case.title or service.case.first.program.name
        parts.head("What the questions have shown", called, back, user=service.user)
        with parts.box("div", "main sheet"), parts.card("The abstraction", "abstraction"):
            try:
                self._job = service.abstraction()
            except SoidError as error:  # there is no answer yet
                parts.text(str(told_error(error)), tag="p")
                return
            with parts.box("div", "row") as self._under_way:
                self._said = parts.text("", "dim", role="status")
                parts.button("Cancel", self._job.cancel, "small")
            self._shown = parts.box("div")
        ui.context.client.on_delete(self._job.cancel)  # a closed page needs no picture
        self._clock = ui.timer(CLOCK, self._show)
        on_news(self._job, self._show)

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
                _told(job.result["words"], job.result["svg"])
            elif job.error is not None:
                parts.text(str(told_error(job.error)), "problem", tag="p", role="alert")


def _told(words: Mapping[str, Any], svg: str) -> None:
    """The words, the picture, and the same as tables."""
    for paragraph in words["summary"]:
        parts.text(paragraph, tag="p")
    with parts.box("ul", "questions-asked"):
        for each in words["questions"]:
            answered = f"{each['verdict'].capitalize()}; {each['visited']}."
            parts.text(f"{each['called']}: {each['question']} {answered}", tag="li")
    parts.ZoomedDrawing(svg, "The picture of the abstraction")
    _table("The states as a table", words["heads"], words["states"])
    for each in words["inside"]:
        if each["open"]:
            parts.text(f"{each['called']}, inside the program: {each['open']}.", "dim", tag="p")
        if each["rows"]:
            _table(f"Inside the program for {each['called']}: {len(each['rows'])} places", each["heads"], each["rows"])


def _table(called: str, heads: list[str], rows: list[list[str]]) -> None:
    """A table that opens, and scrolls by itself, by the keyboard too."""
    with parts.box("details"):
        parts.text(called, tag="summary")
        with parts.box("div", "scrolled", tabindex="0", role="region", aria_label=called):
            parts.table(called, heads, rows, "changed")
