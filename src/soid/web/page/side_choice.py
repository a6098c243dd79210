"""What is compared: the programs that are ticked, or the moments that were added."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import ClassVar, Protocol, final

from soid.web.page import parts
from soid.web.page.compared_side import ComparedSide
from soid.web.page.map_set import FEWEST, MOST
from soid.web.page.session import About, Session


class SideChoice(Protocol):
    """Knows what is compared, and shows the choice of it."""

    is_made: ClassVar[bool]  # there is something to compare before anything is chosen

    def draw(self, changed: Callable[[], None]) -> None:
        """Show the choice; `changed` is called whenever another one is made."""
        ...

    @property
    def asked(self) -> Sequence[ComparedSide]:
        """Those that are asked."""
        ...

    @property
    def beside(self) -> Sequence[ComparedSide]:
        """Those that are shown side by side."""
        ...


def is_enough(sides: Sequence[ComparedSide]) -> bool:
    return FEWEST <= len(sides) <= MOST


@final
class ProgramChoice:
    """All programs are asked at the moment that is looked at; two or three are side by side."""

    is_made: ClassVar = True

    def __init__(self, session: Session) -> None:
        self._session = session
        self._programs = session.case.first.program.interface.programs
        self._beside = list(self._programs[:MOST])

    @property
    def asked(self) -> Sequence[ComparedSide]:
        step, log = self._session.keyframe.step, self._session.log
        return [ComparedSide(each, step, log, each) for each in self._programs]

    @property
    def beside(self) -> Sequence[ComparedSide]:
        return [each for each in self.asked if each.program in self._beside]

    def draw(self, changed: Callable[[], None]) -> None:
        with parts.box("fieldset", "row beside-choice"):
            parts.text("Side by side:", "dim", tag="legend")
            for each in self._programs:
                with parts.box("label", "tick"):
                    put = partial(self._put, each, changed)
                    parts.Field(each, kind="checkbox", checked=each in self._beside, on_change=put)
                    parts.text(each)
            self._asked_for = parts.text("", "caution", role="status")

    def _put(self, program: str, changed: Callable[[], None], checked: bool) -> None:
        self._beside = [each for each in self._programs if (checked if each == program else each in self._beside)]
        self._asked_for.set_text("" if is_enough(self.beside) else f"Choose {FEWEST} or {MOST}.")
        changed()


@final
class MomentChoice:
    """Two or three moments: the one that was looked at first, and those that are added while one looks at them."""

    is_made: ClassVar = False

    def __init__(self, session: Session) -> None:
        self._session = session
        self._chosen = [self._here]

    @property
    def asked(self) -> Sequence[ComparedSide]:
        return self._chosen

    beside = asked

    def draw(self, changed: Callable[[], None]) -> None:
        with parts.box("div", "row beside-choice"):
            self._list = parts.box("ul", "row compared-moments", aria_label="The moments that are compared")
            self._add = parts.button("", partial(self._put, changed), "small")
            self._asked_for = parts.text("", "caution", role="status")
        self._changed = changed
        self._session.hear(About.MOMENT, do=self._offer)
        self._show()

    @property
    def _here(self) -> ComparedSide:
        """The moment that is looked at."""
        session = self._session
        log = f", {session.log}" if session.log and len(session.case.logs) > 1 else ""
        return ComparedSide(f"{session.keyframe.called}{log}", session.keyframe.step, session.log)

    def _put(self, changed: Callable[[], None]) -> None:
        if self._here not in self._chosen:
            self._chosen.append(self._here)
            self._show()
            changed()

    def _remove(self, side: ComparedSide) -> None:
        self._chosen.remove(side)
        self._show()
        self._changed()

    def _show(self) -> None:
        self._list.clear()
        with self._list:
            for each in self._chosen:
                with parts.box("li", "row"):
                    parts.text(each.name)
                    parts.button("Leave out", partial(self._remove, each), "small", aria_label=f"Leave out {each.name}")
        self._offer()

    def _offer(self) -> None:
        full, known = len(self._chosen) >= MOST, self._here in self._chosen
        parts.attribute(self._add, "disabled", True if full or known else None)
        self._add.set_text(f"Add {self._here.name}")
        missing = "Go to another moment and add it." if known else "Add another moment."
        self._asked_for.set_text("" if is_enough(self._chosen) else missing)
