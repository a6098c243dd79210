"""The crash as a simulation: choose the driver, place the cars, and run the world to its end.

>>> [car["comes_from"] for car in SIMULATION.fact.actors]
['south', 'west']
"""

from __future__ import annotations

import math
import re
import shutil
import threading
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final, final

from msgspec.structs import asdict, replace

from soid import examples
from soid.engine.manifest_reader import load
from soid.engine.registry import open_program
from soid.errors import InputError
from soid.examples.crash.car_program import AGENTS, DRIVERS, HERE, TOGETHER, Feature, Signal
from soid.examples.crash.interventions import (
    GOALS,
    MARKS,
    SHOWN,
    SIDES,
    apply,
    latest_arrival,
    plan_of,
    values_now,
    values_of,
    way_of,
)
from soid.examples.crash.logs import CRASH, Record, as_jsonl, driven
from soid.examples.crash.roads import ROAD, TILE, Way
from soid.examples.crash.world import CRUISE, STEP, TrafficScenario, World
from soid.examples.simulation import (
    ChoiceSetting,
    NumberSetting,
    Setting,
    Setup,
    SimulatedCourse,
    SimulatedStep,
    SimulationRun,
    TickSetting,
    Values,
)
from soid.program.manifest import FILE_NAME
from soid.program.toml_text import value_text
from soid.program.types import from_python
from soid.scene.picture import Picture, picture
from soid.scene.scene import Scene, scene_of

STEPS: Final = CRASH.limit  # after which a run ends
_RUNNING: Final = threading.Lock()  # the compiled program of a driver has one memory, for all threads
_FASTEST: Final = 1.0  # m/s, the limit of the program's speeds
_CENTIMETRES: Final = 100  # of a metre: a place that is chosen in the picture is a whole number of them
_APART: Final = 0.45  # m, between the centres of a car that is added and of any other
_ADDED: Final = (0.3, 0.75, 0.0, 1.2)  # m of its way: where it is added, if there is room
_DRIVERS: Final = {
    "standard": "standard: careful",
    "impatient": "impatient: does not heed signals",
    "pathological": "pathological: lies in wait",
}


@cache
def _scene() -> Scene:
    """The crash's scene; the first call compiles its program."""
    declared = load(HERE / DRIVERS[0])
    return scene_of(replace(declared, program=open_program(declared.program)[0]))


@final
class CrashSimulation:
    """Cars at the crossing; the first is driven by one of the three programs, the others by a script."""

    example = "crash"
    incident = "crash"
    actor = "car"
    summary = "Choose the driver, place the cars, run it, halt and change it where you like, and ask about any moment."
    settings = (ChoiceSetting("driver", "Who drives A, the investigated car:", _DRIVERS),)
    most = AGENTS
    fact = Setup({"driver": DRIVERS[0]}, tuple(map(values_of, CRASH.cars)))

    def choices(self) -> Mapping[str, Any]:
        return {
            "drivers": list(DRIVERS),
            "sides": list(SIDES),
            "turns": list(GOALS),
            "most_cars": AGENTS,
            "steps": STEPS,
            "cars": self.fact.actors,
        }

    def actor_settings(self, number: int, actor: Values, step: int = 0) -> tuple[Setting, ...]:
        # An unknown turn is refused by its own setting, which comes first.
        way = Way(0, Signal.__members__.get(actor.get("turn", ""), Signal.STRAIGHT))
        travelled = actor.get("travelled", 0.0)
        course = (
            ChoiceSetting("comes_from", "comes from the", {side: side for side in SIDES}),
            ChoiceSetting("turn", "goes", GOALS, "STRAIGHT"),
        )
        of_all = (
            ChoiceSetting("signal", "signals", SHOWN, "STRAIGHT"),
            NumberSetting(
                *("travelled", "has come" if step else "starts after", "m of its way"),
                -2 * ROAD if number else 0.0,
                _farthest(number, way),
                0.3,
            ),
            NumberSetting("speed", "speed" if step else "speed at the start", "m/s", 0.0, _FASTEST, 0.4),
            NumberSetting("cruise", "drives at most", "m/s", 0.0, _FASTEST, CRUISE),
        )
        of_others = (  # the program of the investigated car decides when it goes
            NumberSetting("patience", "lets others go for at most", "steps", 0, STEPS, 20),
            TickSetting("careful", "checks that no car is in its way, even if it came first", True),
        )
        latest = latest_arrival(step)
        arrived = NumberSetting("arrived", "came to the crossing after", "s", 0.0, latest, 0.0)
        return (
            *(course if not step or travelled <= ROAD else ()),  # in the crossing it is on a way already
            *of_all,
            *(of_others if number else ()),
            *((arrived,) if step and travelled >= ROAD - TILE else ()),
        )

    def another(self, actors: Sequence[Values | None]) -> Values:
        """A car from the side from which the fewest cars come, beside all others if there is room on that side."""
        there = [car for car in actors if car is not None]
        taken = [car["comes_from"] for car in there]
        free = min(("west", "east", "north", "south"), key=taken.count)
        defaults = {setting.name: setting.default for setting in self.actor_settings(1, {})}
        added = [{**defaults, "comes_from": free, "travelled": travelled} for travelled in _ADDED]
        beside = (each for each in added if all(_distance(each, car) >= _APART for car in there))
        return next(beside, added[0])

    def placed(self, number: int, actor: Values, x: float, y: float) -> Values:
        way = way_of(actor)
        along = (at / _CENTIMETRES for at in range(round(_farthest(number, way) * _CENTIMETRES) + 1))
        nearest = min(along, key=lambda travelled: math.dist((x, y), (way.at(travelled).x, way.at(travelled).z)))
        return {**actor, "travelled": nearest}

    def nudged(self, number: int, actor: Values, by: int) -> Values:
        there = round(actor["travelled"] * _CENTIMETRES + by) / _CENTIMETRES
        return {**actor, "travelled": min(max(there, 0.0), _farthest(number, way_of(actor)))}

    def picture(self, actors: Sequence[Values | None], caption: str) -> Picture:
        scene = _scene()
        seen = [_perceived(car) if car is not None else {} for car in actors] + [{}] * len(scene.actors)
        bits: dict[str, int] = {}
        for actor, perceived in zip(scene.actors, seen, strict=False):
            for variable in actor.variables:
                value = perceived.get(variable.path.rpartition(".")[2])
                bits[variable.path] = 0 if value is None else from_python(variable.type, value)
        return picture(scene, bits, caption=caption)

    def course(self, setup: Setup) -> SimulatedCourse:
        ran = _WatchedRun(setup)
        return SimulatedCourse(tuple(ran.steps()), ran.by_hand)

    def case_name(self, setup: Setup) -> str:
        changed = ", changed by hand" if setup.interventions else ""
        return f"run of the {setup.run['driver']} driver{changed}"

    def run(self, setup: Setup, folder: Path) -> SimulationRun:
        """Run it; by default the keyframe is the step in which the driver enters the crossing, or else the last one."""
        driver, ran = setup.run["driver"], _WatchedRun(setup)
        if not ran.records:
            raise InputError("the run is over before it begins", "Let the investigated car start before the crossing.")
        moment = setup.moment if setup.moment is not None else ran.entered
        if not 0 <= moment < len(ran.records):
            raise InputError(f"there is no step {moment}", f"The steps of the run are 0 to {len(ran.records) - 1}.")
        examples.copy(self.example, folder)
        for other in {*DRIVERS, TOGETHER} - {driver}:
            shutil.rmtree(folder / other)
        project = folder / driver
        (project / "log.jsonl").write_text(as_jsonl(ran.records), encoding="utf-8")
        manifest = project / FILE_NAME
        declared = re.sub(r"(?m)^keyframe\s*=.*$", f"keyframe = {moment}", manifest.read_text(encoding="utf-8"))
        if replace(setup, run=self.fact.run, moment=None) != self.fact:  # what happened is not what the example tells
            happened = value_text(_told(setup, ran))
            declared = re.sub(r"(?m)^happened\s*=.*$", lambda _: f"happened = {happened}", declared)
        manifest.write_text(declared + _by_hand_text(ran.by_hand), encoding="utf-8")
        ended = ran.records[-1]["scene"]["after"]
        return SimulationRun(project, {"steps": len(ran.records), "keyframe": moment, **ended})


@final
class _WatchedRun:
    """A run with its interventions, to its end."""

    def __init__(self, setup: Setup) -> None:
        self.by_hand: dict[int, tuple[str, ...]] = {}
        self.records: list[Record] = []
        self._actors: list[tuple[Values | None, ...]] = []  # before each step, and at the end
        self._to_do = list(setup.interventions)
        scenario = TrafficScenario(tuple(map(plan_of, setup.actors)))
        entered = []
        with _RUNNING:
            for situation, record in driven(setup.run["driver"], scenario, self._halted):
                self.records.append(record)
                if situation & Feature.AT_LINE and record["move"]:
                    entered.append(record["step"])
        if self._to_do:
            step, end = self._to_do[0].step, len(self.records)
            raise InputError(f"nothing can be changed before step {step}", f"The run is over after {end} steps.")
        self.entered: int = (entered or [len(self.records) - 1])[0]

    def _halted(self, world: World) -> None:
        told = []
        while self._to_do and self._to_do[0].step == world.step and world.step and not world.over:
            told.append(apply(world, self._to_do.pop(0), SIMULATION.actor_settings))
        if told:
            self.by_hand[world.step] = tuple(told)
        self._actors.append(tuple(map(values_now, world.cars)))

    def steps(self) -> Iterator[SimulatedStep]:
        """What there was before each step, and at the end."""
        known: list[list[int]] = []  # accidents so far
        afters = [{}, *(record["scene"]["after"] for record in self.records)]
        for step, (actors, after) in enumerate(zip(self._actors, afters, strict=True)):
            new = [pair for pair in after.get("accidents", ()) if pair not in known]
            known += new
            events = [f"{MARKS[one]} and {MARKS[two]} collide" for one, two in new]
            events += [f"{MARKS[0]} is beyond the crossing"] if after.get("arrived") else []
            moves = self.records[step]["move"] if step < len(self.records) else None
            decided = "" if moves is None else f"{MARKS[0]} decides to {'drive on' if moves else 'stay'}"
            yield SimulatedStep(actors, f"{step * STEP:.1f} s", tuple(events), decided)


def _told(setup: Setup, ran: _WatchedRun) -> str:
    """What happens in a run, in sentences."""
    cars = [
        f"{mark} comes from the {car['comes_from']}, goes {GOALS[car['turn']]} and signals {SHOWN[car['signal']]}."
        for mark, car in zip(MARKS, setup.actors, strict=False)
    ]
    by_hand = [
        f"Before step {step} it was halted, and by hand {'; '.join(told)}." for step, told in ran.by_hand.items()
    ]
    ends = [f"{event} in step {at - 1}." for at, step in enumerate(ran.steps()) for event in step.events]
    over = [] if ends else [f"After {len(ran.records)} steps it is over, and {MARKS[0]} is not beyond the crossing."]
    who = f"A simulated run of the {setup.run['driver']} driver, {MARKS[0]}, at the crossing."
    return " ".join((who, *cars, *by_hand, *ends, *over))


def _by_hand_text(by_hand: Mapping[int, Sequence[str]]) -> str:
    """What the manifest says of a run that was changed by hand."""
    return "".join(
        f"\n[[trace.by_hand]]\nstep = {step}\nsays = {value_text('; '.join(told))}\n" for step, told in by_hand.items()
    )


def _farthest(number: int, way: Way) -> float:
    """The last centimetre at which a car is still on its way, for the program's floats too.

    The investigated car has arrived one tile beyond the crossing: a run from there has no step.
    """
    end = way.length if number else ROAD + way.inside + TILE
    return (math.ceil(round(end * _CENTIMETRES, 6)) - 1) / _CENTIMETRES


def _distance(one: Values, other: Values) -> float:
    poses = [way_of(car).at(car["travelled"]) for car in (one, other)]
    return math.dist(*((pose.x, pose.z) for pose in poses))


def _perceived(car: Values) -> Mapping[str, bool | float | str]:
    """What the program sees of a car, in the program's names."""
    pose = asdict(way_of(car).at(car["travelled"]))
    return {"present": car["travelled"] >= 0, **pose, "speed": car["speed"], "signal": car["signal"]}


SIMULATION: Final = CrashSimulation()
