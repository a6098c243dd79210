"""A sweep in the terminal: what came of each question, its verdicts along each log, and the moments that stand out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from soid.cli.terminal.terminal import Terminal
from soid.query.words import Words, counted
from soid.sweep.sweep import Sweep, TalliedQuestion, listed_moments
from soid.sweep.timeline_text import legend, strip
from soid.sweep.verdict_timeline import OutstandingFor, VerdictLane

_LISTED: Final = 20  # reasons for neither yes nor no
_LANES: Final = 8  # logs of a question
_OUTSTANDING: Final = 12
_NAME: Final = 24  # columns for a log's name


def show_sweep(terminal: Terminal, found: Sweep) -> None:
    """All of it; `show_sentences` is its summary."""
    terminal.rule("Sweep", f"{counted(len(found.rows), 'answer')} in {found.seconds:.1f} s")
    lanes, words = found.lanes, Words(found.interface)
    for each in found.tallied:
        show_sentences(terminal, each)
        _show_lanes(terminal, [lane for lane in lanes if lane.question == each.question])
        for changed in each.changed:
            terminal.prose(f"The scenarios change {changed.told(words.called(changed.input))}", style="dim")
        terminal.blank()
    if lanes:
        terminal.prose(legend(ascii_only=_in_ascii(terminal)), style="dim")
        terminal.blank()
    _list_open(terminal, found)
    _list_outstanding(terminal, found)


def show_sentences(terminal: Terminal, each: TalliedQuestion) -> None:
    terminal.prose(each.sentence, style="bold")
    terminal.prose(each.told, indent=2, first=("  ", ""))


def _in_ascii(terminal: Terminal) -> bool:
    return terminal.either("u", "a") == "a"


def _show_lanes(terminal: Terminal, lanes: Sequence[VerdictLane]) -> None:
    """A line for each log; the name only if there are several."""
    names = max((len(lane.name) for lane in lanes), default=0) if len(lanes) > 1 else 0
    gutter = min(names, _NAME) + 2 if names else 0
    for lane in lanes[:_LANES]:
        ends = f"{lane.rows[0].step}..{lane.rows[-1].step}"
        columns = max(terminal.width - gutter - len(ends) - 6, 10)
        drawn = strip(lane, columns, ascii_only=_in_ascii(terminal))
        terminal.line(
            (f"  {lane.name[-_NAME:].ljust(gutter) if gutter else ''}", "dim"), (drawn, ""), (f"  {ends}", "dim")
        )
    if len(lanes) > _LANES:
        terminal.prose(f"and {counted(len(lanes) - _LANES, 'more log')}: --svg FILE draws them", style="dim")


def _list_open(terminal: Terminal, found: Sweep) -> None:
    """The moments without a yes or a no, by the reason."""
    if found.open:
        rows = [(verdict, reason, moments) for (verdict, reason), moments in listed_moments(found.open).items()]
        terminal.table(("verdict", "reason", "moments"), rows[:_LISTED])
        if len(rows) > _LISTED:
            terminal.prose(f"and {counted(len(rows) - _LISTED, 'more reason')}: --to FILE has all rows", style="dim")
        terminal.blank()


def _list_outstanding(terminal: Terminal, found: Sweep) -> None:
    """Where a verdict turns, and the nearest scenarios; those that are open are listed already."""
    outstanding = [each for each in found.outstanding if each.why is not OutstandingFor.OPEN]
    if not outstanding:
        return
    names = {lane.log: lane.name for lane in found.lanes}
    rows = [(f"{names[each.log]} {each.step}", each.told, each.question) for each in outstanding[:_OUTSTANDING]]
    terminal.table(("stands out", "as", "question"), rows, wraps=("as", "question"))
    if len(outstanding) > _OUTSTANDING:
        terminal.prose(f"and {counted(len(outstanding) - _OUTSTANDING, 'more moment')}: --json has all", style="dim")
    terminal.blank()
