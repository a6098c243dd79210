"""The gymnasium environment, where the extra `sim` is installed."""

import pytest

gymnasium = pytest.importorskip("gymnasium")


def test_the_environment_keeps_to_the_interface():
    from gymnasium.utils.env_checker import check_env

    from soid.examples.crash.environment import CrossingEnv

    check_env(CrossingEnv("standard"), skip_render_check=True)


def test_the_same_seed_and_actions_give_the_same_records():
    from soid.examples.crash.environment import CrossingEnv

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
