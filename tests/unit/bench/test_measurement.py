"""Processes with a time limit: they are stopped in time, together with what they started."""

from __future__ import annotations

from pathlib import Path

from soid.bench.measurement import run
from soid.budget import Cancellation
from tests.unit.bench.standing_in import stand_in


def test_a_process_that_takes_too_long_is_stopped_with_all_that_it_started(tmp_path: Path) -> None:
    assert run(["sleep", "900"], 0.2, Cancellation()) is None
    assert run([str(stand_in(tmp_path, "sleep 900 & wait"))], 0.2, Cancellation()) is None  # its pipes are closed too
    cancel = Cancellation()
    cancel.cancel()
    assert run(["sleep", "900"], 60.0, cancel) is None
    assert run(["sh", "-c", "echo said; echo shouted >&2"], 60.0, Cancellation()) == ("said\n", "shouted\n")
