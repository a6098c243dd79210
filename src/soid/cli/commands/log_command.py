"""`soid log show`: the log as a drawing, and where decisions changed."""

from __future__ import annotations

from contextlib import closing
from typing import Final, final

from msgspec import Struct
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
from soid.engine.protocol import replayer_for
from soid.engine.registry import open_program
from soid.oracle.derived_series import DerivedLog, derived_log
from soid.oracle.inquiry import Context, QuestionProgress
from soid.program.manifest import Manifest
from soid.program.types import VariableType, show
from soid.scenario.log_document import overview_document
from soid.scenario.log_overview import DecisionChange, LogOverview, overview_of
from soid.scenario.log_series import read_series
from soid.scenario.log_tracks import Band
from soid.scenario.trace import Origin, Trace, read_for
from soid.scenario.typed_step import end_of
from soid.scene.log_svg import SVG_CELLS, log_svg
from soid.scene.log_text import DERIVED_MARK
from soid.solver.chain import chain

_MOST: Final = 20  # changes that are listed
_JSON_CELLS: Final = 200  # of a curve


def show_overview(options: ShowLogOptions) -> int:
    """Draw the log, or a part of it; the moment that the manifest asks about is marked."""
    terminal = Terminal.stdout()
    shown = _opened(options)
    manifest, trace, log = shown.manifest, shown.trace, shown.derived.log
    drawing = drawing_for(terminal, trace.interface, options.width)
    view = overview_of(log, cells=(options.width or _JSON_CELLS) if options.as_json else drawing.places)
    if options.svg is not None:
        write_file(options.svg, _drawn(overview_of(log, cells=SVG_CELLS), manifest))
    if options.as_json:
        svg = None if options.svg is None else str(options.svg)
        about = {"program": manifest.program.name, "log": trace.source, "step": manifest.keyframe, "svg": svg}
        print_json(overview_document(view), **about)
        return 0
    steps = f"steps {view.first} to {view.last}" if view.first != view.last else f"step {view.first}"
    terminal.rule(manifest.program.name, steps)
    terminal.prose(f"{_amount(view, trace)} ({trace.source}){_span(view)}")
    show_log(terminal, view, drawing, manifest.keyframe)
    _list_rest(terminal, view, looked=not shown.derived.unasked)
    _list_derived(terminal, view, shown.derived)
    _list_changes(terminal, view)
    if options.svg is not None:
        terminal.blank()
        terminal.prose(f"drawn in {options.svg}", style="dim")
    return 0


def _end(text: str | None, trace: Trace, *, last: bool = False) -> int | None:
    return None if text is None else end_of(text, trace, last=last)


def _drawn(view: LogOverview, manifest: Manifest) -> str:
    moments = {} if manifest.keyframe is None else {manifest.keyframe: "asked about"}
    return log_svg(view, moments, heading=f"{manifest.program.name}: the log")


@final
class _ShownLog(Struct, frozen=True):
    """The part of a log that is shown, with what follows for it."""

    manifest: Manifest
    trace: Trace
    derived: DerivedLog


def _opened(options: ShowLogOptions) -> _ShownLog:
    settings = settings_of(options)

    def read(cancel: Cancellation, report: Report) -> _ShownLog:
        report(QuestionProgress("program"))
        with settings.opening(cancel):
            declared = load(options.project, log_needed=options.trace is None)
            program, engine = open_program(declared.program)
            manifest = replace(declared, program=program)
            trace = read_for(manifest, options.trace)
            first, last = _end(options.first, trace), _end(options.last, trace, last=True)
            log = read_series(trace, options.names, first=first, last=last)
        with closing(chain()) as solver:
            context = Context(engine, solver, replayer_for(engine, settings.replay), None, settings, cancel, report)
            return _ShownLog(manifest, trace, derived_log(log, trace, context, from_start=manifest.from_start))

    return watched(read, quiet=options.as_json)


def _amount(view: LogOverview, trace: Trace) -> str:
    whole = counted(len(trace), "step")
    return f"{whole} in the log" if view.steps == len(trace) else f"{view.steps} of {whole} in the log"


def _span(view: LogOverview) -> str:
    """The times of its first and its last step, if the log has times."""
    first, last = view.times.words(view.first), view.times.words(view.last)
    return f", from {first} to {last}" if first and last else ""


def _list_rest(terminal: Terminal, view: LogOverview, *, looked: bool) -> None:
    """What is not drawn: values that stay the same, and what was not logged; `looked`: and does not follow."""
    known = [(track, track.variable, view.constant(track)) for track in view.tracks]
    same = [
        f"{track.name}{DERIVED_MARK if track.derived else ''} = {show(v.type, bits)} {v.unit}".rstrip()
        for track, v, bits in known
        if bits is not None
    ]
    if same:
        terminal.blank()
        terminal.prose(f"The same at every step: {', '.join(same)}.")
    if view.absent:
        terminal.blank()
        terminal.prose(f"Not logged{', and not known' if looked else ''}: {', '.join(view.absent)}.")


def _list_derived(terminal: Terminal, view: LogOverview, derived: DerivedLog) -> None:
    """Which of the values were not logged and follow, and why others are not looked for."""
    told = []
    for track in view.tracks:
        if track.derived:
            known = "" if track.derived == view.steps else f" ({track.derived} of {view.steps} steps)"
            told.append(f"{track.name}{known}")
    lines = [f"{DERIVED_MARK} Not logged, and derived by running the program: {', '.join(told)}."] if told else []
    if derived.unasked:
        lines.append("What was not logged is not looked for in so many steps: `soid log check` does, and --from, --to.")
    if derived.cut is not None:
        lines.append(f"From step {derived.cut} on there was no time to find out what was not logged.")
    for line in lines:
        terminal.blank()
        terminal.prose(line)


def _list_changes(terminal: Terminal, view: LogOverview) -> None:
    changes, is_timed = view.changes, bool(view.times.seconds)
    if not changes:
        return
    terminal.blank()
    rows = [
        (str(each.step), *(view.times.words(each.step),) * is_timed, each.name, *_texts(each))
        for each in changes[:_MOST]
    ]
    terminal.table(("step", *("time",) * is_timed, "decision", "before", "from here on"), rows)
    if len(changes) > _MOST:
        more = counted(len(changes) - _MOST, "more change")
        terminal.prose(f"and {more}: --from and --to show a part of the log, --json has all of them", style="dim")


def _texts(change: DecisionChange) -> list[str]:
    """The value before, and the one from here on, with their origin unless they were logged."""
    return [_value(change.variable.type, band) for band in (change.before, change.after)]


def _value(kind: VariableType, band: Band) -> str:
    if band.bits is None:
        return "(not logged)"
    origin = f"{'' if band.derived == band.steps else 'in part '}{Origin.DERIVED.value}"
    return f"{show(kind, band.bits)} ({origin})" if band.derived else show(kind, band.bits)
