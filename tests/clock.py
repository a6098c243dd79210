"""A clock that only tests move: budgets run out when the test says so, however busy the machine is."""

from __future__ import annotations

from typing import final

import pytest


@final
class Clock:
    """Stands in for the module `time` where soid measures."""

    def __init__(self, tick: float = 0.0) -> None:
        self.now = 1000.0
        self.tick = tick  # seconds that pass each time somebody looks

    def monotonic(self) -> float:
        self.now += self.tick
        return self.now

    perf_counter = monotonic

    def forward(self, seconds: float) -> None:
        self.now += seconds


def set_up(monkeypatch: pytest.MonkeyPatch, tick: float = 0.0) -> Clock:
    """A clock for budgets and for the stages of a question."""
    clock = Clock(tick)
    for module in ("soid.budget", "soid.oracle.inquiry"):
        monkeypatch.setattr(f"{module}.time", clock)
    return clock
