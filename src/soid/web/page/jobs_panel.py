"""What is worked on, beside the button that asks: how far each job has come, and a button that cancels it."""

from __future__ import annotations

from functools import partial
from typing import Final, final

from nicegui import ui

from soid.errors import SoidError
from soid.query.words import counted, percent, sentence
from soid.web.page import parts
from soid.web.page.job_news import on_news
from soid.web.page.session import About, Session
from soid.web.page.told_error import told_error
from soid.web.page.watched_job import CLOCK, time_left
from soid.web.work.job import Job, JobState

_QUESTIONS: Final = ("ask", "resume")  # the kinds of jobs whose result is an answer
_WHY: Final = {"explain": "Why? "}  # what is asked of a question by a job that answers another
_KINDS: Final = {
    "bundle": "the evidence",
    "accept": "the acceptance",
    "compare": "the comparison of log and program",
    "study": "causes, map or explanation for the record",
}  # of jobs without a question


@final
class JobsPanel:
    """One line for each job of the session."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._lines: dict[str, _Line] = {}
        self._list = parts.box("ul", "jobs", aria_label="Work under way", aria_live="polite")
        self._clock = ui.timer(CLOCK, self._count, active=False)
        session.hear(About.JOBS, do=self._follow)
        self._follow()

    def _follow(self) -> None:
        for job in self._session.jobs:
            if job.id not in self._lines:
                with self._list:
                    self._lines[job.id] = _Line(self._session, job)
        kept = {job.id for job in self._session.jobs}
        for gone in self._lines.keys() - kept:
            self._lines.pop(gone).item.delete()
        self._list.set_visibility(bool(self._lines))
        self._clock.active = bool(self._lines)

    def _count(self) -> None:
        """Tell how long each has taken."""
        for line in self._lines.values():
            line.refresh()
        self._clock.active = any(not job.state.is_final for job in self._session.jobs)


def show_answer(session: Session, job: Job, *, anew: bool = False) -> None:
    """Show the answer of a question that is done, instead of its job; `anew`: its question is composed again."""
    if job.result is not None:
        number = int(job.result["entry"])
        session.trying(partial(session.open_entry if anew else session.show, number))
        session.dismiss(job)


def _worded(session: Session, job: Job) -> str:
    """What a job works on: its question as a sentence, if it is one of this moment."""
    if not job.question:
        return _KINDS.get(job.kind, job.kind)
    composed = session.draft.read()
    if job.question == composed.text:
        return _WHY.get(job.kind, "") + composed.sentence
    try:
        query = session.case.project_at(session.keyframe.step, session.log).checked(job.question).query
    except SoidError:
        return job.question
    return _WHY.get(job.kind, "") + sentence(query, session.interface, log=session.trace)


@final
class _Line:
    """One job: its question, its progress and a button that cancels it."""

    def __init__(self, session: Session, job: Job) -> None:
        self._job = job
        words = _worded(session, job)
        with parts.box("li", "job") as self.item:
            parts.text(words, "job-question", tag="p", title=job.question)
            with parts.box("div", "row"):
                self._bar = parts.box("progress", max="1", aria_label="Share that is settled")
                if job.who != session.service.user.author:
                    parts.text(f"asked by {job.who}", "dim")
                self._said = parts.text("", "dim")
                self._cancel = parts.button(
                    "Cancel", partial(session.cancel, job), "small", aria_label=f"Cancel: {words}"
                )
                show = partial(show_answer, session, job, anew=True)
                self._show = parts.button("Show", show, "small", aria_label=f"Show the answer: {words}")
                self._close = parts.button("Dismiss", lambda: session.dismiss(job), "small")
        self.refresh()
        on_news(job, self.refresh)

    def refresh(self) -> None:
        if self.item.is_deleted:
            return
        job = self._job
        self._said.set_text(_said(job))
        parts.attribute(
            self._said, "aria-live", None if job.state.is_final else "off"
        )  # a screen reader would read each second
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
            return str(told_error(job.error)) if job.error is not None else "It came to nothing."
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
