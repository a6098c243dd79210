"""The story of the case, in a line or two above the workbench: what happened, what was decided, and the harm."""

from __future__ import annotations

from functools import partial
from typing import Final, final

from soid.case.told_story import told_story
from soid.web.page import parts
from soid.web.page.session import About, Session
from soid.web.page.tour import tour

_HARM: Final = "Harm:"


@final
class StoryPanel:
    """Sentences, each in its place."""

    def __init__(self, session: Session, *, toured: bool) -> None:
        """`toured`: the tour of the page begins by itself; else it is offered, once."""
        self._session = session
        with parts.box("section", "story", aria_label="What happened", id="story"):
            self._happened = parts.text("", "happened", tag="p")
            self._moment = parts.text("", "moment", tag="p", aria_live="polite")
            with parts.box("p", "harm") as self._harm:
                parts.text(f"{_HARM} ", tag="b")
                self._harms = parts.text("")
            tour(begun=toured)
        session.hear(About.MOMENT, About.OUTPUTS, About.RECORD, do=self._show)
        self._show()

    def _show(self) -> None:
        session = self._session
        at = session.keyframe
        found = session.trying(partial(told_story, session.case, step=at.step, log=session.log, at=at))
        if found is None:
            return
        for element, text in ((self._happened, found.happened), (self._moment, found.moment)):
            element.set_text(text)
            element.set_visibility(bool(text))
        self._harms.set_text(" ".join(found.harm))
        self._harm.set_visibility(bool(found.harm))
