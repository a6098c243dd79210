"""Random traffic to learn in."""

from __future__ import annotations

from random import Random
from typing import Final

from soid.examples.crash.car_program import Signal
from soid.examples.crash.roads import Way
from soid.examples.crash.world import CRUISE, DrivenCar, TrafficScenario

#: how many cars there are in all, by weight
_CARS: Final = ((2, 6), (3, 3), (4, 1), (5, 1))
#: how often a signal is a lie
LIES: Final = 0.2
_TURNS: Final = (Signal.STRAIGHT, Signal.LEFT, Signal.RIGHT)
_APART: Final = 0.45  # m, between two cars that come by the same road


def random_scenario(random: Random) -> TrafficScenario:
    """The investigated car, and between one and four others."""
    counts, weights = zip(*_CARS, strict=True)
    (count,) = random.choices(counts, weights)
    quarter = random.randrange(4)
    turn = random.choices(_TURNS, (6, 1, 1))[0]
    cars = [DrivenCar(Way(quarter, turn), random.uniform(0.3, 0.75), random.uniform(0, CRUISE), CRUISE, turn)]
    while len(cars) < count:
        other = _other(random)
        if all(c.way.quarter != other.way.quarter or abs(c.travelled - other.travelled) > _APART for c in cars):
            cars.append(other)
    return TrafficScenario(tuple(cars))


def _other(random: Random) -> DrivenCar:
    turn = random.choices(_TURNS, (4, 1, 4))[0]
    lies = random.random() < LIES
    signal = random.choice([s for s in _TURNS if s is not turn]) if lies else turn
    return DrivenCar(
        way=Way(random.randrange(4), turn),
        travelled=random.uniform(-0.6, 0.9),
        speed=random.uniform(0.1, 0.4),
        cruise=random.uniform(0.3, 0.6),
        signal=signal,
        patience=random.randrange(8, 30),
        careful=random.random() < 0.25,
    )
