"""`soid world check`: how well the world around a program reproduces the log."""

from __future__ import annotations

from contextlib import closing
from typing import Final

from msgspec.structs import replace

from soid.budget import Cancellation
from soid.case.project import Project
from soid.cli import exits
from soid.cli.command_line.project_options import CheckWorldOptions
from soid.cli.commands.ask_command import settings_of
from soid.cli.output import print_json, write_file
from soid.cli.terminal.progress import Report, watched
from soid.cli.terminal.terminal import Terminal
from soid.engine.world.world_check import MOST_STEPS, Deviation, Values, WorldCheck
from soid.errors import InputError
from soid.formula import softfloat as sf
from soid.program.interface import Variable
from soid.program.types import BoolType, EnumType, FloatType, number
from soid.query.words.readable_numbers import with_unit
from soid.scene.course_svg import DrawnCourse, course_svg
from soid.solver.chain import chain

_BARS: Final = "▁▂▃▄▅▆▇█"


def check(options: CheckWorldOptions) -> int:
    """Show the check; the exit status is that of `no` if the world is farther off than is stated."""
    settings = replace(settings_of(options), replay="off")

    def do(cancel: Cancellation, report: Report) -> tuple[Project, WorldCheck | None]:
        project = Project.open(
            options.project, trace=options.trace, settings=settings, solver=solver, cancel=cancel, progress=report
        )
        with settings.opening(cancel):
            return project, project.engine.world_check(project.trace)

    with closing(chain()) as solver:
        project, found = watched(do, about="world: ", quiet=options.as_json)
    if found is None:
        raise InputError(f"{project.program.name} has no world", "Name one in the manifest: [world].")
    if options.svg is not None:
        write_file(options.svg, course_svg(f"{project.program.name}: the world beside the log", courses(found)))
    if options.as_json:
        print_json(found.document, svg=None if options.svg is None else str(options.svg))
    else:
        _show(Terminal.stdout(), project, found)
        if options.svg is not None:
            Terminal.stdout().prose(f"The picture is in {options.svg}.")
    return exits.VERDICTS["no" if found.within is False else "yes"]


def courses(found: WorldCheck) -> list[DrawnCourse]:
    """The numbers of the course, and what was logged of them."""
    steps = tuple(each.step for each in found.steps)
    return [
        DrawnCourse(
            f"{far.variable.label or far.variable.path} {far.variable.measure}".rstrip(),
            steps,
            tuple(_number(far.variable, each.logged) for each in found.steps),
            tuple(_number(far.variable, each.computed) for each in found.steps),
            f"off by at most {far.amount}, at step {far.step}",
        )
        for far in found.course
    ]


def _number(variable: Variable, values: Values) -> float | None:
    """A value on an axis; None: it is not known, or no number."""
    kind, bits = variable.type, values.get(variable.path)
    if bits is None or (isinstance(kind, FloatType) and not sf.is_finite(kind.format, bits)):
        return None
    if isinstance(kind, FloatType):
        return float(sf.to_fraction(kind.format, bits))
    return float(bits if isinstance(kind, BoolType) else number(kind, bits))


def _show(terminal: Terminal, project: Project, found: WorldCheck) -> None:
    terminal.rule("The world beside the log", f"{project.program.name}, {project.trace.source}")
    _deviations(
        terminal, f"One step on from each of {found.compared} logged steps, with what was decided", found.one_step
    )
    if found.course:
        ends = f"from step {found.first} to step {found.last}"
        _deviations(terminal, f"The course {ends}, the world's own state fed back", found.course)
        _drawn(terminal, found)
    if found.skipped:
        told = f"{found.skipped} pairs of steps were not compared: not all was logged that the world is given."
        terminal.prose(told, style="dim")
    if len(project.trace) > MOST_STEPS:
        terminal.prose(f"The log is long: its first {MOST_STEPS} steps were looked at.", style="dim")
    for failure in found.failures:
        terminal.prose(f"It fails: {failure}.")
    match found.within:
        case None:
            terminal.prose("No tolerance is stated: answers are held to one that is: " + _proposed(found))
        case True:
            terminal.prose("✔ It is within what the manifest states.")
        case False:
            for each in found.off:
                terminal.prose(f"✘ {each}")
            terminal.prose("Questions about outcomes are unknown until world, log or tolerance is another one.")


def _proposed(found: WorldCheck) -> str:
    """A tolerance as the manifest has it: of a float, since nothing else is off by a little."""
    floats = (each.variable.path for each in found.one_step if isinstance(each.variable.type, FloatType))
    named = next(floats, None)
    return "[world] tolerance = 0" if named is None else f'[world] tolerance = {{ "{named}" = 0.05 }}'


def _deviations(terminal: Terminal, title: str, deviations: tuple[Deviation, ...]) -> None:
    terminal.blank()
    terminal.line((f"  {title}", "bold"))
    off = [each for each in deviations if each.distance != 0]
    rows = [(each.variable.path, each.amount, str(each.step), *each.values, _stated(each)) for each in off]
    if rows:
        terminal.table(("variable", "off by at most", "at step", "logged", "the world gives", "stated"), rows, indent=4)
    if others := len(deviations) - len(off):
        told = "All" if not off else "The others"
        terminal.prose(f"{told} are as logged, to the last digit: {others} variables.", indent=4)
    if not deviations:
        terminal.prose("Nothing could be compared.", indent=4)


def _stated(deviation: Deviation) -> str:
    if deviation.tolerance is None:
        return ""
    return with_unit(f"{float(deviation.tolerance):.6g}", deviation.variable.unit)


def _drawn(terminal: Terminal, found: WorldCheck) -> None:
    """The course of each number as two rows of bars: as logged, and as computed."""
    terminal.blank()
    width = max(20, terminal.width - 24)
    for far, course in zip(found.course, courses(found), strict=True):
        if isinstance(far.variable.type, EnumType):
            continue
        low, high = course.ends
        if low == high:
            continue  # it stays as it was
        terminal.line((f"    {course.name}", ""), (f"  {low:.6g} to {high:.6g}", "dim"))
        for name, values in (("logged", course.logged), ("the world", course.computed)):
            terminal.line((f"      {name:<11}", "dim"), (_bars(values, low, high, width), ""))
    terminal.blank()


def _bars(values: tuple[float | None, ...], low: float, high: float, width: int) -> str:
    """Numbers as bars; of more than there is room for, evenly chosen ones."""
    every = max(1, -(-len(values) // width))
    shares = (None if each is None else (each - low) / ((high - low) or 1.0) for each in values[::every])
    return "".join(" " if share is None else _BARS[round(share * (len(_BARS) - 1))] for share in shares)
