"""`soid log show`: the log as a drawing, and where decisions changed."""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from soid.budget import Cancellation
from soid.case.report.phrases import counted
from soid.cli.command_line.project_options import ShowLogOptions
from soid.cli.commands.ask_command import settings_of
from soid.cli.output import print_json, write_file
from soid.cli.terminal.log_panel import drawing_for, show_log
from soid.cli.terminal.progress import Report, watched
from soid.cli.terminal.terminal import Terminal
from soid.engine.manifest_reader import load
from soid.engine.registry import open_program
from soid.oracle.inquiry import QuestionProgress
from soid.program.manifest import Manifest
from soid.program.types import show
from soid.scenario.log_document import overview_document
from soid.scenario.log_overview import DecisionChange, LogOverview, overview
from soid.scenario.trace import Trace, read_for
from soid.scene.log_svg import SVG_CELLS, log_svg

_MOST: Final = 20  # changes that are listed
_JSON_CELLS: Final = 200  # of a curve


def show_overview(options: ShowLogOptions) -> int:
    """Draw the log, or a part of it; the moment that the manifest asks about is marked."""
    terminal = Terminal.stdout()
    manifest, trace = _opened(options)
    drawing = drawing_for(terminal, trace.interface, options.width)
    cells = (options.width or _JSON_CELLS) if options.as_json else drawing.places
    view = overview(trace, options.names, first=options.first, last=options.last, cells=cells)
    if options.svg is not None:
        write_file(options.svg, _drawn(options, manifest, trace))
    if options.as_json:
        svg = None if options.svg is None else str(options.svg)
        about = {"program": manifest.program.name, "log": trace.source, "step": manifest.keyframe, "svg": svg}
        print_json(overview_document(view), **about)
        return 0
    shown = f"steps {view.first} to {view.last}" if view.first != view.last else f"step {view.first}"
    terminal.rule(manifest.program.name, shown)
    terminal.prose(f"{_amount(view, trace)} ({trace.source})")
    show_log(terminal, view, drawing, manifest.keyframe)
    _list_rest(terminal, view)
    _list_changes(terminal, view.changes)
    if options.svg is not None:
        terminal.blank()
        terminal.prose(f"drawn in {options.svg}", style="dim")
    return 0


def _drawn(options: ShowLogOptions, manifest: Manifest, trace: Trace) -> str:
    view = overview(trace, options.names, first=options.first, last=options.last, cells=SVG_CELLS)
    moments = {} if manifest.keyframe is None else {manifest.keyframe: "asked about"}
    return log_svg(view, moments, heading=f"{manifest.program.name}: the log")


def _opened(options: ShowLogOptions) -> tuple[Manifest, Trace]:
    settings = settings_of(options)

    def read(cancel: Cancellation, report: Report) -> tuple[Manifest, Trace]:
        report(QuestionProgress("program"))
        with settings.opening(cancel):
            declared = load(options.project, log_needed=options.trace is None)
            manifest = replace(declared, program=open_program(declared.program)[0])
            return manifest, read_for(manifest, options.trace)

    return watched(read, seconds=settings.opening_seconds)


def _amount(view: LogOverview, trace: Trace) -> str:
    whole = counted(len(trace), "step")
    return f"{whole} in the log" if view.steps == len(trace) else f"{view.steps} of {whole} in the log"


def _list_rest(terminal: Terminal, view: LogOverview) -> None:
    """What is not drawn: values that stay the same, and what was not logged."""
    known = [(track.name, track.variable, view.constant(track)) for track in view.tracks]
    same = [f"{name} = {show(v.type, bits)} {v.unit}".rstrip() for name, v, bits in known if bits is not None]
    if same:
        terminal.blank()
        terminal.prose(f"The same at every step: {', '.join(same)}.")
    if view.absent:
        terminal.blank()
        terminal.prose(f"Not logged: {', '.join(view.absent)}.")


def _list_changes(terminal: Terminal, changes: tuple[DecisionChange, ...]) -> None:
    if not changes:
        return
    terminal.blank()
    rows = [(str(each.step), each.name, _text(each, each.before), _text(each, each.after)) for each in changes[:_MOST]]
    terminal.table(("step", "decision", "before", "from here on"), rows)
    if len(changes) > _MOST:
        more = counted(len(changes) - _MOST, "more change")
        terminal.prose(f"and {more}: --from and --to show a part of the log, --json has all of them", style="dim")


def _text(change: DecisionChange, bits: int | None) -> str:
    return "(not logged)" if bits is None else show(change.variable.type, bits)
