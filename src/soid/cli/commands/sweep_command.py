"""`soid sweep`: the same questions at many moments, as rows and in sentences."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from contextlib import AbstractContextManager, closing, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Final

from soid.budget import Cancellation
from soid.case.project import Project
from soid.cli import exits
from soid.cli.command_line.sweep_options import SweepOptions
from soid.cli.commands.ask_command import questions_of, settings_of
from soid.cli.output import print_json, write_file
from soid.cli.terminal.progress import Report, watched
from soid.cli.terminal.sweeps import show_sentences, show_sweep
from soid.cli.terminal.terminal import Terminal
from soid.documents import json_of
from soid.errors import InputError
from soid.oracle.inquiry import QuestionProgress
from soid.program.manifest import Manifest
from soid.query.words import counted
from soid.solver.chain import chain
from soid.sweep.cluster import connected
from soid.sweep.sweep import Sweep
from soid.sweep.sweep_row import SweepRow

if TYPE_CHECKING:
    from distributed import Client

    from soid.case.script_run import ScriptFile

_SCRIPT: Final = ".soid"


def sweep(options: SweepOptions) -> int:
    """Make the sweep; after Ctrl-C the rows that are there are kept, and told."""
    settings, made, script = settings_of(options), list[Sweep](), _script(options.questions)
    folder = options.project or Path() if script is None else script.project(options.project)
    named = () if script is None else tuple(map(str, script.logs.values()))
    logs = options.logs or named
    if options.scheduler is not None and options.workers is not None:
        raise InputError("--workers are processes here, and --scheduler has workers of its own", "Give one of the two.")

    def note(row: SweepRow) -> None:
        print_json({"event": "row", **json_of(row)})

    def do(cancel: Cancellation, report: Report) -> Sweep:
        with _client(options.scheduler, report) as client:
            report(QuestionProgress("program"))
            own = next(iter(named), None)
            project = Project.open(folder, trace=own, settings=settings, solver=solver, cancel=cancel, progress=report)
            found = project.sweep(
                questions_of(options.questions, project) if script is None else script.swept_questions(project),
                logs=logs,
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
            _show(made[0], options, folder, logs)
            return exits.ToldStatus(exits.INTERRUPTED)
    _show(found, options, folder, logs)
    return exits.of_sweep(row.verdict.value for row in found.rows)


def _script(given: tuple[str, ...]) -> ScriptFile | None:
    """The script whose questions are asked, if one is given."""
    if not any(each.endswith(_SCRIPT) for each in given):
        return None
    if len(given) > 1:
        raise InputError(
            "a script is swept by itself", "Give one script, or questions. A script may have more of them."
        )
    from soid.case.script_run import ScriptFile  # most sweeps are of questions

    return ScriptFile.read(Path(given[0]))


def _client(scheduler: str | None, report: Report) -> AbstractContextManager[Client | None]:
    if scheduler is None:
        return nullcontext()
    report(QuestionProgress(f"connecting to {scheduler}"))
    return connected(scheduler)


def _show(found: Sweep, options: SweepOptions, folder: Path | Manifest, logs: Sequence[str]) -> None:
    if options.svg is not None:
        heading = f"{counted(len(found.texts), 'question')} at {counted(found.moments, 'moment')}"
        write_file(options.svg, found.svg(heading))
    if options.as_json:
        print_json(found.document)
        return
    terminal = Terminal.stdout()
    if options.quiet:
        for each in found.tallied:
            show_sentences(terminal, each)
            terminal.blank()
        return
    show_sweep(terminal, found)
    _go_on(terminal, found, options)
    _lead_on(terminal, found, folder, logs)


def _go_on(terminal: Terminal, found: Sweep, options: SweepOptions) -> None:
    """Where the rows are, and how a sweep that was stopped goes on."""
    if not found.complete:
        goes_on = "--resume goes on there" if options.to else "--to FILE keeps them, and --resume goes on"
        terminal.prose(f"Stopped: {counted(len(found.rows), 'row')} so far; {goes_on}.", style="yellow")
    if options.to is not None:
        terminal.prose(f"The rows are in {options.to}.", style="dim")
    if options.svg is not None:
        terminal.prose(f"The timeline is drawn in {options.svg}.", style="dim")


def _lead_on(terminal: Terminal, found: Sweep, folder: Path | Manifest, logs: Sequence[str]) -> None:
    """How a row is opened."""
    row = next((row for row in found.rows if row.step is not None), None)
    if row is not None and isinstance(folder, Path):  # files of C by themselves are no project to ask about
        project = ["--project", str(folder)] if folder != Path() else []
        words = [row.question, *project, *(["--trace", row.log] if logs else []), "--step", str(row.step)]
        terminal.prose(f"One of them in full: soid ask {shlex.join(words)}", style="dim")
