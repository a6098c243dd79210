"""The ways of an answer's fact and scenario through the program, drawn when somebody asks for them."""

from __future__ import annotations

from functools import partial
from typing import Any, Final, final

from msgspec import convert
from nicegui.element import Element

from soid.case.case import RecordedAnswer
from soid.explanation.ways.told_ways import BothWays, has_ways
from soid.explanation.ways.way_words import heading_of
from soid.explanation.ways.ways_svg import panel
from soid.web.page import parts
from soid.web.page.job_news import on_news
from soid.web.page.session import Session
from soid.web.work.job import Job, JobState

_WIDEST: Final = 700.0  # px
_NARROWEST: Final = 240.0
_NOTHING: Final = "Of this program nothing can be told of the way that it takes."


@final
class AnswerWays:
    """The ways of the answer that is shown. A worker finds them, once for each entry."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._found: dict[int, dict[str, Any]] = {}  # by entry
        self._job: Job | None = None
        self._number = 0  # the entry that is shown
        self._box: Element | None = None

    def place(self, current: RecordedAnswer) -> None:
        """Make room for the ways of an answer, if it shows a scenario."""
        self._number, self._box = current.entry.number, None
        if self._job is not None:
            self._job.cancel()  # of an answer that is no longer shown
            self._job = None
        if not has_ways(current.answer):
            return
        self._box = parts.box("div", "ways", role="status")
        if self._number in self._found:
            self._show()
        else:
            with self._box:
                parts.button("Both ways through the program", self._begin)

    def _begin(self) -> None:
        session, number = self._session, self._number
        self._job = session.trying(lambda: session.service.ways(number))
        if self._job is not None:
            self._say("Both ways are being followed …")
            on_news(self._job, partial(self._ended, self._job))

    def _ended(self, job: Job) -> None:
        if job is not self._job or not job.state.is_final:
            return
        self._job = None
        if job.state is JobState.DONE and job.result is not None:
            self._found[int(job.result["entry"])] = dict(job.result)
            self._show()
        else:
            self._say(f"They cannot be followed: {job.error.cause}." if job.error is not None else "")

    def _say(self, words: str) -> None:
        if self._box is not None:
            self._box.clear()
            with self._box:
                parts.text(words, "dim", tag="p")

    def _show(self) -> None:
        found = self._found.get(self._number)
        if self._box is None or found is None:
            return
        if found["ways"] is None:
            self._say(_NOTHING)
            return
        ways: BothWays = convert(found["ways"], BothWays)
        self._box.clear()
        parts.attribute(self._box, "role", None)
        with self._box:
            parts.text(heading_of(ways), tag="h3")
            parts.Drawing(lambda width: panel(ways, wide=min(max(width, _NARROWEST), _WIDEST)))
