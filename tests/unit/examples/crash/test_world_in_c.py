"""The world of the crossing in C, against the simulator in which the drivers learned.

The C world goes on from what is perceived, which are float32; the simulator counts how far each car has come, in
float64. So one step of the one is compared with the same step of the other, from the same state: places differ by what
the floats round, everything else is the same.
"""

from __future__ import annotations

import ctypes
import json
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import pytest

from soid.engine.llvm.compiler.compilation import Build, compile_native
from soid.errors import InputError
from soid.examples.crash.car_program import ABSENT, AGENTS, DRIVERS, HERE, CarProgram, Signal
from soid.examples.crash.crash_simulation import SIMULATION
from soid.examples.crash.interventions import apply, values_now
from soid.examples.crash.logs import HEADINGS, drivers
from soid.examples.crash.traffic import random_scenario
from soid.examples.crash.world import World
from soid.examples.simulation import ChoiceSetting, Intervention, NumberSetting

PLACES = ("NOT_THERE_YET", "FIRST", "LATER")
ROUNDED = 2e-6  # m, rad, m/s: floats of that size differ by half of 2.4e-7 for each operation
RUNS = int(os.environ.get("CROSSING_RUNS", "100"))

FLOAT = ctypes.c_float


class Agent(ctypes.Structure):
    _fields_ = (
        ("present", ctypes.c_bool),
        *((name, FLOAT) for name in ("x", "z", "angle", "speed")),
        ("signal", ctypes.c_int),
        ("arrived", FLOAT),
    )


class Driver(ctypes.Structure):
    _fields_ = (
        ("comes", ctypes.c_int),
        ("goes", ctypes.c_int),
        ("cruise", FLOAT),
        ("patience", ctypes.c_int),
        ("careful", ctypes.c_bool),
        ("waited", ctypes.c_int),
        ("place", ctypes.c_int),
        ("entering", ctypes.c_bool),
    )


class Traffic(ctypes.Structure):
    _fields_ = (("drivers", Driver * AGENTS), ("clock", ctypes.c_int))


LABELS = {"comes": HEADINGS, "goes": tuple(Signal.__members__), "place": PLACES}
Agents = Agent * AGENTS


@pytest.fixture(scope="module")
def advance() -> Any:
    return ctypes.CDLL(str(compile_native(Build((Path("world.c"),), root=HERE)))).advance


def agents_of(world: World) -> Any:
    packed = [car.packed if car.in_sight else ABSENT for car in world.cars]
    return Agents.from_buffer_copy(b"".join(packed) + ABSENT * (AGENTS - len(packed)))


def traffic_of(told: list[dict[str, Any]], clock: int) -> Traffic:
    made = [Driver(**{k: LABELS[k].index(v) if k in LABELS else v for k, v in each.items()}) for each in told]
    return Traffic((Driver * AGENTS)(*made), clock)


def stepped(advance: Any, agents: Any, traffic: Traffic, moves: bool) -> tuple[bool, bool]:
    collides, arrives = ctypes.c_bool(), ctypes.c_bool()
    advance(ctypes.byref(agents), ctypes.byref(traffic), moves, ctypes.byref(collides), ctypes.byref(arrives))
    return collides.value, arrives.value


def differences(one: Any, other: Any) -> Iterator[float]:
    """Of all cars: how far apart the numbers are; whatever else there is must be the same."""
    for mine, theirs in zip(one, other, strict=True):
        assert (mine.present, mine.signal, mine.arrived) == (theirs.present, theirs.signal, theirs.arrived)
        yield from (abs(getattr(mine, name) - getattr(theirs, name)) for name in ("x", "z", "angle", "speed"))


@pytest.mark.parametrize("driver", DRIVERS)
def test_the_packaged_logs_are_what_the_world_makes_of_them(driver: str, advance: Any) -> None:
    records = [json.loads(line) for line in (HERE / driver / "log.jsonl").read_text().splitlines()]

    def agents(record: dict[str, Any]) -> Any:
        cars = record["world"]["agents"]
        return Agents(*(Agent(**{**car, "signal": LABELS["goes"].index(car["signal"])}) for car in cars))

    ended = []
    for record, following in zip(records, [*records[1:], None], strict=True):
        after = agents(record)
        traffic = traffic_of(record["traffic"]["drivers"], record["traffic"]["clock"])
        ended.append(stepped(advance, after, traffic, record["move"]))
        if following is not None:
            assert max(differences(after, agents(following))) <= ROUNDED
            expected = traffic_of(following["traffic"]["drivers"], following["traffic"]["clock"])
            expected.drivers[0].waited = traffic.drivers[0].waited  # of the program, whose memory it is
            assert bytes(traffic) == bytes(expected)
    assert ended == [(False, False)] * (len(records) - 1) + [(True, False)]


def change_by_hand(random: Random, world: World) -> None:
    """Halt the run now and then, and change something of one car, as far as that goes too."""
    number = random.randrange(len(world.cars))
    before = values_now(world.cars[number])
    if not world.step or before is None or random.random() > 0.1:
        return
    chosen: dict[str, Any] = {}
    for setting in random.sample(SIMULATION.actor_settings(number, before, world.step), 2):
        match setting:
            case ChoiceSetting():
                chosen[setting.name] = random.choice(list(setting.options))
            case NumberSetting():
                between = random.uniform(setting.low, setting.high)
                chosen[setting.name] = random.choice((setting.high, int(between) if setting.whole else between))
            case _:
                chosen[setting.name] = not before[setting.name]
    with suppress(InputError):  # one may be out of the other's range
        apply(world, Intervention(world.step, number, chosen), SIMULATION.actor_settings)


def random_steps(seed: int) -> Iterator[tuple[Any, Traffic, bool, World]]:
    """A run of random traffic: what was, what was decided, and the simulator's world a step later."""
    random = Random(seed)
    world = World(CarProgram(random.choice(DRIVERS)), random_scenario(random))
    while not world.over:
        if seed % 3 == 0:
            change_by_hand(random, world)
        world.look()
        agents, traffic = agents_of(world), traffic_of(drivers(world), world.step)
        moves = world.program.drive() or seed % 2 == 0  # every other one never stops, so that there are collisions
        world.cars[0].waited = world.program.waited
        coming = any(car.travelled < 0 for car in world.cars)
        world.advance(moves)
        if not coming:  # the world in C knows no cars that are not there yet
            yield agents, traffic, moves, world


def test_every_step_of_random_traffic_is_that_of_the_simulator(advance: Any) -> None:
    collisions, worst, turning, gone, other = 0, 0.0, 0, 0, 0
    for seed in range(RUNS):
        for agents, traffic, moves, world in random_steps(seed):
            before = Agents.from_buffer_copy(agents)
            ends = stepped(advance, agents, traffic, moves)
            expected = traffic_of(drivers(world), world.step)
            expected.drivers[0].waited = traffic.drivers[0].waited
            worst = max(worst, *differences(agents, agents_of(world)))
            other += bytes(traffic) != bytes(expected) or ends != (world.crashed, world.arrived)
            collisions += ends[0]
            turning += sum(abs(car.angle - was.angle) > ROUNDED for car, was in zip(agents, before, strict=True))
            gone += sum(was.present and not car.present for car, was in zip(agents, before, strict=True))
    assert worst <= ROUNDED and not other
    assert collisions >= 3 and turning > 100 and gone > 5
