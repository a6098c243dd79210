"""The film of an answer: what happened step by step, and what would have, side by side; it is played on the page."""

from __future__ import annotations

from functools import partial
from typing import Any, final

from nicegui.element import Element

from soid.case.case import RecordedAnswer
from soid.case.filmed import has_film
from soid.visible_text import visible
from soid.web.page import parts
from soid.web.page.job_news import on_news
from soid.web.page.session import Session
from soid.web.work.job import Job, JobState


@final
class AnswerFilm:
    """The film of the answer that is shown, if it has one. A worker makes it, once for each entry."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._made: dict[int, dict[str, Any]] = {}  # by entry
        self._job: Job | None = None
        self._number = 0  # the entry that is shown
        self._box: Element | None = None

    def place(self, current: RecordedAnswer) -> None:
        """Make room for the film of an answer, and have it made."""
        self._number, self._box = current.entry.number, None
        if self._session.scene is None or not has_film(current.answer):
            return
        self._box = parts.box("div", role="status")
        if self._number in self._made:
            self._show()
            return
        if self._job is not None:
            self._job.cancel()  # the film of an answer that is no longer shown
        self._say("The film is being made …")
        self._job = self._session.trying(lambda: self._session.service.film(self._number))
        if self._job is None:
            self._say("")
        else:
            on_news(self._job, partial(self._made_of, self._job))

    def _made_of(self, job: Job) -> None:
        """Show the film once it is made; that of an answer that is no longer shown was called off."""
        if job is not self._job or not job.state.is_final:
            return
        self._job = None
        if job.state is JobState.DONE and job.result is not None:
            self._made[int(job.result["entry"])] = dict(job.result)
            self._show()
        else:
            self._say(f"It cannot be shown moving: {job.error.cause}." if job.error is not None else "")

    def _say(self, words: str) -> None:
        if self._box is not None:
            self._box.clear()
            with self._box:
                parts.text(words, "dim", tag="p")

    def _show(self) -> None:
        made = self._made.get(self._number)
        if self._box is None or made is None:
            return
        self._box.clear()
        parts.attribute(self._box, "role", None)
        if made["stages"]:
            with self._box:
                parts.text("Step by step", tag="h3")
                parts.FilmView(stages=made["stages"], about=visible(made["about"]))
