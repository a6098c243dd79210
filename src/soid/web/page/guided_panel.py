"""The panel with questions that suggest themselves: one click asks one, or shows the answer that it has."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import groupby
from typing import Final, final

from soid.case.report.phrases import badge
from soid.case.suggested_questions import HEADINGS, SuggestedQuestion, WordedQuestion, suggested_questions
from soid.errors import SoidError
from soid.scenario.trace import Trace
from soid.web.page import parts
from soid.web.page.session import About, Session
from soid.web.page.watched_job import WatchedJob
from soid.web.user import UserRole
from soid.web.work.job import Job, JobState

_OPEN: Final = 5  # questions of a topic that are seen at once
_FIRST: Final = "Questions to begin with"
_NEXT: Final = "What to ask next"
_OFF: Final = "Called off: it stays on the record as asked, not answered."


@final
class GuidedPanel:
    """The questions of the moment, grouped by topic, in words."""

    def __init__(self, session: Session, *, has_scripts: bool) -> None:
        self._session = session
        self._work = WatchedJob(lambda words: self._said.set_text(words), self._ended)
        self._shown: tuple[SuggestedQuestion, ...] = ()
        self._read: tuple[Trace, dict[str, WordedQuestion | None]] = session.trace, {}  # with the log that it is for
        with parts.box("section", "card guided", id="guided", aria_labelledby="guided-heading"):
            with parts.box("div", "row"):
                self._heading = parts.text(_FIRST, tag="h2", id="guided-heading")
                parts.text("", "spacer")
                self._said = parts.text("", "dim", role="status")
                self._cancel = parts.button(
                    "Cancel", self._work.cancel, "small", aria_label="Cancel the suggested question"
                )
                if has_scripts:
                    parts.link("Scripts ▾", "#scripts", "button small")
            self._wrong = parts.Complaint()
            self._list = parts.box("div", "suggested")
        session.hear(About.MOMENT, About.OUTPUTS, About.RECORD, About.EXPLAINED, do=self._show)
        session.hear(About.ANSWER, do=self._offer)
        self._show()
        self._offer()

    def _show(self) -> None:
        session, at = self._session, self._session.keyframe
        explained = session.explained
        if self._read[0] is not session.trace:
            self._read = session.trace, {}
        find = partial(suggested_questions, session.case, step=at.step, log=session.log, at=at, explained=explained)
        found = session.trying(partial(find, read=self._read[1]))
        if found is None or found == self._shown:
            return
        self._shown = found
        self._list.clear()
        with self._list:
            for topic, suggested in groupby(found, lambda each: each.topic):
                with parts.box("div", "group"):
                    self._group(HEADINGS[topic], tuple(suggested))

    def _group(self, heading: str, suggested: Sequence[SuggestedQuestion]) -> None:
        parts.text(heading, tag="h3")
        with parts.box("ul", "plain"):
            for each in suggested[:_OPEN]:
                self._suggestion(each)
        if len(suggested) > _OPEN:
            with parts.box("details"):
                parts.text(f"{heading}: {len(suggested) - _OPEN} more", tag="summary")
                with parts.box("ul", "plain"):
                    for each in suggested[_OPEN:]:
                        self._suggestion(each)

    def _suggestion(self, suggested: SuggestedQuestion) -> None:
        """A question as a button. Who may not ask can open the answers that there are."""
        may = suggested.entry is not None or self._session.may(UserRole.ASK)
        with parts.box("li", "answered" if suggested.verdict is not None else ""):
            if suggested.verdict is not None:
                parts.Markup(badge(suggested.verdict), tag="span")
            if may:
                parts.button(suggested.sentence, partial(self._pick, suggested), "link", title=suggested.question)
            else:
                parts.text(suggested.sentence, title=suggested.question)

    def _offer(self) -> None:
        self._cancel.set_visibility(self._work.is_busy)
        self._heading.set_text(_FIRST if self._session.shown is None else _NEXT)

    async def _pick(self, suggested: SuggestedQuestion) -> None:
        """Show its answer; without one, ask it."""
        session, number = self._session, suggested.entry
        if number is not None:
            session.trying(lambda: session.open_entry(number))
            return
        if self._work.is_busy:
            return
        self._wrong.put(None)
        ask = partial(session.service.ask, suggested.question, step=session.keyframe.step, log=session.log)
        self._work.begin(await parts.in_thread(ask, self._refused))
        self._offer()

    def _refused(self, error: SoidError) -> None:
        self._wrong.put(error)

    def _ended(self, job: Job) -> None:
        session = self._session
        session.look()
        if job.state is JobState.DONE and job.result is not None:
            number = int(job.result["entry"])
            session.trying(lambda: session.open_entry(number))
        elif job.state is JobState.FAILED and job.error is not None:
            session.refused(job.error)
        else:
            self._said.set_text(_OFF)
        self._offer()
