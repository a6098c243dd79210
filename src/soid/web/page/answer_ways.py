"""The ways of an answer's fact and scenario through the program, drawn when somebody asks for them."""

from __future__ import annotations

from typing import Final, final

from msgspec import convert

from soid.case.case import RecordedAnswer
from soid.explanation.ways.told_ways import BothWays, has_ways
from soid.explanation.ways.way_words import heading_of
from soid.explanation.ways.ways_svg import panel
from soid.web.page import parts
from soid.web.page.found_later import Found, FoundLater
from soid.web.page.session import Session

_WIDEST: Final = 700.0  # px
_NARROWEST: Final = 240.0
_NOTHING: Final = "Of this program nothing can be told of the way that it takes."


@final
class AnswerWays:
    """The ways of the answer that is shown, if it shows a scenario."""

    def __init__(self, session: Session) -> None:
        find = session.service.ways
        self._found = FoundLater(session, find, _draw, "Both ways are being followed …", "They cannot be followed")

    def leave(self) -> None:
        """No answer is shown."""
        self._found.leave()

    def place(self, current: RecordedAnswer) -> None:
        """Make room for the ways of an answer, and offer to find them."""
        if not has_ways(current.answer):
            self._found.leave()
            return
        box = self._found.place(current.entry.number, "ways")
        if not self._found.is_known:
            with box:
                parts.button("Both ways through the program", self._found.begin)


def _draw(found: Found) -> None:
    if found["ways"] is None:
        parts.text(_NOTHING, "dim", tag="p")
        return
    ways: BothWays = convert(found["ways"], BothWays)
    parts.text(heading_of(ways), tag="h3")
    parts.Drawing(lambda width: panel(ways, wide=min(max(width, _NARROWEST), _WIDEST)))
