"""A measured figure: a median of several runs, with what was run and in which unit."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import final

from msgspec import Struct


@final
class Measurement(Struct, frozen=True):
    """One line of a benchmark."""

    name: str  # what was measured
    value: float  # the median
    unit: str
    runs: tuple[float, ...]  # every run, in the order they were made in
    detail: str = ""  # what was run: sizes, counts


def seconds(work: Callable[[], object]) -> float:
    """How long something takes, on the clock."""
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def figure(name: str, unit: str, runs: list[float], detail: str = "") -> Measurement:
    return Measurement(name, statistics.median(runs), unit, tuple(runs), detail)
