"""A run of the crash example before it begins: who drives, and where the cars start; placed by hand or by numbers.

It knows nothing of pages.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cache
from typing import Any, Final, final

from msgspec import Struct, field
from msgspec.structs import replace

from soid.engine.registry import open_program
from soid.errors import InputError
from soid.examples import folder
from soid.examples.crash.program import DRIVERS
from soid.program.manifest import load
from soid.program.types import from_python
from soid.scene.picture import DrawnActor, picture
from soid.scene.scene import Scene, scene_of
from soid.scene.vector.actor_shapes import figure, size
from soid.scene.vector.elements import label, number, tag, title
from soid.scene.vector.panel import TICKS_BELOW, TICKS_LEFT, Panel, ground
from soid.web.crash import CRASH, CarPlan

_WIDTH: Final = 520.0  # px of the picture
_MARGIN: Final = 6.0
_ROUND: Final = 9.0  # px around a car that can be gripped as well
_PLACES: Final = 400  # along a way, at which it is looked for where a car was put
_CENTIMETRES: Final = 2  # decimals of what is placed by hand
NUDGE, FAST = 0.01, 0.1  # m, for each key

#: what is typed of a car: name, what it is, unit
NUMBERS: Final = (
    ("travelled", "starts after", "m of its way"),
    ("speed", "speed at the start", "m/s"),
    ("cruise", "drives at most", "m/s"),
    ("patience", "lets others go for at most", "steps"),
)


@cache
def crossing() -> Scene:
    """The crash's scene; its program is compiled when it is first wanted."""
    declared = load(folder("crash") / DRIVERS[0])
    return scene_of(replace(declared, program=open_program(declared.program)[0]))


@final
class Start(Struct):
    """What a run starts with."""

    scene: Scene
    driver: str = DRIVERS[0]
    cars: list[CarPlan] = field(default_factory=lambda: list(CRASH))

    @property
    def most(self) -> int:
        """Cars that there is somebody in the scene for."""
        return len(self.scene.actors)

    def name(self, number_: int) -> str:
        actor = self.scene.actors[number_]
        return f"{actor.mark}, {actor.name}"

    def add(self) -> None:
        """Another car, from a side that nobody comes from, or that fewest do."""
        taken = [car.comes_from for car in self.cars]
        free = min(("west", "east", "north", "south"), key=taken.count)
        self.cars.append(CarPlan(free))

    def remove(self, number_: int) -> None:
        del self.cars[number_]

    def say(self, number_: int, **said: Any) -> None:
        """Something else of a car."""
        self.cars[number_] = replace(self.cars[number_], **said)

    def type(self, number_: int, name: str, text: str) -> str:
        """A number as it was typed; gives why it is none, and nothing is said of the car then."""
        try:
            value: float = int(text) if name == "patience" else float(text)
        except ValueError:
            return f"{text!r} is no number." if text.strip() else "There is no value."
        self.say(number_, **{name: value})
        return ""

    def problem(self, number_: int) -> str:
        """Why a car cannot start so; empty if it can."""
        try:
            self.cars[number_].check(investigated=number_ == 0)
        except InputError as error:
            return f"{error.cause[0].upper()}{error.cause[1:]}. {error.remedy}"
        return ""

    # --- placing by hand

    def put(self, mark: str, x: float, y: float) -> None:
        """Let a car start at the point of its way that is nearest to one of the world."""
        number_ = self._number(mark)
        way = self.cars[number_].way
        along = (way.length * step / _PLACES for step in range(_PLACES))
        nearest = min(along, key=lambda travelled: math.dist((x, y), (way.at(travelled).x, way.at(travelled).z)))
        self.say(number_, travelled=round(nearest, _CENTIMETRES))

    def nudge(self, mark: str, by: float) -> None:
        """Let a car start a little further on, or back."""
        number_ = self._number(mark)
        car = self.cars[number_]
        self.say(number_, travelled=round(min(max(car.travelled + by, 0.0), car.way.length), _CENTIMETRES))

    def _number(self, mark: str) -> int:
        return next(n for n, actor in enumerate(self.scene.actors) if actor.mark == mark)

    # --- the picture

    def drawing(self) -> str:
        """The cars where they start, each of them to be gripped."""
        drawn = picture(self.scene, self._values(), caption="at the start")
        panel = Panel(self.scene, _MARGIN + TICKS_LEFT, _MARGIN, _WIDTH)
        shown = [each for each in drawn.fact if each.place is not None]
        there = [each for each in shown if each.place is not None and panel.scene.frame.contains(*each.place)]
        marks = [_mark(panel, each) for each in there]
        grips = [_grip(panel, each) for each in there]
        place = {"data_left": panel.x, "data_top": panel.y, "data_width": panel.width, "data_height": panel.height}
        width, height = panel.x + panel.width + _MARGIN, panel.y + panel.height + TICKS_BELOW
        return tag(
            "svg",
            title("The crossing at the start of the run"),
            tag(
                "g",
                ground(panel),
                *(figure(panel, each) for each in there),
                *marks,
                *grips,
                data_panel="start",
                **place,
            ),
            xmlns="http://www.w3.org/2000/svg",
            viewBox=f"0 0 {number(width)} {number(height)}",
            role="graphics-document document",
            aria_label="The crossing at the start of the run",
        )

    def unseen(self) -> list[str]:
        """Cars that are not in sight yet."""
        return [self.name(n) for n, car in enumerate(self.cars) if car.travelled < 0]

    def _values(self) -> Mapping[str, int]:
        """Bits of all that the scene speaks of, as the program would perceive it."""
        values: dict[str, int] = {}
        for number_, actor in enumerate(self.scene.actors):
            car = self.cars[number_] if number_ < len(self.cars) else None
            said = _perceived(car) if car is not None else {}
            for variable in actor.variables:
                value = said.get(variable.path.rpartition(".")[2])
                values[variable.path] = from_python(variable.type, value) if value is not None else 0
        return values


def _perceived(car: CarPlan) -> Mapping[str, bool | float | str]:
    """What is seen of a car at the start, as the program calls it."""
    pose = car.way.at(car.travelled)
    return {
        "present": car.travelled >= 0,
        "x": pose.x,
        "z": pose.z,
        "angle": pose.angle,
        "speed": car.speed,
        "signal": car.signal,
    }


def _mark(panel: Panel, drawn: DrawnActor) -> str:
    assert drawn.place is not None
    x, y = panel.at(*drawn.place)
    return label(f"{drawn.actor.mark} {drawn.actor.name}", x + 14, y - 14, "soid-small soid-bold")


def _grip(panel: Panel, drawn: DrawnActor) -> str:
    assert drawn.place is not None
    x, y = panel.at(*drawn.place)
    length, breadth = (each + 2 * _ROUND for each in size(panel, drawn))
    turned = 0.0 if drawn.direction is None else -drawn.direction
    shape = tag("rect", x=-length / 2, y=-breadth / 2, width=length, height=breadth, rx=6, class_="soid-grip")
    said = (
        f"{drawn.actor.mark}, {drawn.actor.name}. Drag it along its way. "
        "Right and up arrow keys let it start further on, left and down further back, with Shift faster."
    )
    return tag(
        "g",
        title(said),
        tag("g", shape, transform=f"translate({number(x)} {number(y)}) rotate({number(turned)})"),
        class_="soid-handle soid-handle-position",
        tabindex="0",
        role="button",
        aria_label=said,
        data_handle=drawn.actor.mark,
        data_grip="position",
        data_x=x,
        data_y=y,
    )
