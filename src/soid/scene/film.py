"""A Film: what the steps of a question leave, in fact and in the scenario of an answer, to be drawn side by side.

    at first   what is perceived at the moment
    step 11    what the step leaves: the world's state after what was decided there
    ...
    step 26    the two cars collide

Only programs in a world have films: nothing else says what a step leaves of what is perceived.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, final

from msgspec import Struct
from msgspec.structs import replace

from soid.program.interface import Role
from soid.scene.picture import DrawnActor, drawn_actors
from soid.scene.scene import Scene
from soid.scene.viewport import Viewport
from soid.witness.witness import Witness

#: frames of a film that are drawn, unless more of them show the first time that something happens
FRAMES: Final = 5

_MARGIN: Final = 2.0  # lengths of the longest actor around all places


@final
class Frame(Struct, frozen=True):
    """What one step leaves."""

    called: str  # "at first", "step 26"
    figures: tuple[DrawnActor, ...]
    events: tuple[str, ...] = ()  # what happens in the step, in words


@final
class Film(Struct, frozen=True):
    """Frames of the same steps, in fact and in the scenario; the fact's end where the log does."""

    scene: Scene  # as much of it as the actors need
    fact: tuple[Frame, ...]
    scenario: tuple[Frame, ...]

    def chosen(self) -> list[int]:
        """The frames to be drawn: the first, the last, those in which something first happens, and some between."""
        rows = (self.fact, self.scenario)
        happening = ([at for at, frame in enumerate(row) if frame.events][:1] for row in rows)
        last = max(map(len, rows)) - 1
        evenly = {round(last * part / (FRAMES - 1)) for part in range(FRAMES)}
        return sorted(evenly.union(*happening))


def film(scene: Scene, step: int, fact: Witness, scenario: Witness) -> Film | None:
    """The film of a fact and a scenario from a step on; None where no world says what steps leave."""
    if not scenario.interface.produced or not scenario.earlier:
        return None
    rows = [_frames(scene, step, each) for each in (fact, scenario)]
    places = [figure.place for row in rows for frame in row for figure in frame.figures]
    nearer = _around(scene, [place for place in places if place is not None])
    return Film(replace(scene, frame=nearer), *rows)


def _frames(scene: Scene, step: int, witness: Witness) -> tuple[Frame, ...]:
    interface, values = witness.interface, dict(witness.inputs)
    frames = [Frame("at first", drawn_actors(scene, values))]
    for at, left in enumerate(witness.steps):
        values |= {name.removesuffix("'"): bits for name, bits in left.items() if name.endswith("'")}
        values |= {name: bits for name, bits in left.items() if _is_decided(name, witness)}
        events = [interface.variable(event).label or event for event in sorted(interface.events) if left.get(event)]
        frames.append(Frame(f"step {witness.step_number(at, step)}", drawn_actors(scene, values), tuple(events)))
    return tuple(frames)


def _is_decided(name: str, witness: Witness) -> bool:
    return not name.endswith("'") and witness.interface.variable(name).role is Role.DECISION


def _around(scene: Scene, places: Sequence[tuple[float, float]]) -> Viewport:
    """The part of the scene in which something is, with the same directions."""
    frame = scene.frame
    if not places:
        return frame
    margin = _MARGIN * max(max(actor.size) for actor in scene.actors)
    left, right = _range([x for x, _ in places], margin, (frame.left, frame.right))
    top, bottom = _range([y for _, y in places], margin, (frame.top, frame.bottom))
    return Viewport(left=left, right=right, top=top, bottom=bottom)


def _range(values: Iterable[float], margin: float, whole: tuple[float, float]) -> tuple[float, float]:
    found = list(values)
    least, greatest = min(whole), max(whole)
    low, high = max(min(found) - margin, least), min(max(found) + margin, greatest)
    if low >= high:  # all of it is outside
        low, high = least, greatest
    return (low, high) if whole[0] < whole[1] else (high, low)


def events_by_step(frames: Sequence[Frame]) -> Mapping[int, str]:
    """Where along a row something happens, in words."""
    return {at: "; ".join(frame.events) for at, frame in enumerate(frames) if frame.events}
