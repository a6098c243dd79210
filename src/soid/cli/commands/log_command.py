"""`soid log show`: the log as a drawing, and where decisions changed."""

from __future__ import annotations

import time
from itertools import islice
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
from soid.scenario.typed_step import end_of
from soid.scene.log_svg import SVG_CELLS, log_svg

_MOST: Final = 20  # changes that are listed
_JSON_CELLS: Final = 200  # of a curve
_KNOWN: Final = 0.01  # the share of the log from which on the time for the rest is estimated


def show_overview(options: ShowLogOptions) -> int:
    """Draw the log, or a part of it; the moment that the manifest asks about is marked."""
    terminal = Terminal.stdout()
    manifest, trace = _opened(options)
    drawing = drawing_for(terminal, trace.interface, options.width)
    cells = (options.width or _JSON_CELLS) if options.as_json else drawing.places
    first, last = _end(options.first, trace), _end(options.last, trace, last=True)

    def read(cells: int) -> LogOverview:
        return _read(trace, options, first, last, cells)

    view = read(cells)
    if options.svg is not None:
        write_file(options.svg, _drawn(read(SVG_CELLS), manifest))
    if options.as_json:
        svg = None if options.svg is None else str(options.svg)
        about = {"program": manifest.program.name, "log": trace.source, "step": manifest.keyframe, "svg": svg}
        print_json(overview_document(view), **about)
        return 0
    shown = f"steps {view.first} to {view.last}" if view.first != view.last else f"step {view.first}"
    terminal.rule(manifest.program.name, shown)
    terminal.prose(f"{_amount(view, trace)} ({trace.source}){_span(view)}")
    show_log(terminal, view, drawing, manifest.keyframe)
    _list_rest(terminal, view)
    _list_changes(terminal, view)
    if options.svg is not None:
        terminal.blank()
        terminal.prose(f"drawn in {options.svg}", style="dim")
    return 0


def _read(trace: Trace, options: ShowLogOptions, first: int | None, last: int | None, cells: int) -> LogOverview:
    """Go through the log; how far, and how long it may still take, is shown where it takes long."""

    def do(_: Cancellation, report: Report) -> LogOverview:
        began = time.monotonic()

        def progress(share: float) -> None:
            left = (time.monotonic() - began) * (1 - share) / share
            estimate = f", about {left:.0f} s left" if share > _KNOWN else ""
            report(QuestionProgress(f"reading the log, {share:.1%}{estimate}"))

        return overview(trace, options.names, first=first, last=last, cells=cells, progress=progress)

    return watched(do)


def _end(text: str | None, trace: Trace, *, last: bool = False) -> int | None:
    return None if text is None else end_of(text, trace, last=last)


def _drawn(view: LogOverview, manifest: Manifest) -> str:
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


def _span(view: LogOverview) -> str:
    """The times of its first and its last step, if the log has times."""
    first, last = view.times.words(view.first), view.times.words(view.last)
    return f", from {first} to {last}" if first and last else ""


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
    """The value before, and the one from here on."""
    kind = change.variable.type
    return ["(not logged)" if bits is None else show(kind, bits) for bits in (change.before, change.after)]
