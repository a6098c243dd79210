"""Questions about outcomes, and what a simulation of every scenario of a small family gives."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.gap_world import collides, gap_project

SIGNALS = ("STRAIGHT", "LEFT", "RIGHT")


@pytest.mark.parametrize("seed", range(6))
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
