"""The overview of a log on the terminal, drawn with characters."""

from __future__ import annotations

from typing import Final

from soid.cli.terminal.scene_panels import trimmed
from soid.cli.terminal.terminal import Terminal
from soid.program.interface import Interface
from soid.scenario.log_overview import LogOverview
from soid.scene.log_text import LogDrawing, layout, log_lines

#: the style of what is drawn, by its role; bars and labels tell bands apart without colour
_STYLES: Final = {
    "name": "dim",
    "curve": "cyan",
    "several": "bold",
    "figure": "dim",
    "axis": "dim",
    "moment": "bold",
    "value 0": "cyan",
    "value 1": "yellow",
    "value 2": "magenta",
    "value 3": "green",
    "value 4": "blue",
    "value 5": "white",
}
_INDENT: Final = 2


def drawing_for(terminal: Terminal, interface: Interface, width: int | None) -> LogDrawing:
    """How wide the drawing is: as the terminal, unless a width is given."""
    names = [variable.path for variable in (*interface.decisions, *interface.inputs)]
    room = (terminal.console.width if width is None else width) - _INDENT
    return layout(names, room, ascii_only=terminal.either("", "ASCII") == "ASCII")


def show_log(terminal: Terminal, view: LogOverview, drawing: LogDrawing, moment: int | None) -> None:
    lines = log_lines(view, drawing, moment)
    if lines:
        terminal.blank()
    for line in lines:
        terminal.line((" " * _INDENT, ""), *((span.text, _STYLES.get(span.role, "")) for span in trimmed(line)))
