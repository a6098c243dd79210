"""The world as a gymnasium environment, for any learner with that interface; needs the extra `sim`.

    env = CrossingEnv("standard")
    situation, info = env.reset(seed=7)
    situation, reward, terminated, truncated, info = env.step(1)

An observation is the number of the situation that the program tells apart; actions are 0, stand still, and 1, move.
`info` has the log record of the step, without a decision before the first.
"""

from __future__ import annotations

from random import Random
from typing import Any

import gymnasium

from soid.examples.crash.car_program import SITUATIONS, CarProgram
from soid.examples.crash.logs import Record, decided, perceived
from soid.examples.crash.q_learner import event_of
from soid.examples.crash.rewards import REWARDS
from soid.examples.crash.traffic import random_scenario
from soid.examples.crash.world import TrafficScenario, World


class CrossingEnv(gymnasium.Env[Any, Any]):
    """One car at the crossing, rewarded as one of the three drivers is; the other cars are scripted."""

    def __init__(self, driver: str = "standard", scenario: TrafficScenario | None = None) -> None:
        self.metadata = {"render_modes": []}
        self.observation_space = gymnasium.spaces.Discrete(SITUATIONS)
        self.action_space = gymnasium.spaces.Discrete(2)
        self._driver = driver
        self._scenario = scenario  # the same one each time; None: random ones
        self._program = CarProgram(driver)
        self._random = Random(0)
        self._world: World | None = None
        self._situation = 0

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[int, dict[str, Any]]:
        super().reset(seed=seed, options=options)
        if seed is not None:
            self._random = Random(seed)
        self._world = World(self._program, self._scenario or random_scenario(self._random))
        self._situation = self._world.look()
        return self._situation, {"record": perceived(self._world)}

    def step(self, action: Any) -> tuple[int, float, bool, bool, dict[str, Any]]:
        world = self._world
        if world is None or world.over:
            raise gymnasium.error.ResetNeeded("call reset() before step()")
        moves = bool(action)
        world.look()
        record: Record = perceived(world)
        self._program.remember(moves)
        decided(world, record, moves)
        event = event_of(world)
        reward = REWARDS[self._driver](self._situation, moves, event)
        self._situation = world.look()
        terminated = world.crashed or world.arrived
        return self._situation, reward, terminated, world.over and not terminated, {"record": record}
