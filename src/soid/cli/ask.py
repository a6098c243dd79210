"""`soid ask`: open the case, read all questions, then answer one after the other."""

from __future__ import annotations

import json
from pathlib import Path
from typing import final

from msgspec import Struct
from msgspec.structs import replace

from soid.budget import Cancellation
from soid.case.project import Project
from soid.cli import exits
from soid.cli.watching import Report, watched
from soid.documents import json_of
from soid.errors import QueryError
from soid.oracle.answer import Answer
from soid.oracle.inquiry import Settings
from soid.query.language.query_parser import parse
from soid.query.query import Query, QueryKind
from soid.recipe import SOID, recipe
from soid.solver.chain import NAMES, chain
from soid.witness.replayers import ReplayMode


@final
class Options(Struct, frozen=True):
    """What the command line says."""

    questions: tuple[str, ...]
    project: Path
    trace: Path | None = None
    step: int | None = None
    as_json: bool = False
    seconds: float | None = None
    witness_seconds: float | None = None
    solvers: tuple[str, ...] = ()
    cross_check: bool = False
    log_queries: Path | None = None
    window: int | None = None
    paths: int | None = None
    memory: int | None = None  # MiB
    cores: int | None = None
    accept_log_mismatch: bool = False
    replay: ReplayMode = "confined"
    recipe: str = SOID.name
    without: tuple[str, ...] = ()
    verbose: bool = False
    quiet: bool = False

    def settings(self) -> Settings:
        settings = Settings(
            accept_log_mismatch=self.accept_log_mismatch,
            window=self.window,
            cores=self.cores,
            replay=self.replay,
            recipe=recipe(self.recipe, self.without),
        )
        if self.seconds is not None:
            settings = replace(settings, seconds=self.seconds)
        if self.witness_seconds is not None:
            settings = replace(settings, witness_seconds=self.witness_seconds)
        if self.paths is not None:
            settings = replace(settings, paths=self.paths)
        if self.memory is not None:
            settings = replace(settings, memory=self.memory << 20)
        return settings


def ask(options: Options) -> int:
    """Answer the questions; the exit status says what came of them."""
    settings = options.settings()
    solver = chain(
        options.solvers or settings.recipe.solvers or NAMES,
        log_folder=options.log_queries,
        cross_check=options.cross_check,
        mechanisms=settings.recipe.mechanisms,
    )
    try:
        case = Project.open(options.project, trace=options.trace, step=options.step, settings=settings, solver=solver)
        if options.cross_check:  # nobody cross-checked what earlier questions have found
            case = replace(case, summaries=None)
        queries = [parse(text, case.program.interface) for text in questions(options, case)]
        answers = [_answered(case, queries, number, options) for number in range(len(queries))]
    finally:
        solver.close()
    return exits.of_answers(answer.verdict.value for answer in answers)


def _answered(case: Project, queries: list[Query], number: int, options: Options) -> Answer:
    """One of the questions, put and said."""
    place = f" {number + 1} of {len(queries)}" if len(queries) > 1 else ""
    answer = put(case, queries[number], about=f"question{place}: ", quiet=options.quiet)
    if options.as_json:
        print(json.dumps(json_of(answer.document), ensure_ascii=False), flush=True)
    elif options.quiet:
        print(answer.verdict.value, flush=True)
    else:
        from soid.cli.answers import show_answer  # for people, and not for scripts: what draws it is large
        from soid.cli.terminal import Terminal

        terminal = Terminal.stdout()
        if number:
            terminal.blank()
        show_answer(terminal, answer, case.keyframe, heading=f"Question{place}", verbose=options.verbose)
    return answer


def put(case: Project, query: Query | str, *, about: str = "", quiet: bool = False) -> Answer:
    """Put one question, with a sign of life while it takes."""

    def do(cancel: Cancellation, report: Report) -> Answer:
        return case.ask(query, cancel=cancel, progress=report)

    return watched(do, about=about, quiet=quiet)


def questions(options: Options, case: Project) -> tuple[str, ...]:
    """The questions given; those of the manifest if none was. Words that the shell has split are one question."""
    given = options.questions
    if given and given[0].strip() in {kind.value for kind in QueryKind}:
        return (" ".join(given),)
    listed = case.manifest.questions if case.manifest else ()
    if not given and not listed:
        raise QueryError(
            "there is no question: none was given, and the manifest lists none",
            'Ask one, such as: soid ask "did x == 1". Or list some: [questions] ask = ["did x == 1"].',
        )
    return given or listed
