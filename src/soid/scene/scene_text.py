"""A picture in characters, for terminals; in ASCII only, if needed.

A character counts as twice as high as wide. An actor is an arrow in its direction, with its mark behind it and a star
on each side that blinks. In the panel of a scenario, an actor that differs has a hollow arrow, and a cross marks its
factual place.
"""

from __future__ import annotations

import itertools
import textwrap
from typing import Final

from soid.scene import scene_words
from soid.scene.characters.canvas import Canvas, CellSpan
from soid.scene.characters.glyphs import GHOST, draw_figure, draw_ground, draw_left_behind
from soid.scene.picture import ARROW, Picture

Line = tuple[CellSpan, ...]

TITLE: Final = "title"
NOTE: Final = "note"

_INDENT: Final = 1
_GAP: Final = 2  # columns between two panels
_ROWS: Final = 20  # of a panel, at most
_LEAST: Final = 16  # columns of a panel, at least
_OBLONG: Final = 2.5  # panels with a larger ratio of width to height are stacked


def text(picture: Picture, width: int = 80, *, ascii_only: bool = False) -> str:
    """The picture and its legend, as lines of text."""
    drawn = (*panels(picture, width, ascii_only=ascii_only), (), *legend(picture, width, ascii_only=ascii_only))
    return "\n".join("".join(span.text for span in line).rstrip() for line in drawn)


def panels(picture: Picture, width: int = 80, *, ascii_only: bool = False) -> tuple[Line, ...]:
    """The panels of the fact and of the scenario, as lines of spans; the role of a span may select its colour."""
    frame = picture.scene.frame
    stacked = frame.width / frame.height > _OBLONG or width < 2 * _LEAST + _GAP + _INDENT
    room = width - _INDENT
    if picture.ghost is not None and not stacked:
        room = (room - _GAP) // 2
    canvas = Canvas.within(frame, picture.scene.ground, (max(room, _LEAST), _ROWS), ascii_only=ascii_only)
    draw_ground(canvas, picture.scene.ground)
    beside = canvas.copy()
    for figure in picture.fact:
        draw_figure(canvas, figure)
    shown = [_panel(canvas, scene_words.IN_FACT, picture.outcome)]
    if picture.ghost is not None:
        _draw_ghosts(beside, picture)
        shown.append(_panel(beside, scene_words.IN_THE_SCENARIO, picture.ghost_outcome))
    joined = [line for panel in shown for line in ((), *panel)][1:] if stacked else _side_by_side(shown, canvas.columns)
    return tuple((CellSpan(" " * _INDENT), *_plain(line, ascii_only)) for line in joined)


def legend(picture: Picture, width: int = 80, *, ascii_only: bool = False) -> tuple[Line, ...]:
    made: list[Line] = []
    for figure in picture.fact:
        changed = scene_words.differing(picture, figure.actor)
        if figure.present or changed:
            made += _entry(figure.actor.mark, figure.actor.part.value, scene_words.about(picture.scene, figure), width)
        for change in changed:
            made += _entry("", "", change, width, styled=GHOST)
    for said in scene_words.overlaps(picture.scene, picture.fact):
        made += _entry("", "", said, width)
    for said in scene_words.overlaps(picture.scene, picture.ghost or ()):
        made += _entry("", "", f"{scene_words.IN_THE_SCENARIO}: {said}", width, styled=GHOST)
    for change in scene_words.elsewhere(picture):
        made += _entry("", "", change, width, styled=GHOST)
    return tuple(_plain(line, ascii_only) for line in made)


def _draw_ghosts(canvas: Canvas, picture: Picture) -> None:
    """Draws the scenario: actors that differ are ghosts, and their factual places are marked."""
    for fact, ghost in picture.changed:
        if fact.place != ghost.place:
            draw_left_behind(canvas, fact)
    for figure in picture.ghost or ():
        if not picture.of(figure.actor):
            draw_figure(canvas, figure)
    for _, ghost in picture.changed:
        draw_figure(canvas, ghost, ghost=True)


def _panel(canvas: Canvas, title: str, outcome: str) -> list[Line]:
    below = [(CellSpan(line, TITLE),) for line in textwrap.wrap(outcome, canvas.columns)]
    return [(CellSpan(title, NOTE),), *canvas.lines(), *below]


def _side_by_side(panels: list[list[Line]], columns: int) -> list[Line]:
    joined: list[Line] = []
    for row in itertools.zip_longest(*panels, fillvalue=()):
        line: list[CellSpan] = []
        for cells in row:
            used = sum(len(span.text) for span in cells)
            line += [*cells, CellSpan(" " * (columns - used + _GAP))]
        joined.append(tuple(line[:-1]))
    return joined


def _entry(mark: str, role: str, words: str, width: int, *, styled: str = "") -> list[Line]:
    hanging = _INDENT + 4
    wrapped = textwrap.wrap(words, max(width - hanging, 20), break_long_words=False, break_on_hyphens=False)
    first = CellSpan(f"{' ' * _INDENT}{mark}".ljust(hanging), role)
    return [
        (first if number == 0 else CellSpan(" " * hanging), CellSpan(line, styled))
        for number, line in enumerate(wrapped)
    ]


def _plain(line: Line, ascii_only: bool) -> Line:
    if not ascii_only:
        return line
    return tuple(
        CellSpan(span.text.replace(ARROW, "->").encode("ascii", "replace").decode(), span.role) for span in line
    )
