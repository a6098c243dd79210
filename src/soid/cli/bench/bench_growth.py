"""`soid bench growth`: seconds and memory against the size of a question, as tables and as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final, final

from msgspec import Struct

from soid.bench.growth import Grown, Growth, GrowthDocument, GrowthPlan, measure
from soid.bench.growth_picture import draw
from soid.bench.growth_series import every_series, label
from soid.bench.paper_picture import shown
from soid.cli.command_line.bench_options import BenchGrowthOptions
from soid.cli.output import print_json, write_file
from soid.cli.terminal.progress import watched, worded
from soid.cli.terminal.terminal import Terminal
from soid.errors import InputError
from soid.examples import folder

FIGURES: Final = (
    "Each point in a process of its own. open is cold: compiled, read and linked for replay, nothing cached. seconds "
    "are those of the question, put to the loaded program with a solver that has answered nothing before: the median. "
    "A question that its limit ends is unknown, and its seconds are the limit's."
)


@final
class GrowthBenchDocument(Struct, frozen=True, tag_field="bench", tag="growth"):
    """The measured series as JSON."""

    runs: int
    limit: float
    series: list[GrowthDocument]


def bench_growth(options: BenchGrowthOptions) -> int:
    """Measure and show; the exit status is 0 if every series grows by no more than is promised."""
    names, picture = options.series, options.picture
    if picture is not None and not picture.resolve().parent.is_dir():
        raise InputError(f"there is no folder {picture.parent}", "Name a file in a folder that is there.")
    every = every_series(folder("crash"))
    unknown = [name for name in names if name not in {series.name for series in every}]
    if unknown:
        known = ", ".join(series.name for series in every)
        raise InputError(f"there is no series called {unknown[0]}", f"The series are: {known}.")
    plan = GrowthPlan([series for series in every if not names or series.name in names], options.runs, options.limit)
    found: list[Growth] = []
    try:
        watched(lambda cancel, report: measure(plan, found, cancel, worded(report)))
    finally:
        if found:
            _show(plan, found, as_json=options.as_json, picture=picture)
    return 1 if any(growth.is_kept is False for growth in found) else 0


def _show(plan: GrowthPlan, found: Sequence[Growth], *, as_json: bool, picture: Path | None) -> None:
    if as_json:
        print_json(GrowthBenchDocument(plan.runs, plan.limit, [growth.document for growth in found]))
    else:
        terminal = Terminal.stdout()
        for growth in found:
            _table(terminal, growth)
        terminal.prose(FIGURES, style="dim")
    if picture is not None:
        write_file(picture, draw(found))


def _table(terminal: Terminal, growth: Growth) -> None:
    terminal.rule(f"{growth.series.name}: {growth.series.title}")
    terminal.table(
        (growth.series.unit, "verdict", "paths", "open", "seconds", "MB"), [_row(each) for each in growth.points]
    )
    terminal.prose(_growth(growth), style="bold" if growth.is_kept is False else "dim")
    terminal.blank()


def _row(grown: Grown) -> tuple[str, ...]:
    return (
        label(grown.size),
        grown.verdict,
        "" if grown.paths is None else str(grown.paths),
        "" if grown.open is None else shown(grown.open),
        "" if grown.seconds is None else shown(grown.seconds),
        "" if grown.megabytes is None else f"{grown.megabytes:,.0f}",
    )


def _growth(growth: Growth) -> str:
    promise = "" if growth.series.at_most is None else f", at most {growth.series.at_most:g} promised"
    if growth.times is None:
        return f"from the first to the last: not known{promise}"
    return f"from the first to the last: {growth.times:.1f} times the seconds{promise}"
