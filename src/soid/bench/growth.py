"""How time and memory grow with the size of a question: each point in a process of its own, with a time limit.

Opening a program (compiled, read, linked for replay, nothing being cached) is measured apart from the question. That is
put to the program as it is loaded, with a solver that has answered nothing before and no paths kept from before.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, final

from msgspec import Struct

from soid.bench.growth_series import Point, Series
from soid.budget import Budget, Cancellation
from soid.documents import Document

#: seconds that opening a program may take on top of what its questions may
OPENING: Final = 300.0

_POLL: Final = 0.2  # seconds between two looks at whether it was called off

Tell = Callable[[str], None]


@final
class GrownDocument(Document, frozen=True):
    """A measured point as JSON."""

    size: float
    question: str
    verdict: str
    reason: str
    open: float | None
    seconds: float | None
    runs: tuple[float, ...]
    megabytes: float | None
    paths: int | None


@final
class Grown(Struct, frozen=True):
    """A point, measured."""

    point: Point
    verdict: str
    reason: str = ""
    open: float | None = None  # seconds; None where it was stopped before
    runs: tuple[float, ...] = ()  # seconds of the question
    megabytes: float | None = None  # at most, of the process
    paths: int | None = None

    @property
    def seconds(self) -> float | None:
        return statistics.median(self.runs) if self.runs else None

    @property
    def document(self) -> GrownDocument:
        return GrownDocument.of(self)

    @property
    def size(self) -> float:
        return self.point.size

    @property
    def question(self) -> str:
        return self.point.question


@final
class GrowthDocument(Struct, frozen=True):
    """A measured series as JSON."""

    series: str
    title: str
    unit: str
    points: list[GrownDocument]
    times: float | None
    at_most: float | None
    kept: bool | None


@final
class Growth(Struct, frozen=True):
    """A series, as far as it was measured."""

    series: Series
    points: tuple[Grown, ...]

    @property
    def times(self) -> float | None:
        """How many times the first one's seconds the last one took; None where one of them was not answered."""
        if len(self.points) < len(self.series.points):
            return None
        first, last = self.points[0], self.points[-1]
        if first.seconds is None or last.seconds is None or "unknown" in (first.verdict, last.verdict):
            return None
        return last.seconds / first.seconds

    @property
    def is_kept(self) -> bool | None:
        """Whether the series grows by no more than it may; None where nothing is promised."""
        if self.series.at_most is None:
            return None
        return self.times is not None and self.times <= self.series.at_most

    @property
    def document(self) -> GrowthDocument:
        about, points = self.series, [point.document for point in self.points]
        return GrowthDocument(about.name, about.title, about.unit, points, self.times, about.at_most, self.is_kept)


@final
class GrowthPlan(Struct, frozen=True):
    """What is measured, how often, and how long a question may take."""

    series: Sequence[Series]
    runs: int
    limit: float


def measure(plan: GrowthPlan, found: list[Growth], cancel: Cancellation, tell: Tell = lambda _: None) -> None:
    """Measure series by series; what was done is in `found` if it is stopped."""
    with tempfile.TemporaryDirectory(prefix="soid-bench-") as scratch:
        for series in plan.series:
            grown: list[Grown] = []
            found.append(Growth(series, ()))
            for point in series.points:
                tell(f"{series.name}: {point.label} {series.unit}")
                made = _measured(point, plan, Path(tempfile.mkdtemp(dir=scratch)), cancel)
                if made is None:
                    return
                grown.append(made)
                found[-1] = Growth(series, tuple(grown))


def _measured(point: Point, plan: GrowthPlan, folder: Path, cancel: Cancellation) -> Grown | None:
    """None if it was called off."""
    project = folder / "project"
    project.mkdir()
    point.make(project)
    task = {"project": str(project), "question": point.question, "limit": plan.limit, "runs": plan.runs}
    environment = {**os.environ, "SOID_CACHE": str(folder / "cache")}
    process = subprocess.Popen(
        [sys.executable, "-m", "soid.bench.isolated_point"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
        start_new_session=True,  # Ctrl-C is for us, who end it
    )
    deadline = Budget(OPENING + plan.runs * (plan.limit + 1)).started()
    given: str | None = json.dumps(task)
    try:
        while not deadline.is_over and not cancel.cancelled:
            try:
                said, errors = process.communicate(given, timeout=_POLL)
            except subprocess.TimeoutExpired:
                given = None  # it has been sent
                continue
            return _read(point, said, errors)
    finally:
        process.kill()
        process.communicate()
    return None if cancel.cancelled else Grown(point, "unknown", f"stopped: opening it took more than {OPENING:g} s")


def _read(point: Point, said: str, errors: str) -> Grown:
    try:
        result = json.loads(said)
    except ValueError:
        last = errors.strip().splitlines()[-1:] or ["it said nothing"]
        return Grown(point, "unknown", f"its process ended: {last[0]}")
    return Grown(
        point,
        result["verdict"],
        result["reason"],
        result["open"],
        tuple(result["runs"]),
        result["megabytes"],
        result["paths"],
    )
