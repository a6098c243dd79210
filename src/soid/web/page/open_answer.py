"""An answer that is still open: what is settled as a picture, what stands in the way, and buttons for what helps.

A click asks; the question is worked on while other questions are asked, and its answer is shown here if this one still
is, else from the list of work under way.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final, final

from soid.case.case import RecordedAnswer
from soid.mapping.settled_svg import panel
from soid.oracle.answer import Answer, Verdict
from soid.oracle.next_step import NextStep, NextStepKind
from soid.web.page import parts
from soid.web.page.job_news import on_news
from soid.web.page.session import Session
from soid.web.user import UserRole
from soid.web.work.job import Job, JobState

_WIDEST: Final = 560.0  # px
_NARROWEST: Final = 220.0

#: what a button does; the words beside it say more
_DOES: Final = {
    NextStepKind.MORE_TIME: "Go on",
    NextStepKind.SETTLED_PART: "Ask this",
    NextStepKind.OPEN_PART: "Ask this",
    NextStepKind.FIRST_STEPS: "Ask this",
    NextStepKind.WINDOW: "Ask so",
    NextStepKind.ONE_LESS: "Ask this",
}
_ANOTHER: Final = "Or ask another question: this one stays on the record as open."


@final
class OpenAnswer:
    """What is shown beside an unknown."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._taken: dict[str, Job] = {}  # what was clicked, by its button: a second click asks nothing

    def place(self, current: RecordedAnswer) -> None:
        """Show how far the answer has come and what helps, if it is unknown."""
        answer = current.answer
        if answer.verdict is not Verdict.UNKNOWN:
            return
        if self._session.may(UserRole.ASK):
            parts.text("What helps", tag="h3")
            with parts.box("ul", "next-steps"):
                for step in answer.next_steps:
                    self._offer(current, step)
                with parts.box("li"):
                    parts.text(_ANOTHER)
                    parts.link("To the question", "#ask", "button small")
        settled = answer.settled
        if settled is not None and (picture := settled.picture) is not None:
            parts.text("What is settled", tag="h3")
            parts.Drawing(lambda room: panel(settled, picture, wide=min(max(room, _NARROWEST), _WIDEST)))

    def _offer(self, current: RecordedAnswer, step: NextStep) -> None:
        with parts.box("li"):
            parts.text(step.words)
            said = _DOES[step.kind]
            take = partial(self._take, current, step)
            parts.button(said, take, "small", aria_label=f"{said}: {step.words}", title=step.question)

    async def _take(self, current: RecordedAnswer, step: NextStep) -> None:
        """Put what is offered to the desk, unless it works on it already."""
        session, entry = self._session, current.entry
        key = f"{entry.number} {step.kind.value}"
        if key in self._taken and not self._taken[key].state.is_final:
            return
        ask: Callable[[], Job]
        if step.kind is NextStepKind.MORE_TIME:
            ask = partial(session.service.resume, entry.number, seconds=step.seconds)
        else:
            ask = partial(session.service.ask, step.question, step=entry.step, log=entry.log, window=step.window)
        job = await parts.in_thread(ask, session.refused)
        if job is not None:
            self._taken[key] = session.work(job)
            on_news(job, partial(self._ended, job, entry.number))

    def _ended(self, job: Job, begun_at: int) -> None:
        """Show what came of it, if the page still shows the answer that it goes on from."""
        session = self._session
        if not job.state.is_final:
            return
        session.look()
        shown = session.shown
        if job.state is JobState.DONE and job.result is not None and shown and shown.entry.number == begun_at:
            number = int(job.result["entry"])
            session.trying(lambda: session.show(number))
            session.dismiss(job)


def told_besides(answer: Answer) -> list[str]:
    """What is told below what stands in the way: how far it came. What the tools say of it is told in detail only."""
    why = [answer.because] if answer.obstacle and not answer.why.is_of_tools else []
    share = [answer.settled.told] if answer.settled is not None else []
    return [*why, *answer.settled_besides, *share]
