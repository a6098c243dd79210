"""The examples' paths as people review them. `UPDATE_GOLDEN=1 pytest tests/golden` writes them anew."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from soid.budget import UNLIMITED, Cancellation
from soid.case.project import Project
from soid.engine.protocol import Exploration
from soid.examples import folder
from soid.formula.build import TRUE
from tests.exhaustive import Exhaustive
from tests.golden.summaries import summary_text

HERE = Path(__file__).parent


@pytest.mark.parametrize("example", ["microwave"])
def test_the_paths_of_an_example(example: str) -> None:
    project = Project.open(folder(example))
    every_state = Exploration({}, TRUE, Exhaustive(), UNLIMITED.started(), Cancellation())
    text = summary_text(project.program.interface, project.engine.explore(every_state))
    golden = HERE / f"{example}.summary.txt"
    if os.environ.get("UPDATE_GOLDEN"):
        golden.write_text(text, encoding="utf-8")
    assert text == golden.read_text(encoding="utf-8")
