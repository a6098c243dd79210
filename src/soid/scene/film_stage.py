"""A film to be played: two drawings, of the fact and of the scenario, each with all its frames.

A page finds a frame by `data-frame` (its number) and shows one at a time; the first is shown at first.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, final

from msgspec import Struct

from soid.scene.film import Film, Frame
from soid.scene.film_svg import ENDS, figures_in, told
from soid.scene.scene_words import IN_FACT, IN_THE_SCENARIO, overlaps
from soid.scene.vector.elements import document, tag
from soid.scene.vector.panel import Panel, ground

_WIDTH: Final = 260.0  # px
_EDGE: Final = 1.0  # px around the panel, for its border


@final
class FrameWords(Struct, frozen=True):
    """A frame in words."""

    called: str
    events: tuple[str, ...]
    overlaps: tuple[str, ...]  # which figures hide each other


@final
class FilmStage(Struct, frozen=True):
    """What happened, or what would have: its frames in one drawing, and in words."""

    where: str
    svg: str
    frames: tuple[FrameWords, ...]
    ends: str  # what is said after the last frame, if the other one goes on


def film_stages(film: Film) -> tuple[FilmStage, FilmStage]:
    """The fact, and the scenario."""
    return _stage(film, IN_FACT, film.fact, ENDS), _stage(film, IN_THE_SCENARIO, film.scenario, "")


def _stage(film: Film, where: str, frames: Sequence[Frame], ends: str) -> FilmStage:
    panel = Panel(film.scene, _EDGE, _EDGE, _WIDTH)
    size = {"x": panel.x, "y": panel.y, "width": panel.width, "height": panel.height}
    drawn = [
        tag("g", *figures_in(panel, frame), data_frame=at, **({"display": "none"} if at else {}))
        for at, frame in enumerate(frames)
    ]
    said = f"{where.capitalize()}: {told(frames)}"
    actors = tag("svg", *drawn, **size)
    wide, high = panel.width + 2 * _EDGE, panel.height + 2 * _EDGE
    svg = document(wide, high, where.capitalize(), ground(panel, axes=False), actors, said=said)
    words = (FrameWords(each.called, each.events, overlaps(film.scene, each.figures)) for each in frames)
    return FilmStage(where.capitalize(), svg, tuple(words), ends)
