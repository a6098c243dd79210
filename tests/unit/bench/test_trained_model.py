"""Models that are trained to be measured: the same each time, and run by their own library."""

from __future__ import annotations

from pathlib import Path

from soid.bench.trained_model import TrainedModel
from soid.case.project import Project


def test_the_project_is_that_of_the_library(tmp_path: Path) -> None:
    one = TrainedModel(tmp_path, 3)
    step = one.by_margin(0.5)
    answer = Project.open(tmp_path).at(step).ask(f"did decision == class_{int(one.margins[step] > 0)}")
    assert answer.verdict.value == "yes"
    assert one.margin_of([one.rows[step]]) == [one.margins[step]]
    nearer = sum(abs(each) < abs(one.margins[step]) for each in one.margins)
    assert nearer <= len(one.margins) // 2
