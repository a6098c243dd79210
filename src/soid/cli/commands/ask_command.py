"""`soid ask`: open the project, read all questions, then answer one after the other."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Final, Protocol

from msgspec.structs import replace

from soid.budget import Budget, Cancellation
from soid.case.project import Project
from soid.cli import exits
from soid.cli.command_line.command_memory import memory_of
from soid.cli.command_line.parameters import CommandOptions
from soid.cli.command_line.question_options import AskOptions
from soid.cli.output import print_json
from soid.cli.terminal.progress import Report, watched
from soid.errors import QueryError
from soid.oracle.answer import Answer
from soid.oracle.inquiry import MORE_SECONDS, Settings
from soid.query.language.query_parser import parse
from soid.query.query import Query, QueryKind
from soid.recipe import recipe
from soid.solver.chain import NAMES, chain
from soid.solver.protocol import Solver

#: what the options and the settings of a question call by the same name
_SETTINGS: Final = ("seconds", "witness_seconds", "paths", "window", "cores", "accept_log_mismatch", "replay")


class _AboutMoment(Protocol):
    """The options of a command that asks a program at one moment of its log."""

    @property
    def project(self) -> Path: ...
    @property
    def trace(self) -> Path | None: ...
    @property
    def step(self) -> str | None: ...


def settings_of(options: CommandOptions) -> Settings:
    """The settings that a command's options ask for; an option that was not given leaves the default."""
    given = {name: getattr(options, name, None) for name in _SETTINGS}
    given["memory"] = memory_of(options)
    return Settings(**{name: value for name, value in given.items() if value is not None})


def ask(options: AskOptions) -> int:
    """Answer the questions; the exit status tells the verdicts."""
    settings = replace(settings_of(options), recipe=recipe(options.recipe, options.without))
    if options.resume and options.seconds is None:
        settings = replace(settings, seconds=MORE_SECONDS)
    made = chain(
        options.solvers or settings.recipe.solvers or NAMES,
        log_folder=options.log_queries,
        cross_check=options.cross_check,
        mechanisms=settings.recipe.mechanisms,
    )
    with closing(made) as solver:
        if options.vnnlib is not None or options.model is not None:
            from soid.cli.commands.vnnlib_question import ask_property

            return ask_property(options, settings, solver)
        project = opened(options, settings, solver)
        if options.cross_check:  # what earlier questions have found was not cross-checked
            project = replace(project, summaries=None)
        asked = questions_of(options.questions, project)
        queries = [parse(text, project.program.interface, project.trace) for text in asked]
        first = _answered(project, queries, 0, options)
        project = replace(project, settings=settings)  # every further question has all the time
        answers = [first, *(_answered(project, queries, number, options) for number in range(1, len(queries)))]
    return exits.of_answers(answer.verdict.value for answer in answers)


def opened(options: _AboutMoment, settings: Settings, solver: Solver) -> Project:
    """Open the project of a command; its first question has the time that is left."""
    deadline = Budget(settings.seconds).started()

    def do(cancel: Cancellation, report: Report) -> Project:
        return Project.open(
            options.project,
            trace=options.trace,
            step=options.step,
            settings=settings,
            solver=solver,
            cancel=cancel,
            progress=report,
        )

    quiet = getattr(options, "quiet", False)
    project = watched(do, quiet=quiet, seconds=settings.opening_seconds)
    if project.trace.warnings and not quiet:
        from soid.cli.terminal.terminal import warn  # imports rich, which scripts do not need

        warn(project.trace.warnings)
    return replace(project, settings=replace(settings, seconds=deadline.seconds_left))


def _answered(project: Project, queries: list[Query], number: int, options: AskOptions) -> Answer:
    place = f" {number + 1} of {len(queries)}" if len(queries) > 1 else ""
    answer = put(project, queries[number], about=f"question{place}: ", quiet=options.quiet, resume=options.resume)
    if options.as_json:
        print_json(answer.document)
    elif options.quiet:
        print(answer.verdict.value, flush=True)
    else:
        from soid.cli.terminal.answers import show_answer  # imports rich, which scripts do not need
        from soid.cli.terminal.terminal import Terminal

        terminal = Terminal.stdout()
        if number:
            terminal.blank()
        heading, verbose, exact = f"Question{place}", options.verbose, options.exact
        show_answer(terminal, answer, project.keyframe, heading=heading, verbose=verbose, exact=exact)
    return answer


def put(project: Project, query: Query | str, *, about: str = "", quiet: bool = False, resume: bool = False) -> Answer:
    """Put one question; progress is shown while it takes time."""

    def do(cancel: Cancellation, report: Report) -> Answer:
        return project.ask(query, resume=resume, cancel=cancel, progress=report)

    return watched(do, about=about, quiet=quiet)


def questions_of(given: tuple[str, ...], project: Project) -> tuple[str, ...]:
    """The questions given; those of the manifest if none was. Words that the shell has split are one question."""
    if given and given[0].strip() in {kind.value for kind in QueryKind}:
        return (" ".join(given),)
    listed = project.manifest.questions if project.manifest else ()
    if not given and not listed:
        raise QueryError(
            "there is no question: none was given, and the manifest lists none",
            'Ask one, such as: soid ask "did x == 1". Or list some: [questions] ask = ["did x == 1"].',
        )
    return given or listed
