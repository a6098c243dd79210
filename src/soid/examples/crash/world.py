"""The simulated world: cars on their ways, step by step, and what each of them sees.

A world is made from a `TrafficScenario` and has nothing random in it: the same scenario and the same decisions of the
first car give the same run.
"""

from __future__ import annotations

import math
from typing import Final, final

from msgspec import Struct, field

from soid.examples.crash.car_program import ABSENT, CarProgram, Feature, Seen, Signal
from soid.examples.crash.roads import CAR_LENGTH, CAR_WIDTH, ROAD, TILE, Pose, Way, on_road, touch

STEP: Final = 0.1  # s
ACCELERATION: Final = 0.5  # m/s^2
BRAKING: Final = 1.0  # m/s^2
CRUISE: Final = 0.4  # m/s, of the investigated car
SIGHT: Final = 0.5  # m, in which a driver sees what stands in its way
_STANDING: Final = 0.12  # m/s: slower is standing
_LOOKS: Final = 10  # checks for contact within a step: cars that only clip each other do so between two steps


@final
class DrivenCar(Struct, frozen=True):
    """One car of a scenario, and how it is driven."""

    way: Way
    travelled: float  # m of its way at the start; below zero it is not in sight yet
    speed: float  # m/s at the start
    cruise: float  # m/s, the most that it drives
    signal: Signal  # what it shows, which may be a lie
    patience: int = 20  # steps after which it goes though others go first
    careful: bool = True  # even if it came first, it checks for a car in the crossing and in its way


@final
class TrafficScenario(Struct, frozen=True):
    """What a run starts with; the first car is the investigated one."""

    cars: tuple[DrivenCar, ...]
    limit: int = 200  # steps


@final
class Car(Struct):
    """A car under way."""

    plan: DrivenCar
    travelled: float
    speed: float
    pose: Pose
    arrived: float = 0.0  # s, when it came to the tile before the crossing
    waited: int = 0  # steps, as its program counts them
    first: bool | None = None  # no other car was before it when it came to the tile before the crossing
    entering: bool = False  # it has decided to enter
    gone: bool = False
    moved: float = 0.0  # m, in the last step
    packed: bytes = b""  # as the others see it

    @property
    def in_sight(self) -> bool:
        return not self.gone and self.travelled >= 0

    def advance(self, moves: bool, time: float) -> None:
        """One step, in which its driver moves or brakes."""
        before = self.travelled
        change = ACCELERATION if moves else -BRAKING
        self.speed = min(self.plan.cruise, max(0.0, self.speed + change * STEP))
        self.moved = self.speed * STEP
        self.travelled += self.moved
        if before < ROAD - TILE <= self.travelled:
            self.arrived = time
        self.gone = self.travelled >= self.plan.way.length
        self.pose = self.plan.way.at(self.travelled)

    def put(self, plan: DrivenCar, arrived: float) -> None:
        """By hand: it is driven so from now on, from this place and with this speed.

        Its driver judges anew whether it came first, and whether to enter, where that may be otherwise now.
        """
        before_line = plan.travelled < ROAD - TILE
        if before_line or arrived != self.arrived:
            self.first, self.entering = None, False
        self.arrived = 0.0 if before_line else arrived
        self.plan, self.travelled, self.speed = plan, plan.travelled, plan.speed
        self.pose = plan.way.at(plan.travelled)
        self.pack()

    def earlier(self, part: float) -> Pose | None:
        """Where it was a part of the last step ago; None: not in sight."""
        travelled = self.travelled - part * self.moved
        return self.plan.way.at(travelled) if 0 <= travelled < self.plan.way.length else None

    def pack(self) -> None:
        seen = Seen(self.pose.x, self.pose.z, self.pose.angle, self.speed, self.plan.signal, self.arrived)
        self.packed = seen.packed()


def scripted(car: Car, situation: int, obstacle: bool) -> bool:
    """How the other cars drive: by the rules, unless their patience ends."""
    if car.first is None and car.arrived:
        car.first = bool(situation & Feature.RIGHT_OF_WAY) and not situation & Feature.OCCUPIED
    if situation & Feature.TAILGATING or obstacle:
        return False
    if not situation & Feature.AT_LINE or car.entering:
        return True
    looks = car.plan.careful or not car.first
    if looks and situation & Feature.OCCUPIED and not situation & Feature.SAFE:
        return False
    car.entering = bool(situation & Feature.RIGHT_OF_WAY) or car.waited >= car.plan.patience
    return car.entering


@final
class World(Struct):
    """A run: `look`, then `advance` with the first car's decision, until it is over."""

    program: CarProgram  # of any driver: the scripted cars use it to perceive
    scenario: TrafficScenario
    step: int = 0
    cars: list[Car] = field(default_factory=list)
    crashed: bool = False  # the first car touches another
    off_road: bool = False  # some car has left the road
    accidents: list[tuple[int, int]] = field(default_factory=list)  # pairs of cars that touch

    def __post_init__(self) -> None:
        for plan in self.scenario.cars:
            self.add(plan)

    def add(self, plan: DrivenCar) -> Car:
        """One more car."""
        car = Car(plan, plan.travelled, plan.speed, plan.way.at(plan.travelled))
        car.pack()
        self.cars.append(car)
        return car

    @property
    def arrived(self) -> bool:
        """The first car has reached its goal: one tile beyond the crossing."""
        car = self.cars[0]
        return car.travelled >= ROAD + car.plan.way.inside + TILE

    @property
    def over(self) -> bool:
        return self.crashed or self.arrived or self.step >= self.scenario.limit

    def look(self, index: int = 0) -> int:
        """Show the program what a car sees and remembers; gives the situation that the program finds."""
        car = self.cars[index]
        self.program.see([car.packed, *(c.packed if c.in_sight else ABSENT for c in self.cars if c is not car)])
        self.program.waited = car.waited
        return self.program.situation()

    def advance(self, moves: bool) -> None:
        """One step, with the first car's decision."""
        decisions = [moves, *(self._script(index) for index in range(1, len(self.cars)))]
        self.step += 1
        on_the_way = [index for index, car in enumerate(self.cars) if not car.gone]
        for index in on_the_way:
            self.cars[index].advance(decisions[index], self.step * STEP)
            self.cars[index].pack()
        self._watch(on_the_way)

    def _script(self, index: int) -> bool:
        car = self.cars[index]
        if not car.in_sight:
            return not car.gone
        moves = scripted(car, self.look(index), self._obstacle(car))
        self.program.remember(moves)
        car.waited = self.program.waited
        return moves

    def _obstacle(self, car: Car) -> bool:
        """Whether something stands on the next stretch of a car's way."""
        standing = [c for c in self.cars if c is not car and c.in_sight and c.speed < _STANDING]
        if not standing:
            return False
        ahead = [car.plan.way.at(car.travelled + SIGHT * part / 4) for part in (1, 2, 3, 4)]
        return any(touch(pose, other.pose) for other in standing for pose in ahead)

    def _watch(self, on_the_way: list[int]) -> None:
        """Record which cars have touched in this step, and whether one has left the road."""
        for at, one in enumerate(on_the_way):
            car = self.cars[one]
            self.off_road |= car.in_sight and not on_road(car.pose)
            for two in on_the_way[at + 1 :]:
                if (one, two) not in self.accidents and _met(car, self.cars[two]):
                    self.accidents.append((one, two))
                    self.crashed |= one == 0


def _met(one: Car, other: Car) -> bool:
    """Whether two cars have touched in the last step."""
    reach = math.hypot(CAR_LENGTH, CAR_WIDTH) + one.moved + other.moved
    if math.hypot(one.pose.x - other.pose.x, one.pose.z - other.pose.z) > reach:
        return False
    poses = ((one.earlier(look / _LOOKS), other.earlier(look / _LOOKS)) for look in range(_LOOKS))
    return any(a is not None and b is not None and touch(a, b) for a, b in poses)
