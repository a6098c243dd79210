"""A picture in words, for legends and screen readers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from soid.program.interface import Variable
from soid.program.scenery import Blinking
from soid.query.words import listed
from soid.scene.overlaps import overlapping
from soid.scene.picture import DrawnActor, Picture, short
from soid.scene.scene import Actor, Scene

IN_FACT: Final = "in fact"
IN_THE_SCENARIO: Final = "in the scenario"

COMPASS: Final = ("north", "north-east", "east", "south-east", "south", "south-west", "west", "north-west")
_PICTURE: Final = (
    "up",
    "up and to the right",
    "to the right",
    "down and to the right",
    "down",
    "down and to the left",
    "to the left",
    "up and to the left",
)
_BLINKING: Final = {
    Blinking.LEFT: "left lights blinking",
    Blinking.RIGHT: "right lights blinking",
    Blinking.BOTH: "lights on both sides blinking",
    Blinking.OFF: "no light blinking",
}


def towards(scene: Scene, direction: float) -> str:
    """A direction of the picture in words: by the compass if north is declared, else as seen."""
    north = 90.0 if scene.north is None else scene.north.degrees
    eighth = round((north - direction) / 45.0) % 8
    return (_PICTURE if scene.north is None else COMPASS)[eighth]


def seen(scene: Scene, figure: DrawnActor) -> tuple[str, ...]:
    """The visible properties of an actor, and what cannot be drawn."""
    if figure.actor.present is not None and figure.actor.present.path in figure.unknown:
        return ("whether it is there is not known",)
    if not figure.present:
        return ("not there",)
    said = []
    if figure.place is None:
        said.append("at no place that can be drawn")
    elif not scene.frame.contains(*figure.place):
        said.append("outside the picture")
    if figure.direction is not None:
        said.append(f"heading {towards(scene, figure.direction)}")
    elif figure.actor.heading is not None:
        said.append("heading nowhere that can be drawn")
    if figure.blinking is not None and figure.blinking is not Blinking.OFF:
        said.append(_BLINKING[figure.blinking])
    return tuple(said)


def values(figure: DrawnActor) -> tuple[tuple[Variable, str], ...]:
    """An actor's variables, each as "speed 0.4 m/s"; none for an absent actor."""
    actor = figure.actor
    if not figure.present:
        return ()
    shown = (variable for variable in actor.variables if variable is not actor.present or actor.present_when)
    return tuple((variable, f"{short(variable, actor)} {figure.text(variable)}") for variable in shown)


def about(scene: Scene, figure: DrawnActor) -> str:
    """An actor in a line: "the other car: heading east, right lights blinking, x 1.376 m, ..."."""
    parts = (*seen(scene, figure), *(text for _, text in values(figure)))
    return f"{figure.actor.name}: {', '.join(parts)}"


def overlaps(scene: Scene, figures: Sequence[DrawnActor]) -> tuple[str, ...]:
    """What a picture can show only in part: "A and B overlap"; "A, B and C overlap" if each of them overlaps each."""
    pairs = [{one.actor.mark, other.actor.mark} for one, other in overlapping(scene.frame, figures)]
    said, untold = [], pairs
    while untold:
        group = set(untold[0])
        for figure in figures:
            if all({figure.actor.mark, mark} in pairs for mark in group):
                group.add(figure.actor.mark)
        untold = [pair for pair in untold if not pair <= group]
        said.append(f"{listed(each.actor.mark for each in figures if each.actor.mark in group)} overlap")
    return tuple(said)


def differing(picture: Picture, actor: Actor) -> tuple[str, ...]:
    """How an actor differs in the scenario: "signal: RIGHT → STRAIGHT"."""
    return tuple(f"{short(each.variable, actor)}: {each.change}" for each in picture.of(actor))


def elsewhere(picture: Picture) -> tuple[str, ...]:
    """The differences in variables that belong to no actor."""
    return tuple(str(each) for each in picture.differences if each.actor is None)


def description(picture: Picture) -> str:
    said = [f"{picture.scene.title}, {picture.caption}." if picture.caption else f"{picture.scene.title}."]
    said += [f"{figure.actor.mark}, {about(picture.scene, figure)}." for figure in picture.fact]
    said += [f"{each}." for each in overlaps(picture.scene, picture.fact)]
    if picture.outcome:
        said.append(f"In fact {picture.outcome}.")
    if picture.ghost is not None:
        changes = "; ".join(map(str, picture.differences)) or "nothing"
        said.append(f"In the scenario beside it this differs: {changes}.")
        said += [f"There {each}." for each in overlaps(picture.scene, picture.ghost)]
        if picture.ghost_outcome:
            said.append(f"There {picture.ghost_outcome}.")
    return " ".join(said)
