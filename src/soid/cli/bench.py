"""`soid bench`: figures that anyone can measure again."""

from __future__ import annotations

import json

from soid.bench.engine_speed import measure
from soid.cli.terminal import Terminal
from soid.documents import json_of


def bench_engine(runs: int, *, as_json: bool) -> int:
    """Measure the C engine and show the figures."""
    errors = Terminal.stderr()
    figures = measure(runs, lambda what: errors.prose(f"measuring: {what} ...", indent=0, style="dim"))
    if as_json:
        print(json.dumps({"bench": "engine", "figures": [json_of(figure) for figure in figures]}))
        return 0
    terminal = Terminal.stdout()
    terminal.rule("C engine")
    rows = [(each.name, _shown(each.value), each.unit, each.detail) for each in figures]
    terminal.table(("measured", "median", "unit", "what"), rows, wraps=("what",))
    terminal.blank()
    terminal.prose(f"median of {runs} runs on this machine; compare figures of one run only", style="dim")
    return 0


def _shown(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
