"""The editor: the variables of an actor, or all variables, each with its factual value and how it may differ."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, final

from soid.program.interface import Variable
from soid.program.types import EnumType, show
from soid.scene.handles import Grip
from soid.scene.picture import picture
from soid.scene.scene import Actor
from soid.web.page import parts
from soid.web.page.session import About, Session
from soid.web.page.variable_groups import FEW, VariableGroup, groups, matching, mattering
from soid.web.page.variable_row import VariableRow

_EVERYTHING: Final = ""  # this choice shows all variables instead of an actor's
_MOST: Final = 60  # rows and groups that are shown; a search finds the others


@final
class VariableEditor:
    """The variables of the chosen actor, or all of them."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._about = session.chosen
        self._search = ""
        self._rows: list[VariableRow] = []
        with parts.card("What may differ", "editor", "editor"):
            self._tabs = parts.box("div", "row tabs", role="group", aria_label="Whose variables")
            self._body = parts.box("div", "rows")
        session.hear(About.DRAFT, About.MOMENT, do=self._refresh)
        session.hear(About.CHOSEN, do=self._chosen)
        session.hear(About.EDITING, do=self._open)
        session.hear(About.ANSWER, About.EXPLAINED, do=self._mattering)
        self._edit()

    def _chosen(self) -> None:
        self._about = self._session.chosen
        self._edit()

    def _open(self) -> None:
        """Show the row of the variable to edit, with the keyboard in it."""
        path = self._session.editing
        actors = self._session.scene.actors if self._session.scene is not None else ()
        owner = next((a.mark for a in actors if any(variable.path == path for variable in a.variables)), "")
        self._about, self._search = owner, "" if owner else path
        self._edit(focused=path)

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
        self._body.clear()
        self._rows = []
        about = self._actor()
        with self._body:
            if about is None:
                self._all(focused)
            else:
                self._of(about, focused)

    def _tab(self, said: str, about: str) -> None:
        on = "true" if about == self._about else "false"
        parts.button(said, lambda: self._go(about), "segment", aria_pressed=on)

    def _of(self, actor: Actor, focused: str) -> None:
        """An actor's variables, and buttons that add or remove the actor."""
        if actor.present is not None:
            self._presence(actor, actor.present)
        for variable in sorted(actor.variables, key=lambda each: each is actor.present):  # presence is the last
            self._rows.append(VariableRow(self._session, variable, focused=variable.path == focused))

    def _presence(self, actor: Actor, present: Variable) -> None:
        with parts.box("div", "row presence"):
            self._there = parts.text("", "dim")
            self._take = parts.button(f"Take {actor.mark} away", lambda: self._appear(actor, present, there=False))
            self._add = parts.button(f"Add {actor.mark}", lambda: self._appear(actor, present, there=True))
        self._show_presence(actor)

    def _show_presence(self, actor: Actor) -> None:
        session = self._session
        assert session.scene is not None
        there, was = (
            next(figure.present for figure in picture(session.scene, values).fact if figure.actor is actor)
            for values in (session.draft.point, session.keyframe.inputs)
        )
        added = ""
        if there and not was:
            added = " It was not there in fact: what you do not say of it is what the log has in its place."
        self._there.set_text(f"{actor.mark}, {actor.name}, is {'there' if there else 'not there'}.{added}")
        self._take.set_visibility(there)
        self._add.set_visibility(not there)

    def _appear(self, actor: Actor, present: Variable, *, there: bool) -> None:
        """Suppose that an actor is there, or not; one that is out of sight is moved to the middle."""
        session = self._session
        assert session.scene is not None
        session.draft.fix(present, _presence_value(actor, present, there=there))
        if there:
            frame = session.scene.frame
            drawn = picture(session.scene, session.draft.point)
            place = next(figure.place for figure in drawn.fact if figure.actor is actor)
            if place is None or not frame.contains(*place):
                session.drafted()
                session.move(actor.mark, Grip.POSITION, *frame.point(0.5, 0.5))
        session.drafted()

    def _all(self, focused: str) -> None:
        """Every input that the search finds, in groups."""
        parts.Field(
            "Search the variables",
            kind="search",
            value=self._search,
            placeholder=f"search {len(self._session.interface.inputs)} inputs: a name or a word",
            on_input=self._searched,
        )
        self._found = parts.box("div", "found")
        self._list(focused)

    def _searched(self, text: str) -> None:
        self._search = text
        self._list("")

    def _list(self, focused: str) -> None:
        interface = self._session.interface
        self._found.clear()
        self._rows = []
        with self._found:
            if self._search.strip() or len(interface.inputs) <= FEW:
                found = matching(interface, self._search)
                for group in groups(found[:_MOST]):
                    parts.text(group.title, tag="h3", title=group.path)
                    self._add_rows(group.variables, focused)
                if len(found) > _MOST:
                    parts.text(f"and {len(found) - _MOST} more: search for them.", "dim", tag="p")
                if not found:
                    parts.text("No variable is called that.", "dim", tag="p")
            else:
                self._fold()

    def _add_rows(self, variables: Iterable[Variable], focused: str = "") -> None:
        for variable in variables:
            self._rows.append(VariableRow(self._session, variable, focused=variable.path == focused))

    def _fold(self) -> None:
        """Of many variables those that matter; the others in groups, whose rows are made when one is unfolded."""
        first = self._that_matter()
        if first:
            parts.text("What is asked about", tag="h3")
            self._add_rows(first[:_MOST])
        rest = groups([each for each in self._session.interface.inputs if each not in first[:_MOST]])
        for group in rest[:_MOST]:
            self._group(group)
        if len(rest) > _MOST:
            left = sum(len(group.variables) for group in rest[_MOST:])
            parts.text(f"and {left} more inputs: search for them.", "dim", tag="p")

    def _group(self, group: VariableGroup) -> None:
        is_made = False

        def unfold() -> None:
            nonlocal is_made
            if not is_made:
                is_made = True
                with inside:
                    self._add_rows(group.variables)

        with parts.box("details", "folded-group"):
            said = f"{group.title} ({len(group.variables)})"
            parts.text(said, tag="summary", title=group.path).on("click", unfold, args=[])
            inside = parts.box("div")

    def _that_matter(self) -> list[Variable]:
        session, shown = self._session, self._session.shown
        manifest = session.case.first.manifest
        explanation = None if shown is None else session.explained.get(shown.entry.number)
        return mattering(
            session.interface,
            session.draft.at_the_moment,
            None if shown is None else shown.answer,
            explanation,
            manifest.questions if manifest is not None else (),
        )

    def _mattering(self) -> None:
        """Show the rows of what has come to matter elsewhere on the page; what is there already keeps the keyboard."""
        if self._actor() is not None or self._search.strip() or len(self._session.interface.inputs) <= FEW:
            return
        there = {row.path for row in self._rows}
        if not there.issuperset(each.path for each in self._that_matter()):
            self._list("")

    def _refresh(self) -> None:
        self._mattering()
        for row in self._rows:
            row.refresh()
        actor = self._actor()
        if actor is not None and actor.present is not None:
            self._show_presence(actor)

    def _actor(self) -> Actor | None:
        actors = self._session.scene.actors if self._session.scene is not None else ()
        return next((each for each in actors if each.mark == self._about), None)


def _presence_value(actor: Actor, present: Variable, *, there: bool) -> str:
    """A value for which the actor is there, or is not."""
    if actor.present_when is None:
        return show(present.type, 1 if there else 0)
    labelled = [number for _, number in present.type.labels] if isinstance(present.type, EnumType) else []
    bits = next(each for each in labelled or range(256) if (each in actor.present_when) is there)
    return show(present.type, bits)
