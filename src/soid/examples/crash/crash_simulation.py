"""The crash as a simulation: choose the driver, place the cars, and run the world to its end.

>>> [car["comes_from"] for car in SIMULATION.fact.actors]
['south', 'west']
"""

from __future__ import annotations

import math
import re
import shutil
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final, final

from msgspec.structs import asdict, replace

from soid import examples
from soid.engine.manifest_reader import load
from soid.engine.registry import open_program
from soid.errors import InputError
from soid.examples.crash.car_program import AGENTS, DRIVERS, HERE, TOGETHER, Feature, Signal
from soid.examples.crash.logs import CRASH, as_jsonl, driven
from soid.examples.crash.roads import ROAD, TILE, Way
from soid.examples.crash.world import CRUISE, DrivenCar, TrafficScenario
from soid.examples.simulation import ChoiceSetting, NumberSetting, Setting, Setup, SimulationRun, TickSetting, Values
from soid.program.manifest import FILE_NAME
from soid.program.types import from_python
from soid.scene.picture import Picture, picture
from soid.scene.scene import Scene, scene_of

#: where a car comes from, by its heading in quarter turns
SIDES: Final = ("west", "south", "east", "north")
STEPS: Final = CRASH.limit  # after which a run ends
_FASTEST: Final = 1.0  # m/s, the limit of the program's speeds
_PLACES: Final = 400  # of a way, among which the nearest to a point is looked for
_CENTIMETRES: Final = 2  # decimals of a place that is chosen in the picture
_NUDGE: Final = 0.01  # m
_DRIVERS: Final = {
    "standard": "standard: careful",
    "impatient": "impatient: does not heed signals",
    "pathological": "pathological: lies in wait",
}
_DRIVING: Final = ("travelled", "speed", "cruise", "patience", "careful")  # of a DrivenCar, as they are
_GOES: Final = {"STRAIGHT": "straight on", "LEFT": "to the left", "RIGHT": "to the right"}


@cache
def _scene() -> Scene:
    """The crash's scene; the first call compiles its program."""
    declared = load(HERE / DRIVERS[0])
    return scene_of(replace(declared, program=open_program(declared.program)[0]))


def _values(plan: DrivenCar) -> Values:
    return {
        "comes_from": SIDES[plan.way.quarter],
        "turn": plan.way.turn.name,
        "signal": plan.signal.name,
        **{name: getattr(plan, name) for name in _DRIVING},
    }


def _plan(car: Values) -> DrivenCar:
    return DrivenCar(way=_way(car), signal=Signal[car["signal"]], **{name: car[name] for name in _DRIVING})


def _way(car: Values) -> Way:
    return Way(SIDES.index(car["comes_from"]), Signal[car["turn"]])


@final
class CrashSimulation:
    """Cars at the crossing; the first is driven by one of the three programs, the others by a script."""

    example = "crash"
    incident = "crash"
    actor = "car"
    summary = "Choose the driver, place the cars, run it, and investigate the log."
    settings = (ChoiceSetting("driver", "Who drives A, the investigated car:", _DRIVERS),)
    most = AGENTS
    fact = Setup({"driver": DRIVERS[0]}, tuple(map(_values, CRASH.cars)))

    def choices(self) -> Mapping[str, Any]:
        return {
            "drivers": list(DRIVERS),
            "sides": list(SIDES),
            "turns": list(_GOES),
            "most_cars": AGENTS,
            "steps": STEPS,
            "cars": self.fact.actors,
        }

    def actor_settings(self, number: int, actor: Values) -> tuple[Setting, ...]:
        # An unknown turn is refused by its own setting, which comes first.
        way = Way(0, Signal.__members__.get(actor.get("turn", ""), Signal.STRAIGHT))
        # The investigated car has arrived one tile beyond the crossing: a run from there has no step.
        least, end = (-2 * ROAD, way.length) if number else (0.0, ROAD + way.inside + TILE)
        of_all = (
            ChoiceSetting("comes_from", "comes from the", {side: side for side in SIDES}),
            ChoiceSetting("turn", "goes", _GOES, "STRAIGHT"),
            ChoiceSetting("signal", "signals", {turn: turn for turn in _GOES}, "STRAIGHT"),
            NumberSetting("travelled", "starts after", "m of its way", least, math.nextafter(end, 0.0), 0.3),
            NumberSetting("speed", "speed at the start", "m/s", 0.0, _FASTEST, 0.4),
            NumberSetting("cruise", "drives at most", "m/s", 0.0, _FASTEST, CRUISE),
        )
        of_others = (  # the program of the investigated car decides when it goes
            NumberSetting("patience", "lets others go for at most", "steps", 0, STEPS, 20),
            TickSetting("careful", "checks that no car is in its way, even if it came first", True),
        )
        return (*of_all, *of_others) if number else of_all

    def another(self, setup: Setup) -> Values:
        """A car from the side from which the fewest cars come."""
        taken = [car["comes_from"] for car in setup.actors]
        free = min(("west", "east", "north", "south"), key=taken.count)
        defaults = {setting.name: setting.default for setting in self.actor_settings(len(taken), {})}
        return {**defaults, "comes_from": free}

    def placed(self, actor: Values, x: float, y: float) -> Values:
        way = _way(actor)
        along = (way.length * step / _PLACES for step in range(_PLACES))
        nearest = min(along, key=lambda travelled: math.dist((x, y), (way.at(travelled).x, way.at(travelled).z)))
        return {**actor, "travelled": round(nearest, _CENTIMETRES)}

    def nudged(self, actor: Values, by: int) -> Values:
        there = min(max(actor["travelled"] + by * _NUDGE, 0.0), _way(actor).length)
        return {**actor, "travelled": round(there, _CENTIMETRES)}

    def picture(self, setup: Setup) -> Picture:
        scene = _scene()
        seen = [_perceived(car) for car in setup.actors] + [{}] * len(scene.actors)
        bits: dict[str, int] = {}
        for actor, perceived in zip(scene.actors, seen, strict=False):
            for variable in actor.variables:
                value = perceived.get(variable.path.rpartition(".")[2])
                bits[variable.path] = 0 if value is None else from_python(variable.type, value)
        return picture(scene, bits, caption="at the start")

    def case_name(self, setup: Setup) -> str:
        return f"run of the {setup.run['driver']} driver"

    def run(self, setup: Setup, folder: Path) -> SimulationRun:
        """Run it; the keyframe is the step in which the driver enters the crossing, or else the last one."""
        driver = setup.run["driver"]
        steps = list(driven(driver, TrafficScenario(tuple(map(_plan, setup.actors)))))
        if not steps:
            raise InputError("the run is over before it begins", "Let the investigated car start before the crossing.")
        records = [record for _, record in steps]
        entered = (record for situation, record in steps if situation & Feature.AT_LINE and record["move"])
        moment = next(entered, records[-1])["step"]
        examples.copy(self.example, folder)
        for other in {*DRIVERS, TOGETHER} - {driver}:
            shutil.rmtree(folder / other)
        project = folder / driver
        (project / "log.jsonl").write_text(as_jsonl(records), encoding="utf-8")
        manifest = project / FILE_NAME
        declared = re.sub(r"(?m)^keyframe\s*=.*$", f"keyframe = {moment}", manifest.read_text(encoding="utf-8"))
        manifest.write_text(declared, encoding="utf-8")
        return SimulationRun(project, {"steps": len(records), "keyframe": moment, **records[-1]["scene"]["after"]})


def _perceived(car: Values) -> Mapping[str, bool | float | str]:
    """What the program sees of a car at the start, in the program's names."""
    pose = asdict(_way(car).at(car["travelled"]))
    return {"present": car["travelled"] >= 0, **pose, "speed": car["speed"], "signal": car["signal"]}


SIMULATION: Final = CrashSimulation()
