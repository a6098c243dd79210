"""A picture on the terminal."""

from __future__ import annotations

from typing import Final

from soid.cli.terminal import Terminal
from soid.scene.picture import Picture
from soid.scene.scene_text import Line, legend, panels

#: by the role of what is drawn; who is who is told by marks and shapes as well
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
    """What is to be seen: the fact, and beside it the scenario, if there is one."""
    _show(terminal, panels(picture, min(terminal.width, _WIDEST), ascii_only=_is_ascii(terminal)))


def show_legend(terminal: Terminal, picture: Picture) -> None:
    """Who is who, and what differs."""
    _show(terminal, legend(picture, terminal.width, ascii_only=_is_ascii(terminal)))


_WIDEST: Final = 80  # a wider picture says no more


def _show(terminal: Terminal, lines: tuple[Line, ...]) -> None:
    for line in lines:
        terminal.line(*((span.text, _STYLES.get(span.role, "")) for span in _trimmed(line)))


def _trimmed(line: Line) -> Line:
    """Without the blanks at its end."""
    spans = list(line)
    while spans and not spans[-1].text.strip():
        spans.pop()
    return tuple(spans)


def _is_ascii(terminal: Terminal) -> bool:
    return terminal.either("", "ASCII") == "ASCII"
