"""The crash example, to be run with cars of one's own choice: what may be chosen, and what happened in fact.

>>> [car.comes_from for car in CRASH]
['south', 'west']
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final, final

from msgspec import Struct
from msgspec.structs import asdict

from soid.errors import InputError
from soid.examples.crash import logs
from soid.examples.crash.program import AGENTS, DRIVERS, Signal
from soid.examples.crash.roads import ROAD, TILE, Way
from soid.examples.crash.world import CRUISE, DrivenCar

#: where a car comes from, by the quarter that it heads for
SIDES: Final = ("west", "south", "east", "north")
TURNS: Final = tuple(signal.name for signal in Signal)
STEPS: Final = 200  # after which a run ends
FASTEST: Final = 1.0  # m/s, which the program's speeds go up to


@final
class CarPlan(Struct, frozen=True):
    """A car at the start of a run."""

    comes_from: str  # one of SIDES
    turn: str = "STRAIGHT"  # where it goes: one of TURNS
    signal: str = "STRAIGHT"  # what it shows, which may be a lie
    travelled: float = 0.3  # m of its way so far; below zero it is not in sight yet
    speed: float = 0.4  # m/s
    cruise: float = CRUISE  # m/s, the most that it drives
    patience: int = 20  # steps after which it goes though others go first; of the investigated car its program decides
    careful: bool = True  # though it came first it looks whether somebody is in its way

    @property
    def way(self) -> Way:
        return Way(SIDES.index(self.comes_from), Signal[self.turn])

    def check(self, *, investigated: bool) -> None:
        """Raises where such a car cannot be."""
        for name, value, known in (
            ("comes_from", self.comes_from, SIDES),
            ("turn", self.turn, TURNS),
            ("signal", self.signal, TURNS),
        ):
            if value not in known:
                raise InputError(f"{name}: there is no {value!r:.80}", f"It is one of: {', '.join(known)}.")
        way = self.way
        # the investigated car has arrived one tile beyond the crossing: a run from there would have no step
        farthest = ROAD + way.inside + TILE if investigated else way.length
        least = 0.0 if investigated else -2 * ROAD
        for name, number, low, high in (
            ("travelled", self.travelled, least, farthest),
            ("speed", self.speed, 0.0, FASTEST),
            ("cruise", self.cruise, 0.0, FASTEST),
            ("patience", self.patience, 0, STEPS),
        ):
            if not math.isfinite(number) or not low <= number <= high or (name == "travelled" and number == high):
                raise InputError(f"{name}: {number} is out of range", f"Give a number from {low:g} to {high:g}.")

    def to_task(self) -> dict[str, Any]:
        """As a worker gets it."""
        task = asdict(self)
        del task["comes_from"]
        return task | {"quarter": self.way.quarter}


def _as_it_was(plan: DrivenCar) -> CarPlan:
    return CarPlan(
        SIDES[plan.way.quarter],
        plan.way.turn.name,
        plan.signal.name,
        plan.travelled,
        plan.speed,
        plan.cruise,
        plan.patience,
        plan.careful,
    )


#: the cars of the crash, as they were; the first is the investigated one
CRASH: Final = tuple(_as_it_was(plan) for plan in logs.CRASH.cars)


def check_run(driver: str, cars: Sequence[CarPlan]) -> None:
    """Raises where there is no such run."""
    if driver not in DRIVERS:
        raise InputError(f"there is no driver {driver!r:.80}", f"The drivers are: {', '.join(DRIVERS)}.")
    if not 1 <= len(cars) <= AGENTS:
        raise InputError(f"there are {len(cars)} cars", f"The program has room for 1 to {AGENTS}.")
    for number, car in enumerate(cars):
        car.check(investigated=number == 0)
