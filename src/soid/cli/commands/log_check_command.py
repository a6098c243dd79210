"""`soid log check`: the program is run over the whole log."""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final, TextIO, final

from msgspec import Struct
from msgspec.structs import replace

from soid.budget import Cancellation
from soid.case.case import Case
from soid.case.record.entry import Entry
from soid.cli import exits
from soid.cli.command_line.project_options import CheckLogOptions
from soid.cli.commands.ask_command import settings_of
from soid.cli.output import print_json
from soid.cli.terminal.log_comparison_panel import show_comparison
from soid.cli.terminal.own_key import own_key
from soid.cli.terminal.progress import Report, watched
from soid.cli.terminal.terminal import Terminal, warn
from soid.engine.manifest_reader import load
from soid.engine.protocol import replayer_for
from soid.engine.registry import open_program
from soid.errors import InputError
from soid.oracle.inquiry import Context, QuestionProgress, Settings
from soid.oracle.log_walk import ComparedStep, Fit
from soid.oracle.whole_log import LISTED, LogComparison, check_log
from soid.program.interface import Interface, Role, Variable
from soid.program.types import show
from soid.scenario.origin import Origin
from soid.scenario.trace_reader import read_for
from soid.solver.chain import chain

_ALL: Final = sys.maxsize


@final
class _Checked(Struct, frozen=True):
    program: str
    result: LogComparison
    entry: Entry | None = None


def check(options: CheckLogOptions) -> int:
    """Compare log and program; the exit status tells whether they fit."""
    with _table(options.csv) as table:
        reached = _Reached(table)
        try:
            found = _of_case(options, reached) if options.case is not None else _of_project(options, reached)
        except KeyboardInterrupt:
            Terminal.stderr().prose(reached.words)
            raise
    verdict = found.result.verdict.value
    if options.as_json:
        entry = None if found.entry is None else found.entry.number
        print_json(found.result, program=found.program, verdict=verdict, entry=entry)
    else:
        terminal = Terminal.stdout()
        show_comparison(terminal, found.program, found.result)
        if options.csv is not None:
            terminal.prose(f"every step is in {options.csv}", style="dim")
        if found.entry is not None:
            terminal.prose(f"kept as entry {found.entry.number} of {options.case}", style="dim")
    return exits.LOG_CHECKS[verdict]


@final
class _Reached(Struct):
    """How far the comparison has come."""

    table: _StepTable | None  # of the steps up to there
    step: int | None = None
    differs: int = 0
    compared: int = 0

    def begin(self, interface: Interface) -> None:
        if self.table is not None:
            self.table.begin(interface)

    def add(self, found: ComparedStep) -> None:
        self.step, self.compared = found.step.time, self.compared + 1
        self.differs += found.fit is Fit.DIFFERS
        if self.table is not None:
            self.table.add(found)

    @property
    def words(self) -> str:
        if self.step is None:
            return "Stopped before the first step was compared."
        differ = f"{self.differs} of these differ" if self.differs else "none of these differs"
        return f"Stopped after step {self.step}: {self.compared} steps were compared, and {differ}."


def _of_project(options: CheckLogOptions, reached: _Reached) -> _Checked:
    settings = replace(settings_of(options), seconds=Settings().seconds)

    def do(cancel: Cancellation, report: Report) -> _Checked:
        report(QuestionProgress("program"))
        with settings.opening(cancel):
            declared = load(options.project, log_needed=options.trace is None)
            program, engine = open_program(declared.program)
            manifest = replace(declared, program=program)
            report(QuestionProgress("log"))
            trace = read_for(manifest, options.trace)
        reached.begin(trace.interface)
        with closing(chain()) as solver:
            replayer = replayer_for(engine, settings.replay)
            context = Context(engine, solver, replayer, None, settings, cancel, report)
            most = _ALL if options.as_json else LISTED
            seconds, start = options.seconds, manifest.from_start
            result = check_log(trace, context, from_start=start, seconds=seconds, most=most, note=reached.add)
        return _Checked(program.name, result)

    return watched(do, quiet=options.as_json)


def _of_case(options: CheckLogOptions, reached: _Reached) -> _Checked:
    assert options.case is not None
    with Case.open(options.case, who=options.who, key=own_key()) as case:
        most = _ALL if options.as_json else LISTED

        def do(cancel: Cancellation, report: Report) -> _Checked:
            reached.begin(case.interface)
            done = case.compare_log(
                options.log, seconds=options.seconds, most=most, note=reached.add, cancel=cancel, progress=report
            )
            return _Checked(case.first.program.name, done.result, done.entry)

        found = watched(do, quiet=options.as_json)
        if not options.as_json:
            warn(case.warnings)
        return found


@final
class _StepTable:
    """Every step with its decisions and its state, and where each value comes from."""

    def __init__(self, file: TextIO) -> None:
        self._writer = csv.writer(file)
        self._decisions: Sequence[Variable] = ()
        self._state: Sequence[Variable] = ()

    def begin(self, interface: Interface) -> None:
        self._decisions = interface.decisions
        self._state = [v for v in interface.inputs if v.role is Role.STATE]
        names = [v.path for v in (*self._decisions, *self._state)]
        self._writer.writerow(["step", "source", "fit", *(each for name in names for each in (name, f"{name} is"))])

    def add(self, found: ComparedStep) -> None:
        step, cells = found.step, list[str]()
        for variable in self._decisions:
            cells += _cell(variable, step.decisions.get(variable.path), found.decided.get(variable.path))
        for variable in self._state:
            logged = None if variable.path in step.unlogged else step.inputs[variable.path]
            cells += _cell(variable, logged, found.known.get(variable.path))
        self._writer.writerow([step.time, step.source, found.fit.value, *cells])


def _cell(variable: Variable, logged: int | None, derived: int | None) -> tuple[str, str]:
    """A value, and where it comes from."""
    if logged is not None:
        return show(variable.type, logged), Origin.LOGGED.value
    return ("", "not known") if derived is None else (show(variable.type, derived), Origin.DERIVED.value)


@contextmanager
def _table(file: Path | None) -> Iterator[_StepTable | None]:
    """The file that the steps are written to, if there is to be one."""
    if file is None:
        yield None
        return
    try:
        with file.open("w", encoding="utf-8", newline="") as opened:
            yield _StepTable(opened)
    except OSError as error:
        raise InputError(f"{file} cannot be written: {error.strerror or error}", "Name another file.") from error
