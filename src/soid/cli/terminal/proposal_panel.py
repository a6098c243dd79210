"""What `soid init` found, wrote and tried, for a person."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from soid.cli.terminal.terminal import Terminal
from soid.proposal.proposal_document import InitDocument, MatchedColumnDocument
from soid.query.words import counted

_SHOWN: Final = 12  # names in a sentence
_UNCOVERED: Final = (
    "Answers are for every value that they may have had: name their columns under [trace.columns], or give them the "
    "value that they had at every step: [variables] NAME = { initial = 0 }."
)
_FROM_START: Final = (
    "The run below starts from its initial values. If the log begins with the program's first call, say so: [trace] "
    "from_start = true."
)


def show_proposal(terminal: Terminal, found: InitDocument) -> None:
    terminal.rule("Proposal", found.manifest)
    terminal.prose(f"{f'{found.entry} in ' if found.entry else ''}{', '.join(found.files)} decides")
    clock = f"; {found.time} says when" if found.time else ""
    rows = counted(found.rows, "row") if found.all_rows else f"{found.rows:,} of its rows were looked at"
    terminal.prose(f"{found.log} is its log: {rows}{clock}")
    terminal.blank()
    same = [each for each in found.columns if each.sure and each.column == each.variable and not _reading(each)]
    shown = found.columns if len(same) <= _SHOWN else [each for each in found.columns if each not in same]
    if shown is not found.columns:
        terminal.prose(f"{counted(len(same), 'column')} are named as the program names them.")
    table = [(each.column, each.variable, _reading(each), "" if each.sure else "guess") for each in shown]
    if table:
        terminal.table(("column", "variable", "how it is read", ""), table, wraps=("how it is read",))
    _show_gaps(terminal, found)
    _show_list(terminal, "Guessed, and marked in the file; correct there what is wrong:", found.guesses)
    _show_list(terminal, "Strange about the log:", found.warnings)
    terminal.blank()
    _show_check(terminal, found)
    _show_questions(terminal, found)


def _reading(each: MatchedColumnDocument) -> str:
    labels = ", ".join(f"{text} = {value}" for text, value in each.labels.items())
    units = f"{each.unit} to {each.program_unit}" if each.unit and each.unit != each.program_unit else each.unit or ""
    rounded = f"{counted(each.decimals, 'decimal')}" if each.decimals is not None else ""
    return "; ".join(filter(None, (units, rounded, labels)))


def _show_gaps(terminal: Terminal, found: InitDocument) -> None:
    gaps = (
        (
            found.ignored,
            "Columns without a variable",
            'They are ignored; [trace.columns] VARIABLE = "COLUMN" maps one.',
        ),
        (found.unused, "Not used by the model", "It was trained with them, and nothing hangs on them."),
        (
            found.unlogged,
            "State that is not in the log",
            _FROM_START,
        ),
        (
            found.missing,
            "Inputs that are not in the log",
            _UNCOVERED,
        ),
        (found.undefined, "Used by the program and not defined", "`soid inspect` says what to write for each."),
    )
    for names, title, remedy in gaps:
        if names:
            terminal.blank()
            terminal.prose(f"{title}: {_listed(names)}. {remedy}")


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more


def _show_list(terminal: Terminal, title: str, lines: Sequence[str]) -> None:
    if lines:
        terminal.blank()
        terminal.prose(title)
        for line in lines:
            terminal.prose(line, indent=4, first=("  -", ""))


def _show_check(terminal: Terminal, found: InitDocument) -> None:
    """Whether the log can be read, and whether the program decides as logged."""
    terminal.prose(f"{found.manifest} is written. Domains in it are proposals, rounded out from the log: read them.")
    if found.problem is not None:
        terminal.prose("The program was not run over the log:", style="bold")
        terminal.prose(found.problem, indent=4)
        terminal.prose(found.remedy or "", indent=4)
    elif found.compared:
        share = f"{found.agreeing} of {counted(found.compared, 'step')}"
        part = "" if found.ran == found.steps or found.obstacle else f"the first {counted(found.ran or 0, 'step')} of "
        terminal.prose(f"Run over {part}the log, the program decides as logged in {share}.", style="bold")
    elif found.compared is not None and not found.obstacle:
        terminal.prose("No decision is logged, so running the program over the log confirms nothing.", style="bold")
    if found.first_difference is not None:
        terminal.prose(f"The first difference is at {found.first_difference}.", indent=4)
        causes = "a wrong guess above, a unit, state or an input that was not logged, rounding, or another version"
        terminal.prose(f"It may come from {causes}. `soid log check` tests why.", indent=4)
        if not found.agreeing:
            terminal.prose("They agree nowhere: this may be the log of another program.", indent=4)
    if found.obstacle:
        terminal.prose(f"Not run to the end: {found.obstacle}.", indent=4)


def _show_questions(terminal: Terminal, found: InitDocument) -> None:
    if found.questions:
        terminal.blank()
        terminal.prose("Worth asking first:")
        for each in found.questions:
            terminal.line(("    ", ""), (each.command, "bold"))
        if found.missing:
            terminal.prose(f"Their answers are proved for every value of {', '.join(found.missing)}.")
    elif found.missing:
        terminal.blank()
        terminal.prose(
            f"No question was found whose answer is the same for every value of {', '.join(found.missing)}: "
            "log it, or say what it was."
        )
    elif found.problem is None:
        terminal.blank()
        terminal.prose("No first question could be chosen; `soid docs language` tells how to ask.")
