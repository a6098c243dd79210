"""The gymnasium environment: the interface is kept, and what it logs is what the world gives."""

import gymnasium
import pytest
from gymnasium.utils.env_checker import check_env

from soid.examples.crash.environment import CrossingEnv
from soid.examples.crash.logs import CRASH, run


def test_the_environment_keeps_to_the_interface():
    check_env(CrossingEnv("standard"), skip_render_check=True)


def test_the_same_seed_and_actions_give_the_same_records():
    def records(seed):
        env = CrossingEnv("pathological")
        found = [env.reset(seed=seed)[1]["record"]]
        over = False
        while not over:
            _, _, terminated, truncated, info = env.step(1)
            found.append(info["record"])
            over = terminated or truncated
        return found

    assert records(4) == records(4) != records(5)


def test_a_run_through_the_environment_is_a_run_of_the_world():
    """Driven by the program itself, it gives the very log that the world gives."""
    env = CrossingEnv("impatient", CRASH)
    env.reset(seed=1)
    for record in run("impatient", CRASH):
        observed, _, terminated, truncated, info = env.step(record["move"])
        assert info["record"] == record
    assert terminated and not truncated and observed in env.observation_space
    assert record["scene"]["after"]["crashed"]
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(1)
