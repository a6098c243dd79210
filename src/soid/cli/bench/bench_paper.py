"""`soid bench paper`: the paper's tables measured again, beside its figures and beside its own recipe."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, final

from msgspec import Struct

from soid.bench.paper import PaperDocument, PaperMeasurement, PaperPlan, measure
from soid.bench.paper_figures import TABLES, PaperTable
from soid.bench.paper_picture import draw, shown
from soid.bench.paper_research import Ratios, Research, research, times
from soid.cli.command_line.bench_options import BenchPaperOptions
from soid.cli.output import print_json, write_file
from soid.cli.terminal.progress import watched, worded
from soid.cli.terminal.terminal import Terminal
from soid.errors import InputError
from soid.examples import folder
from soid.query.words import counted

#: what the figures mean; it is printed below them
FIGURES: Final = (
    "All figures are seconds on this machine; the paper's are averages of 10 runs on its authors'. Paths are counted "
    "by forking, the paper's in brackets. compile is cold: compiled, read and linked for replay with an empty cache, "
    "once a program. All else is warm: the program is loaded, but no path, answer, model or solver's state is left "
    "from an earlier question. explore includes checking the log, solve bringing the scenario shown near to the fact, "
    "and replay is the compiled program, run."
)
STARTS: Final = (
    "resident is the total above; again, the same where an earlier question has explored the family; fresh, a process "
    "of its own with the program compiled, on the clock from start to end; first, the same with an empty cache; "
    "compiler, what the compiler alone takes for the same files."
)
RECIPE: Final = (
    "Its recipe is the published method with our loader, terms and interpreter: each branch forks and both its sides "
    "are checked by Z3, then comes one Z3 query; no bounds, pinned values or reused models, no caches, no scenario "
    "brought near to the fact. It is run once where that takes more than a few seconds."
)


@final
class PaperBenchDocument(Struct, frozen=True, tag_field="bench", tag="paper"):
    """The rows of the tables as JSON."""

    complete: bool
    runs: int
    limit: float | None
    rows: list[PaperDocument]
    research: list[Research]


def bench_paper(options: BenchPaperOptions) -> int:
    """Measure and show, also what was measured before a stop; the exit status is 0 if every verdict is the paper's."""
    plan = PaperPlan(options.runs, options.limit if options.baseline else None, starts=options.starts)
    picture = options.picture
    if picture is not None and not picture.resolve().parent.is_dir():  # now, not after minutes of measuring
        raise InputError(f"there is no folder {picture.parent}", "Name a file in a folder that is there.")
    rows: list[PaperMeasurement] = []
    folders = {table.example: folder(table.example) for table in plan.tables}
    try:
        watched(lambda cancel, report: measure(plan, folders, rows, cancel, worded(report)))
    finally:
        if rows:
            _show(plan, rows, as_json=options.as_json, picture=picture)
    return 0 if all(row.as_published for row in rows) else 1


def _show(plan: PaperPlan, rows: Sequence[PaperMeasurement], *, as_json: bool, picture: Path | None) -> None:
    if as_json:
        found = [row.document for row in rows]
        print_json(PaperBenchDocument(len(rows) == plan.rows, plan.runs, plan.limit, found, research(rows)))
    else:
        _print(plan, rows)
    if picture is not None:
        write_file(picture, draw(rows))


def _print(plan: PaperPlan, rows: Sequence[PaperMeasurement]) -> None:
    terminal = Terminal.stdout()
    for table in TABLES:
        measured = [row for row in rows if row.table is table]
        if measured:
            _table(terminal, table, measured)
    _research(terminal, research(rows))
    _caption(terminal, plan, rows)


def _table(terminal: Terminal, table: PaperTable, rows: Sequence[PaperMeasurement]) -> None:
    terminal.rule(f"Table {table.number}: {table.title}")
    terminal.table(
        ("question, model", "verdict", "paths", "compile", "explore", "solve", "replay", "total"),
        _grouped(rows, [_answered(row) for row in rows]),
    )
    terminal.blank()
    terminal.table(
        ("seconds in all", "soid", "the paper", "times", "its recipe", "times", "verdict"),
        _grouped(rows, [_beside(row) for row in rows]),
    )
    terminal.blank()
    if any(row.starts is not None for row in rows):
        terminal.table(
            ("from other beginnings", "resident", "again", "fresh", "first", "compiler"),
            _grouped(rows, [_started(row) for row in rows]),
        )
        terminal.blank()


def _grouped(rows: Sequence[PaperMeasurement], cells: Sequence[Sequence[str]]) -> Iterator[list[str]]:
    """A line for each question, with its rows indented below it."""
    last = ""
    for row, values in zip(rows, cells, strict=True):
        if row.question.label != last:
            last = row.question.label
            yield [last, *("" for _ in values)]
        yield [f"  {row.paper.model}", *values]


def _answered(row: PaperMeasurement) -> list[str]:
    """The answer of soid, with the paper's paths, and with the paper's verdict if it differs."""
    soid, parts = row.soid, row.soid.median
    verdict = soid.verdict if soid.verdict == row.paper.verdict else f"{soid.verdict}, not {row.paper.verdict}"
    compiled = shown(row.compile.value) if row.compile is not None else ""
    return [
        verdict,
        f"{soid.paths} ({row.paper.paths})",
        compiled,
        *(shown(part) for part in (parts.explore, parts.solve, parts.replay, parts.total)),
    ]


def _beside(row: PaperMeasurement) -> list[str]:
    total = row.soid.median.total
    published = [shown(total), f"{row.paper.total:g}", times(row.paper.total / total)]
    if row.baseline is None or row.ratio is None:
        return [*published, "", "", ""]
    sign = "> " if row.baseline.ended else ""
    return [*published, sign + shown(row.baseline.median.total), sign + times(row.ratio), row.baseline.verdict]


def _started(row: PaperMeasurement) -> list[str]:
    starts = row.starts
    if starts is None:
        return ["", "", "", "", ""]
    figures = (starts.again, starts.fresh, starts.first, starts.compiler)
    return [shown(row.soid.median.total), *("" if each is None else shown(each.value) for each in figures)]


def _research(terminal: Terminal, found: Sequence[Research]) -> None:
    """Print the answers to the research questions that there are figures for."""
    found = [each for each in found if each.soid.total is not None]
    if not found:
        return
    terminal.rule("The paper's three questions, from these figures")
    for each in found:
        terminal.prose(each.question, indent=4, first=(f"  {each.number}", ""), style="bold")
        terminal.prose(f"{each.answer}.", indent=4)
        others = [("in the paper's own figures", each.paper), ("with its recipe here", each.baseline)]
        for words, ratios in others:
            if ratios is not None:
                terminal.prose(f"{words}: {_ratios(ratios)}", indent=4, style="dim")
        terminal.blank()


def _ratios(ratios: Ratios) -> str:
    if ratios.total is None or ratios.paths is None:
        return "not measured"
    return f"{ratios.total} times the seconds, {times(ratios.paths.median)} times the paths"


def _caption(terminal: Terminal, plan: PaperPlan, rows: Sequence[PaperMeasurement]) -> None:
    terminal.prose(f"Median of {counted(plan.runs, 'run')}. {FIGURES}", style="dim")
    if plan.starts:
        terminal.prose(STARTS, style="dim")
    if plan.limit is not None:
        limit = f"After {plan.limit:g} s it is stopped, and that counts as its time (>)."
        terminal.prose(f"{RECIPE} {limit}", style="dim")
    if len(rows) < plan.rows:
        terminal.prose(f"Not complete: {len(rows)} of {plan.rows} rows were measured.", style="bold")
