"""How time and memory grow with the size of a question: each point in a process of its own, with a time limit.

Opening a program (compiling, reading, linking for replay, with an empty cache) is measured separately from the
question. The question is asked of the loaded program, with a new solver and without kept paths.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Final, final

from msgspec import Struct

from soid.bench.growth_series import Point, Series, label
from soid.bench.measurement import Tell, last_line, run
from soid.budget import Cancellation

#: seconds for opening a program, in addition to the time of its questions
OPENING: Final = 300.0


@final
class Grown(Struct, frozen=True):
    """A measured point."""

    size: float
    question: str
    verdict: str
    reason: str = ""
    open: float | None = None  # seconds; None if it was stopped before
    seconds: float | None = None  # of the question, the median of its runs
    runs: Sequence[float] = ()  # seconds of the question
    megabytes: float | None = None  # the peak of the process
    paths: int | None = None


@final
class GrowthDocument(Struct, frozen=True):
    """A measured series as JSON."""

    series: str
    title: str
    unit: str
    points: tuple[Grown, ...]
    times: float | None
    at_most: float | None
    kept: bool | None


@final
class Growth(Struct, frozen=True):
    """The measured part of a series."""

    series: Series
    points: tuple[Grown, ...]

    @property
    def times(self) -> float | None:
        """The seconds of the last point divided by those of the first; None if one of them has no answer."""
        if len(self.points) < len(self.series.points):
            return None
        first, last = self.points[0], self.points[-1]
        if first.seconds is None or last.seconds is None or "unknown" in (first.verdict, last.verdict):
            return None
        return last.seconds / first.seconds

    @property
    def is_kept(self) -> bool | None:
        """Whether the series grows by at most its limit; None if it has no limit."""
        if self.series.at_most is None:
            return None
        return self.times is not None and self.times <= self.series.at_most

    @property
    def document(self) -> GrowthDocument:
        about, times = self.series, self.times
        return GrowthDocument(about.name, about.title, about.unit, self.points, times, about.at_most, self.is_kept)


@final
class GrowthPlan(Struct, frozen=True):
    """What is measured, how often, and the seconds for a question."""

    series: Sequence[Series]
    runs: int
    limit: float


def measure(plan: GrowthPlan, found: list[Growth], cancel: Cancellation, tell: Tell = lambda _: None) -> None:
    """Measure series by series; after a cancellation `found` has the finished points."""
    with tempfile.TemporaryDirectory(prefix="soid-bench-") as scratch:
        for series in plan.series:
            grown: list[Grown] = []
            found.append(Growth(series, ()))
            for point in series.points:
                tell(f"{series.name}: {label(point.size)} {series.unit}")
                made = _measured(point, plan, Path(tempfile.mkdtemp(dir=scratch)), cancel)
                if made is None:
                    return
                grown.append(made)
                found[-1] = Growth(series, tuple(grown))


def _measured(point: Point, plan: GrowthPlan, folder: Path, cancel: Cancellation) -> Grown | None:
    """Measure one point in a process of its own; None if it was cancelled."""
    project = folder / "project"
    project.mkdir()
    point.make(project)
    task = {"project": str(project), "question": point.question, "limit": plan.limit, "runs": plan.runs}
    environment = {**os.environ, "SOID_CACHE": str(folder / "cache")}
    command = [sys.executable, "-m", "soid.bench.isolated_point", json.dumps(task)]
    streams = run(command, OPENING + plan.runs * (plan.limit + 1), cancel, environment)
    unanswered = partial(Grown, point.size, point.question, "unknown")
    if streams is None:
        return None if cancel.cancelled else unanswered(f"stopped: opening it took more than {OPENING:g} s")
    output, errors = streams
    try:
        return Grown(point.size, point.question, **json.loads(output))
    except ValueError:
        return unanswered(f"its process ended: {last_line(errors)}")
