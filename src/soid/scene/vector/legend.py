"""The legend below the panels: the actors, with all their values."""

from __future__ import annotations

import textwrap
from typing import Final

from soid.scene import scene_words
from soid.scene.picture import DrawnActor, Picture
from soid.scene.vector.elements import CHARACTER, label, tag
from soid.scene.vector.style import SIZE, SMALL

_LINE: Final = 17.0  # px
_HANG: Final = 30.0  # px, for the mark


def legend(picture: Picture, x: float, y: float, room: float) -> tuple[str, float]:
    """The legend and its height."""
    parts: list[str] = []
    down = y
    for number, figure in enumerate(picture.fact):
        ghost = picture.ghost[number] if picture.ghost is not None else None
        said, changed = _lines(picture, figure, ghost)
        if not said:
            continue
        parts.append(tag("circle", cx=x + 10, cy=down + 8, r=9, class_=f"soid-body soid-{figure.actor.part.value}"))
        parts.append(label(figure.actor.mark, x + 10, down + 12, "soid-small soid-bold soid-on", anchor="middle"))
        for style, text in (("", said), *(("soid-changed soid-bold", each) for each in changed)):
            for line in wrapped(text, room - _HANG, SIZE):
                parts.append(label(line, x + _HANG, down + 12, style))
                down += _LINE
        down += 5
    for text in scene_words.elsewhere(picture):
        for line in wrapped(f"also different: {text}", room - _HANG, SIZE):
            parts.append(label(line, x + _HANG, down + 12, "soid-changed soid-bold"))
            down += _LINE
    return tag("g", *parts), down - y


def _lines(picture: Picture, figure: DrawnActor, ghost: DrawnActor | None) -> tuple[str, tuple[str, ...]]:
    """The words about an actor, and its differences; empty for an actor that is absent in both panels."""
    differing = scene_words.differing(picture, figure.actor)
    if not figure.present and not differing:
        return "", ()
    if ghost is not None and differing:
        seen = scene_words.seen(picture.scene, ghost)
        differing = (f"{scene_words.IN_THE_SCENARIO}: {', '.join((*seen, *differing))}",)
    return scene_words.about(picture.scene, figure), differing


def wrapped(text: str, room: float, size: float) -> list[str]:
    """A text in lines of at most `room` px, by the approximate width of characters."""
    columns = max(int(room / (size * CHARACTER)), 20)
    return textwrap.wrap(text, columns, break_long_words=False, break_on_hyphens=False)


def note(text: str, x: float, y: float, room: float) -> tuple[str, float]:
    """A remark in small letters, and its height."""
    lines = wrapped(text, room, SMALL)
    parts = [label(line, x, y + 11 + 14 * row, "soid-small soid-dim") for row, line in enumerate(lines)]
    return "".join(parts), 14.0 * len(lines)
