"""`soid bench check`: has soid become slower? Ratios inside one run, held to a stored baseline."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from soid.bench.regression_check import BASELINE, TOLERANCE, Checked, check, measure, read, write
from soid.budget import Cancellation
from soid.cli.terminal import Terminal
from soid.cli.watching import Report, watched
from soid.documents import json_of
from soid.examples import folder
from soid.oracle.inquiry import QuestionProgress

FIGURES: Final = (
    f"Each figure is a ratio of two times that were measured in this run: less is better. One that is more than "
    f"{TOLERANCE:g} times the baseline's is a regression."
)


def bench_check(runs: int, baseline: Path | None, to: Path | None, *, as_json: bool) -> int:
    """Measure and compare; 0 if nothing has become slower, 1 if something has."""
    stored = read(baseline or BASELINE) if to is None else {}

    def do(cancel: Cancellation, report: Report) -> dict[str, float]:
        return measure(folder("crash") / "standard", runs, cancel, lambda words: report(QuestionProgress(words)))

    found = watched(do)
    if to is not None:
        write(found, to)
    checked = check(found, stored)
    if as_json:
        figures = [json_of(each.document) for each in checked]
        print(json.dumps({"bench": "check", "runs": runs, "tolerance": TOLERANCE, "seconds": found, "ratios": figures}))
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
