"""`soid abstraction`: show what questions have shown of the program, as a table, as JSON and as a picture."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

from soid.case.abstraction import Abstraction, abstraction_of, answered
from soid.case.abstraction_picture import svg
from soid.case.abstraction_words import HEADS, AbstractionWords, in_words, rows
from soid.case.case import Case
from soid.case.project import Project
from soid.cli.command_line.question_options import AbstractionOptions
from soid.cli.commands.ask_command import opened, questions_of, settings_of
from soid.cli.output import print_json, write_file
from soid.cli.terminal.progress import watched
from soid.cli.terminal.terminal import Terminal
from soid.errors import InputError
from soid.oracle.answer import Answer
from soid.query.query import Query
from soid.solver.chain import chain

_SHOWN: Final = 24  # states inside the program of one question

Asked = list[tuple[Project, Query | Answer]]  # questions, each with the moment that it is about


def abstraction(options: AbstractionOptions) -> int:
    picture = options.svg
    with _asked(options) as asked:
        found = watched(
            lambda cancel, report: abstraction_of(asked, cancel=cancel, progress=report, inside=options.inside),
            about="abstraction: ",
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
            asked: Asked = list(answered(case))
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
    meet = terminal.either("⊓", "&")
    told = [tuple(cell.replace("⊓", meet) for cell in row) for row in rows(found, interface)]
    terminal.table(HEADS, told, wraps=("what it is", "leads to"))
    _show_inside(terminal, in_words(found, interface, project.program.name))
    settled = [meet for meet in found.meets if meet.empty is not None]
    terminal.blank()
    terminal.prose(
        f"{len(found.visited)} states visited; {len(found.meets)} meets that no value rules out, "
        f"{sum(meet.empty is False for meet in settled)} not empty, {len(found.meets) - len(settled)} not settled."
    )
    if picture is not None:
        terminal.prose(f"The picture is in {picture}.")


def _show_inside(terminal: Terminal, words: AbstractionWords) -> None:
    """The first states inside the program of each question; --json has all."""
    for table in words.inside:
        terminal.blank()
        terminal.rule(f"Inside the program, {table.called}", f"{len(table.rows)} states")
        if table.rows:
            shown = [(each[0], each[1], each[2], each[3], each[4]) for each in table.rows[:_SHOWN]]
            terminal.table(table.heads[:5], shown, wraps=("values there", "comes only if"))
        if len(table.rows) > _SHOWN:
            terminal.prose(f"and {len(table.rows) - _SHOWN} more, which --json has", style="dim")
        if table.open:
            terminal.prose(table.open, style="dim")
