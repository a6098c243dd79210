"""`soid log show`: the log as a drawing, and where decisions changed."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import closing
from functools import partial
from itertools import islice
from typing import Final, final

from msgspec import Struct
from msgspec.structs import replace

from soid.budget import Cancellation
from soid.cli.command_line.project_options import ShowLogOptions
from soid.cli.commands.ask_command import settings_of
from soid.cli.output import print_json, write_file
from soid.cli.terminal.log_panel import drawing_for, show_log
from soid.cli.terminal.progress import Report, watched
from soid.cli.terminal.terminal import Terminal
from soid.engine.manifest_reader import load
from soid.engine.protocol import Engine, replayer_for
from soid.engine.registry import open_program
from soid.oracle.derived_series import MOST_DERIVED, DerivedLog, derived_log
from soid.oracle.inquiry import Context, QuestionProgress
from soid.program.interface import Interface
from soid.program.manifest import Manifest
from soid.program.types import VariableType, show
from soid.query.words import called, counted
from soid.scenario.log_document import overview_document
from soid.scenario.log_overview import DecisionChange, LogOverview, overview, overview_of
from soid.scenario.log_series import places_between, read_series
from soid.scenario.log_tracks import Band
from soid.scenario.origin import Origin
from soid.scenario.trace import Trace
from soid.scenario.trace_reader import read_for
from soid.scenario.typed_step import end_of
from soid.scene.log_svg import SVG_CELLS, log_svg
from soid.scene.log_text import DERIVED_MARK
from soid.solver.chain import chain

_MOST: Final = 20  # changes that are listed
_JSON_CELLS: Final = 200  # of a curve
_KNOWN: Final = 0.01  # the share of the log from which on the time for the rest is estimated


def show_overview(options: ShowLogOptions) -> int:
    """Draw the log, or a part of it; the moment that the manifest asks about is marked."""
    terminal = Terminal.stdout()
    shown = _read(_opened(options), options)
    manifest, trace = shown.opened.manifest, shown.opened.trace
    drawing = drawing_for(terminal, trace.interface, options.width)
    view = shown.overview((options.width or _JSON_CELLS) if options.as_json else drawing.places)
    if options.svg is not None:
        write_file(options.svg, _drawn(shown.overview(SVG_CELLS), manifest, trace.interface))
    if options.as_json:
        svg = None if options.svg is None else str(options.svg)
        about = {"program": manifest.program.name, "log": trace.source, "step": manifest.keyframe, "svg": svg}
        print_json(overview_document(view), **about, warnings=trace.warnings)
        return 0
    steps = f"steps {view.first} to {view.last}" if view.first != view.last else f"step {view.first}"
    terminal.rule(manifest.program.name, steps)
    terminal.prose(f"{_amount(view, trace)} ({trace.source}){_span(view)}")
    for warning in trace.warnings:  # gaps too: the drawing goes by steps, and does not show them
        terminal.prose(warning, indent=11, first=("  warning: ", "bold yellow"))
    show_log(terminal, view, drawing, manifest.keyframe)
    _list_rest(terminal, view, looked=shown.derived is not None and not shown.derived.unasked)
    _list_derived(terminal, view, shown.derived)
    _list_changes(terminal, view)
    if options.svg is not None:
        terminal.blank()
        terminal.prose(f"drawn in {options.svg}", style="dim")
    return 0


@final
class _OpenedLog(Struct, frozen=True):
    """The log, the program, and which steps are shown."""

    manifest: Manifest
    engine: Engine
    trace: Trace
    first: int | None
    last: int | None


@final
class _ShownLog(Struct, frozen=True):
    """The part of a log that is shown."""

    opened: _OpenedLog
    overview: Callable[[int], LogOverview]  # in so many cells
    derived: DerivedLog | None = None  # with what follows for it; None: it is too long to look for that


def _opened(options: ShowLogOptions) -> _OpenedLog:
    settings = settings_of(options)

    def read(cancel: Cancellation, report: Report) -> _OpenedLog:
        report(QuestionProgress("program"))
        with settings.opening(cancel):
            declared = load(options.project, log_needed=options.trace is None)
            program, engine = open_program(declared.program)
            manifest = replace(declared, program=program)
            trace = read_for(manifest, options.trace)
            ends = _end(options.first, trace), _end(options.last, trace, last=True)
            return _OpenedLog(manifest, engine, trace, *ends)

    return watched(read, quiet=options.as_json, seconds=settings.opening_seconds)


def _read(opened: _OpenedLog, options: ShowLogOptions) -> _ShownLog:
    """Go through the log; how far, and how long it may still take, is shown where it takes long.

    A long one is gone through for each drawing, and nothing of it is kept.
    """
    part = {"first": opened.first, "last": opened.last}
    begin, end = places_between(opened.trace, **part)
    settings = settings_of(options)

    def streamed(cells: int) -> LogOverview:
        def do(_: Cancellation, report: Report) -> LogOverview:
            return overview(opened.trace, options.names, **part, cells=cells, progress=_estimated(report))

        return watched(do, quiet=options.as_json)

    def derive(cancel: Cancellation, report: Report) -> DerivedLog:
        log = read_series(opened.trace, options.names, **part, progress=_estimated(report))
        with closing(chain()) as solver:
            replayer = replayer_for(opened.engine, settings.replay)
            context = Context(opened.engine, solver, replayer, None, settings, cancel, report)
            return derived_log(log, opened.trace, context, from_start=opened.manifest.from_start)

    if end - begin > MOST_DERIVED:
        return _ShownLog(opened, streamed)
    derived = watched(derive, quiet=options.as_json)
    return _ShownLog(opened, lambda cells: overview_of(derived.log, cells=cells), derived)


def _estimated(report: Report) -> Callable[[float], None]:
    """Reports the share that is read, and how long the rest may take."""
    began = time.monotonic()

    def progress(share: float) -> None:
        left = (time.monotonic() - began) * (1 - share) / share
        estimate = f", about {left:.0f} s left" if share > _KNOWN else ""
        report(QuestionProgress(f"reading the log, {share:.1%}{estimate}"))

    return progress


def _end(text: str | None, trace: Trace, *, last: bool = False) -> int | None:
    return None if text is None else end_of(text, trace, last=last)


def _drawn(view: LogOverview, manifest: Manifest, interface: Interface) -> str:
    moments = {} if manifest.keyframe is None else {manifest.keyframe: "asked about"}
    heading = f"{manifest.program.name}: the log"
    return log_svg(view, moments, heading=heading, called=partial(called, interface=interface))


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
        f"{track.name}{DERIVED_MARK if track.derived else ''} = {v.amount(bits)}"
        for track, v, bits in known
        if bits is not None
    ]
    if same:
        terminal.blank()
        terminal.prose(f"The same at every step: {', '.join(same)}.")
    if view.absent:
        terminal.blank()
        terminal.prose(f"Not logged{', and not known' if looked else ''}: {', '.join(view.absent)}.")


def _list_derived(terminal: Terminal, view: LogOverview, derived: DerivedLog | None) -> None:
    """Which of the values were not logged and follow, and why others are not looked for."""
    told = []
    for track in view.tracks:
        if track.derived:
            known = "" if track.derived == view.steps else f" ({track.derived} of {view.steps} steps)"
            told.append(f"{track.name}{known}")
    lines = [f"{DERIVED_MARK} Not logged, and derived by running the program: {', '.join(told)}."] if told else []
    unknown = bool(view.absent) if derived is None else derived.unasked
    if unknown:
        lines.append("What was not logged is not looked for in so many steps: `soid log check` does, and --from, --to.")
    if derived is not None and derived.cut is not None:
        lines.append(f"From step {derived.cut} on there was no time to find out what was not logged.")
    for line in lines:
        terminal.blank()
        terminal.prose(line)


def _list_changes(terminal: Terminal, view: LogOverview) -> None:
    count, is_timed = view.change_count, bool(view.times.seconds)
    if not count:
        return
    terminal.blank()
    rows = [
        (str(each.step), *(view.times.words(each.step),) * is_timed, each.name, *_texts(each))
        for each in islice(view.changes(), _MOST)
    ]
    terminal.table(("step", *("time",) * is_timed, "decision", "before", "from here on"), rows)
    if count > _MOST:
        more = counted(count - _MOST, "more change")
        terminal.prose(f"and {more}: --from and --to show a part of the log, --json has all of them", style="dim")


def _texts(change: DecisionChange) -> list[str]:
    """The value before, and the one from here on, with their origin unless they were logged."""
    return [_value(change.variable.type, band) for band in (change.before, change.after)]


def _value(kind: VariableType, band: Band) -> str:
    if band.bits is None:
        return "(not logged)"
    origin = f"{'' if band.derived == band.steps else 'in part '}{Origin.DERIVED.value}"
    return f"{show(kind, band.bits)} ({origin})" if band.derived else show(kind, band.bits)
