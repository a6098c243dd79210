"""How a sweep grows with its moments: flights of the drone, two questions at every moment, a process for each size.

A flight is a minute of the example's own program, compiled and run in its simulated air: 300 ticks, rounded as its
recorder writes them, without the counters that it keeps. Each flight has a day's noise of its own; the last one is cut,
for as many moments as are asked for. What is measured is the sweep in one process, from the first log that is read to
the last row: CPU seconds of it and of the processes that it starts, and what was checked, deriving state included.
"""

from __future__ import annotations

import json
import math
import os
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, final

from msgspec import Struct
from msgspec.json import decode

from soid.bench.measurement import Tell, last_line, run
from soid.budget import Cancellation
from soid.errors import InternalError

QUESTIONS: Final = (
    "would return.mode == MODE_MANUAL if s.pilot == PILOT_MANUAL",
    "might return.mode == MODE_LAND if s.gps.sats is anything and s.gps.hdop is anything",
)

#: the recorder's file of a whole flight, by the number of its day
Flights = Callable[[int], str]

#: solver calls for each moment of the largest sweep, at most
CALLS: Final = 0.1

_PATIENCE: Final = 1800.0  # seconds for one size


@final
class SweptPoint(Struct, frozen=True):
    """A sweep of so many moments."""

    moments: int
    rows: int
    seconds: float  # of CPU
    checks: int  # how often something was checked
    calls: int  # of these, what reached a solver
    shared: int  # rows that a proof about several moments gave
    megabytes: float  # at most
    verdicts: dict[str, int]


@final
class SweepGrowth(Struct, frozen=True):
    """Sweeps of growing size."""

    points: tuple[SweptPoint, ...]

    @property
    def exponent(self) -> float | None:
        """Seconds grow as moments to this power, from the first point to the last; None: there is one point."""
        if len(self.points) < 2 or self.points[0].moments == self.points[-1].moments:
            return None
        first, last = self.points[0], self.points[-1]
        return math.log(last.seconds / first.seconds) / math.log(last.moments / first.moments)

    @property
    def is_kept(self) -> bool:
        """Whether it grows by less than its moments, and the last point asks solvers as seldom as is promised."""
        last = self.points[-1]
        return (self.exponent is None or self.exponent < 1.0) and last.calls <= last.moments * CALLS


def write_flights(flights: Flights, folder: Path, moments: int) -> list[Path]:
    """The logs of so many moments, in a folder of their own."""
    folder.mkdir()
    logs: list[Path] = []
    while moments > 0:
        head, *rows = flights(100 + len(logs)).splitlines(keepends=True)
        logs.append(folder / f"{len(logs):04}.csv")
        logs[-1].write_text("".join([head, *rows[:moments]]), encoding="utf-8")
        moments -= len(rows)
    return logs


def measure(
    project: Path,
    flights: Flights,
    sizes: Sequence[int],
    found: list[SweptPoint],
    cancel: Cancellation,
    tell: Tell = lambda _: None,
) -> None:
    """Measure size by size; after a cancellation `found` has the finished points."""
    with tempfile.TemporaryDirectory(prefix="soid-bench-") as scratch:
        environment = {**os.environ, "SOID_CACHE": str(Path(scratch) / "cache")}
        for size in sizes:
            tell(f"{size:,} moments")
            logs = write_flights(flights, Path(scratch) / str(size), size)
            task = {"project": str(project), "logs": list(map(str, logs)), "questions": QUESTIONS}
            command = [sys.executable, "-m", "soid.bench.isolated_sweep", json.dumps(task)]
            streams = run(command, _PATIENCE, cancel, environment)
            if streams is None and cancel.cancelled:
                return
            output, errors = streams or ("", f"stopped after {_PATIENCE:g} s")
            if not output:
                raise InternalError(f"the sweep of {size:,} moments ended: {last_line(errors)}", "Measure fewer.")
            found.append(decode(output, type=SweptPoint))
