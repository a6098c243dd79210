"""`soid bench sweep`: CPU seconds and solver calls against the number of moments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, final

from msgspec import Struct

from soid.bench.paper_picture import shown
from soid.bench.sweep_growth import CALLS, QUESTIONS, SweepGrowth, SweptPoint, measure
from soid.cli.command_line.bench_options import BenchSweepOptions
from soid.cli.output import print_json
from soid.cli.terminal.progress import watched, worded
from soid.cli.terminal.terminal import Terminal
from soid.errors import InputError
from soid.examples import folder

FIGURES: Final = (
    "Flights of the drone, made here by running its program, two questions at every moment, each size in a process of "
    "its own. seconds are of CPU, in one process, with reading logs and deriving what they do not have. checks is how "
    "often something was checked, solver how many of these reached a solver: folding, caches, boxes and intervals "
    "settle the others. shared are rows that one proof about several moments gave."
)


@final
class SweepBenchDocument(Struct, frozen=True, tag_field="bench", tag="sweep"):
    """The sweeps as JSON."""

    questions: list[str]
    points: list[SweptPoint]
    exponent: float | None
    at_most: float
    kept: bool


def bench_sweep(options: BenchSweepOptions) -> int:
    """Measure and show; the exit status is 0 if it grows by less than the moments, and asks solvers seldom enough."""
    sizes = sorted(set(options.moments)) or [100, 300, 1_000, 5_000]
    if sizes[0] < 1:
        raise InputError(f"there is no sweep of {sizes[0]} moments", "Give one or more.")
    found: list[SweptPoint] = []
    try:
        watched(lambda cancel, report: measure(folder("drone"), _flight, sizes, found, cancel, worded(report)))
    finally:
        if found:
            _show(SweepGrowth(tuple(found)), as_json=options.as_json)
    return 0 if SweepGrowth(tuple(found)).is_kept else 1


def _flight(day: int) -> str:
    from soid.examples.drone.logs import fly  # it compiles the drone's program

    return fly(day).recorder


def _show(growth: SweepGrowth, *, as_json: bool) -> None:
    if as_json:
        given = list(QUESTIONS), list(growth.points), growth.exponent, CALLS, growth.is_kept
        print_json(SweepBenchDocument(*given))
        return
    terminal = Terminal.stdout()
    terminal.rule("Sweeps of the drone")
    heads = ("moments", "rows", "seconds", "ms a row", "checks", "solver", "solver a moment", "shared", "MB")
    terminal.table(heads, [_row(each) for each in growth.points])
    terminal.prose(_told(growth), style="dim" if growth.is_kept else "bold")
    terminal.blank()
    terminal.prose(FIGURES, style="dim")


def _row(point: SweptPoint) -> Sequence[str]:
    each, calls = 1000 * point.seconds / point.rows, point.calls / point.moments
    counts = f"{point.checks:,}", f"{point.calls:,}", f"{calls:.3f}", f"{point.shared:,}"
    return (
        f"{point.moments:,}",
        f"{point.rows:,}",
        shown(point.seconds),
        f"{each:.1f}",
        *counts,
        f"{point.megabytes:,.0f}",
    )


def _told(growth: SweepGrowth) -> str:
    promise = f"at most {CALLS:g} solver calls a moment at the last, and seconds that grow by less than moments"
    if growth.exponent is None:
        return f"promised: {promise}"
    return f"seconds grow as moments to the power of {growth.exponent:.2f}; promised: {promise}"
