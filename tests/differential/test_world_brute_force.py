"""Questions about outcomes, and what a simulation of every scenario of a small family gives."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.gap_world import WHOLE_WORLD, WORLD, collides, gap_project

SIGNALS = ("STRAIGHT", "LEFT", "RIGHT")


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.soak) for seed in range(1, 40))])
def test_verdicts_are_those_of_all_simulations(tmp_path: Path, seed: int) -> None:
    project, draw = gap_project(tmp_path), random.Random(seed)
    for _ in range(4):
        speeds = sorted({draw.randint(0, 24) / 4 for _ in range(3)})
        gaps = sorted({float(draw.randint(5, 40)) for _ in range(2)})
        signals = draw.sample(SIGNALS, draw.randint(1, 3))
        steps = draw.randint(2, 14)
        outcomes = [
            collides(gap, speed, signal, steps)
            for gap in gaps
            for speed in speeds
            for signal in signals
            if (gap, speed, signal) != (30.0, 2.0, "RIGHT")  # the fact is left out
        ]
        family = (
            f"v.speed in {{{', '.join(map(str, speeds))}}} and v.gap in {{{', '.join(map(str, gaps))}}} "
            f"and v.signal in {{{', '.join(signals)}}}"
        )
        for verb, behavior, expected in (
            ("might", f"collision within {steps} steps", any(outcomes)),
            ("would", f"collision within {steps} steps", all(outcomes)),
            ("would", f"not collision throughout {steps} steps", not any(outcomes)),
        ):
            found = project.ask(f"{verb} {behavior} closed loop if {family}")
            told = "vacuous" if not outcomes else "yes" if expected else "no"
            assert found.verdict.value == told, found.text


@pytest.mark.parametrize("world", [WORLD, WHOLE_WORLD], ids=["signal logged", "all of the world"])
def test_what_is_supposed_of_later_steps_replaces_what_the_world_gives(tmp_path: Path, world: str) -> None:
    """The log has 20 steps; in the fact the gap is 30 m and two metres less after each step."""
    project, draw, fact = gap_project(tmp_path, world=world), random.Random(7), 0
    for _ in range(12):
        steps = draw.randint(2, 9)
        at = draw.randrange(1, steps)
        gaps = sorted({30.0 - 2.0 * at, *(float(draw.randint(0, 30)) for _ in range(draw.randint(0, 2)))})
        signals = draw.choice([["RIGHT"], ["STRAIGHT", "RIGHT"], ["LEFT"]])
        scenarios = [(gap, signal) for gap in gaps for signal in signals]
        others = [each for each in scenarios if each != (30.0 - 2.0 * at, "RIGHT")]
        fact += len(scenarios) - len(others)
        outcomes = [collides(30.0, 2.0, signal, steps, {at: gap}) for gap, signal in others]
        family = f"v.gap in {{{', '.join(map(str, gaps))}}} at step {at} and v.signal in {{{', '.join(signals)}}}"
        for verb, expected in (("might", any(outcomes)), ("would", all(outcomes))):
            found = project.ask(f"{verb} collision within {steps} steps closed loop if {family}")
            told = "vacuous" if not outcomes else "yes" if expected else "no"
            assert found.verdict.value == told, found.text
    assert 0 < fact < 12


@pytest.mark.parametrize("seed", range(3))
def test_what_is_done_replaces_what_is_decided(tmp_path: Path, seed: int) -> None:
    """In fact the driver never braked, as the log says: that and nothing else supposed is the fact."""
    project, draw = gap_project(tmp_path), random.Random(seed)
    for _ in range(5):
        steps = draw.randint(1, 10)
        begin = draw.randrange(steps)
        end = draw.randrange(begin, steps)
        done = draw.choice([[0], [1], [0, 1]])
        speeds = sorted({draw.choice([2.0, draw.randint(4, 24) / 4]) for _ in range(2)})
        signals = draw.choice([["RIGHT"], ["STRAIGHT", "RIGHT"], ["LEFT"]])
        scenarios = [(act, speed, signal) for act in done for speed in speeds for signal in signals]
        outcomes = [
            collides(30.0, speed, signal, steps, acts=dict.fromkeys(range(begin, end + 1), act))
            for act, speed, signal in scenarios
            if (act, speed, signal) != (0, 2.0, "RIGHT")
        ]
        family = (
            f"return in {{{', '.join(map(str, done))}}} from step {begin} to step {end} "
            f"and v.speed in {{{', '.join(map(str, speeds))}}} and v.signal in {{{', '.join(signals)}}}"
        )
        for verb, expected in (("might", any(outcomes)), ("would", all(outcomes))):
            found = project.ask(f"{verb} collision within {steps} steps if {family}")
            told = "vacuous" if not outcomes else "yes" if expected else "no"
            assert found.verdict.value == told, found.text
