"""A Picture: a scene with the values of a moment, and with a counterfactual (the ghost) beside the fact.

>>> from soid.case.project import Project
>>> from soid.examples import folder
>>> from soid.scene.scene import scene_of
>>> case = Project.open(folder("proper_response"))
>>> answer = case.ask("might not guard.active' if road.distance is anything")
>>> drawn = of_keyframe(scene_of(case.manifest), case.keyframe, decided=answer.fact, witness=answer.witness)
>>> [str(difference) for difference in drawn.differences]
['B distance: 42.969997 → 60.0 m']
>>> [round(figure.x, 2) for figure in (*drawn.fact, *drawn.ghost)]
[-2.25, 45.22, -2.25, 62.25]
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Final, final

from msgspec import Struct
from msgspec.structs import replace

from soid.engine.summary import Decided
from soid.program.interface import Variable
from soid.program.scenery import Anchor, Blinking
from soid.program.types import FloatType, IntType, json_value, number, show
from soid.query.words import Words
from soid.query.words.variable_names import named
from soid.scenario.origin import NOT_KNOWN
from soid.scenario.trace import Keyframe
from soid.scene.scene import Actor, Scene
from soid.witness.witness import Shows, Witness

ARROW: Final = "→"


@final
class DrawnActor(Struct, frozen=True):
    """An actor at a moment."""

    actor: Actor
    present: bool
    x: float | None  # of its centre; None: the perceived value is not finite
    y: float | None
    direction: float | None  # degrees in the picture, counter-clockwise from the right; None: it has none
    blinking: Blinking | None  # None: it has no signal, or its value has no declared look
    values: Mapping[str, int]  # bits of the actor's variables
    unknown: frozenset[str] = frozenset()  # those of them whose value is not known

    @property
    def place(self) -> tuple[float, float] | None:
        """Where it is drawn; None if it is not drawn."""
        return (self.x, self.y) if self.present and self.x is not None and self.y is not None else None

    @property
    def blinking_sides(self) -> tuple[int, ...]:
        """1 for its right-hand side, -1 for its left."""
        sides = {Blinking.RIGHT: (1,), Blinking.LEFT: (-1,), Blinking.BOTH: (1, -1)}
        return sides.get(self.blinking, ()) if self.blinking is not None else ()

    def text(self, variable: Variable) -> str:
        return NOT_KNOWN if variable.path in self.unknown else _text(variable, self.values[variable.path])


@final
class Difference(Struct, frozen=True):
    """An input that differs from the fact."""

    actor: Actor | None  # the first actor that it belongs to, if any
    variable: Variable
    before: int  # bits
    after: int  # bits
    is_known: bool = True  # what it was in fact

    @property
    def change(self) -> str:
        kind, unit = self.variable.type, self.variable.measure
        was = show(kind, self.before) if self.is_known else NOT_KNOWN
        return f"{was} {ARROW} {show(kind, self.after)} {unit}".rstrip()

    def __str__(self) -> str:
        name = f"{self.actor.mark} {short(self.variable, self.actor)}" if self.actor else self.variable.path
        return f"{name}: {self.change}"


@final
class Picture(Struct, frozen=True):
    """A moment, ready to be drawn."""

    scene: Scene
    caption: str  # names the moment
    fact: tuple[DrawnActor, ...]  # one for each actor
    outcome: str  # the decisions, as a clause; empty if they are not given
    ghost: tuple[DrawnActor, ...] | None = None  # the actors in a counterfactual
    ghost_outcome: str = ""
    differences: tuple[Difference, ...] = ()  # in the interface's order

    @property
    def is_visible(self) -> bool:
        """Whether the scenario looks different: an actor's place, direction, blinking or presence differs."""
        pairs = zip(self.fact, self.ghost or self.fact, strict=True)
        return any(_looks(fact) != _looks(ghost) for fact, ghost in pairs)

    @property
    def changed(self) -> list[tuple[DrawnActor, DrawnActor]]:
        """The actors that differ, as pairs: in fact, and in the scenario."""
        pairs = zip(self.fact, self.ghost or self.fact, strict=True)
        return [(fact, ghost) for fact, ghost in pairs if self.of(fact.actor)]

    def of(self, actor: Actor) -> tuple[Difference, ...]:
        """The differences in an actor's variables."""
        return tuple(each for each in self.differences if each.variable in actor.variables)


def picture(
    scene: Scene,
    values: Mapping[str, int],
    *,
    ghost: Mapping[str, int] | None = None,
    caption: str = "",
    unknown: frozenset[str] = frozenset(),
    taken: frozenset[str] = frozenset(),
    derived: frozenset[str] = frozenset(),
) -> Picture:
    """The picture of a moment and of a ghost. Both are bits of every input, and of the decisions if they are shown.

    What is `unknown` in fact is not drawn. What is `taken` is unknown in the scenario too, and does not differ there.
    Decisions that are `derived` are marked.
    """
    return Picture(
        scene=scene,
        caption=caption,
        fact=drawn_actors(scene, values, unknown),
        outcome=_outcome(scene, values, derived),
        ghost=None if ghost is None else drawn_actors(scene, ghost, taken),
        ghost_outcome="" if ghost is None else _outcome(scene, ghost),
        differences=() if ghost is None else _differences(scene, values, ghost, unknown, taken),
    )


def of_keyframe(
    scene: Scene,
    keyframe: Keyframe,
    *,
    decided: Mapping[str, int] | None = None,
    witness: Witness | None = None,
    caption: str = "",
) -> Picture:
    """The picture of a logged step, with the scenario of a witness beside it if there is one.

    `decided` are the program's decisions, which the log may lack; the default caption is the step's number.
    """
    caption = caption or keyframe.called
    followed = decisions_that_follow(keyframe) if decided is None else {}
    fact = {**keyframe.decisions, **followed, **(decided or {}), **keyframe.inputs}
    unknown = frozenset(keyframe.assumed)
    if witness is None or witness.shows is Shows.FACT:
        return picture(scene, fact, caption=caption, unknown=unknown, derived=frozenset(followed))
    outputs = witness.outputs if isinstance(witness.ending, Decided) else {}
    ghost, taken = {**outputs, **witness.inputs}, frozenset(witness.assumed)
    made = picture(scene, fact, ghost=ghost, caption=caption, unknown=unknown, taken=taken)
    return made if isinstance(witness.ending, Decided) else replace(made, ghost_outcome=f"the program {witness.ending}")


def decisions_that_follow(keyframe: Keyframe) -> dict[str, int]:
    """The decisions that the log does not have, as far as they follow; if it has all, the program is not run."""
    missing = [each.path for each in keyframe.interface.decisions if each.path not in keyframe.decisions]
    followed = (keyframe.followed or {}) if missing else {}
    return {path: followed[path] for path in missing if path in followed}


def drawn_actors(
    scene: Scene, values: Mapping[str, int], unknown: frozenset[str] = frozenset()
) -> tuple[DrawnActor, ...]:
    """All actors at a moment; what is unknown is not drawn."""
    return tuple(_figure(scene, actor, values, unknown) for actor in scene.actors)


def _figure(scene: Scene, actor: Actor, given: Mapping[str, int], unknown: frozenset[str]) -> DrawnActor:
    values = {path: bits for path, bits in given.items() if path not in unknown}
    x, y = _number(actor.x, values), _number(actor.y, values)
    heading = None if actor.heading is None else _number(actor.heading, values)
    direction = None if heading is None else scene.direction(heading)
    if direction is not None and not math.isfinite(direction):
        direction = None
    if x is not None and y is not None and direction is not None and actor.anchor is not Anchor.CENTRE:
        back = -actor.size[0] / 2 if actor.anchor is Anchor.FRONT else actor.size[0] / 2
        x, y = scene.frame.ahead(x, y, direction, back)
    blinking = None
    if actor.signal is not None and actor.signals is not None:
        blinking = actor.signals.get(values[actor.signal.path]) if actor.signal.path in values else None
    own = {variable.path: given[variable.path] for variable in actor.variables}
    return DrawnActor(actor, _is_present(actor, values), x, y, direction, blinking, own, unknown.intersection(own))


def _looks(figure: DrawnActor) -> tuple[object, ...]:
    return (figure.place, figure.direction, figure.blinking) if figure.present else ()


def _is_present(actor: Actor, values: Mapping[str, int]) -> bool:
    if actor.present is None:
        return True
    if actor.present.path not in values:
        return False
    bits = values[actor.present.path]
    return bits != 0 if actor.present_when is None else bits in actor.present_when


def _number(place: Variable | float, values: Mapping[str, int]) -> float | None:
    if isinstance(place, float):
        return place
    return amount(place, values[place.path]) if place.path in values else None


def amount(variable: Variable, bits: int) -> float | None:
    """The number that a variable's bits encode; None if it is not finite."""
    kind = variable.type
    if isinstance(kind, IntType):
        known = float(number(kind, bits)) if kind.width <= _WIDEST else math.inf
    else:
        assert isinstance(kind, FloatType)
        shown = json_value(kind, bits)
        known = shown if isinstance(shown, float) else math.inf
    return known if math.isfinite(known) else None


_WIDEST: Final = 512  # bits of an integer that surely converts to a float


def short(variable: Variable, actor: Actor) -> str:
    """The last part of a variable's path in words, with what it is a part of where the actor has another such part."""
    tails = [named(each.path) for each in actor.variables]
    tail = named(variable.path)
    return tail if tails.count(tail) == 1 else f"{tail} of {named(variable.path.rpartition('.')[0])}"


def _text(variable: Variable, bits: int) -> str:
    return variable.amount(bits)


def _outcome(scene: Scene, values: Mapping[str, int], derived: frozenset[str] = frozenset()) -> str:
    decided = {each.path: values[each.path] for each in scene.interface.decisions if each.path in values}
    return Words(scene.interface).decided(decided, derived=derived)


def _differences(
    scene: Scene,
    fact: Mapping[str, int],
    ghost: Mapping[str, int],
    unknown: frozenset[str],
    taken: frozenset[str],
) -> tuple[Difference, ...]:
    found = []
    for variable in scene.interface.inputs:
        path = variable.path
        before, after = fact[path], ghost[path]
        if path not in taken and (before != after or path in unknown):
            owner = next((actor for actor in scene.actors if variable in actor.variables), None)
            found.append(Difference(owner, variable, before, after, path not in unknown))
    return tuple(found)
