"""`soid inspect`: show what the program is given, what it remembers and what it decides."""

from __future__ import annotations

from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import Any, Final, final

from msgspec import Struct
from msgspec.structs import replace

from soid.budget import Cancellation
from soid.case.project import Project
from soid.cli.command_line.project_options import InspectOptions
from soid.cli.commands.ask_command import settings_of
from soid.cli.commands.inspected_variable import InspectedVariableDocument, fact_text, inspected, roundings
from soid.cli.output import print_json
from soid.cli.terminal.progress import Report, watched
from soid.cli.terminal.terminal import Terminal
from soid.engine.manifest_reader import load
from soid.engine.protocol import Engine
from soid.engine.registry import frontend_for, open_program
from soid.errors import InputError
from soid.oracle.inquiry import QuestionProgress, Settings
from soid.program.interface import Interface, Role
from soid.program.manifest import Manifest
from soid.program.program import Program
from soid.query.words import counted
from soid.scenario.step_times import StepTimeDocument
from soid.scenario.trace import Keyframe, Trace
from soid.solver.chain import chain

_LISTED: Final = 10_000  # steps whose numbers JSON lists: a large log is not read whole for them


@final
class _View(Struct, frozen=True):
    """A program, with its manifest and one moment of its log where they are known."""

    program: Program
    engine: Engine
    manifest: Manifest | None = None
    trace: Trace | None = None
    keyframe: Keyframe | None = None


def inspect(options: InspectOptions) -> int:
    """Show the project, or C files that have no manifest; a log or a step adds the factual values."""
    settings = settings_of(options)

    def view_of(cancel: Cancellation, report: Report) -> _View:
        report(QuestionProgress("program"))
        with settings.opening(cancel):
            if options.sources:
                return _sources_view(options)
            return _project_view(options, settings, cancel, report)

    view = watched(view_of, seconds=settings.opening_seconds)
    if options.as_json:
        print_json(_document(view))
    else:
        _show(Terminal.stdout(), view)
    return 0


def _project_view(options: InspectOptions, settings: Settings, cancel: Cancellation, report: Report) -> _View:
    trace, step = options.trace, options.step
    declared = load(options.project, log_needed=step is not None and trace is None)
    if trace is None and step is None:
        program, engine = open_program(declared.program)
        return _View(program, engine, replace(declared, program=program))
    with closing(chain()) as solver:
        known: dict[str, Any] = {"settings": settings, "solver": solver, "cancel": cancel, "progress": report}
        project = Project.open(declared, trace=trace, step=step, **known)
        return _View(project.program, project.engine, project.manifest, project.trace, project.keyframe.with_outputs())


def _sources_view(options: InspectOptions) -> _View:
    for file in options.sources:
        if not file.is_file():
            raise InputError(f"there is no file {file}", "Name C files; for a project with a soid.toml, use --project.")
    name = ", ".join(file.name for file in options.sources)
    source = frontend_for(options.sources).bare(options.sources, options.entry or "", options.include, options.define)
    return _View(*open_program(Program(name, Interface(()), source, Path())))


def _show(terminal: Terminal, view: _View) -> None:
    program, manifest, moment = view.program, view.manifest, view.keyframe
    terminal.rule(program.name, view.keyframe.called if view.keyframe else "")
    terminal.prose(_about(view))
    for note in view.engine.notes:
        terminal.prose(note)
    if view.trace is not None:
        first, last = view.trace.steps[0], view.trace.steps[-1]
        numbers = f"{first.time} to {last.time}"
        terminal.prose(f"{counted(len(view.trace), 'step')} in the log ({view.trace.source}), {numbers}")
        if first.when is not None and last.when is not None:
            here = f"; this step at {view.keyframe.when.words}" if view.keyframe and view.keyframe.when else ""
            terminal.prose(f"logged from {first.when.words} to {last.when.words}{here}")
        for warning in view.trace.warnings:
            terminal.prose(warning, indent=11, first=("  warning: ", "bold yellow"))
    elif manifest is not None and manifest.trace is not None:
        about = "" if manifest.keyframe is None else f", asked about at step {manifest.keyframe}"
        terminal.prose(f"log {manifest.trace}{about}; --step shows its values")
    terminal.blank()
    arrow = terminal.either("→", "->")
    variables = [v for v in program.interface if v.role is not Role.INTERNAL]
    headers = ("variable", "role", "type", "in fact", "unit", "domain", "meaning")
    rows = [
        (
            v.path,
            v.role.value,
            str(v.type),
            fact_text(v, moment, arrow) if moment else "",
            v.unit,
            v.domain_text,
            v.label,
        )
        for v in variables
    ]
    terminal.table(headers, rows, wraps=("domain", "meaning"))
    if rounded := list(roundings(variables, moment, manifest)):
        terminal.blank()
        terminal.prose(f"Logged rounded: {'; '.join(rounded)}.")
    if moment is not None:
        _show_origins(terminal, moment)
    internals = ", ".join(v.path for v in program.interface if v.role is Role.INTERNAL)
    if internals:
        terminal.blank()
        terminal.prose(f"Behaviors may also speak of: {internals}.")
    # bytes have names for what no member covers; a member says more
    views = ", ".join(f"{v.path} ({v.type})" for v in program.interface.views if "bytes[" not in v.path)
    if views:
        terminal.blank()
        terminal.prose(f"Logs and questions may also name, of the same bytes: {views}.")
    _show_missing(terminal, view.engine)
    if manifest is not None and manifest.questions:
        terminal.blank()
        asks = counted(len(manifest.questions), "question")
        terminal.prose(f"{asks} in the manifest; `soid ask` puts them.")


def _show_origins(terminal: Terminal, keyframe: Keyframe) -> None:
    """What the log does not have at the step, and where it comes from."""
    together: dict[str, list[str]] = {}
    for each in keyframe.supplied.derived:
        together.setdefault(each.how, []).append(each.variable.path)
    for how, paths in together.items():
        terminal.blank()
        terminal.prose(f"{', '.join(paths)}: {how}.")
    if outputs := list(keyframe.followed or ()):
        terminal.blank()
        unsure = keyframe.rounded or keyframe.assumed
        surely = ", the same for every value that what is rounded or not known may have had" if unsure else ""
        terminal.prose(f"{', '.join(outputs)}: not logged: derived by running the program here{surely}.")
    if keyframe.assumed:
        terminal.blank()
        terminal.prose(
            f"Not known: {', '.join(keyframe.assumed)}. It is not logged and does not follow from the log: "
            "a question is answered for every value of its domain."
        )
        if keyframe.underived:
            terminal.prose(keyframe.underived)
    for problem in (keyframe.unfit, keyframe.unchecked):
        if problem:
            terminal.prose(problem, indent=11, first=("  warning: ", "bold yellow"))


def _show_missing(terminal: Terminal, engine: Engine) -> None:
    """What the program uses and does not define, with the lines of the manifest that would say what it is."""
    for number, part in enumerate(engine.missing):
        if number == 0:
            terminal.blank()
            terminal.prose("It uses what it does not define; soid.toml can say what each of these is:")
        terminal.blank()
        places = ", ".join(map(str, part.used))
        terminal.prose(f"{part.declared}; used at {places}" if places else part.declared, indent=2)
        for remedy in part.remedies:
            terminal.prose(remedy, indent=6, style="dim")


def _about(view: _View) -> str:
    source, paths = view.program.source, view.engine.given_paths
    place = f" ({view.manifest.file})" if view.manifest is not None else ""
    if paths is not None:
        return f"{counted(paths, 'path')} in {counted(len(source.files), 'file')}{place}"
    return f"{f'{source.entry} in ' if source.entry else ''}{', '.join(map(str, source.files))}{place}"


# --- for a script ---------------------------------------------------------------------------------------------


@final
class MissingDocument(Struct, frozen=True):
    """What the program uses and does not define, as JSON."""

    name: str
    declared: str
    used: list[str]
    remedies: tuple[str, ...]


@final
class InspectDocument(Struct, frozen=True):
    """A program as JSON."""

    program: str
    manifest: str | None
    engine: str
    files: list[str]
    notes: tuple[str, ...]
    paths: int | None
    trace: str | None
    steps: list[int] | None
    step_count: int | None
    step: int | None
    time: StepTimeDocument | None
    warnings: tuple[str, ...]
    variables: list[InspectedVariableDocument]
    missing: list[MissingDocument]
    questions: tuple[str, ...]


def _document(view: _View) -> InspectDocument:
    program, trace, manifest = view.program, view.trace, view.manifest
    log = Path(trace.source) if trace is not None else manifest.trace if manifest is not None else None
    moment = manifest.keyframe if manifest is not None else None
    return InspectDocument(
        program=program.name,
        manifest=None if manifest is None else str(manifest.file),
        engine=view.engine.name,
        files=[str(file) for file in program.source.files],
        notes=view.engine.notes,
        paths=view.engine.given_paths,
        trace=None if log is None else str(log),
        steps=None if trace is None else [step.time for step in islice(trace, _LISTED)],
        step_count=None if trace is None else len(trace),
        step=moment if view.keyframe is None else view.keyframe.step,
        time=view.keyframe.when.document if view.keyframe is not None and view.keyframe.when is not None else None,
        warnings=() if trace is None else trace.warnings,
        variables=[inspected(variable, view.keyframe, manifest) for variable in program.interface],
        missing=[
            MissingDocument(part.name, part.declared, [str(place) for place in part.used], part.remedies)
            for part in view.engine.missing
        ],
        questions=() if manifest is None else manifest.questions,
    )
