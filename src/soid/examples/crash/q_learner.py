"""Tabular Q-learning over the situations that the program itself tells apart."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Final, final

from msgspec import Struct, field

from soid.examples.crash.car_program import SITUATIONS, CarProgram
from soid.examples.crash.rewards import REWARDS, Event
from soid.examples.crash.traffic import random_scenario
from soid.examples.crash.world import World

DISCOUNT: Final = 0.97
TRACE: Final = 0.97  # weight of what really followed a step, against the table's value of the next one
_SLOWING: Final = 0.8  # the learning rate is the visits to minus this power,
_SLOWEST: Final = 0.005  # and never less than this
_LONGEST_HELD: Final = 12  # steps for which an explored decision is kept
_EXPLORED: Final = 0.6  # the share of the episodes over which exploration fades to its least
_LEAST_EXPLORATION: Final = 0.02

Table = list[list[float]]


@final
class Learned(Struct):
    """A table, and how learning it went."""

    table: Table = field(default_factory=lambda: [[0.0, 0.0] for _ in range(SITUATIONS)])
    visits: list[list[int]] = field(default_factory=lambda: [[0, 0] for _ in range(SITUATIONS)])
    returns: list[float] = field(default_factory=list)  # of each episode
    events: list[Event] = field(default_factory=list)  # how each episode ended


def learn(driver: str, program: CarProgram, seed: int, episodes: int, tell: Callable[[int], None]) -> Learned:
    """Teach one driver from nothing; `tell` gets the number of episodes after each."""
    random = Random(f"{driver} {seed}")
    learned = Learned()
    for episode in range(episodes):
        explore = max(_LEAST_EXPLORATION, 1.0 - episode / (_EXPLORED * episodes))
        _episode(driver, World(program, random_scenario(random)), learned, random, explore)
        tell(episode + 1)
    return learned


def _episode(driver: str, world: World, learned: Learned, random: Random, explore: float) -> None:
    """Drive once, then learn from the end to the beginning."""
    table, car = learned.table, world.cars[0]
    steps: list[tuple[int, bool, float]] = []
    held, moves, event = 0, True, Event.NOTHING
    while not world.over:
        situation = world.look()
        # an explored decision is held for several steps: a single one would have no effect
        if held:
            held -= 1
        elif random.random() < explore:
            moves, held = random.random() < 0.5, random.randrange(_LONGEST_HELD)
        else:
            moves = table[situation][1] > table[situation][0]
        world.program.remember(moves)
        car.waited = world.program.waited
        world.advance(moves)
        event = event_of(world)
        steps.append((situation, moves, REWARDS[driver](situation, moves, event)))
    _learn_from(steps, learned)
    learned.returns.append(sum(reward for _, _, reward in steps))
    learned.events.append(event)


def _learn_from(steps: list[tuple[int, bool, float]], learned: Learned) -> None:
    """Q-learning with returns over many steps (Peng's Q(lambda)), computed backwards."""
    following, best = 0.0, 0.0  # the return from the next step on, and its value in the table
    for situation, moves, reward in reversed(steps):
        following = reward + DISCOUNT * (TRACE * following + (1 - TRACE) * best)
        best = max(learned.table[situation])
        visits, values = learned.visits[situation], learned.table[situation]
        visits[moves] += 1
        rate = max(_SLOWEST, visits[moves] ** -_SLOWING)
        values[moves] += rate * (following - values[moves])


def event_of(world: World) -> Event:
    """What the last step has led to."""
    if world.crashed:
        return Event.CRASH
    if world.arrived:
        return Event.ARRIVAL
    return Event.TIMEOUT if world.over else Event.NOTHING
