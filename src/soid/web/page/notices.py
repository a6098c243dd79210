"""Notices: what was refused, and what to do about it; read aloud as soon as it is there."""

from __future__ import annotations

from functools import partial
from typing import final

from soid.web.page import parts
from soid.web.page.session import About, Session


@final
class Notices:
    """The last few, until they are closed."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._list = parts.box("div", "notices", role="alert")
        session.hear(About.NOTICES, do=self._show)
        self._show()

    def _show(self) -> None:
        self._list.clear()
        with self._list:
            for notice in self._session.notices:
                with parts.box("div", "notice"):
                    parts.text(notice.cause, tag="b")
                    parts.text(notice.remedy)
                    parts.button("Close", partial(self._session.hush, notice), "small")
        self._list.set_visibility(bool(self._session.notices))
