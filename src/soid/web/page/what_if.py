"""What if: the suppositions as chips, and the place where they are made, for who is drawn and for every variable."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, final

from soid.program.interface import Role, Variable
from soid.program.types import EnumType, show
from soid.query.query import Kind
from soid.scene.handles import Grip
from soid.scene.picture import picture
from soid.scene.scene import Actor
from soid.web.page import parts
from soid.web.page.draft import Chip
from soid.web.page.session import About, Session
from soid.web.page.supposing import How
from soid.web.page.variable_row import VariableRow

_EVERYTHING: Final = ""  # the choice of all variables instead of an actor
_MOST: Final = 60  # rows that are shown at once; a search finds the rest


@final
class WhatIf:
    """Chips, and the editor below them."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._about = session.chosen
        self._search = ""
        self._rows: list[VariableRow] = []
        with parts.box("section", "card what-if", aria_labelledby="what-if-heading"):
            parts.text("What if", tag="h2", id="what-if-heading")
            self._said = parts.text("", "dim", tag="p")
            self._chips = parts.box("ul", "chips", aria_label="What is supposed to differ")
            self._tabs = parts.box("div", "row tabs", role="group", aria_label="Whose variables")
            self._editor = parts.box("div", "editor")
            with parts.box("details", "formula"):
                parts.text("Suppose a formula of your own", tag="summary")
                with parts.box("div", "row"):
                    self._formula = parts.Field(
                        "A formula over inputs",
                        placeholder="such as: world.agents[0].arrived < world.agents[1].arrived",
                        on_enter=self._add_formula,
                        on_input=self._type_formula,
                    )
                    parts.button("Add", lambda: self._add_formula(self._typed))
        self._typed = ""
        session.hear(About.DRAFT, About.MOMENT, do=self._show_chips)
        session.hear(About.DRAFT, do=self._refresh)
        session.hear(About.MOMENT, do=self._edit)
        session.hear(About.CHOSEN, do=self._chosen)
        self._show_chips()
        self._edit()

    # --- chips

    def _show_chips(self) -> None:
        draft = self._session.draft
        chips = draft.read().chips
        self._said.set_text(_opening(draft.kind, len(chips)))
        self._chips.clear()
        with self._chips:
            for chip in chips:
                self._chip(chip)
        self._chips.set_visibility(bool(chips))

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
            self._remove(chip)
            return
        scene = self._session.scene
        owner = (
            next((a.mark for a in scene.actors if any(v.path == chip.path for v in a.variables)), "") if scene else ""
        )
        self._about, self._search = owner, "" if owner else chip.path
        self._edit(focused=chip.path)

    def _type_formula(self, text: str) -> None:
        self._typed = text

    def _add_formula(self, text: str) -> None:
        self._session.draft.suppose("", How.FORMULA, text)
        self._formula.set("value", " ")
        self._formula.set("value", "")
        self._typed = ""
        self._session.drafted()

    # --- the editor

    def _chosen(self) -> None:
        self._about = self._session.chosen
        self._edit()

    def _go(self, about: str) -> None:
        self._about = about
        if about:
            self._session.choose(about)
        self._edit()

    def _edit(self, focused: str = "") -> None:
        session = self._session
        self._tabs.clear()
        with self._tabs:
            if session.scene is not None:
                for actor in session.scene.actors:
                    self._tab(f"{actor.mark} · {actor.name}", actor.mark)
                self._tab("Every variable", _EVERYTHING)
        self._tabs.set_visibility(session.scene is not None)
        self._editor.clear()
        self._rows = []
        actors = session.scene.actors if session.scene is not None else ()
        about = next((each for each in actors if each.mark == self._about), None)
        with self._editor:
            if about is None:
                self._all(focused)
            else:
                self._of(about, focused)

    def _tab(self, said: str, about: str) -> None:
        on = "true" if about == self._about else "false"
        parts.button(said, lambda: self._go(about), "segment", aria_pressed=on)

    def _of(self, actor: Actor, focused: str) -> None:
        """An actor's variables, and a way to add or take it away."""
        if actor.present is not None:
            self._presence(actor, actor.present)
        for variable in actor.variables:
            if variable is not actor.present:
                self._rows.append(VariableRow(self._session, variable, focused=variable.path == focused))
        if actor.present is not None:
            self._rows.append(VariableRow(self._session, actor.present, focused=actor.present.path == focused))

    def _presence(self, actor: Actor, present: Variable) -> None:
        session = self._session
        assert session.scene is not None
        drawn = picture(session.scene, session.draft.point)
        there = next(figure.present for figure in drawn.fact if figure.actor is actor)
        with parts.box("div", "row"):
            parts.text(f"{actor.name} is {'there' if there else 'not there'}.", "dim")
            if there:
                parts.button(f"Take {actor.mark} away", lambda: self._appear(actor, present, there=False))
            else:
                parts.button(f"Add {actor.mark}", lambda: self._appear(actor, present, there=True))

    def _appear(self, actor: Actor, present: Variable, *, there: bool) -> None:
        """It is there, or not; one that is put where nobody can see it is put in the middle."""
        session = self._session
        assert session.scene is not None
        value = _presence_value(actor, present, there=there)
        session.draft.put(present.path, How.ONE_OF if value[1] else How.EXACTLY, value[0])
        if there:
            frame = session.scene.frame
            drawn = picture(session.scene, session.draft.point)
            place = next(figure.place for figure in drawn.fact if figure.actor is actor)
            if place is None or not frame.contains(*place):
                session.drafted()
                session.move(actor.mark, Grip.POSITION, *frame.point(0.5, 0.5))
        session.drafted()
        self._edit()

    def _all(self, focused: str) -> None:
        """Every input, grouped, as far as the search wants it."""
        parts.Field(
            "Search the variables",
            kind="search",
            value=self._search,
            placeholder="search: a name or a word",
            on_input=self._searched,
        )
        self._found = parts.box("div", "found")
        self._list(focused)

    def _searched(self, text: str) -> None:
        self._search = text
        self._list("")

    def _list(self, focused: str) -> None:
        self._found.clear()
        self._rows = []
        wanted = self._search.lower().split()
        inputs = self._session.interface.inputs
        matching = [each for each in inputs if all(word in f"{each.path} {each.label}".lower() for word in wanted)]
        with self._found:
            for group, variables in _groups(matching[:_MOST]):
                parts.text(group, tag="h3")
                for variable in variables:
                    self._rows.append(VariableRow(self._session, variable, focused=variable.path == focused))
            if len(matching) > _MOST:
                parts.text(f"and {len(matching) - _MOST} more: search for them.", "dim", tag="p")
            if not matching:
                parts.text("No variable is called that.", "dim", tag="p")

    def _refresh(self) -> None:
        for row in self._rows:
            row.refresh()


def _opening(kind: Kind, count: int) -> str:
    if kind is Kind.DID and count:
        return "“Did” asks about what happened: what is supposed here is left out of it."
    if kind is Kind.DID:
        return "“Did” needs nothing here. For “would” and “might”, say what may differ; all else stays as it was."
    if not count:
        return "Nothing differs yet. Move a car, tick a signal, or say it below; all else stays as it was."
    return "All of this holds together; everything else stays as it was."


def _groups(variables: list[Variable]) -> Iterator[tuple[str, list[Variable]]]:
    """What the program perceives and remembers, by what each variable is a part of."""
    groups: dict[str, list[Variable]] = {}
    for variable in variables:
        whole = variable.path.rpartition(".")[0]
        what = "perceived" if variable.role is Role.ENVIRONMENT else "remembered"
        groups.setdefault(f"{whole or 'by itself'} · {what}", []).append(variable)
    yield from groups.items()


def _presence_value(actor: Actor, present: Variable, *, there: bool) -> tuple[str, bool]:
    """A value for which the actor is there, or is not; and whether it is one of names."""
    named = isinstance(present.type, EnumType)
    if actor.present_when is None:
        return show(present.type, 1 if there else 0), named
    labelled = [number for _, number in present.type.labels] if isinstance(present.type, EnumType) else []
    bits = next(each for each in labelled or range(256) if (each in actor.present_when) is there)
    return show(present.type, bits), named
