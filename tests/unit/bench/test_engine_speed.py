"""The benchmark of the C engine, on programs small enough for a test: the figures are there and mean what they say."""

from __future__ import annotations

import pytest

from soid.bench import engine_speed
from soid.documents import json_of
from soid.examples import folder


def test_the_figures_are_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine_speed, "ITERATIONS", 20)
    monkeypatch.setattr(engine_speed, "BRANCHES", 5)
    two = "might return.mode == MODE_LAND after 2 steps if s.pilot is anything"
    monkeypatch.setattr(engine_speed, "STEPS", (("2 steps", 236, two),))
    said: list[str] = []
    concrete, branches, steps = engine_speed.measure(2, folder("drone"), said.append)
    assert said == ["concrete code", "5 branches", "2 steps"]
    assert steps.detail.endswith("yes") and steps.unit == "s"
    assert concrete.unit == "instructions/s"
    assert concrete.value > 0
    assert len(concrete.runs) == 2
    assert "6 paths" in branches.detail
    assert "verdict yes" in branches.detail
    assert json_of(branches)["unit"] == "s"
