"""The film of an answer: what happened step by step, and what would have, side by side; it is played on the page."""

from __future__ import annotations

from typing import final

from soid.case.case import RecordedAnswer
from soid.case.filmed import has_film
from soid.visible_text import visible
from soid.web.page import parts
from soid.web.page.found_later import Found, FoundLater
from soid.web.page.session import Session


@final
class AnswerFilm:
    """The film of the answer that is shown, if it has one."""

    def __init__(self, session: Session) -> None:
        self._session = session
        find = session.service.film
        self._made = FoundLater(session, find, _draw, "The film is being made …", "It cannot be shown moving")

    def leave(self) -> None:
        """No answer is shown."""
        self._made.leave()

    def place(self, current: RecordedAnswer) -> None:
        """Make room for the film of an answer, and have it made."""
        if self._session.scene is None or not has_film(current.answer):
            self._made.leave()
        else:
            self._made.place(current.entry.number)
            self._made.begin()


def _draw(made: Found) -> None:
    if made["stages"]:
        parts.text("Step by step", tag="h3")
        parts.FilmView(stages=made["stages"], about=visible(made["about"]))
