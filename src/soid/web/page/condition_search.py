"""The search for steps of a log at which a condition holds: found once for a log and a text, then told and walked."""

from __future__ import annotations

from typing import final

from msgspec import Struct

from soid.program.interface import Interface
from soid.query.logged_condition import LoggedCondition
from soid.query.words import counted
from soid.scenario.log_series import LogSeries


@final
class FoundSteps(Struct, frozen=True):
    """Where a condition holds in what was read of a log."""

    log: LogSeries
    text: str  # the condition, as typed
    begins: tuple[int, ...] = ()  # the first step of each stretch
    count: int = 0  # of steps

    def told(self) -> str:
        steps = len(self.log.numbers)
        if not self.begins:
            return f"That holds at none of {steps:,} steps."
        return (
            f"That holds at {self.count:,} of {steps:,} steps, in {counted(len(self.begins), 'stretch', 'stretches')}."
        )


def found_steps(text: str, interface: Interface, log: LogSeries, known: FoundSteps | None) -> FoundSteps:
    """Where a condition holds; `known` is what was found last. QueryError says why a text is no condition."""
    if known is not None and known.log is log and known.text == text:
        return known
    stretches = LoggedCondition(text, interface).stretches(log)
    steps = sum(log.count(first, last) for first, last in stretches)
    return FoundSteps(log, text, tuple(first for first, _ in stretches), steps)
