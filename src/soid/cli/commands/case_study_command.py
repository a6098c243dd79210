"""`soid case causes`, `soid case map`, `soid case explain`: studies that are put on the record of a case."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing

from soid.case.case import Case, RecordedStudy
from soid.case.record.study_request import MapRequest, Request
from soid.case.studies import causes_wanted, explanation_wanted
from soid.case.validity import entry_at
from soid.cli.command_line.study_options import CausesCaseOptions, ExplainCaseOptions, MapCaseOptions
from soid.cli.commands.ask_command import settings_of
from soid.cli.commands.causes_command import agents_in, held_in, show_causes
from soid.cli.commands.map_command import show_map
from soid.cli.output import print_json, write_file
from soid.cli.terminal.explanations import show_explanation
from soid.cli.terminal.own_key import own_key
from soid.cli.terminal.progress import watched
from soid.cli.terminal.terminal import Terminal, warn
from soid.explanation.causes import ActualCauses
from soid.explanation.explainer import Explanation
from soid.mapping.decision_map import DecisionMap
from soid.mapping.map_svg import svg
from soid.solver.chain import chain

Options = CausesCaseOptions | MapCaseOptions | ExplainCaseOptions


def find_causes(options: CausesCaseOptions) -> int:
    """The exit status is 2 if something was not settled."""

    def wanted(case: Case) -> Request:
        project = case.project_at(options.step, options.log)
        hold, agents = [held_in(text) for text in options.hold], agents_in(options.agents)
        return causes_wanted(project, options.question, options.over, hold=hold, size=options.size, agents=agents)

    return _study(options, wanted, step=options.step, log=options.log)


def draw_map(options: MapCaseOptions) -> int:
    wanted = MapRequest(options.over, options.by, options.resolution)
    return _study(options, lambda case: wanted, step=options.step, log=options.log)


def explain(options: ExplainCaseOptions) -> int:
    """The exit status is 2 if something was not settled."""
    return _study(options, lambda case: explanation_wanted(entry_at(case.entries, options.number), options.others))


def _study(
    options: Options, wanted: Callable[[Case], Request], *, step: str | None = None, log: str | None = None
) -> int:
    with (
        closing(chain()) as solver,
        Case.open(options.file, who=options.who, settings=settings_of(options), solver=solver, key=own_key()) as case,
    ):
        asked = wanted(case)
        made = watched(
            lambda cancel, report: case.study(asked, step=step, log=log, cancel=cancel, progress=report),
            about="studying: ",
            quiet=options.as_json,
        )
        if isinstance(options, MapCaseOptions) and options.svg is not None and isinstance(made.result, DecisionMap):
            write_file(options.svg, svg(made.result, caption=f"{case.title}, step {made.entry.step}"))
        if options.as_json:
            print_json(made.result.document, entry=made.entry.number, statement=made.entry.payload["statement"])
        else:
            warn(case.warnings)
            _show(Terminal.stdout(), case, made)
    return 2 if not isinstance(made.result, DecisionMap) and made.result.unsettled else 0


def _show(terminal: Terminal, case: Case, made: RecordedStudy) -> None:
    entry = made.entry
    heading, where = f"Entry {entry.number}", f"step {entry.step}"
    match made.result:
        case ActualCauses() as found:
            interface = case.project_at(entry.step, entry.log).program.interface
            show_causes(terminal, found, f"{heading}, {where}", interface)
        case DecisionMap() as found:
            show_map(terminal, found, f"{heading}, {where}")
        case Explanation() as found:
            show_explanation(terminal, found, case.project_at(entry.step, entry.log).keyframe, heading)
    terminal.blank()
    terminal.prose(entry.payload["statement"], indent=8, first=("  study", "bold"))
