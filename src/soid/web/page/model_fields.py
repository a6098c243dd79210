"""What is asked about an uploaded model: what is decided from its numbers, and what a cell without a value means."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, final

from soid.web.page import parts
from soid.web.page.case_draft import CaseDraft


@final
class ModelFields:
    """The fields, and what was proposed for them; hidden where the program is no model."""

    def __init__(self, new: CaseDraft, say: Callable[[CaseDraft, str, Any], None]) -> None:
        """`say` sets an attribute of the draft."""
        self._new = new
        with parts.box("div") as self._box:
            with parts.box("div", "row"), parts.box("label", "tick typed"):
                parts.text("The decision:")
                hint = "approve = probability >= 0.5"
                self._decided = parts.Field(placeholder=hint, on_input=partial(say, new, "decided"))
            with parts.box("div", "row"), parts.box("label", "tick"):
                parts.text("Where the log has no value:")
                choices = [("", "it is not known"), ("missing", "the model was told so")]
                chosen = partial(say, new, "empty")
                self._empty = parts.Field(kind="select", options=choices, on_change=chosen)
            self._notes = parts.box("ul", "dim")

    def show(self) -> None:
        new = self._new
        self._box.set_visibility(new.is_model)
        self._decided.set("value", new.decided)
        self._empty.set("value", new.empty)
        self._notes.clear()
        with self._notes:
            for note in new.notes:
                parts.text(note, tag="li")
