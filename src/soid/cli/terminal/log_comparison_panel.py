"""The comparison of a whole log with the program, on the terminal."""

from __future__ import annotations

from soid.allowance import MORE_TIME
from soid.case.report import comparison_words as words
from soid.cli.terminal.terminal import Terminal
from soid.oracle.whole_log import LogComparison, UnloggedValue
from soid.query.words import counted


def show_comparison(terminal: Terminal, program: str, found: LogComparison) -> None:
    terminal.rule(program, counted(found.steps, "step"))
    terminal.prose(found.log)
    terminal.blank()
    terminal.prose(words.outcome(found), style="bold")
    for line in words.amounts(found):
        terminal.prose(line)
    _show_partings(terminal, found)
    _show_unlogged(terminal, "decision that was not logged", found.decisions)
    _show_unlogged(terminal, "state that was not logged", found.state)
    _show_unlogged(terminal, "perceived input that was not logged", found.perceived)
    if found.cut is not None:
        terminal.blank()
        late = f"From step {found.cut} on there was no time to find out what was not logged. {MORE_TIME}"
        terminal.prose(late)
    if found.warnings:
        terminal.blank()
        terminal.prose(words.STRANGE)
        for warning in found.warnings:
            terminal.prose(warning, indent=4)


def _show_partings(terminal: Terminal, found: LogComparison) -> None:
    if not found.partings:
        return
    terminal.blank()
    for line in words.partings(found):
        terminal.prose(line)
    terminal.blank()
    heading, told = words.causes(found)
    terminal.prose(heading)
    for line in told:
        terminal.prose(line, indent=4)


def _show_unlogged(terminal: Terminal, what: str, values: tuple[UnloggedValue, ...]) -> None:
    if not values:
        return
    terminal.blank()
    rows = [(each.name, f"{each.derived} of {each.missing}", _since(each), words.changes(each)) for each in values]
    terminal.table((what, "known at", "from", "what it was"), rows, wraps=("what it was",))


def _since(value: UnloggedValue) -> str:
    return value.since or ("" if value.derived else "-")
