"""`soid sweep`: the same questions at many moments, as rows and in sentences."""

from __future__ import annotations

import shlex
from contextlib import AbstractContextManager, closing, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Final

from soid.budget import Cancellation
from soid.case.project import Project
from soid.cli import exits
from soid.cli.command_line.sweep_options import SweepOptions
from soid.cli.commands.ask_command import questions_of, settings_of
from soid.cli.output import print_json
from soid.cli.terminal.progress import Report, watched
from soid.cli.terminal.terminal import Terminal
from soid.documents import json_of
from soid.errors import InputError
from soid.oracle.inquiry import QuestionProgress
from soid.query.words import counted
from soid.solver.chain import chain
from soid.sweep.cluster import connected
from soid.sweep.sweep import Sweep, listed_moments
from soid.sweep.sweep_row import SweepRow

if TYPE_CHECKING:
    from distributed import Client

_LISTED: Final = 20  # reasons for neither yes nor no


def sweep(options: SweepOptions) -> int:
    """Make the sweep; after Ctrl-C the rows that are there are kept, and told."""
    settings, made = settings_of(options), list[Sweep]()
    if options.scheduler is not None and options.workers is not None:
        raise InputError("--workers are processes here, and --scheduler has workers of its own", "Give one of the two.")

    def note(row: SweepRow) -> None:
        print_json({"event": "row", **json_of(row)})

    def do(cancel: Cancellation, report: Report) -> Sweep:
        with _client(options.scheduler, report) as client:
            report(QuestionProgress("program"))
            project = Project.open(options.project, settings=settings, solver=solver, cancel=cancel, progress=report)
            found = project.sweep(
                questions_of(options.questions, project),
                logs=options.logs,
                steps=options.steps,
                to=options.to,
                resume=options.resume,
                workers=options.workers,
                client=client,
                cancel=cancel,
                progress=report,
                note=note if options.as_json else lambda _: None,
            )
        made.append(found)
        return found

    with closing(chain()) as solver:
        try:
            found = watched(do, quiet=options.quiet or options.as_json)
        except KeyboardInterrupt:
            if not made:
                raise
            _show(made[0], options)
            return exits.INTERRUPTED
    _show(found, options)
    return exits.of_sweep(row.verdict.value for row in found.rows)


def _client(scheduler: str | None, report: Report) -> AbstractContextManager[Client | None]:
    if scheduler is None:
        return nullcontext()
    report(QuestionProgress(f"connecting to {scheduler}"))
    return connected(scheduler)


def _show(found: Sweep, options: SweepOptions) -> None:
    if options.as_json:
        print_json(found.document)
        return
    terminal = Terminal.stdout()
    if not options.quiet:
        terminal.rule("Sweep", f"{counted(len(found.rows), 'answer')} in {found.seconds:.1f} s")
    for each in found.tallied:
        terminal.prose(each.sentence, style="bold")
        terminal.prose(each.told, indent=2, first=("  ", ""))
        terminal.blank()
    if options.quiet:
        return
    _list_open(terminal, found)
    _lead_on(terminal, found, options)


def _list_open(terminal: Terminal, found: Sweep) -> None:
    """The moments without a yes or a no, by the reason."""
    if found.open:
        rows = [(verdict, reason, moments) for (verdict, reason), moments in listed_moments(found.open).items()]
        terminal.table(("verdict", "reason", "moments"), rows[:_LISTED])
        if len(rows) > _LISTED:
            terminal.prose(f"and {counted(len(rows) - _LISTED, 'more reason')}: --to FILE has all rows", style="dim")
        terminal.blank()


def _lead_on(terminal: Terminal, found: Sweep, options: SweepOptions) -> None:
    """Where the rows are, and how one is opened."""
    if not found.complete:
        goes_on = "--resume goes on there" if options.to else "--to FILE keeps them, and --resume goes on"
        terminal.prose(f"Stopped: {counted(len(found.rows), 'row')} so far; {goes_on}.", style="yellow")
    if options.to is not None:
        terminal.prose(f"The rows are in {options.to}.", style="dim")
    row = next((row for row in found.rows if row.step is not None), None)
    if row is not None:
        project = ["--project", str(options.project)] if options.project != Path() else []
        words = [row.question, *project, *(["--trace", row.log] if options.logs else []), "--step", str(row.step)]
        terminal.prose(f"One of them in full: soid ask {shlex.join(words)}", style="dim")
