"""The picture of a scene on the terminal, drawn with characters."""

from __future__ import annotations

from typing import Final

from soid.cli.terminal.terminal import Terminal
from soid.scene.picture import Picture
from soid.scene.scene_text import Line, legend, panels

#: the style of what is drawn, by its role; marks and shapes tell actors apart without colour
_STYLES: Final = {
    "grass": "dim green",
    "pavement": "dim",
    "zebra": "dim",
    "obstacle": "dim",
    "edge": "dim",
    "lane": "dim",
    "stop": "bold",
    "investigated": "bold cyan",
    "other": "bold yellow",
    "bystander": "bold",
    "ghost": "bold magenta",
    "blinking": "bold yellow",
    "title": "bold",
    "note": "dim",
}


def show_panels(terminal: Terminal, picture: Picture) -> None:
    """Draw the fact, and beside it the scenario if there is one."""
    _show(terminal, panels(picture, min(terminal.width, _WIDEST), ascii_only=_is_ascii(terminal)))


def show_legend(terminal: Terminal, picture: Picture) -> None:
    """List the actors with their marks, and what differs in the scenario."""
    _show(terminal, legend(picture, terminal.width, ascii_only=_is_ascii(terminal)))


_WIDEST: Final = 80  # columns; a wider picture shows no more


def _show(terminal: Terminal, lines: tuple[Line, ...]) -> None:
    for line in lines:
        terminal.line(*((span.text, _STYLES.get(span.role, "")) for span in trimmed(line)))


def trimmed(line: Line) -> Line:
    """The line without the blanks at its end."""
    spans = list(line)
    while spans and not spans[-1].text.strip():
        spans.pop()
    return tuple(spans)


def _is_ascii(terminal: Terminal) -> bool:
    return terminal.either("", "ASCII") == "ASCII"
