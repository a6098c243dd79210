"""A log on the terminal; the moment that is asked about is marked."""

from __future__ import annotations

from typing import Final

from soid.case.project import Project
from soid.cli.terminal.terminal import Terminal
from soid.program.types import show
from soid.scenario.trace import Step

#: a log with more columns is shown near the keyframe only, with a line for each variable
_MOST_COLUMNS: Final = 7
_NEAR: Final = 2


def show_log(terminal: Terminal, project: Project) -> None:
    """Show the log as a table with the keyframe marked, and below it what each variable means."""
    interface = project.program.interface
    paths = [variable.path for variable in (*interface.inputs, *interface.decisions)]
    if len(paths) <= _MOST_COLUMNS:
        rows = [
            (_mark(terminal, project, step.time), *(_cell(project, step, path) for path in paths))
            for step in project.trace
        ]
        marked = next(i for i, step in enumerate(project.trace) if step.time == project.keyframe.step)
        terminal.table(("  step", *paths), rows, marked=marked)
    else:
        _log_near(terminal, project, paths)
    terminal.blank()
    meanings = [f"{v.path}: {v.label}" for v in interface if v.label]
    terminal.prose("; ".join(meanings), style="dim")


def _log_near(terminal: Terminal, project: Project, paths: list[str]) -> None:
    """Show the steps around the keyframe side by side; values that never change in the log are listed once."""
    steps = list(project.trace)
    at = next(i for i, step in enumerate(steps) if step.time == project.keyframe.step)
    near = slice(max(0, at - _NEAR), at + _NEAR + 1)
    table = {path: [_cell(project, step, path) for step in steps] for path in paths}
    varying = [path for path in paths if len(set(table[path])) > 1]
    headers = ("", *(_mark(terminal, project, step.time).strip() for step in steps[near]))
    terminal.table(headers, [(path, *table[path][near]) for path in varying])
    constant = [f"{path} = {table[path][0]}" for path in paths if path not in varying and table[path][0]]
    if constant:
        terminal.blank()
        terminal.prose(f"the same throughout: {', '.join(constant)}")


def _mark(terminal: Terminal, project: Project, time: int) -> str:
    return f"{terminal.either('►', '>') if time == project.keyframe.step else ' '} {time}"


def _cell(project: Project, step: Step, path: str) -> str:
    bits = step.inputs.get(path, step.decisions.get(path))
    return "" if bits is None else show(project.program.interface.variable(path).type, bits)
