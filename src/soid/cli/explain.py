"""`soid explain`: a question answered and the answer explained, or the answer of an entry of a case."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import final

from msgspec import Struct

from soid.budget import Cancellation
from soid.case.case import Case
from soid.case.project import Project
from soid.case.validity import entry_at
from soid.cli import exits
from soid.cli.ask import Options
from soid.cli.explanations import show_explanation
from soid.cli.terminal import Terminal
from soid.cli.watching import Report, watched
from soid.documents import json_of
from soid.errors import CaseError, QueryError
from soid.explanation.explanation import Explanation
from soid.oracle.answer import Verdict
from soid.solver.chain import chain


@final
class Entry(Struct, frozen=True):
    """An entry of a case file, as the command line names it."""

    file: Path
    number: int


def named(words: tuple[str, ...]) -> Entry | str:
    """What the command line's words mean: an entry of a case, or a question, be it split by the shell."""
    if not words:
        raise QueryError("there is no question", 'Give one, such as: soid explain "would x == 1 if y is anything".')
    if len(words) == 2 and words[1].isdecimal() and Path(words[0]).is_file():
        return Entry(Path(words[0]), int(words[1]))
    return " ".join(words)


def explain(options: Options, others: int) -> int:
    """Explain one answer; the exit status is that of its verdict."""
    what = named(options.questions)
    settings = options.settings()
    solver = chain()
    try:
        if isinstance(what, str):
            case = Project.open(
                options.project, trace=options.trace, step=options.step, settings=settings, solver=solver
            )
            return _said(case, what, others, options)
        with Case.open(what.file, settings=settings, solver=solver, read_only=True) as investigation:
            entry = entry_at(investigation.entries, what.number)
            if entry.question is None:
                raise CaseError(f"entry {entry.number} is about no question", "`soid case show` lists the entries.")
            case = investigation.case_at(entry.step, entry.log)
            return _said(case, entry.question, others, options, entry.number, entry.verdict)
    finally:
        solver.close()


def _said(
    case: Project,
    question: str,
    others: int,
    options: Options,
    entry: int | None = None,
    recorded: Verdict | None = None,
) -> int:
    explanation = watched(_explaining(case, question, others), about="explaining: ", quiet=options.quiet)
    verdict = explanation.answer.verdict
    if options.as_json:
        print(json.dumps({**json_of(explanation.document), "entry": entry}, ensure_ascii=False))
    else:
        terminal = Terminal.stdout()
        heading = "Explaining" if entry is None else f"Explaining entry {entry}"
        show_explanation(terminal, explanation, case.keyframe, heading)
        if recorded is not None and recorded is not verdict:
            terminal.blank()
            terminal.prose(f"The record says {recorded.value}; asked again just now, it is {verdict.value}.")
    return exits.of_answers([verdict.value])


def _explaining(case: Project, question: str, others: int) -> Callable[[Cancellation, Report], Explanation]:
    def do(cancel: Cancellation, report: Report) -> Explanation:
        return case.explain(question, others=others, cancel=cancel, progress=report)

    return do
