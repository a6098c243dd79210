"""`soid abstraction`: show what questions have shown of the program, as a table, as JSON and as a picture."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from soid.case.abstraction import REST, Abstraction, abstraction_of, answered
from soid.case.abstraction_picture import said, svg
from soid.case.case import Case
from soid.case.project import Project
from soid.cli.command_line.question_options import AbstractionOptions
from soid.cli.commands.ask_command import opened, questions_of, settings_of
from soid.cli.output import print_json, write_file
from soid.cli.terminal.progress import watched
from soid.cli.terminal.terminal import Terminal
from soid.errors import InputError
from soid.query.query import Query
from soid.solver.chain import chain

Asked = list[tuple[Project, Query]]  # questions, each with the moment that it is about


def abstraction(options: AbstractionOptions) -> int:
    picture = options.svg
    with _asked(options) as asked:
        found = watched(
            lambda cancel, report: abstraction_of(asked, cancel=cancel, progress=report), about="abstraction: "
        )
        project = asked[0][0]
    if picture is not None:
        write_file(picture, svg(found, project.program.interface, project.program.name))
    if options.as_json:
        print_json(found.document)
    else:
        _show(Terminal.stdout(), found, project, picture)
    return 0


@contextmanager
def _asked(options: AbstractionOptions) -> Iterator[Asked]:
    """Find the questions: those given, those of the manifest, or those that a case file has answers to."""
    settings, file = settings_of(options), options.case
    with closing(chain()) as solver:
        if file is None:
            project = opened(options, settings, solver)
            yield [(project, project.checked(text).query) for text in questions_of(options.questions, project)]
            return
        with Case.open(file, settings=settings, solver=solver, read_only=True) as case:
            asked = list(answered(case))
            if not asked:
                raise InputError(f"{file} has no answer yet", "Put a question: `soid case ask`.")
            yield asked


def _show(terminal: Terminal, found: Abstraction, project: Project, picture: Path | None) -> None:
    interface = project.program.interface
    terminal.rule("Questions", project.program.name)
    for visit in found.visits:
        visited = ", ".join(state.name for state in visit.states) or "nothing"
        terminal.prose(visit.answer.text, indent=6, first=(f"  q{visit.number}", "bold"))
        terminal.prose(f"{visit.answer.verdict.value}; visited {visited}", indent=6, style="dim")
    terminal.blank()
    terminal.rule("Abstract states", f"{sum(state.shared for state in found.states)} of {len(found.states)} shared")
    visits = {visit.number: visit for visit in found.visits}
    meet = terminal.either("⊓", "&")
    names = {state.number: state.name.replace("⊓", meet) for state in found.states} | {REST: "anywhere"}
    rows = [
        (
            names[state.number] if state.settled else f"{names[state.number]} (may be empty)",
            ", ".join(f"q{number}" for number in state.questions),
            "; ".join(said(state.members[0], visits[state.members[0].question], interface)[:2]),
            ", ".join(names[other] for one, other in found.transitions if one == state.number),
        )
        for state in found.states
    ]
    terminal.table(("state", "visited by", "what it is", "leads to"), rows, wraps=("what it is", "leads to"))
    settled = [meet for meet in found.meets if meet.empty is not None]
    terminal.blank()
    terminal.prose(
        f"{len(found.visited)} states visited; {len(found.meets)} meets that no value rules out, "
        f"{sum(meet.empty is False for meet in settled)} not empty, {len(found.meets) - len(settled)} not settled."
    )
    if picture is not None:
        terminal.prose(f"The picture is in {picture}.")
