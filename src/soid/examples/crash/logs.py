"""Runs and their logs: for each step what the driver's program perceived, remembered and decided, and the scene.

`python -m soid.examples.crash.logs` makes the log of the crash.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from typing import Any, Final

from msgspec.structs import asdict

from soid.examples.crash.car_program import AGENTS, DRIVERS, HERE, CarProgram, Signal
from soid.examples.crash.roads import TILE, Way
from soid.examples.crash.world import CRUISE, STEP, DrivenCar, TrafficScenario, World

Record = dict[str, Any]

#: the investigated car comes from the south and goes straight; the other one comes from the west, signals that it will
#: turn right, and goes straight as well
CRASH: Final = TrafficScenario(
    (
        DrivenCar(Way(1, Signal.STRAIGHT), travelled=0.3, speed=0.4, cruise=CRUISE, signal=Signal.STRAIGHT),
        DrivenCar(Way(0, Signal.STRAIGHT), travelled=0.296, speed=0.4, cruise=0.45, signal=Signal.RIGHT, careful=False),
    )
)
HEADINGS: Final = ("EAST", "NORTH", "WEST", "SOUTH")
#: the driver of no car
NOT_THERE: Final[dict[str, Any]] = {
    "comes": "EAST",
    "goes": "STRAIGHT",
    "cruise": 0.0,
    "patience": 0,
    "careful": False,
    "waited": 0,
    "place": "NOT_THERE_YET",
    "entering": False,
}
KEYFRAME: Final = 11  # the investigated car is at the line, and drives on


def run(driver: str, scenario: TrafficScenario) -> list[Record]:
    """A driver in a scenario, to its end: one record a step."""
    return [record for _, record in driven(driver, scenario)]


def driven(
    driver: str, scenario: TrafficScenario, halted: Callable[[World], None] = lambda _: None
) -> Iterator[tuple[int, Record]]:
    """The steps of a run: the situation that the driver's program is in, and the step's record.

    `halted` is called with the world before each step, and at the end.
    """
    program = CarProgram(driver)
    world = World(program, scenario)
    halted(world)
    while not world.over:
        situation = world.look()
        record = perceived(world)
        decided(world, record, program.drive())
        yield situation, record
        halted(world)


def perceived(world: World) -> Record:
    """The first part of a step's record: what the first car's program, having looked, perceives and remembers."""
    program = world.program
    return {
        "step": world.step,
        "world": {"agents": program.perceived()},
        "memory": {"waited": program.waited},
        "traffic": {"drivers": drivers(world), "clock": world.step},
        "wheel": world.program.driver.upper(),
        "scene": scene(world),
    }


def decided(world: World, record: Record, moves: bool) -> None:
    """Add the rest of the record: what was decided and is remembered; then advance the world and add the result."""
    record["move"] = moves
    world.cars[0].waited = record["memory.waited'"] = world.program.waited
    world.advance(moves)
    record["scene"]["after"] = {
        "crashed": world.crashed,
        "off_road": world.off_road,
        "arrived": world.arrived,
        "accidents": [list(pair) for pair in world.accidents],
    }


def drivers(world: World) -> list[dict[str, Any]]:
    """What cannot be seen of the cars, as `world.c` has it: where each driver really goes, and by which rules."""
    driving = [
        {
            "comes": HEADINGS[car.plan.way.quarter],
            "goes": car.plan.way.turn.name,
            "cruise": car.plan.cruise,
            "patience": car.plan.patience,
            "careful": car.plan.careful,
            "waited": car.waited,
            "place": "NOT_THERE_YET" if car.first is None else "FIRST" if car.first else "LATER",
            "entering": car.entering,
        }
        for car in world.cars
    ]
    return driving + [NOT_THERE] * (AGENTS - len(driving))


def scene(world: World) -> Record:
    """Everything that can be drawn, and where each car is going, which no other car sees."""
    cars = [
        {
            **asdict(car.pose),
            "speed": car.speed,
            "signal": car.plan.signal.name,
            "goes": car.plan.way.turn.name,
            "in_sight": car.in_sight,
        }
        for car in world.cars
    ]
    return {"time": world.step * STEP, "tile": TILE, "cars": cars}


def as_jsonl(records: list[Record]) -> str:
    """As text; Python writes the shortest decimal that reads back to the same bits."""
    return "".join(json.dumps(record) + "\n" for record in records)


def main() -> int:
    for driver in DRIVERS:
        (HERE / driver / "log.jsonl").write_text(as_jsonl(run(driver, CRASH)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
