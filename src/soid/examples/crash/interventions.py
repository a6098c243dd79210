"""A run of the crossing that is halted before a step, changed by hand, and goes on.

A hand changes what is there: where a car is, how fast, what it signals, where its driver goes and by which rules, and
when it came to the crossing. What the investigated program remembers is never touched: that is the program's own.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from msgspec.structs import replace

from soid.errors import InputError
from soid.examples.crash.car_program import AGENTS, Signal
from soid.examples.crash.roads import ROAD, TILE, Way
from soid.examples.crash.world import STEP, Car, DrivenCar, World
from soid.examples.simulation import Intervention, Setting, Values
from soid.query.words import listed

#: where a car comes from, by its heading in quarter turns
SIDES: Final = ("west", "south", "east", "north")
MARKS: Final = "ABCDE"  # of the cars, as the scene has them
GOALS: Final = {"STRAIGHT": "straight on", "LEFT": "to the left", "RIGHT": "to the right"}
SHOWN: Final = {"STRAIGHT": "no turn", "LEFT": "a turn to the left", "RIGHT": "a turn to the right"}  # by signals
_DRIVING: Final = ("travelled", "speed", "cruise", "patience", "careful")  # of a DrivenCar, as they are
_SET: Final[Mapping[str, Callable[[Any], str]]] = {
    "comes_from": lambda side: f"made to come from the {side}",
    "turn": lambda turn: f"made to go {GOALS[turn]}",
    "signal": lambda turn: f"made to signal {SHOWN[turn]}",
    "speed": lambda speed: f"set to {speed:.4g} m/s",
    "cruise": lambda cruise: f"made to drive at most {cruise:.4g} m/s",
    "patience": lambda steps: f"made to let others go for at most {steps} steps",
    "careful": lambda careful: "made to look first" if careful else "made not to look if it came first",
    "arrived": lambda time: f"taken to have come to the crossing after {time:.4g} s",
}

#: the settings of a car, by its number and values, before a step
SettingsOf = Callable[[int, Values, int], Iterable[Setting]]


def plan_of(car: Values) -> DrivenCar:
    return DrivenCar(way=way_of(car), signal=Signal[car["signal"]], **{name: car[name] for name in _DRIVING})


def way_of(car: Values) -> Way:
    return Way(SIDES.index(car["comes_from"]), Signal[car["turn"]])


def values_of(plan: DrivenCar) -> dict[str, Any]:
    return {
        "comes_from": SIDES[plan.way.quarter],
        "turn": plan.way.turn.name,
        "signal": plan.signal.name,
        **{name: getattr(plan, name) for name in _DRIVING},
    }


def values_now(car: Car) -> Values | None:
    """The settings of a car under way; None: it is no longer there."""
    if car.gone:
        return None
    return {**values_of(car.plan), "travelled": car.travelled, "speed": car.speed, "arrived": car.arrived}


def apply(world: World, change: Intervention, settings: SettingsOf) -> str:
    """Change the world of a halted run; gives what was changed, in words. An InputError says what cannot be."""
    if change.actor == len(world.cars) < AGENTS and change.values is not None:
        return _added(world, change.values, settings)
    if not 0 <= change.actor < len(world.cars) or world.cars[change.actor].gone:
        raise InputError(f"there is no car {change.actor} before step {world.step}", "It is gone, or was never there.")
    car, mark = world.cars[change.actor], MARKS[change.actor]
    if change.values is None:
        if change.actor == 0:
            raise InputError(f"{mark} is the investigated car, which cannot be taken away", "Take away another one.")
        car.gone = True
        return f"{mark} was taken away"
    return f"{mark} was {listed(_changed(world, car, change, settings))}"


def _added(world: World, values: Values, settings: SettingsOf) -> str:
    number = len(world.cars)
    for setting in settings(number, values, 0):
        if setting.name not in values:
            raise InputError(f"{setting.name} of the added car {MARKS[number]} is missing", "Give all of its settings.")
        setting.check(values[setting.name])
    car = world.add(plan_of(values))
    if car.travelled >= ROAD - TILE:
        car.put(car.plan, world.step * STEP)
    return f"{MARKS[number]} was added, from the {values['comes_from']}, {values['travelled']:.4g} m along its way"


def _changed(world: World, car: Car, change: Intervention, settings: SettingsOf) -> list[str]:
    """Change one car; what was done to it, in words."""
    before, given = values_now(car), change.values
    assert before is not None
    assert given is not None
    after = {**before, **given}
    known = {each.name: each for each in settings(change.actor, after, world.step)}
    open_ = {each.name for each in settings(change.actor, before, world.step)} | {"arrived"}
    for name, value in given.items():
        if name not in known or name not in open_:
            mark = MARKS[change.actor]
            raise InputError(f"{name} of {mark} cannot be changed before step {world.step}", "Change it earlier.")
        known[name].check(value)
    moved = after["travelled"] - before["travelled"]
    if "arrived" not in given and before["travelled"] < ROAD - TILE:
        after["arrived"] = world.step * STEP  # a hand has put it there now
    car.put(replace(plan_of(after), travelled=after["travelled"], speed=after["speed"]), after["arrived"])
    told = [f"put {abs(moved):.4g} m {'further on' if moved > 0 else 'back'}"] if moved else []
    told += [_SET[name](value) for name, value in given.items() if name in _SET and value != before[name]]
    return told or ["left as it was"]


def latest_arrival(step: int) -> float:
    """The latest time at which a car can have come to the crossing."""
    return math.nextafter(step * STEP, math.inf)
