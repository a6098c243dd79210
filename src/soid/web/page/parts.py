"""The elements that panels are made of: native ones, which keyboards, screen readers and printers support.

The browser evaluates no text: the page's policy forbids templates and inline handlers.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Any, Final, TypeVar, final
from urllib.parse import quote

from nicegui import run
from nicegui.element import Element
from nicegui.elements.mixins.text_element import TextElement
from nicegui.events import GenericEventArguments

from soid.errors import SoidError
from soid.query.words import RoundedText
from soid.visible_text import visible
from soid.web.entrance import LEAVE
from soid.web.page.told_error import NO_ERROR, told_error
from soid.web.user import User

Do = Callable[[], Awaitable[None] | None]
DoWith = Callable[[Any], object]  # may be a coroutine function
E = TypeVar("E", bound=Element)
T = TypeVar("T")


async def in_thread(do: Callable[[], T], refused: Callable[[SoidError], None]) -> T | None:
    """Do something in another thread; None after an error, which `refused` shows, or if the server is stopping."""
    try:
        return await run.io_bound(do)
    except SoidError as error:
        refused(error)
        return None


def box(tag: str = "div", classes: str = "", **attributes: str) -> Element:
    """An element that holds others."""
    return _dressed(Element(tag), classes, attributes)


def text(said: str, classes: str = "", *, tag: str = "span", **attributes: str) -> TextElement:
    return _dressed(VisibleText(tag=tag, text=said), classes, attributes)


def button(said: str, do: Do, classes: str = "", **attributes: str) -> TextElement:
    """A button; a second click does nothing as long as the first is at work."""
    at_work = False

    def clicked() -> Awaitable[None] | None:
        nonlocal at_work
        work = None if at_work else do()
        if work is None:
            return None
        at_work = True
        return finish(work)

    async def finish(work: Awaitable[None]) -> None:
        nonlocal at_work
        try:
            await work
        finally:
            at_work = False

    made = text(said, f"button {classes}", tag="button", type="button", **attributes)
    made.on("click", clicked, args=[])
    return made


def link(said: str, to: str, classes: str = "", **attributes: str) -> TextElement:
    return text(said, classes, tag="a", href=to, **attributes)


def card(title: str, name: str, classes: str = "") -> Element:
    """A section with a heading; their names are for screen readers."""
    with box("section", f"card {classes}", aria_labelledby=f"{name}-heading") as made:
        text(title, tag="h2", id=f"{name}-heading")
    return made


def told(said: str | RoundedText, classes: str = "", *, tag: str = "span") -> None:
    """A text; one with a rounded number opens to all of its digits, by mouse, keyboard and touch."""
    if isinstance(said, str) or said.read == said.exact:
        text(said if isinstance(said, str) else said.read, classes, tag=tag)
        return
    with box(tag, classes), box("details", "digits"):
        text(said.read, tag="summary", title=said.exact)
        text(said.exact, tag="span")


def table(caption: str, heads: Sequence[str], rows: Iterable[Sequence[str | RoundedText]], classes: str) -> None:
    """A table; the first cell of a row says what the others are about, and `caption` is for screen readers."""
    with box("table", classes):
        text(caption, "spoken", tag="caption")
        with box("thead"), box("tr"):
            for head in heads:
                text(head, tag="th", scope="col")
        with box("tbody"):
            for first, *rest in rows:
                with box("tr"):
                    text(str(first), tag="th", scope="row")
                    for value in rest:
                        told(value, tag="td")


def help_link(case_id: str = "") -> TextElement:
    """A link that opens the help in a tab of its own; from a case's page, with a way back to that case."""
    return link(
        "Help", f"/help?case={quote(case_id)}" if case_id else "/help", "button", target="_blank", rel="noopener"
    )


TO_CASES: Final = ("◂ Cases", "/")


def head(
    title: str, said: str, back: tuple[str, str] | None = None, *, helped: bool = True, user: User | None = None
) -> None:
    """The top of a page: title, subtitle, a way back, help, the user and the choice of colours."""
    with box("header", "head"):
        if back is not None:
            link(*back, "back")
        with box("div", "titles"):
            text(title, tag="h1")
            text(said, "meta", tag="p")
        text("", "spacer")
        if helped:
            help_link()
        if user is not None:
            user_sign(user)
        ThemeSwitch()


def user_sign(user: User) -> None:
    """Who is here; on a server with tokens also how to leave."""
    with box("span", "who"):
        text(user.name, title=f"You may {user.role.words}. Entries that you add are by {user.author}.")
        if user.key:
            link("Leave", LEAVE, "button small")


def attribute(element: Element, name: str, value: str | bool | None) -> None:
    """Set or remove an attribute; the browser is told only of a change."""
    if value is None:
        element.props.pop(name, None)
    elif element.props.get(name) != (shown := visible(value) if isinstance(value, str) else value):
        element.props[name] = shown


def _dressed(element: E, classes: str, attributes: dict[str, str]) -> E:
    if classes.strip():
        element.classes(classes.strip())
    for name, value in attributes.items():
        element.props[name.rstrip("_").replace("_", "-")] = visible(value)
    return element


@final
class VisibleText(TextElement):
    """Text of others, shown so that none of it is mistaken for something else."""

    def _text_to_model_text(self, text: str) -> None:  # NiceGUI calls it for each new text
        super()._text_to_model_text(visible(text))


@final
class Complaint:
    """A cause and a remedy; if the cause draws the place of an error, the drawing keeps its columns."""

    def __init__(self) -> None:
        with box("div", "problem", role="alert") as self._all:
            self._cause = text("")
            self._drawn = text("", "drawn", tag="code")
            self._remedy = text("")

    def put(self, error: SoidError | None) -> None:
        """Show the complaint of an error; without one, hide it."""
        told = told_error(error) if error is not None else NO_ERROR
        first, _, drawn = told.cause.partition("\n")
        self._cause.set_text(first if drawn or not first else f"{first} ")
        self._drawn.set_text(drawn)
        self._drawn.set_visibility(bool(drawn))
        self._remedy.set_text(told.remedy)
        self._all.set_visibility(bool(told.cause))


class Scripted(Element):
    """An element with a script of its own, from the folder `static`."""

    def __init__(self, heard: Mapping[str, DoWith | None] | None = None, **props: Any) -> None:
        """`heard` has handlers by event, which get the event's arguments; `props` are the script's properties."""
        super().__init__()
        self.props.update(props)
        for event, handler in (heard or {}).items():
            if handler is not None:
                self.on(event, _given(handler))


def _given(handler: DoWith) -> Callable[[GenericEventArguments], object]:
    """An event handler that passes on the event's arguments only."""
    return lambda event: handler(event.args)


@final
class Field(Scripted, component="static/field.js"):
    """A native form field; handlers get its text, or whether it is ticked."""

    def __init__(
        self,
        label: str = "",
        *,
        kind: str = "text",
        value: str = "",
        options: Iterable[tuple[str, str]] = (),
        checked: bool = False,
        placeholder: str = "",
        focused: bool = False,
        kept: bool = False,
        asks: bool = False,
        on_input: DoWith | None = None,
        on_change: DoWith | None = None,
        on_enter: DoWith | None = None,
        on_paste: DoWith | None = None,
    ) -> None:
        """`label` is for screen readers; a field inside a label element needs none.

        `on_input` is called for each key press, `on_change` for a settled value; `typed` has the text if `kept`.
        `on_paste` gets `what` was pasted, and the whole `text`; by default that counts as typed. If it `asks`,
        Ctrl-Enter is `on_enter` too, and does not ask the page's question.
        """
        self.typed = value
        typing = self._keep if kept else on_input
        super().__init__(
            {"input": typing, "change": on_change, "enter": on_enter, "pasted": on_paste},
            kind=kind,
            label=visible(label),
            value=value,
            checked=checked,
            placeholder=visible(placeholder),
            focused=focused,
            asks=asks,
            pastes=on_paste is not None,
            options=_choices(options),
        )

    def put(self, text: str) -> None:
        """Replace the text, whatever was typed."""
        self._replace(text, focused=False)

    def hand_over(self, text: str) -> None:
        """Replace the text and give the field the keyboard: what comes next is up to the user."""
        self._replace(text, focused=True)

    def _replace(self, text: str, *, focused: bool) -> None:
        self.typed = text
        self.props.update(value=text, focused=focused, round=self.props.get("round", 0) + 1)

    def _keep(self, text: str) -> None:
        self.typed = text

    def set(self, name: str, value: str | bool | Sequence[tuple[str, str]]) -> None:
        """Set the value, the options or the mark that the value is invalid; a text that is being typed stays."""
        given = value if isinstance(value, str | bool) else _choices(value)
        if self.props.get(name) != given:
            self.props[name] = given


def _choices(options: Iterable[tuple[str, str]]) -> list[list[str]]:
    """Values and what is shown for them."""
    return [[value, visible(shown)] for value, shown in options]


@final
class Markup(Scripted, component="static/markup.js"):
    """Markup that soid made; every text in it is escaped."""

    def __init__(self, html: str, *, tag: str = "div", classes: str = "") -> None:
        super().__init__(html=html, tag=tag)
        self.classes(classes)


@final
class Drawing(Scripted, component="static/drawing.js"):
    """A drawing that is as wide as there is room."""

    def __init__(self, draw: Callable[[float], str]) -> None:
        """`draw` makes the drawing, whose text is escaped, for so many px across."""
        super().__init__({"sized": self._sized}, svg="")
        self._draw = draw
        self._room = 0.0

    def redraw(self) -> None:
        """Draw it anew, if it is known how much room there is."""
        if self._room:
            self.props.update(svg=self._draw(self._room))

    def _sized(self, room: float) -> None:
        self._room = float(room)
        self.redraw()


@final
class ZoomedDrawing(Scripted, component="static/zoom.js"):
    """A large drawing that can be made larger and smaller, and scrolled; its text is escaped."""

    def __init__(self, svg: str, called: str) -> None:
        super().__init__(svg=svg, called=called)


@final
class Arrival(Scripted, component="static/arrival.js"):
    """Scrolls its parent into view, once, and then what it belongs `under`, a selector."""


@final
class LastInSight(Scripted, component="static/last.js"):
    """Keeps what is added to the list before it in sight: the list scrolls to its end."""


@final
class Tour(Scripted, component="static/tour.js"):
    """The tour of a page: its `stops`, each a part's selector with a title and words, and whether it has `begun`."""


@final
class ThemeSwitch(Scripted, component="static/theme.js"):
    """The choice between light and dark."""


@final
class Timeline(Scripted, component="static/timeline.js"):
    """The slider over a log, with its marks and its plot; it sends seek, step, zoom, change and sized."""


@final
class StageView(Scripted, component="static/stage.js"):
    """The drawing with handles: `svg`, `stretching`, `chosen`; it sends choose, move, stretch, nudge, putback."""


@final
class Upload(Scripted, component="static/upload.js"):
    """A field that sends chosen or dropped files `to` the server; sent has a name, and the reason if refused."""


@final
class MapView(Scripted, component="static/map.js"):
    """A decision map that the user can point at: `svg`, `said`, `steps`; it sends look, pick, zoom.

    Maps of the same `group` mark the place that is pointed at in one of them.
    """


@final
class FilmView(Scripted, component="static/film.js"):
    """A film to be played or stepped through: `stages` side by side, and what it is `about`."""


@final
class RunView(Scripted, component="static/run.js"):
    """A run that is played and halted: a `film`, and the step `shown` inside it; it sends halt.

    A higher `round` halts it at that step.
    """


@final
class Address(Scripted, component="static/address.js"):
    """The browser's address, behind the `?`; it sends went when the browser goes back or forward."""

    def put(self, address: str) -> None:
        """Show another one, or this one again."""
        self.props.update(address=address, round=self.props.get("round", 0) + 1)


@final
class CopiedLink(Scripted, component="static/link.js"):
    """A link `to` a part of the page; a click copies it as a whole address."""


@final
class PageKeys(Scripted, component="static/keys.js"):
    """The keys that work everywhere on the page: it sends ask, undo, redo, and pasted with a text."""


def own_place(user: User, name: str) -> str:
    """Where a browser stores something for a user: with another token in the same tab, somebody else begins anew."""
    return f"soid-{user.key}-{name}"


@final
class Keeper(Scripted, component="static/keeper.js"):
    """A text, `state`, that the browser's tab stores under `place`; it sends restore after a reload.

    If it is `lasting`, the browser stores it.
    """
