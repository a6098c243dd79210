"""An answer that is still open: what is settled as a picture, what stands in the way, and buttons for what helps.

A click asks; the question is worked on while other questions are asked, and its answer is shown here if this one still
is, else from the list of work under way.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final, final

from nicegui.elements.mixins.text_element import TextElement

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
_UNDER_WAY: Final = "Under way"
_ANOTHER: Final = "Or ask another question: this one stays on the record as open."


@final
class OpenAnswer:
    """What is shown beside an unknown."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._buttons: dict[str, tuple[TextElement, NextStep]] = {}  # the last that was placed of each
        self._taken: dict[str, Job] = {}  # what was clicked: a second click asks nothing

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
            take = partial(self._take, current, step)
            button = parts.button(_DOES[step.kind], take, "small", title=step.question)
        key = _key(current, step)
        self._buttons[key] = button, step
        self._mark(key)

    def _mark(self, key: str) -> None:
        """Tell on its button whether what is offered is worked on."""
        button, step = self._buttons[key]
        if button.is_deleted:
            return
        job = self._taken.get(key)
        is_under_way = job is not None and not job.state.is_final
        said = _UNDER_WAY if is_under_way else _DOES[step.kind]
        button.set_text(said)
        parts.attribute(button, "aria-label", f"{said}: {step.words}")
        parts.attribute(button, "aria-disabled", "true" if is_under_way else None)  # it keeps the focus

    async def _take(self, current: RecordedAnswer, step: NextStep) -> None:
        """Put what is offered to the desk, unless it works on it already."""
        session, entry, key = self._session, current.entry, _key(current, step)
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
            on_news(job, partial(self._news, job, key, entry.number))

    def _news(self, job: Job, key: str, begun_at: int) -> None:
        """Show what came of it, if the page still shows the answer that it goes on from."""
        session = self._session
        self._mark(key)
        if not job.state.is_final:
            return
        session.look()
        shown = session.shown
        if job.state is JobState.DONE and job.result is not None and shown and shown.entry.number == begun_at:
            number = int(job.result["entry"])
            session.trying(lambda: session.show(number))
            session.dismiss(job)


def _key(current: RecordedAnswer, step: NextStep) -> str:
    return f"{current.entry.number} {step.kind.value}"


def told_besides(answer: Answer) -> list[str]:
    """What is told below what stands in the way: how far it came. What the tools say of it is told in detail only."""
    why = [answer.because] if answer.obstacle and not answer.why.is_of_tools else []
    share = [answer.settled.told] if answer.settled is not None else []
    return [*why, *answer.settled_besides, *share]
