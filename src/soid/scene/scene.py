"""A Scene: the manifest's `[scene]`, resolved against the program's variables.

>>> from soid.case.project import Project
>>> from soid.examples import folder
>>> scene = scene_of(Project.open(folder("proper_response")).manifest)
>>> [(actor.mark, actor.name) for actor in scene.actors]
[('A', 'the guarded car'), ('B', 'the car in front')]
>>> scene.actors[1].x.path, scene.direction(0.0)
('road.distance', 0.0)
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Final, final

from msgspec import Struct

from soid.errors import ManifestError
from soid.program import scenery
from soid.program.interface import Interface, Variable
from soid.program.manifest import Manifest
from soid.program.types import BoolType, EnumType, FloatType, IntType, from_python, parse
from soid.scene.viewport import Viewport
from soid.shown import Shown

#: the units that a heading variable may have, for each heading_unit of the scene
_ANGLES: Final = {
    scenery.Angle.RADIANS: ("rad", "radian", "radians"),
    scenery.Angle.DEGREES: ("deg", "degree", "degrees", "°"),
}


@final
class Actor(Struct, frozen=True):
    """A car, a person or a thing that a scenario may move."""

    mark: str  # one or two characters, shown in the picture
    name: str
    look: scenery.Look
    part: scenery.Part
    size: tuple[float, float]  # length and width
    anchor: scenery.Anchor  # the point of the actor that x and y are for
    x: Variable | float
    y: Variable | float
    heading: Variable | float | None = None
    present: Variable | None = None  # None: it is always there
    present_when: frozenset[int] | None = None  # bits of `present`; None: all but 0
    signal: Variable | None = None
    signals: Mapping[int, scenery.Blinking] | None = None  # by bits of `signal`
    shows: tuple[Variable, ...] = ()  # further variables that belong to it
    draggable: bool = True

    @property
    def variables(self) -> tuple[Variable, ...]:
        """All variables that belong to it, presence and position first."""
        named = (self.present, self.x, self.y, self.heading, self.signal, *self.shows)
        return tuple(dict.fromkeys(each for each in named if isinstance(each, Variable)))


@final
class Scene(Shown, Struct, frozen=True):
    """The parts of the drawing that are the same at all moments."""

    title: str
    unit: str  # of positions and sizes
    frame: Viewport
    north: scenery.Side | None
    heading: scenery.Heading | None
    ground: tuple[scenery.Ground, ...]
    actors: tuple[Actor, ...]
    interface: Interface

    def __repr__(self) -> str:
        return f"Scene({self.title!r}: {', '.join(f'{each.mark} {each.name}' for each in self.actors)})"

    def direction(self, heading: float) -> float:
        """The direction of a heading in the picture: degrees, counter-clockwise from the right, from 0 to 360."""
        assert self.heading is not None, "no actor has a heading"
        turned = math.degrees(heading) if self.heading.unit is scenery.Angle.RADIANS else heading
        sign = 1.0 if self.heading.grows is scenery.Turning.COUNTERCLOCKWISE else -1.0
        return (self.heading.zero.degrees + sign * turned) % 360.0

    def heading_of(self, direction: float) -> float:
        """The heading of a direction, in the program's unit: from 0 to a full turn."""
        assert self.heading is not None, "no actor has a heading"
        sign = 1.0 if self.heading.grows is scenery.Turning.COUNTERCLOCKWISE else -1.0
        turned = (sign * (direction - self.heading.zero.degrees)) % 360.0
        return math.radians(turned) if self.heading.unit is scenery.Angle.RADIANS else turned


def scene_of(manifest: Manifest | None) -> Scene:
    """The scene of a project (`project.manifest`). A ManifestError names the key that does not fit the program."""
    if manifest is None or manifest.scene is None:
        where = f"{manifest.file}: " if manifest is not None else ""
        remedy = "Add [scene], which says what is whose position; the guide shows how."
        raise ManifestError(f"{where}there is no [scene], so nothing can be drawn", remedy)
    return drawn_scene(manifest.scene, manifest.program.interface)


def drawn_scene(declared: scenery.SceneDeclaration, interface: Interface) -> Scene:
    """A scene of a program with these variables."""
    (left, right), (top, bottom) = declared.left_to_right, declared.top_to_bottom
    return Scene(
        title=declared.title,
        unit=declared.unit,
        frame=Viewport(left, right, top, bottom),
        north=declared.north,
        heading=declared.heading,
        ground=declared.ground,
        actors=tuple(_Resolving(declared, actor, interface).actor() for actor in declared.actors),
        interface=interface,
    )


@final
class _Resolving(Struct, frozen=True):
    """Resolves the entry of one actor against the program's interface."""

    scene: scenery.SceneDeclaration
    declared: scenery.ActorDeclaration
    interface: Interface

    def actor(self) -> Actor:
        declared = self.declared
        present, signal = self._input("present", declared.present), self._input("signal", declared.signal)
        return Actor(
            mark=declared.mark,
            name=declared.name,
            look=declared.look,
            part=declared.part,
            size=declared.size,
            anchor=declared.anchor,
            x=self._position("x", declared.x),
            y=self._position("y", declared.y),
            heading=self._heading(),
            present=present,
            present_when=self._present_when(present),
            signal=signal,
            signals=self._signals(signal),
            shows=tuple(self._named("shows", path) for path in declared.shows),
            draggable=declared.draggable,
        )

    def _named(self, key: str, path: str) -> Variable:
        entry = self.declared.entry
        if path not in self.interface:
            entry.fail(key, f"there is no variable {path}", self.interface.suggestion(path))
        variable = self.interface.variable(path)
        if not variable.is_input:
            problem = f"{path} is of role {variable.role.value}"
            entry.fail(key, problem, "A scene is drawn from what the program perceives and remembers.")
        return variable

    def _input(self, key: str, path: str | None) -> Variable | None:
        return None if path is None else self._named(key, path)

    def _number(self, key: str, path: str) -> Variable:
        variable = self._named(key, path)
        if not isinstance(variable.type, IntType | FloatType):
            self.declared.entry.fail(key, f"{path} is no number but {variable.type}", "Name a variable that is one.")
        return variable

    def _position(self, key: str, place: str | float) -> Variable | float:
        if isinstance(place, float):
            return place
        variable = self._number(key, place)
        if variable.unit and variable.unit != self.scene.unit:
            problem = f"{place} is in {variable.unit}, and the scene is in {self.scene.unit}"
            self.declared.entry.fail(key, problem, "Draw the scene in the unit that the program has.")
        return variable

    def _heading(self) -> Variable | float | None:
        place, heading = self.declared.heading, self.scene.heading
        if not isinstance(place, str):
            return place
        variable = self._number("heading", place)
        if heading is not None and variable.unit and variable.unit not in _ANGLES[heading.unit]:
            problem = f"{place} is in {variable.unit}, and heading_unit is {heading.unit.value}"
            self.declared.entry.fail("heading", problem, "Make the two agree: a picture must not turn things round.")
        return variable

    def _present_when(self, present: Variable | None) -> frozenset[int] | None:
        entry, given = self.declared.entry, self.declared.present_when
        if present is None:
            return None
        if not given:
            if not isinstance(present.type, BoolType | IntType):
                remedy = "Add present_when, with the values for which it is there."
                entry.fail("present", f"{present.path} is {present.type}, neither true nor false", remedy)
            return None
        try:
            return frozenset(from_python(present.type, value) for value in given)
        except ValueError as error:
            entry.fail("present_when", str(error), f"They must be values of {present.path}.")

    def _signals(self, signal: Variable | None) -> dict[int, scenery.Blinking] | None:
        if signal is None:
            return None
        entry = self.declared.entry
        if isinstance(signal.type, FloatType):
            entry.fail("signal", f"{signal.path} is {signal.type}", "A signal is an enumeration, an integer or a bool.")
        try:
            looks = {parse(signal.type, label): look for label, look in self.declared.signals}
        except ValueError as error:
            entry.fail("signals", str(error), f"They must be values of {signal.path}.")
        missing = next((label for label in _labels(signal) if parse(signal.type, label) not in looks), None)
        if missing is not None:
            entry.fail("signals", f"{missing} is missing", f'Say how it looks, such as: {missing} = "off"')
        return looks


def _labels(signal: Variable) -> tuple[str, ...]:
    """The values of a signal for which a look must be declared."""
    if isinstance(signal.type, EnumType):
        return tuple(label for label, _ in signal.type.labels)
    return ("false", "true") if isinstance(signal.type, BoolType) else ()
