"""The comparison of a whole log with the program, on the terminal."""

from __future__ import annotations

from typing import Final

from soid.case.report.phrases import counted
from soid.cli.terminal.terminal import Terminal
from soid.documents import JsonValue
from soid.oracle.whole_log import LogComparison, LogVerdict, UnloggedValue

_FEW: Final = 4  # changes of a value that are shown
_TOLD: Final = {
    LogVerdict.FITS: "Log and program fit: a run of the program gives all that is logged.",
    LogVerdict.DIFFERS: "Log and program differ.",
    LogVerdict.OPEN: "Whether log and program fit is not settled.",
}


def show_comparison(terminal: Terminal, program: str, found: LogComparison) -> None:
    terminal.rule(program, counted(found.steps, "step"))
    terminal.prose(found.log)
    terminal.blank()
    terminal.prose(_TOLD[found.verdict], style="bold")
    if not found.values:
        terminal.prose("Neither decisions nor state are logged: there was nothing to compare.")
    terminal.prose(_amounts(found))
    if found.gaps:
        terminal.prose(f"The log has {counted(found.gaps, 'gap')}: what comes after one is compared on its own.")
    _show_partings(terminal, found)
    _show_unlogged(terminal, "decision that was not logged", found.decisions)
    _show_unlogged(terminal, "state that was not logged", found.state)
    if found.cut is not None:
        terminal.blank()
        words = f"From step {found.cut} on there was no time to find out what was not logged: --seconds gives more."
        terminal.prose(words)
    if found.warnings:
        terminal.blank()
        terminal.prose("Strange about the log:")
        for warning in found.warnings:
            terminal.prose(warning, indent=4)


def _amounts(found: LogComparison) -> str:
    parts = [f"{found.fits} of {counted(found.steps, 'step')} give what is logged when run"]
    if found.possible:
        parts.append(f"{found.possible} give it for some value of what is rounded or not known")
    if found.unlinked:
        parts.append(f"{found.unlinked} give it for some state, but not in one run with the steps before them")
    if found.differs:
        parts.append(f"{found.differs} differ")
    if found.open:
        parts.append(f"{found.open} are not settled")
    if found.compared < found.steps:
        parts.append(f"{found.steps - found.compared} were not compared")
    explored = f" {found.explored} were explored for all that they may have been." if found.explored else ""
    return f"{'; '.join(parts)}.{explored}"


def _show_partings(terminal: Terminal, found: LogComparison) -> None:
    if not found.partings:
        return
    first = found.partings[0]
    place = f" ({first.source})" if first.source else ""
    terminal.blank()
    terminal.prose(f"They part first at step {first.step}{place}: {first.words}.")
    others = ", ".join(str(each.step) for each in found.partings[1:11])
    if others:
        more = ", ..." if found.differs > 11 else ""
        terminal.prose(f"They differ at the steps {others}{more} too.")
    terminal.blank()
    explaining = [each for each in found.causes if each.explains]
    terminal.prose("Why:" if explaining else "No cause that was tested explains it:")
    for each in (*explaining, *(other for other in found.causes if not other.explains)):
        mark = {True: "likely", False: "tested, no", None: "open"}[each.explains]
        terminal.prose(f"{each.cause} ({mark}): {each.words}", indent=4)


def _show_unlogged(terminal: Terminal, what: str, values: tuple[UnloggedValue, ...]) -> None:
    if not values:
        return
    terminal.blank()
    rows = [(each.name, f"{each.derived} of {each.missing}", _since(each), _changes(each)) for each in values]
    terminal.table((what, "known at", "from", "what it was"), rows, wraps=("what it was",))


def _since(value: UnloggedValue) -> str:
    return value.since or ("" if value.derived else "-")


def _changes(value: UnloggedValue) -> str:
    if not value.derived:
        return "not known"
    shown = [f"{_text(each.value)} from step {each.step} on" for each in value.changes[:_FEW]]
    more = value.changed - len(shown)
    return ", ".join(shown) + (f", and {counted(more, 'more change')}" if more > 0 else "")


def _text(value: JsonValue | None) -> str:
    if value is None:
        return "not known"
    return str(value).lower() if isinstance(value, bool) else str(value)
