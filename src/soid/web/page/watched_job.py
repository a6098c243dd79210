"""A job that a panel has begun: its progress is told until it ends, and it can be called off."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, final

from nicegui import ui

from soid.query.words import percent
from soid.web.page.job_news import on_news
from soid.web.work.job import Job, JobState

#: seconds between two tellings of how long it has taken: all else of a job is told when it changes
CLOCK: Final = 1.0
_MINUTE: Final = 60.0


@final
class WatchedJob:
    """At most one job at a time."""

    def __init__(self, tell: Callable[[str], object], ended: Callable[[Job], None], begun: str = "begun") -> None:
        self._tell, self._ended = tell, ended
        self._begun = begun  # what is told of a job that tells nothing itself
        self._job: Job | None = None
        self._clock = ui.timer(CLOCK, self._show, active=False)

    @property
    def is_busy(self) -> bool:
        return self._job is not None

    def begin(self, job: Job | None) -> None:
        """Watch a job; None if it was refused."""
        self._job = job
        if job is not None:
            self._clock.activate()
            on_news(job, self._show)

    def cancel(self) -> None:
        if self._job is not None:
            self._job.cancel()

    def _show(self) -> None:
        job = self._job
        if job is None:
            return
        if not job.state.is_final:
            self._tell(self._progress(job))
            return
        self._job = None
        self._clock.deactivate()
        self._tell("")
        self._ended(job)

    def _progress(self, job: Job) -> str:
        if job.state is JobState.QUEUED:
            return "waiting for a free core"
        done = job.progress
        share = f", {percent(done.share)} settled" if done is not None and done.share is not None else ""
        left = f", {told}" if (told := time_left(job.seconds_left)) else ""
        return f"{done.words if done is not None else self._begun}{share}, {int(job.seconds)} s{left}"


def time_left(seconds: float | None) -> str:
    """The rest of a question's time in words.

    >>> time_left(544.2), time_left(61), time_left(7.9), time_left(None)
    ('about 9 min left', 'about 1 min left', '7 s left', '')
    """
    if seconds is None:
        return ""
    return f"{int(seconds)} s left" if seconds < _MINUTE else f"about {round(seconds / _MINUTE)} min left"
