"""`soid bench engine`: how fast the C engine runs a program."""

from __future__ import annotations

from typing import final

from msgspec import Struct

from soid.bench.engine_speed import measure
from soid.bench.measurement import Measurement
from soid.cli.command_line.bench_options import BenchEngineOptions
from soid.cli.output import print_json
from soid.cli.terminal.terminal import Terminal
from soid.examples import folder


@final
class EngineBenchDocument(Struct, frozen=True, tag_field="bench", tag="engine"):
    """The figures as JSON."""

    figures: list[Measurement]


def bench_engine(options: BenchEngineOptions) -> int:
    errors = Terminal.stderr()

    def tell(what: str) -> None:
        errors.prose(f"measuring: {what} ...", indent=0, style="dim")

    figures = measure(options.runs, folder("drone"), tell)
    if options.as_json:
        print_json(EngineBenchDocument(figures))
        return 0
    terminal = Terminal.stdout()
    terminal.rule("C engine")
    rows = [(each.name, _shown(each.value), each.unit, each.detail) for each in figures]
    terminal.table(("measured", "median", "unit", "what"), rows, wraps=("what",))
    terminal.blank()
    terminal.prose(f"median of {options.runs} runs on this machine; compare figures of one run only", style="dim")
    return 0


def _shown(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
