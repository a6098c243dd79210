"""Nothing is lost: a process that works on a case is killed, and all that it has shown is there."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from soid.case.case import Case
from soid.examples import folder


@pytest.fixture
def case(tmp_path) -> Path:
    file: Path = tmp_path / "oven.case"
    Case.create(file, folder("microwave")).close()
    return file


def killed(case: Path, kills: int, seed: int) -> dict[str, int]:
    ran = subprocess.run(
        [sys.executable, "-m", "tests.e2e.crashing", str(case), str(kills), str(seed)],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    told: dict[str, int] = json.loads(ran.stdout)
    return told


def test_killed_at_every_point_of_a_question_and_at_random_moments_a_case_loses_nothing(case):
    told = killed(case, 8, seed=1)
    assert told["kills"] == 8


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(2, 10))
def test_killed_at_a_hundred_random_moments_a_case_loses_nothing(case, seed):
    told = killed(case, 13, seed)
    assert told["kills"] == 13
    assert told["said"] > 4 and told["open"] > 0  # some were killed between question and answer, and some after
