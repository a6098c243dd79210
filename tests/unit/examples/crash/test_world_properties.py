"""What holds in every run of the simulated world, seen in a hundred random ones, each from two to five cars.

Who touches whom is judged here by geometry of its own: the outlines of the cars are clipped against each other, many
times a step.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import struct
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from soid.case.project import Project
from soid.examples import folder
from soid.examples.crash.car_program import ABSENT, AGENTS, DRIVERS, CarProgram, Seen, Signal
from soid.examples.crash.logs import Record, as_jsonl, decided, perceived, run
from soid.examples.crash.roads import Pose, Way, on_road
from soid.examples.crash.traffic import random_scenario
from soid.examples.crash.world import Car, DrivenCar, TrafficScenario, World
from soid.scenario.trace_reader import read_for

RUNS = 100
LENGTH, WIDTH = 0.18, 0.10  # m, of a car
TILE = 0.585  # m
SAMPLES = 20  # a step
FAR = 0.35  # m: cars that are farther apart after a step did not touch in it, at 0.6 m/s
CLIPPED = 2e-5  # m^2: that two cars overlap by less may go unnoticed; it is five millimetres of a corner

Point = tuple[float, float]
Pair = tuple[int, int]


# --- geometry of our own ----------------------------------------------------------------------------------------


def outline(pose: Pose) -> list[Point]:
    """The corners of a car, in turn."""
    ahead = (math.cos(pose.angle), -math.sin(pose.angle))  # z grows to the south
    aside = (ahead[1], -ahead[0])
    halves = [(LENGTH / 2, WIDTH / 2), (LENGTH / 2, -WIDTH / 2), (-LENGTH / 2, -WIDTH / 2), (-LENGTH / 2, WIDTH / 2)]
    return [(pose.x + a * ahead[0] + b * aside[0], pose.z + a * ahead[1] + b * aside[1]) for a, b in halves]


def turn(a: Point, b: Point, point: Point) -> float:
    """Positive on one side of the line from a to b, negative on the other."""
    return (b[0] - a[0]) * (point[1] - a[1]) - (b[1] - a[1]) * (point[0] - a[0])


def clipped(polygon: list[Point], a: Point, b: Point, inside: float) -> list[Point]:
    """What of a polygon lies on one side of a line."""
    kept: list[Point] = []
    for one, two in zip(polygon, [*polygon[1:], *polygon[:1]], strict=True):
        here, there = (turn(a, b, point) * inside for point in (one, two))
        if here >= 0:
            kept.append(one)
        if here * there < 0:
            part = here / (here - there)
            kept.append((one[0] + part * (two[0] - one[0]), one[1] + part * (two[1] - one[1])))
    return kept


def overlap(one: Pose, other: Pose) -> float:
    """The area that two cars share, in square metres."""
    shared, edge = outline(one), outline(other)
    inside = turn(edge[0], edge[1], (other.x, other.z))
    for a, b in zip(edge, [*edge[1:], *edge[:1]], strict=True):
        shared = clipped(shared, a, b, math.copysign(1.0, inside))
    pairs = zip(shared, [*shared[1:], *shared[:1]], strict=True)
    return abs(sum(a[0] * b[1] - b[0] * a[1] for a, b in pairs)) / 2


def test_the_geometry_of_these_tests() -> None:
    here = Pose(1.0, 1.0, 0.7)
    assert overlap(here, here) == pytest.approx(LENGTH * WIDTH)
    assert overlap(Pose(1, 1, 0), Pose(1.09, 1, 0)) == pytest.approx(LENGTH * WIDTH / 2)
    assert overlap(Pose(1, 1, 0), Pose(1.0, 1.0, math.pi / 2)) == pytest.approx(WIDTH**2)
    assert overlap(Pose(1, 1, 0), Pose(1.19, 1, 0)) == overlap(Pose(1, 1, 0), Pose(1, 1.11, 0)) == 0
    assert overlap(Pose(1, 1, 0), Pose(1.0, 1.0, math.pi)) == pytest.approx(LENGTH * WIDTH)


# --- runs -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Step:
    """A step of a run: what was logged, what the program's memory held, and which cars met on the way."""

    record: Record
    seen: bytes  # the program's `struct world`
    deepest: dict[Pair, float]  # by how much two cars overlapped during the step, at most
    accidents: list[Pair]  # that the world knows of after the step


@dataclass(frozen=True)
class Driven:
    """A run."""

    driver: str
    scenario: TrafficScenario
    steps: list[Step]
    log: list[Any]  # what a reader of the log has


def drive(driver: str, scenario: TrafficScenario, program: CarProgram, *, always: bool = False) -> Driven:
    """A run, watched closely; `always`: the first car moves, whatever its program says."""
    world, steps = World(program, scenario), list[Step]()
    while not world.over:
        world.look()
        record = perceived(world)
        seen = b"".join([car.packed if car.in_sight else ABSENT for car in world.cars])
        before = [car.travelled for car in world.cars]
        decided(world, record, program.drive() or always)
        steps.append(
            Step(record, seen + ABSENT * (AGENTS - len(world.cars)), met(world, before), list(world.accidents))
        )
    log = as_jsonl([step.record for step in steps]).splitlines()
    return Driven(driver, scenario, steps, [json.loads(line) for line in log])


def met(world: World, before: list[float]) -> dict[Pair, float]:
    """How far each two cars overlapped while they moved on from where they were before."""
    found = dict.fromkeys(combinations(range(len(world.cars)), 2), 0.0)
    for one, two in found:
        cars = world.cars[one], world.cars[two]
        if math.hypot(cars[0].pose.x - cars[1].pose.x, cars[0].pose.z - cars[1].pose.z) > FAR:
            continue
        ways = [between(car, before[index]) for car, index in zip(cars, (one, two), strict=True)]
        overlaps = [overlap(a, b) for a, b in zip(*ways, strict=True) if a is not None and b is not None]
        found[one, two] = max(overlaps, default=0.0)
    return found


def between(car: Car, before: float) -> Iterator[Pose | None]:
    """Where a car was, many times a step."""
    for sample in range(1, SAMPLES + 1):
        travelled = before + (car.travelled - before) * sample / SAMPLES
        yield car.plan.way.at(travelled) if 0 <= travelled < car.plan.way.length else None


@pytest.fixture(scope="module")
def programs() -> dict[str, CarProgram]:
    return {driver: CarProgram(driver) for driver in DRIVERS}


@pytest.fixture(scope="module")
def runs(programs: dict[str, CarProgram]) -> list[Driven]:
    random = Random(2024)
    names = [DRIVERS[number % len(DRIVERS)] for number in range(RUNS)]
    return [drive(name, random_scenario(random), programs[name]) for name in names]


def test_the_runs_are_of_every_kind(runs: list[Driven]) -> None:
    assert {len(one.scenario.cars) for one in runs} == {2, 3, 4, 5}
    assert any(car.signal is not car.way.turn for one in runs for car in one.scenario.cars[1:])  # signals that lie
    ends = [one.log[-1]["scene"]["after"] for one in runs]
    assert any(end["crashed"] for end in ends) and any(end["arrived"] for end in ends)


# --- the same again ---------------------------------------------------------------------------------------------

_LOGS = """
import hashlib
from random import Random
from soid.examples.crash.logs import as_jsonl, run
from soid.examples.crash.traffic import random_scenario
logs = [as_jsonl(run("pathological", random_scenario(Random(seed)))) for seed in range(3)]
print(hashlib.sha256("".join(logs).encode()).hexdigest())
"""


def test_the_same_seed_gives_the_same_log() -> None:
    logs = [[as_jsonl(run("pathological", random_scenario(Random(seed)))) for seed in range(3)] for _ in range(2)]
    assert logs[0] == logs[1] and len(set(logs[0])) == 3
    elsewhere = subprocess.run(
        [sys.executable, "-c", _LOGS],
        env={**os.environ, "PYTHONHASHSEED": "7"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert elsewhere.stdout.strip() == hashlib.sha256("".join(logs[0]).encode()).hexdigest()


def test_logged_inputs_give_the_logged_decisions_at_every_step(
    runs: list[Driven], programs: dict[str, CarProgram]
) -> None:
    for one in runs:
        program = programs[one.driver]
        for record in one.log:
            program.see([packed(agent) for agent in record["world"]["agents"]])
            program.waited = record["memory"]["waited"]
            assert (program.drive(), program.waited) == (record["move"], record["memory.waited'"])


def packed(agent: dict[str, Any]) -> bytes:
    """A logged car as the program sees it."""
    if not agent["present"]:
        return ABSENT
    signal = Signal[agent["signal"]]
    return Seen(agent["x"], agent["z"], agent["angle"], agent["speed"], signal, agent["arrived"]).packed()


# --- no float loses a bit ---------------------------------------------------------------------------------------

AGENT = struct.Struct("@?IIIIiI")  # `struct agent`, floats as their bits
FIELDS = ("present", "x", "z", "angle", "speed", "signal", "arrived")


def test_what_is_read_from_a_log_is_bit_for_bit_what_the_program_perceived(runs: list[Driven], tmp_path: Path) -> None:
    project = Project.open(folder("crash") / "standard")
    assert project.manifest is not None
    for number, one in enumerate(runs[:9]):
        file = tmp_path / f"{number}.jsonl"
        file.write_text(as_jsonl([step.record for step in one.steps]))
        for step, read in zip(one.steps, read_for(project.manifest, file), strict=True):
            bits = [[read.inputs[f"world.agents[{i}].{name}"] for name in FIELDS] for i in range(AGENTS)]
            assert b"".join(AGENT.pack(*values) for values in bits) == step.seen


def floats(value: Any) -> Iterator[float]:
    """Every float in a record, in order."""
    if isinstance(value, float):
        yield value
    elif isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from floats(part)


def test_every_float_of_a_log_comes_back_with_all_its_bits(runs: list[Driven]) -> None:
    for one in runs:
        written = [struct.pack("<d", number) for step in one.steps for number in floats(step.record)]
        assert [struct.pack("<d", number) for number in floats(one.log)] == written
        assert len(written) > 10 * len(one.steps)


# --- no car passes through another ------------------------------------------------------------------------------


def unnoticed(one: Driven) -> list[tuple[int, Pair, float]]:
    """Steps in which two cars overlapped, and the world knows nothing of it."""
    return [
        (number, pair, area)
        for number, step in enumerate(one.steps)
        for pair, area in step.deepest.items()
        if area > CLIPPED and pair not in step.accidents
    ]


def imagined(one: Driven) -> list[tuple[int, Pair]]:
    """Accidents of cars that did not touch in the step for which they are logged."""
    found, known = [], set[Pair]()
    for number, step in enumerate(one.steps):
        found += [(number, pair) for pair in step.accidents if pair not in known and step.deepest[pair] == 0.0]
        known.update(step.accidents)
    return found


def test_no_car_passes_through_another_without_an_accident(runs: list[Driven]) -> None:
    assert [unnoticed(one) for one in runs if unnoticed(one)] == []
    assert [imagined(one) for one in runs if imagined(one)] == []
    assert any(step.accidents for one in runs for step in one.steps)


def test_what_is_logged_of_accidents_is_what_the_world_knows(runs: list[Driven]) -> None:
    for one in runs:
        for step, record in zip(one.steps, one.log, strict=True):
            after = record["scene"]["after"]
            assert [tuple(pair) for pair in after["accidents"]] == step.accidents
            assert after["crashed"] == any(0 in pair for pair in step.accidents)


#: seeds with which two cars touch between two steps and at the end of none
CLIPPING = (69, 157, 364, 611, 785, 814, 1225, 1360, 2387)


def clipping(random: Random) -> TrafficScenario:
    """Two cars on their way into the crossing, both fast, neither stopping."""

    def car(quarter: int) -> DrivenCar:
        speed = random.uniform(0.2, 0.6)
        turn = random.choice(list(Signal))
        return DrivenCar(Way(quarter, turn), random.uniform(1.0, 1.4), speed, speed, turn, careful=False)

    return TrafficScenario((car(0), car(random.choice((1, 2, 3)))), limit=12)


def test_cars_that_only_clip_each_other_have_an_accident(programs: dict[str, CarProgram]) -> None:
    seeds = (*CLIPPING, *range(40))
    driven = [drive("impatient", clipping(Random(seed)), programs["impatient"], always=True) for seed in seeds]
    assert [unnoticed(one) for one in driven if unnoticed(one)] == []
    assert [imagined(one) for one in driven if imagined(one)] == []
    assert all(one.steps[-1].accidents for one in driven[: len(CLIPPING)])
    assert not all(one.steps[-1].accidents for one in driven)


def test_a_corner_that_is_gone_before_the_step_ends_counts(programs: dict[str, CarProgram]) -> None:
    """They share six square centimetres in the middle of a step, and nothing at its ends."""
    way, speed = Way(0, Signal.STRAIGHT), 0.5551923399358759
    one = DrivenCar(way, 1.1858144355413984, speed, speed, Signal.STRAIGHT)
    speed = 0.587660212650573
    two = DrivenCar(Way(1, Signal.STRAIGHT), 1.1049971744472267, speed, speed, Signal.STRAIGHT, careful=False)
    driven = drive("impatient", TrafficScenario((one, two), limit=12), programs["impatient"], always=True)
    last = driven.steps[-1]
    assert last.accidents == [(0, 1)] and last.deepest[0, 1] > 4e-4
    assert last.record["scene"]["after"]["crashed"]


# --- off the road -----------------------------------------------------------------------------------------------


def test_on_the_road_is_inside_one_of_two_strips() -> None:
    random = Random(9)
    near, far, first, last = 3 * TILE, 4 * TILE, TILE, 6 * TILE
    for _ in range(20_000):
        x, z = random.uniform(0, 7 * TILE), random.uniform(0, 7 * TILE)
        inside = (near < x < far and first < z < last) or (near < z < far and first < x < last)
        assert on_road(Pose(x, z, 0.0)) == inside, (x, z)


@pytest.mark.parametrize("quarter", range(4))
@pytest.mark.parametrize("turn", Signal)
def test_nobody_who_keeps_to_a_way_leaves_the_road(quarter: int, turn: Signal) -> None:
    way = Way(quarter, turn)
    ends = [0.0, math.nextafter(way.length, 0.0)]
    assert all(on_road(way.at(travelled)) for travelled in [*ends, *(way.length * part / 500 for part in range(500))])


def test_nobody_left_the_road(runs: list[Driven]) -> None:
    assert not any(record["scene"]["after"]["off_road"] for one in runs for record in one.log)


class Astray:
    """A way that leaves the road after a while."""

    length, inside, turn, quarter = 4.0, TILE, Signal.STRAIGHT, 0

    def at(self, travelled: float) -> Pose:
        return Pose(TILE + travelled, 3.75 * TILE + max(0.0, travelled - 0.5), 0.0)


def test_a_car_that_leaves_the_road_is_logged_from_then_on(programs: dict[str, CarProgram]) -> None:
    quiet = TrafficScenario((DrivenCar(Way(1, Signal.STRAIGHT), 0.3, 0.4, 0.4, Signal.STRAIGHT),), limit=40)
    astray = replace(quiet.cars[0], way=Astray(), travelled=0.3)  # no way of this map
    driven = drive("standard", replace(quiet, cars=(*quiet.cars, astray)), programs["standard"])
    flags = [record["scene"]["after"]["off_road"] for record in driven.log]
    where = [record["scene"]["cars"][1]["z"] for record in driven.log]
    assert flags[0] is False and flags[-1] is True and flags == sorted(flags)
    left = flags.index(True)
    assert where[left] <= 4 * TILE < where[left + 1]
    alone = drive("standard", quiet, programs["standard"])
    assert not any(record["scene"]["after"]["off_road"] for record in alone.log)
