"""The elements that panels are made of: native ones, which keyboards, screen readers and printers support.

The browser evaluates no text: the page's policy forbids templates and inline handlers.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Any, Final, TypeVar, final

from nicegui import run
from nicegui.element import Element
from nicegui.elements.mixins.text_element import TextElement
from nicegui.events import GenericEventArguments

from soid.errors import SoidError

Do = Callable[[], Awaitable[None] | None]
DoWith = Callable[[Any], Awaitable[None] | None]
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
    return _dressed(TextElement(tag=tag, text=said), classes, attributes)


def button(said: str, do: Do, classes: str = "", **attributes: str) -> TextElement:
    made = text(said, f"button {classes}", tag="button", type="button", **attributes)
    made.on("click", lambda: do(), args=[])
    return made


def link(said: str, to: str, classes: str = "", **attributes: str) -> TextElement:
    return text(said, classes, tag="a", href=to, **attributes)


def help_link() -> TextElement:
    """A link that opens the help in a tab of its own."""
    return link("Help", "/help", "button", target="_blank", rel="noopener")


TO_CASES: Final = ("◂ Cases", "/")


def head(title: str, said: str, back: tuple[str, str] | None = None, *, helped: bool = True) -> None:
    """The top of a page: title, subtitle, a way back, help and the choice of colours."""
    with box("header", "head"):
        if back is not None:
            link(*back, "back")
        with box("div", "titles"):
            text(title, tag="h1")
            text(said, "meta", tag="p")
        text("", "spacer")
        if helped:
            help_link()
        ThemeSwitch()


def attribute(element: Element, name: str, value: str | bool | None) -> None:
    """Set or remove an attribute; the browser is told only of a change."""
    if element.props.get(name) == value:
        return
    if value is None:
        element.props.pop(name, None)
    else:
        element.props[name] = value
    element.update()


def _dressed(element: E, classes: str, attributes: dict[str, str]) -> E:
    if classes.strip():
        element.classes(classes.strip())
    for name, value in attributes.items():
        element.props[name.rstrip("_").replace("_", "-")] = value
    return element


@final
class Complaint:
    """A cause and a remedy; if the cause draws the place of an error, the drawing keeps its columns."""

    def __init__(self) -> None:
        with box("div", "problem", role="alert") as self._all:
            self._cause = text("")
            self._drawn = text("", "drawn", tag="code")
            self._remedy = text("")

    def put(self, cause: str = "", remedy: str = "") -> None:
        """Show a complaint; without a cause, hide it."""
        first, _, drawn = cause.partition("\n")
        self._cause.set_text(first if drawn or not first else f"{first}. ")
        self._drawn.set_text(drawn)
        self._drawn.set_visibility(bool(drawn))
        self._remedy.set_text(remedy)
        self._all.set_visibility(bool(cause))


@final
class Field(Element, component="static/field.js"):
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
        on_input: DoWith | None = None,
        on_change: DoWith | None = None,
        on_enter: DoWith | None = None,
    ) -> None:
        """`label` is for screen readers; a field inside a label element needs none.

        `on_input` is called for each key press, `on_change` for a settled value.
        """
        super().__init__()
        self.props["kind"] = kind
        self.props["label"] = label
        self.props["value"] = value
        self.props["checked"] = checked
        self.props["placeholder"] = placeholder
        self.props["focused"] = focused
        self.props["options"] = [list(option) for option in options]
        for event, handler in (("input", on_input), ("change", on_change), ("enter", on_enter)):
            if handler is not None:
                self.on(event, _given(handler))

    def put(self, text: str) -> None:
        """Replace the text, whatever was typed."""
        self.props["value"] = text
        self.props["round"] = self.props.get("round", 0) + 1
        self.update()

    def set(self, name: str, value: str | bool | Sequence[tuple[str, str]]) -> None:
        """Set the value, the options or the mark that the value is invalid; a text that is being typed stays."""
        if self.props.get(name) != value:
            self.props[name] = value
            self.update()


@final
class Markup(Element, component="static/markup.js"):
    """Markup that soid made; every text in it is escaped."""

    def __init__(self, html: str, *, tag: str = "div", classes: str = "") -> None:
        super().__init__()
        self.props["html"] = html
        self.props["tag"] = tag
        _dressed(self, classes, {})


@final
class Arrival(Element, component="static/arrival.js"):
    """Scrolls its parent into view, once."""


@final
class ThemeSwitch(Element, component="static/theme.js"):
    """The choice between light and dark."""


@final
class Timeline(Element, component="static/timeline.js"):
    """The slider over a log."""

    def __init__(self, *, on_seek: Callable[[int], None]) -> None:
        super().__init__()
        self.on("seek", _given(on_seek))

    def put(self, index: int, last: int, said: str, marks: list[dict[str, Any]]) -> None:
        self.props["index"], self.props["last"], self.props["said"] = index, last, said
        self.props["marks"] = marks
        self.update()


@final
class StageView(Element, component="static/stage.js"):
    """The drawing with handles."""

    def __init__(self, **heard: Callable[[Any], None]) -> None:
        """Handlers by event: choose, move, stretch, nudge, putback."""
        super().__init__()
        for event, handler in heard.items():
            self.on(event, _given(handler))

    def put(self, svg: str, *, stretching: bool, chosen: str) -> None:
        self.props["svg"], self.props["stretching"], self.props["chosen"] = svg, stretching, chosen
        self.update()


@final
class Upload(Element, component="static/upload.js"):
    """A field that sends chosen or dropped files to the server."""

    def __init__(self, to: str, accept: str, label: str, *, on_sent: Callable[[Any], None]) -> None:
        """`on_sent` gets each file's name and, if it was refused, the reason."""
        super().__init__()
        self.props["to"], self.props["accept"], self.props["label"] = to, accept, label
        self.on("sent", _given(on_sent))


@final
class MapView(Element, component="static/map.js"):
    """A decision map that the user can point at."""

    def __init__(self, **heard: Callable[[Any], Any]) -> None:
        """Handlers by event: look, pick, zoom."""
        super().__init__()
        for event, handler in heard.items():
            self.on(event, _given(handler))

    def put(self, svg: str, said: str, steps: list[int]) -> None:
        self.props["svg"], self.props["said"], self.props["steps"] = svg, said, steps
        self.update()


def _given(handler: Callable[[Any], Any]) -> Callable[[GenericEventArguments], Any]:
    """An event handler that passes on the event's arguments only."""
    return lambda event: handler(event.args)


@final
class Who(Element, component="static/who.js"):
    """The field for the user's name."""

    def __init__(self, name: str, *, on_name: Callable[[str], None]) -> None:
        super().__init__()
        self.props["name"] = name
        self.on("name", _given(on_name))


@final
class Keeper(Element, component="static/keeper.js"):
    """A text that the browser's tab stores, and sends back after a reload."""

    def __init__(self, place: str, state: str, *, on_restore: Callable[[Any], object]) -> None:
        super().__init__()
        self.props["place"], self.props["state"] = place, state
        self.on("restore", _given(on_restore))

    def keep(self, state: str) -> None:
        if self.props["state"] != state:
            self.props["state"] = state
            self.update()
