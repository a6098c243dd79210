"""A film as SVG: a strip of frames in fact, one in the scenario below it, and a line of steps under each.

What happens is written under its frame, and marked on the line.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from soid.scene.film import Film, Frame, events_by_step
from soid.scene.scene_words import IN_FACT, IN_THE_SCENARIO, overlaps
from soid.scene.vector.actor_shapes import figure
from soid.scene.vector.elements import label, number, sheet, tag, title, wrapped
from soid.scene.vector.panel import Panel, ground
from soid.scene.vector.style import LARGE, SMALL, Theme, style

_MARGIN: Final = 22.0  # px
_WIDTH: Final = 190.0  # of a frame
_GAP: Final = 12.0
_HEADING: Final = 26.0  # px above a strip
_LINE: Final = 15.0
_TIMES: Final = 34.0  # px for the line of steps
_DOT: Final = 5.0  # px, half of the mark of an event

ENDS: Final = "the log ends"


def film_svg(film: Film, caption: str, *, theme: Theme = "auto") -> str:
    """The drawing; `theme` may fix light or dark."""
    chosen = film.chosen()
    wide = 2 * _MARGIN + len(chosen) * (_WIDTH + _GAP) - _GAP
    down = _MARGIN + LARGE + 14
    parts = [label(film.scene.title, _MARGIN, _MARGIN + LARGE, "soid-large")]
    for line in wrapped(caption, wide - 2 * _MARGIN, SMALL + 1):
        parts.append(label(line, _MARGIN, down + _LINE, "soid-dim"))
        down += _LINE
    for where, frames in ((IN_FACT, film.fact), (IN_THE_SCENARIO, film.scenario)):
        strip, down = _strip(film, where, frames, chosen, down + 12)
        parts.append(strip)
    said = "; ".join(f"{where}: {told(frames)}" for where, frames in _rows(film))
    return sheet(wide, down + _MARGIN, film.scene.title, said, "soid", style(theme), *parts)


def _rows(film: Film) -> tuple[tuple[str, tuple[Frame, ...]], ...]:
    return (IN_FACT, film.fact), (IN_THE_SCENARIO, film.scenario)


def told(frames: Sequence[Frame]) -> str:
    """What happens in a row, for those that do not see it."""
    happening = [f"{frames[at].called}: {event}" for at, event in events_by_step(frames).items()]
    return ", ".join(happening) or "nothing of what is asked about happens"


def _strip(film: Film, where: str, frames: Sequence[Frame], chosen: Sequence[int], y: float) -> tuple[str, float]:
    """The frames of a row with the line below them, and the y at which it ends."""
    parts = [label(where.capitalize(), _MARGIN, y + _HEADING - 8, "soid-bold")]
    top, lowest = y + _HEADING, 0.0
    for column, at in enumerate(chosen):
        x = _MARGIN + column * (_WIDTH + _GAP)
        panel = Panel(film.scene, x, top, _WIDTH)
        down = top + panel.height + _LINE
        if at < len(frames):
            frame = frames[at]
            figures = tag("svg", *figures_in(panel, frame), x=x, y=top, width=_WIDTH, height=panel.height)
            parts += [ground(panel, axes=False), figures, label(frame.called, x, down, "soid-bold")]
            for line in (each for event in frame.events for each in wrapped(event, _WIDTH, SMALL + 1)):
                down += _LINE
                parts.append(label(line, x, down, "soid-bold soid-changed"))
            for line in (each for said in overlaps(film.scene, frame.figures) for each in wrapped(said, _WIDTH, SMALL)):
                down += _LINE
                parts.append(label(line, x, down, "soid-dim"))
        else:
            parts.append(label(ENDS, x, down, "soid-dim"))
        lowest = max(lowest, down)
    parts.append(_steps(frames, max(len(film.fact), len(film.scenario)), len(chosen), lowest + _TIMES / 2))
    return tag("g", *parts, role="group", aria_label=where.capitalize()), lowest + _TIMES


def figures_in(panel: Panel, frame: Frame) -> list[str]:
    """The actors, in a drawing of its own that is clipped at the frame's edges."""
    own = Panel(panel.scene, 0.0, 0.0, panel.width)
    return [figure(own, each) for each in frame.figures]


def _steps(frames: Sequence[Frame], count: int, columns: int, y: float) -> str:
    """The line of steps: a tick each, and a dot where something happens."""
    wide = columns * (_WIDTH + _GAP) - _GAP

    def place(at: int) -> float:
        return _MARGIN + wide * at / max(1, count - 1)

    line = tag("path", d=f"M{_MARGIN} {number(y)}H{number(place(len(frames) - 1))}", class_="soid-axis")
    ticks = "".join(f"M{number(place(at))} {number(y - 3)}v6" for at in range(len(frames)))
    marks = [
        tag("circle", title(f"{frames[at].called}: {event}"), cx=place(at), cy=y, r=_DOT, class_="soid-ghost soid-body")
        for at, event in events_by_step(frames).items()
    ]
    return tag("g", line, tag("path", d=ticks, class_="soid-axis"), *marks)
