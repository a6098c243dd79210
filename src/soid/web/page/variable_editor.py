"""The editor: the variables of an actor, or all variables, each with its factual value and how it may differ."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, final

from soid.program.interface import Role, Variable
from soid.program.types import EnumType, show
from soid.scene.handles import Grip
from soid.scene.picture import picture
from soid.scene.scene import Actor
from soid.web.page import parts
from soid.web.page.session import About, Session
from soid.web.page.variable_row import VariableRow

_EVERYTHING: Final = ""  # this choice shows all variables instead of an actor's
_MOST: Final = 60  # rows that are shown; a search finds the others


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
        actor = self._actor()
        if actor is not None and actor.present is not None:
            self._show_presence(actor)

    def _actor(self) -> Actor | None:
        actors = self._session.scene.actors if self._session.scene is not None else ()
        return next((each for each in actors if each.mark == self._about), None)


def _groups(variables: list[Variable]) -> Iterator[tuple[str, list[Variable]]]:
    """Variables by the struct that they are part of, and by role."""
    groups: dict[str, list[Variable]] = {}
    for variable in variables:
        whole = variable.path.rpartition(".")[0]
        what = "perceived" if variable.role is Role.ENVIRONMENT else "remembered"
        groups.setdefault(f"{whole or 'by itself'} · {what}", []).append(variable)
    yield from groups.items()


def _presence_value(actor: Actor, present: Variable, *, there: bool) -> str:
    """A value for which the actor is there, or is not."""
    if actor.present_when is None:
        return show(present.type, 1 if there else 0)
    labelled = [number for _, number in present.type.labels] if isinstance(present.type, EnumType) else []
    bits = next(each for each in labelled or range(256) if (each in actor.present_when) is there)
    return show(present.type, bits)
