"""What a worker finds about the answer that is shown, once for each entry, and the place where the page draws it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, TypeAlias, final

from nicegui.element import Element

from soid.web.page import parts
from soid.web.page.job_news import on_news
from soid.web.page.session import Session
from soid.web.page.told_error import told_error
from soid.web.work.job import Job, JobState

Found: TypeAlias = Mapping[str, Any]


@final
class FoundLater:
    """At most one job at a time: that of an answer that is no longer shown is called off."""

    def __init__(
        self, session: Session, find: Callable[[int], Job], draw: Callable[[Found], None], begun: str, refused: str
    ) -> None:
        self._session, self._find, self._draw = session, find, draw
        self._begun, self._refused = begun, refused  # what is told while it is looked for, and of an error
        self._found: dict[int, Found] = {}  # by entry
        self._job: Job | None = None
        self._number = 0  # the entry that is shown
        self._box: Element | None = None

    def leave(self) -> None:
        """Nothing is to be found of the answer that is shown now."""
        self._box = None
        if self._job is not None:
            self._job.cancel()
            self._job = None

    def place(self, number: int, classes: str = "") -> Element:
        """Make room for what is found about an answer, and draw it if it is known."""
        self.leave()
        self._number, self._box = number, parts.box("div", classes, role="status")
        self._show()
        return self._box

    @property
    def is_known(self) -> bool:
        return self._number in self._found

    def begin(self) -> None:
        """Have it found, unless it is known."""
        if self.is_known:
            return
        self._say(self._begun)
        self._job = self._session.trying(partial(self._find, self._number))
        if self._job is None:
            self._say("")
        else:
            on_news(self._job, partial(self._ended, self._job))

    def _ended(self, job: Job) -> None:
        if job is not self._job or not job.state.is_final:
            return
        self._job = None
        if job.state is JobState.DONE and job.result is not None:
            self._found[int(job.result["entry"])] = dict(job.result)
            self._show()
        else:
            self._say(f"{self._refused}. {told_error(job.error)}" if job.error is not None else "")

    def _say(self, words: str) -> None:
        if self._box is not None:
            self._box.clear()
            with self._box:
                parts.text(words, "dim", tag="p")

    def _show(self) -> None:
        found = self._found.get(self._number)
        if self._box is None or found is None:
            return
        self._box.clear()
        parts.attribute(self._box, "role", None)
        with self._box:
            self._draw(found)
