"""The film of a simulation's run: what moves is drawn once, and each frame says where it is.

A page shows a look by `data-look` and puts it at the frame's place; an actor has another look where its signal changes.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from soid.examples.simulation import SimulatedCourse, Simulation
from soid.program.scenery import Blinking
from soid.scene.picture import DrawnActor, Picture
from soid.scene.scene_words import overlaps
from soid.scene.vector.actor_shapes import MARK_BACK, fits_mark, shapes, size
from soid.scene.vector.elements import document, label, tag
from soid.scene.vector.panel import Panel, ground
from soid.scene.vector.style import SMALL

Film = dict[str, Any]  # as the browser gets it
_Look = tuple[str, Blinking | None]


def run_film(simulation: Simulation, course: SimulatedCourse, panel: Panel, sheet: tuple[float, float]) -> Film:
    """The drawing, `svg`, on a panel in a drawing of a size, and its `frames`: one before each step, and the end."""
    pictures = [simulation.picture(step.actors, "") for step in course.steps]
    looks: dict[_Look, DrawnActor] = {}
    for figure in (figure for each in pictures for figure in each.fact if figure.place is not None):
        looks.setdefault(_look(figure), figure)
    numbers = {look: number for number, look in enumerate(looks)}
    drawn = [_drawn(panel, figure, number) for number, figure in enumerate(looks.values())]
    svg = document(*sheet, f"{panel.scene.title}, the run", ground(panel), *drawn, said="The run, step by step.")
    frames = []
    for at, (step, picture) in enumerate(zip(course.steps, pictures, strict=True)):
        changed = [f"changed by hand: {'; '.join(course.by_hand[at])}"] if at in course.by_hand else []
        frames.append(
            {
                "called": f"step {at}, {step.time}" if step.decided else f"the end, {step.time}",
                "events": list(step.events),
                "by_hand": changed,
                "said": [*overlaps(panel.scene, picture.fact), *filter(None, [step.decided])],
                "at": list(_places(panel, picture, numbers)),
            }
        )
    return {"svg": svg, "frames": frames}


def _look(figure: DrawnActor) -> _Look:
    return figure.actor.mark, figure.blinking


def _places(panel: Panel, picture: Picture, numbers: dict[_Look, int]) -> Iterable[tuple[float, ...]]:
    """By look: its number, where it is, and by how much it is turned clockwise."""
    for figure in picture.fact:
        if figure.place is not None:
            x, y = panel.nearest(*figure.place)
            yield numbers[_look(figure)], round(x, 2), round(y, 2), round(-(figure.direction or 0.0), 2)


def _drawn(panel: Panel, figure: DrawnActor, number: int) -> str:
    """An actor at no place yet, with its mark, which is not turned with it."""
    inside = fits_mark(panel, figure)
    above = -max(size(panel, figure)) / 2 - 4  # whichever way it is turned
    y, style = (SMALL / 3, "soid-on") if inside else (above, "")
    mark = label(figure.actor.mark, 0.0, y, f"soid-small soid-bold {style}".rstrip(), anchor="middle")
    body = tag("g", *shapes(panel, figure), class_="soid-turned")
    back = size(panel, figure)[0] * MARK_BACK if inside else 0.0
    return tag("g", body, mark, data_look=number, data_back=f"{back:g}", display="none")


def legend(picture: Picture, count: int) -> str:
    """Who is who: in the film the actors have their marks alone."""
    return " · ".join(f"{each.actor.mark} {each.actor.name}" for each in picture.fact[:count])
