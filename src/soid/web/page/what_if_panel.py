"""The panel with the suppositions: each is a chip in words, which can be edited and removed."""

from __future__ import annotations

from functools import partial
from typing import final

from soid.program.types import FloatType, IntType, show
from soid.query.query import QueryKind
from soid.scenario.expression_text import path_text
from soid.web.page import parts
from soid.web.page.question_draft import Chip, QuestionDraft
from soid.web.page.session import About, Session
from soid.web.page.supposition_draft import How


@final
class WhatIfPanel:
    """The chips, and a field for formulas."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._shown: dict[int, _ChipView] = {}
        with parts.box("section", "card what-if", aria_labelledby="what-if-heading"):
            with parts.box("div", "row"):
                parts.text("What if", tag="h2", id="what-if-heading")
                self._said = parts.text("", "dim", tag="p")
                self._clear = parts.button("Start over", partial(session.compose, QuestionDraft.clear), "small")
            self._chips = parts.box("ul", "chips", aria_label="What is supposed to differ")
            parts.LastInSight()
            self._details = parts.box("details", "formula")
            with self._details:
                parts.text("Suppose a formula of your own", tag="summary")
                with parts.box("div", "row"):
                    self._formula = parts.Field(
                        "A formula over inputs",
                        placeholder=f"such as: {_example(session)}",
                        on_enter=self._add_formula,
                        kept=True,
                    )
                    parts.button("Add", lambda: self._add_formula(self._formula.typed))
        session.hear(About.DRAFT, About.MOMENT, do=self._show)
        self._show()

    def _show(self) -> None:
        draft = self._session.draft
        chips = draft.read().chips
        self._said.set_text(_opening(draft.kind, len(chips), several=draft.steps.count > 1))
        for gone in self._shown.keys() - {chip.id for chip in chips}:
            self._shown.pop(gone).item.delete()
        for place, chip in enumerate(chips):
            if chip.id not in self._shown:
                with self._chips:
                    new = _ChipView(partial(self._edit, chip.id), partial(self._remove, chip.id))
                new.item.move(target_index=place)  # one that was undone goes back to where it was
                self._shown[chip.id] = new
            self._shown[chip.id].show(chip, left_out=draft.kind is QueryKind.DID)
        self._chips.set_visibility(bool(chips))
        self._clear.set_visibility(bool(chips))

    def _remove(self, id_: int) -> None:
        self._session.compose(lambda draft: draft.remove(id_))

    def _edit(self, id_: int) -> None:
        """Open the row of its variable; a formula goes back into its field."""
        supposed = self._session.draft.get(id_)
        if supposed is None:
            return
        if supposed.path:
            self._session.edit(supposed.path)
            return
        self._formula.put(supposed.values[0])
        parts.attribute(self._details, "open", True)
        self._remove(id_)

    def _add_formula(self, text: str) -> None:
        self._formula.put("")
        self._session.compose(lambda draft: draft.suppose("", How.FORMULA, text))


@final
class _ChipView:
    """One chip; it changes in place, so that a focused button keeps the keyboard."""

    def __init__(self, edit: parts.Do, remove: parts.Do) -> None:
        with parts.box("li", "chip") as self.item:
            with parts.box("div", "chip-words"):
                self._subject = parts.text("", tag="b")
                self._words = parts.text("")
                self._was = parts.text("", "was")
            self._edit = parts.button("Edit", edit, "small")
            self._remove = parts.button("✕", remove, "small")
            self._together = parts.text("", "together")
            self._caution = parts.text("", "caution")
            self._problem = parts.Complaint()

    def show(self, chip: Chip, *, left_out: bool) -> None:
        self._subject.set_text(f"{chip.subject} ")
        self._words.set_text(f"{chip.words} ")
        self._problem.put(chip.problem)
        said = (
            (self._was, f"was {chip.was}" if chip.was else ""),
            (self._together, chip.together),
            (self._caution, chip.caution),
        )
        for element, text in said:
            element.set_text(text)
            element.set_visibility(bool(text))
        for button, word in ((self._edit, "Edit"), (self._remove, "Remove")):
            parts.attribute(button, "aria-label", f"{word}: {chip.subject} {chip.words}")
        self.item.classes(replace=f"chip{' wrong' if chip.problem is not None else ' left-out' if left_out else ''}")


def _example(session: Session) -> str:
    """An example formula over this program's variables."""
    inputs, fact = session.interface.inputs, session.keyframe.inputs
    unknown = session.keyframe.assumed
    numbers = [v for v in inputs if isinstance(v.type, FloatType | IntType) and v.path not in unknown]
    if numbers:
        return f"{path_text(numbers[0].path)} >= {show(numbers[0].type, fact[numbers[0].path])}"
    return f"{path_text(inputs[0].path)} is anything" if inputs else "speed >= 1.0"


def _opening(kind: QueryKind, count: int, *, several: bool) -> str:
    if kind is QueryKind.DID and count:
        return "“Did” asks about what happened: what is supposed here is left out of it."
    if kind is QueryKind.DID:
        return "“Did” needs nothing here. For “would” and “might”, say what may differ."
    if not count:
        return "Nothing differs yet. Move a car, tick a signal, or choose a variable; all else stays as it was."
    if several:
        return "All of this holds together; everything else is as the world of the question says."
    return "All of this holds together; everything else stays as it was."
