"""What if: what is supposed to differ, each supposition a chip in words that can be edited and removed."""

from __future__ import annotations

from typing import final

from soid.query.query import Kind
from soid.web.page import parts
from soid.web.page.draft import Chip
from soid.web.page.session import About, Session
from soid.web.page.supposing import How


@final
class WhatIf:
    """The chips, and a field for what only a formula can say."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._typed = ""
        with parts.box("section", "card what-if", aria_labelledby="what-if-heading"):
            with parts.box("div", "row"):
                parts.text("What if", tag="h2", id="what-if-heading")
                parts.text("", "spacer")
                self._clear = parts.button("Start over", self._start_over, "small")
            self._said = parts.text("", "dim", tag="p")
            self._chips = parts.box("ul", "chips", aria_label="What is supposed to differ")
            self._details = parts.box("details", "formula")
            with self._details:
                parts.text("Suppose a formula of your own", tag="summary")
                with parts.box("div", "row"):
                    self._formula = parts.Field(
                        "A formula over inputs",
                        placeholder="such as: 1.0 <= x <= 1.5",
                        on_enter=self._add_formula,
                        on_input=self._type_formula,
                    )
                    parts.button("Add", lambda: self._add_formula(self._typed))
        session.hear(About.DRAFT, About.MOMENT, do=self._show)
        self._show()

    def _show(self) -> None:
        draft = self._session.draft
        chips = draft.read().chips
        self._said.set_text(_opening(draft.kind, len(chips)))
        self._chips.clear()
        with self._chips:
            for chip in chips:
                self._chip(chip)
        self._chips.set_visibility(bool(chips))
        self._clear.set_visibility(bool(chips))

    def _start_over(self) -> None:
        self._session.draft.clear()
        self._session.drafted()

    def _chip(self, chip: Chip) -> None:
        state = " wrong" if chip.problem else " left-out" if self._session.draft.kind is Kind.DID else ""
        with parts.box("li", f"chip{state}"):
            with parts.box("div", "chip-words"):
                parts.text(chip.subject, tag="b", title=chip.path)
                parts.text(chip.words)
                if chip.was:
                    parts.text(f"was {chip.was}", "was")
            parts.button(
                "Edit", lambda: self._edit_chip(chip), "small", aria_label=f"Edit: {chip.subject} {chip.words}"
            )
            parts.button("✕", lambda: self._remove(chip), "small", aria_label=f"Remove: {chip.subject} {chip.words}")
            for said, classes in ((chip.together, "together"), (chip.caution, "caution")):
                if said:
                    parts.text(said, classes)
            if chip.problem is not None:
                parts.text(f"{chip.problem.cause}. {chip.problem.remedy}", "problem", role="alert")

    def _remove(self, chip: Chip) -> None:
        self._session.draft.remove(chip.id)
        self._session.drafted()

    def _edit_chip(self, chip: Chip) -> None:
        """Its variable's row; a formula goes back into the field where it was written."""
        if not chip.path:
            written = next(each.values[0] for each in self._session.draft.supposed if each.id == chip.id)
            self._typed = written
            self._formula.set("value", written)
            parts.attribute(self._details, "open", True)
            self._remove(chip)
            return
        self._session.edit(chip.path)

    def _type_formula(self, text: str) -> None:
        self._typed = text

    def _add_formula(self, text: str) -> None:
        self._session.draft.suppose("", How.FORMULA, text)
        self._formula.set("value", " ")
        self._formula.set("value", "")
        self._typed = ""
        self._session.drafted()


def _opening(kind: Kind, count: int) -> str:
    if kind is Kind.DID and count:
        return "“Did” asks about what happened: what is supposed here is left out of it."
    if kind is Kind.DID:
        return "“Did” needs nothing here. For “would” and “might”, say what may differ; all else stays as it was."
    if not count:
        return "Nothing differs yet. Move a car, tick a signal, or say it below; all else stays as it was."
    return "All of this holds together; everything else stays as it was."
