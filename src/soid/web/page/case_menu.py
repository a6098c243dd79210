"""What is done with a case as a whole, in the list of cases: it gets another title, is archived, or deleted."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final, final

from soid.errors import SoidError
from soid.web.desk import CaseCard
from soid.web.desk_service import DeskService
from soid.web.page import parts
from soid.web.page.told_error import told_error

_ARCHIVE: Final = "It leaves this list, and nothing can be added to it until you bring it back. It can still be read."
_DELETE: Final = (
    "The file is removed, and cannot be brought back from here. What stays in the folder is who deleted it, when, and "
    "the last hash of its record."
)


@final
class CaseMenu:
    """The fields for one case at a time; they stay as they are while the list around them changes."""

    def __init__(self, desk: DeskService, changed: Callable[[], None]) -> None:
        self._desk, self._changed = desk, changed
        self._box = parts.box("section", "card keeping", aria_labelledby="keeping-heading")
        self.close()

    def close(self) -> None:
        self._box.clear()
        self._box.set_visibility(False)

    def show(self, card: CaseCard) -> None:
        """Ask what is to be done with a case."""
        self._box.clear()
        self._box.set_visibility(True)
        with self._box:
            parts.text(card.title, tag="h2", id="keeping-heading")
            if not card.problem:
                self._kept(card)
            self._deletion(card)
            self._wrong = parts.text("", "problem", tag="p", role="alert")
            parts.button("Never mind", self.close, "small")

    def _kept(self, card: CaseCard) -> None:
        if card.archived:
            with parts.box("div", "row"):
                back = partial(self._do, lambda: self._desk.open(card.id).unarchive())
                parts.button("Bring it back", back)
            return
        with parts.box("div", "row"):

            def renamed() -> None:
                self._do(lambda: self._desk.open(card.id).rename(title.typed))

            title = parts.Field("Title", value=card.title, kept=True, focused=True, on_enter=lambda _: renamed())
            parts.button("Rename", renamed)
        parts.text(_ARCHIVE, "dim", tag="p")
        with parts.box("div", "row"):
            why = parts.Field("Why it is archived", placeholder="why (may be left out)", kept=True)
            parts.button("Archive", partial(self._do, lambda: self._desk.open(card.id).archive(why.typed)))

    def _deletion(self, card: CaseCard) -> None:
        with parts.box("details"):
            parts.text("Delete it", tag="summary")
            parts.text(_DELETE, "dim", tag="p")
            with parts.box("label", "tick"):
                parts.text("To confirm, type what it is called:")
                name = parts.Field("Name of the case", placeholder=card.name, kept=True)
            parts.button("Delete for good", partial(self._do, lambda: self._desk.delete(card.id, name.typed)), "small")

    def _do(self, change: Callable[[], object]) -> None:
        try:
            change()
        except SoidError as error:
            self._wrong.set_text(str(told_error(error)))
            return
        self.close()
        self._changed()
