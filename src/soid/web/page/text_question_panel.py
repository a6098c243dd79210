"""The panel for a question as a whole, as text.

What the form beside it has no fields for is asked here: pairs, what several programs decide, whether something was why,
and what the causes were.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from typing import Any, Final, final

from soid.case.asked_line import causes_text, why_text
from soid.case.report.phrases import badge
from soid.errors import SoidError
from soid.oracle.answer import Verdict
from soid.query.query import Query
from soid.web.page import parts
from soid.web.page.amounts import capital
from soid.web.page.session import About, Session
from soid.web.page.watched_job import WatchedJob
from soid.web.work.job import Job, JobState

_EXAMPLE: Final = "any question, as text"


_WHY: Final = "Did both happen, would it whenever this holds, and would it not otherwise?"
_CAUSES: Final = "Which of these facts caused it: the smallest sets without which it does not happen"


@final
class TextQuestionPanel:
    """A field for a question."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._work = WatchedJob(lambda words: self._said.set_text(words), self._ended)
        with parts.card("A question as text", "text-question", "text-question"):
            with parts.box("div", "row"):
                self._field = parts.Field(
                    "The whole question as text",
                    placeholder=_EXAMPLE,
                    kept=True,
                    asks=True,
                    on_enter=self._entered,
                    on_paste=self._pasted,
                ).classes("behavior")
                parts.button("Ask this", self._put)
                self._cancel = parts.button(
                    "Cancel", self._work.cancel, "small", aria_label="Cancel the typed question"
                )
            with parts.box("div", "row"):
                parts.text("Of what is composed above:", "dim")
                parts.button("Was this why?", partial(self._of_draft, why_text), "small", title=_WHY)
                parts.button("What caused it?", partial(self._of_draft, causes_text), "small", title=_CAUSES)
            self._wrong = parts.Complaint()
            self._said = parts.text("", "dim", role="status")
            self._found = parts.box("div", "asked-why", aria_live="polite")
        session.hear(About.TEXT, do=self._take)
        if session.text:  # it came with the address
            self._take()
        self._offer()

    def _take(self) -> None:
        """A question for which there are no fields came from elsewhere on the page."""
        self._field.hand_over(self._session.text)
        self._said.set_text("There are no fields for this question: press Enter, and it is asked as text.")

    def _pasted(self, pasted: dict[str, str]) -> None:
        """Compose it as well, if there are fields for it."""
        text = self._field.typed = pasted["text"]
        try:
            taken = self._session.take_up(text.strip())
        except SoidError:
            return  # what is wrong is told when it is asked: one may go on typing
        self._said.set_text("It is in the fields above too." if taken else "")

    def _offer(self) -> None:
        self._cancel.set_visibility(self._work.is_busy)

    async def _entered(self, text: str) -> None:
        self._field.typed = text
        await self._put()

    async def _of_draft(self, line: Callable[[Query], str]) -> None:
        """Ask something else about the behavior and the suppositions that are composed."""
        try:
            text = line(self._session.draft.family)
        except SoidError as error:
            self._wrong.put(error)
            return
        self._field.put(text)
        await self._put()

    async def _put(self) -> None:
        session, text = self._session, self._field.typed.strip()
        if self._work.is_busy or not text:
            return
        self._wrong.put(None)
        self._found.clear()
        with suppress(SoidError):  # it is refused below
            session.take_up(text)
        ask = partial(session.service.ask, text, step=session.keyframe.step, log=session.log)
        self._work.begin(await parts.in_thread(ask, self._refused))
        self._offer()

    def _refused(self, error: SoidError) -> None:
        self._wrong.put(error)

    def _ended(self, job: Job) -> None:
        session = self._session
        session.look()
        if job.state is JobState.DONE and job.result is not None:
            self._done(job.kind, job.result)
        elif job.state is JobState.FAILED and job.error is not None:
            session.refused(job.error)
        else:
            self._said.set_text("Called off: it stays on the record as asked, not answered.")
        self._offer()

    def _done(self, kind: str, result: Mapping[str, Any]) -> None:
        session = self._session
        if kind == "ask":
            session.trying(partial(session.show, int(result["entry"])))
        elif kind == "study":
            self._said.set_text(f"Entry {result['entry']}: {result['statement']}")
        else:
            with self._found:
                self._why(result)

    def _why(self, result: Mapping[str, Any]) -> None:
        """Whether this was why, with the four questions that say so."""
        session, verdict = self._session, Verdict(result["verdict"])
        parts.text(result["sentence"], "asked", tag="p", title=result["question"])
        with parts.box("div", f"verdict-box {verdict.value}"):
            parts.Markup(badge(verdict), tag="span")
            parts.text(f"{capital(result['reason'])}.", "reason", tag="p")
        with parts.box("ul", "plain"):
            for each in result["directions"]:
                with parts.box("li", "row"):
                    parts.text(f"{capital(each['asks'])}: {each['verdict']}.")
                    if each["entry"] is not None:
                        show = partial(session.trying, partial(session.open_entry, each["entry"]))
                        parts.button(f"Show entry {each['entry']}", show, "small", title=each["question"])
