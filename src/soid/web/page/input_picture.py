"""The picture of a moment without a scene: its inputs as bars, with what is supposed and with a scenario's values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Final, final

from soid.case.known_flips import flips_of, mapped_flips, recorded_explanation
from soid.errors import SoidError
from soid.mapping.bars.bars_svg import panel
from soid.mapping.bars.input_bars import InputBar, InputBars, of_query, of_suppositions
from soid.query.words import counted
from soid.web.page import parts
from soid.web.page.session import About, Session, ShownSide

_WIDEST: Final = 900.0  # px: a longer bar is no clearer
_NARROWEST: Final = 200.0
_LOOKED_AT: Final = 2000  # logged values that a range is drawn around


@final
class InputPicture:
    """The bars: those that matter, and the rest folded."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._made = self._bars()
        self._drawing = parts.Drawing(lambda room: self._panel(self._made.shown, "bars", room))
        with parts.box("details", "values") as self._more:
            self._summary = parts.text("", tag="summary")
            self._folded = parts.Drawing(lambda room: self._panel(self._made.folded, "folded-bars", room))
        session.hear(About.MOMENT, About.DRAFT, About.ANSWER, About.EXPLAINED, About.RECORD, About.LOG, do=self._show)
        self._show()

    def _panel(self, bars: Sequence[InputBar], name: str, room: float) -> str:
        return panel(self._made, bars, wide=min(max(room, _NARROWEST), _WIDEST), name=name)

    def _show(self) -> None:
        self._made = self._bars()
        self._more.set_visibility(bool(self._made.folded))
        self._summary.set_text(f"{counted(len(self._made.folded), 'further input')} as bars")
        self._drawing.redraw()
        self._folded.redraw()

    def _bars(self) -> InputBars:
        """Those of the answer that is shown; else those of what is being supposed."""
        session, logged = self._session, self._logged()
        current = session.shown
        if current is not None and session.side is ShownSide.SCENARIO:
            answer = current.answer
            moment = session.keyframe.supplied_with(answer.supplied)
            with suppress(SoidError):  # such as a question that a shorter log no longer allows
                return of_query(moment, answer.query, answer.witness, self._flips(current.entry.number), logged)
        draft = session.draft
        mapped = mapped_flips(session.case.entries, session.log, session.keyframe.step, session.interface)
        with suppress(SoidError):  # what is supposed contradicts itself: the chips say how
            return of_suppositions(session.keyframe, draft.at_the_moment, draft.pointed, mapped, logged)
        return of_suppositions(session.keyframe, (), {}, mapped, logged)

    def _flips(self, number: int) -> Mapping[str, tuple[int, ...]]:
        """Where the outcome of an answer's scenario flips, if that was looked for."""
        session = self._session
        found = session.explained.get(number) or recorded_explanation(session.case.entries, number)
        return flips_of(found, session.interface) if found else {}

    def _logged(self) -> dict[str, Sequence[int]]:
        """Values of the log, as far as it was read for the plot."""
        read = self._session.read
        if read is None:
            return {}
        every = max(len(read.numbers) // _LOOKED_AT, 1)
        return {each.name: [bits for bits in each.values[::every] if bits is not None] for each in read.series}
