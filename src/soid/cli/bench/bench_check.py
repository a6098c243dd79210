"""`soid bench check`: whether soid has become slower. Ratios inside one run are compared with a stored baseline."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, final

from msgspec import Struct

from soid.bench.regression_check import (
    BASELINE,
    TOLERANCE,
    Checked,
    check,
    measure,
    read,
    write,
)
from soid.cli.command_line.bench_options import BenchCheckOptions
from soid.cli.output import print_json
from soid.cli.terminal.progress import watched, worded
from soid.cli.terminal.terminal import Terminal
from soid.examples import folder

FIGURES: Final = (
    f"Each figure is a ratio of two times that were measured in this run: less is better. One that is more than "
    f"{TOLERANCE:g} times the baseline's is a regression."
)


@final
class CheckBenchDocument(Struct, frozen=True, tag_field="bench", tag="check"):
    """The ratios beside the baseline's, as JSON."""

    runs: int
    tolerance: float
    seconds: dict[str, float]
    ratios: list[Checked]


def bench_check(options: BenchCheckOptions) -> int:
    """Measure and compare; the exit status is 0 if nothing has become slower, 1 if something has."""
    runs = options.runs
    stored = read(options.baseline or BASELINE) if options.write is None else {}
    crash = folder("crash") / "standard"
    found = watched(lambda cancel, report: measure(crash, folder("drone"), runs, cancel, worded(report)))
    if options.write is not None:
        write(found, options.write)
    checked = check(found, stored)
    if options.as_json:
        print_json(CheckBenchDocument(runs, TOLERANCE, found, checked))
    else:
        _show(checked)
    return 1 if any(each.is_regression for each in checked) else 0


def _show(checked: Sequence[Checked]) -> None:
    terminal = Terminal.stdout()
    terminal.rule("Ratios")
    terminal.table(("figure", "now", "baseline", "times", ""), [_row(each) for each in checked], wraps=("figure",))
    terminal.blank()
    terminal.prose(FIGURES, style="dim")


def _row(each: Checked) -> tuple[str, ...]:
    if each.baseline is None or each.times is None:
        return (each.name, f"{each.now:.3g}", "", "", "not stored")
    word = "slower" if each.is_regression else "as it was" if each.times > 1 / TOLERANCE else "faster"
    return (each.name, f"{each.now:.3g}", f"{each.baseline:.3g}", f"{each.times:.2f}", word)
