"""The panel that asks: the kind of question, the behavior, the whole question as a sentence, and the jobs under way."""

from __future__ import annotations

from functools import partial
from typing import Final, final

from nicegui import ui

from soid.errors import QueryError, SoidError
from soid.query.query import QueryKind
from soid.query.words import counted, percent
from soid.web.page import parts
from soid.web.page.amounts import capital
from soid.web.page.behavior_choices import behaviors
from soid.web.page.job_news import on_news
from soid.web.page.question_draft import DraftReading
from soid.web.page.session import About, Session
from soid.web.page.steps_row import StepsRow
from soid.web.page.watched_job import CLOCK, time_left
from soid.web.user import UserRole
from soid.web.work.job import Job, JobState

_SAID: Final = {
    QueryKind.DID: ("did", "did it, at this moment, in fact?"),
    QueryKind.WOULD: ("would", "would it always, in every such scenario?"),
    QueryKind.MIGHT: ("might", "might it ever, in some such scenario?"),
}
_MAY_NOT: Final = "Your token lets you read what was asked, not ask."
_TYPED: Final = ""  # this choice shows the field for a typed behavior
_WHOLE: Final = QueryError("this is a whole question", "Press Enter, and it is taken apart into the fields.")
_KINDS: Final = {
    "bundle": "evidence",
    "accept": "acceptance",
    "compare": "comparison of log and program",
    "study": "causes, map or explanation for the record",
}  # of jobs without a question
_QUESTIONS: Final = ("ask", "resume")  # the kinds of jobs whose result is an answer


@final
class AskPanel:
    """The question of the draft, and the jobs."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._lines: dict[str, _Line] = {}
        self._asked: Job | None = None  # the last question of this page; its answer is shown
        self._asked_at = (session.log, session.keyframe.step)  # unless the page shows another moment by then
        self._known = behaviors(session.interface)
        with parts.box("section", "card asking", id="ask", tabindex="-1", aria_labelledby="asking-heading"):
            parts.text("Ask", "spoken", tag="h2", id="asking-heading")
            with parts.box("div", "row"):
                with parts.box("div", "row segments", role="group", aria_label="How it is asked"):
                    self._kinds = {
                        kind: parts.button(word, partial(self._kind, kind), "segment", title=meaning)
                        for kind, (word, meaning) in _SAID.items()
                    }
                self._choice = parts.Field(
                    "What is asked about",
                    kind="select",
                    value=session.draft.behavior,
                    options=[*self._known.items(), (_TYPED, "something else, typed …")],
                    on_change=self._picked,
                )
                self._behavior = parts.Field(
                    "The behavior as query text",
                    value=session.draft.behavior,
                    on_input=self._typed,
                    on_paste=self._pasted,
                    on_enter=self._take_up,
                ).classes("behavior")
                self._steps = StepsRow(session)
            self._wrong = parts.Complaint()
            self._sentence = parts.text("", "sentence", tag="blockquote", aria_live="polite", id="question")
            self._text = parts.text("", "query", tag="code")
            self._jobs = parts.box("ul", "jobs", aria_label="Work under way", aria_live="polite")
        with parts.box("div", "row ask-bar"):  # beside the section: what sticks does so within its parent
            self._ask = parts.button("Ask", self._put, "go", title="Ctrl-Enter")
            self._undo = parts.button("↶", session.undo, "small", aria_label="Undo", title="Undo: Ctrl-Z")
            self._redo = parts.button("↷", session.redo, "small", aria_label="Redo", title="Redo: Ctrl-Shift-Z")
            self._why_not = parts.text("", "dim")
        self._behavior.set_visibility(session.draft.behavior not in self._known)
        parts.PageKeys(
            {
                "ask": lambda _: self._put(),
                "undo": lambda _: session.undo(),
                "redo": lambda _: session.redo(),
                "pasted": self._take_up,
            }
        )
        session.hear(About.DRAFT, About.MOMENT, do=self._show)
        session.hear(About.JOBS, do=self._follow)
        self._clock = ui.timer(CLOCK, self._count, active=False)
        self._show()
        self._follow()

    # --- the question

    def _kind(self, kind: QueryKind) -> None:
        self._session.draft.kind = kind
        self._session.drafted()

    def _picked(self, text: str) -> None:
        self._behavior.set_visibility(text == _TYPED)
        if text != _TYPED:
            self._session.draft.behavior = text
            self._behavior.put(text)
            self._session.drafted()

    def _typed(self, text: str) -> None:
        self._session.draft.behavior = text
        self._session.drafted()

    def _pasted(self, pasted: dict[str, str]) -> None:
        """A whole question is taken apart, whatever was in the field; anything else is part of a behavior."""
        if not self._take_up(pasted["what"]):
            self._typed(pasted["text"])

    def _take_up(self, text: str) -> bool:
        """Compose a whole question; False if it is none."""
        if not _is_whole(text):
            return False
        try:
            self._session.paste(text.strip())
        except SoidError as error:
            self._session.refused(error)
            return False
        draft = self._session.draft
        self._behavior.put(draft.behavior)
        self._behavior.set_visibility(draft.behavior not in self._known)
        return True

    def _show(self) -> None:
        draft = self._session.draft
        read = draft.read()
        for kind, button in self._kinds.items():
            parts.attribute(button, "aria-pressed", "true" if kind is draft.kind else "false")
        self._choice.set("value", draft.behavior if draft.behavior in self._known else _TYPED)
        self._behavior.set("value", draft.behavior)
        if draft.behavior not in self._known:  # it was typed, perhaps before a reload of the page
            self._behavior.set_visibility(True)
        self._behavior.set("invalid", read.behavior is not None)
        self._wrong.put(_WHOLE if read.behavior is not None and _is_whole(draft.behavior) else read.behavior)
        self._steps.show()
        self._sentence.set_text(read.sentence or "The question cannot be asked yet.")
        self._text.set_text(read.text)
        history = self._session.history
        for button, can in ((self._undo, history.can_undo), (self._redo, history.can_redo)):
            parts.attribute(button, "disabled", None if can else True)
        may_ask = self._session.may(UserRole.ASK)
        parts.attribute(self._ask, "disabled", None if may_ask and read.query is not None else True)
        self._why_not.set_text((_why_not(read) or read.caution) if may_ask else _MAY_NOT)

    async def _put(self) -> None:
        session = self._session
        self._take_up(session.draft.behavior)
        read = session.draft.read()
        if read.query is None or self._is_being_asked(read.text):
            return
        moment = (session.log, session.keyframe.step)  # the slider may move before the desk has the question
        ask = partial(session.service.ask, read.query, step=session.keyframe.step, log=session.log)
        job = await parts.in_thread(ask, session.refused)
        if job is not None:
            self._asked, self._asked_at = session.work(job), moment
            on_news(job, self._answered)

    def _is_being_asked(self, text: str) -> bool:
        """Whether the desk has this question already: a second click asks no second question."""
        here = self._asked_at == (self._session.log, self._session.keyframe.step)
        running = self._asked is not None and not self._asked.state.is_final and self._asked.question == text
        return here and running

    # --- the jobs

    def _follow(self) -> None:
        """One line for each job of the session."""
        for job in self._session.jobs:
            if job.id not in self._lines:
                with self._jobs:
                    self._lines[job.id] = _Line(self._session, job)
        kept = {job.id for job in self._session.jobs}
        for gone in self._lines.keys() - kept:
            self._lines.pop(gone).item.delete()
        self._jobs.set_visibility(bool(self._lines))
        self._clock.active = bool(self._lines)

    def _count(self) -> None:
        """Tell how long each has taken."""
        for line in self._lines.values():
            line.refresh()
        self._clock.active = any(not job.state.is_final for job in self._session.jobs)

    def _answered(self) -> None:
        asked = self._asked
        if asked is not None and asked.state.is_final:
            self._asked = None
            self._session.look()
            here = self._asked_at == (self._session.log, self._session.keyframe.step)
            if here:
                _show_answer(self._session, asked)


def _show_answer(session: Session, job: Job, *, anew: bool = False) -> None:
    """Show the answer of a question that is done, instead of its job; `anew`: its question is composed again."""
    if job.result is not None:
        number = int(job.result["entry"])
        session.trying(partial(session.open_entry if anew else session.show, number))
        session.dismiss(job)


def _is_whole(text: str) -> bool:
    """Whether a text is a whole question, or begins as one: these words are reserved."""
    return text.split(maxsplit=1)[:1] in [[kind.value] for kind in QueryKind]


def _why_not(read: DraftReading) -> str:
    if read.problem is not None:
        return f"{capital(read.problem.cause)}. {read.problem.remedy}"
    wrong = read.query is None and any(chip.problem for chip in read.chips)
    return "A supposition has no value, or one that does not fit: it is marked above." if wrong else ""


@final
class _Line:
    """One job: its question, its progress and a button that cancels it."""

    def __init__(self, session: Session, job: Job) -> None:
        self._job = job
        with parts.box("li", "job") as self.item:
            parts.text(job.question or f"the {_KINDS.get(job.kind, job.kind)}", "query", tag="code")
            parts.text(f" asked by {job.who}", "dim")
            with parts.box("div", "row"):
                self._bar = parts.box("progress", max="1", aria_label="Share that is settled")
                self._said = parts.text("", "dim")
                self._cancel = parts.button(
                    "Cancel", partial(session.cancel, job), "small", aria_label=f"Cancel: {job.question}"
                )
                show = partial(_show_answer, session, job, anew=True)
                self._show = parts.button("Show", show, "small", aria_label=f"Show the answer: {job.question}")
                self._close = parts.button("Dismiss", lambda: session.dismiss(job), "small")
        self.refresh()
        on_news(job, self.refresh)

    def refresh(self) -> None:
        if self.item.is_deleted:
            return
        job = self._job
        self._said.set_text(_said(job))
        self._cancel.set_visibility(not job.state.is_final)
        self._close.set_visibility(job.state.is_final)
        self._show.set_visibility(job.state is JobState.DONE and job.kind in _QUESTIONS)
        share = job.progress.share if job.progress is not None else None
        parts.attribute(self._bar, "value", None if share is None else f"{share:.4f}")
        self._bar.set_visibility(not job.state.is_final)


def _said(job: Job) -> str:
    match job.state:
        case JobState.QUEUED:
            return "waiting for a free core" if not job.place else f"waiting: {job.place} before it"
        case JobState.CANCELLED:
            return f"called off after {job.seconds:.1f} s; it stays on the record as asked, not answered"
        case JobState.FAILED:
            return f"{job.error.cause}. {job.error.remedy}" if job.error is not None else "it came to nothing"
        case JobState.DONE:
            return f"done in {job.seconds:.1f} s"
        case JobState.RUNNING:
            return ", ".join(part for part in _figures(job) if part)


def _figures(job: Job) -> tuple[str, ...]:
    progress = job.progress
    seconds = f"{int(job.seconds)} s"
    if progress is None:
        return "begun", seconds
    paths = counted(progress.paths, "path") if progress.paths is not None else ""
    share = f"{percent(progress.share)} settled" if progress.share is not None else ""
    return progress.words, paths, share, seconds, time_left(job.seconds_left)
