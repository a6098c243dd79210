"""`soid explain`: answer a question, or the question of an entry of a case, and explain the answer."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from soid.case.case import Case
from soid.case.project import Project
from soid.case.validity import entry_at
from soid.cli import exits
from soid.cli.command_line.question_options import ExplainOptions
from soid.cli.commands.ask_command import opened, settings_of
from soid.cli.output import print_json
from soid.cli.terminal.explanations import show_explanation
from soid.cli.terminal.progress import watched
from soid.cli.terminal.terminal import Terminal
from soid.errors import CaseError, QueryError
from soid.oracle.answer import Verdict
from soid.solver.chain import chain


def named(words: tuple[str, ...]) -> tuple[Path, int] | str:
    """What the words mean: a case and an entry of it, or a question, which the shell may have split into words."""
    if not words:
        raise QueryError("there is no question", 'Give one, such as: soid explain "would x == 1 if y is anything".')
    if len(words) == 2 and words[1].isdecimal() and Path(words[0]).is_file():
        return Path(words[0]), int(words[1])
    return " ".join(words)


def explain(options: ExplainOptions) -> int:
    """Explain one answer; the exit status is that of its verdict."""
    what = named(options.words)
    settings = settings_of(options)
    with closing(chain()) as solver:
        if isinstance(what, str):
            project = opened(options, settings, solver)
            return _explained(project, what, options)
        file, number = what
        with Case.open(file, settings=settings, solver=solver, read_only=True) as case:
            entry = entry_at(case.entries, number)
            if entry.question is None:
                raise CaseError(f"entry {entry.number} is about no question", "`soid case show` lists the entries.")
            project = case.project_at(entry.step, entry.log)
            return _explained(project, entry.question, options, entry.number, entry.verdict)


def _explained(
    project: Project, question: str, options: ExplainOptions, entry: int | None = None, recorded: Verdict | None = None
) -> int:
    explanation = watched(
        lambda cancel, report: project.explain(question, others=options.others, cancel=cancel, progress=report),
        about="explaining: ",
    )
    verdict = explanation.answer.verdict
    if options.as_json:
        print_json(explanation.document, entry=entry)
    else:
        terminal = Terminal.stdout()
        heading = "Explaining" if entry is None else f"Explaining entry {entry}"
        show_explanation(terminal, explanation, project.keyframe, heading, exact=options.exact)
        if recorded is not None and recorded is not verdict:
            terminal.blank()
            terminal.prose(f"The record says {recorded.value}; asked again just now, it is {verdict.value}.")
    return exits.of_answers([verdict.value])
