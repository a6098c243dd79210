"""`soid bench peers`: the same questions, put to soid and to other tools in the same run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, final

from msgspec import Struct

from soid.bench.paper_picture import shown
from soid.bench.peers import IN_WORDS, Peer, PeerRow, Timed, measure
from soid.bench.peers_angr import angr
from soid.bench.peers_cbmc import cbmc
from soid.bench.peers_ratios import Compared, PeerSpread, compared, ratio
from soid.cli.bench.missing_peers import MissingPeerDocument, tell_missing
from soid.cli.command_line.bench_options import BenchPeersOptions
from soid.cli.output import print_json
from soid.cli.terminal.progress import watched, worded
from soid.cli.terminal.terminal import Terminal
from soid.examples import folder
from soid.query.words import counted

FIGURES: Final = (
    "Seconds on this machine, one run each. first is from nothing, in a process of its own: Python started, the "
    "program compiled, read and linked, the question asked, the answer replayed. again is the question alone, put to "
    "the loaded program with a solver that has answered nothing before. The others are given the fact as assignments, "
    "what varies as nondeterministic values, what is supposed as assumptions and the behavior as an assertion; they "
    "run from nothing each time, and replay nothing. cbmc is asked about the assertion alone, and with the checks "
    "that are its standard: soid's answers, too, show that nothing fails. angr follows the paths of the harness as "
    "soid's compiler makes it; it has answered when it has found a failure, or followed every path."
)


@final
class PeersBenchDocument(Struct, frozen=True, tag_field="bench", tag="peers"):
    """What each tool made of the questions, as JSON."""

    limit: float
    missing: list[MissingPeerDocument]
    rows: list[PeerRow]
    summary: list[Compared]


def bench_peers(options: BenchPeersOptions) -> int:
    """Measure and show; the exit status is 0 if no two tools contradict each other."""
    if options.models:
        from soid.cli.bench.bench_model_peers import bench_model_peers  # numpy takes long to load

        return bench_model_peers(options)
    limit = options.limit
    peers = [*cbmc(options.cbmc), angr(options.angr)]
    rows: list[PeerRow] = []
    try:
        watched(lambda cancel, report: measure(folder("crash"), peers, limit, rows, cancel, worded(report)))
    finally:
        if rows and options.as_json:
            missing = [MissingPeerDocument(peer.name, peer.why, peer.remedy) for peer in peers if not peer.is_here]
            print_json(PeersBenchDocument(limit, missing, rows, list(compared(peers, rows))))
        elif rows:
            _show(peers, rows, limit)
    return 0 if all(row.agrees for row in rows) else 1


def _show(peers: Sequence[Peer], rows: Sequence[PeerRow], limit: float) -> None:
    terminal = Terminal.stdout()
    here = [peer.name for peer in peers if peer.is_here]
    numbers = {question: number for number, question in enumerate(dict.fromkeys(row.question for row in rows), start=1)}
    ordered = sorted(rows, key=lambda row: numbers[row.question])
    terminal.rule("The same questions, put to others")
    for question, number in numbers.items():
        terminal.prose(question, indent=4, first=(f"  {number}", ""))
    terminal.blank()
    terminal.rule("Seconds")
    labels = [f"{numbers[row.question]} {row.driver}" for row in ordered]
    lines = [[label, *_seconds(row, here, limit)] for label, row in zip(labels, ordered, strict=True)]
    terminal.table(("driver", "verdict", "first", "again", *here), lines, wraps=here)
    if here:
        terminal.blank()
        terminal.rule("How many times as long as soid's first")
        times = [[ratio(row.peers[name], row.first) for name in here] for row in ordered]
        lines = [[label, *(str(each or "no answer") for each in row)] for label, row in zip(labels, times, strict=True)]
        terminal.table(("driver", *here), lines, wraps=here)
    terminal.blank()
    for each in compared(peers, rows):
        terminal.prose(in_words(each))
    tell_missing(terminal, [(peer.name, peer.why, peer.remedy) for peer in peers if not peer.is_here])
    terminal.blank()
    terminal.prose(f"{FIGURES} After {limit:g} s a tool is stopped.", style="dim")


def _seconds(row: PeerRow, here: Sequence[str], limit: float) -> list[str]:
    others = [_cell(row, row.peers[name], limit) for name in here]
    return [row.first.verdict, shown(row.first.seconds), shown(row.again.seconds), *others]


def _cell(row: PeerRow, other: Timed, limit: float) -> str:
    if other.ended:
        return f"stopped after {limit:g} s"
    remarks = [other.note] if other.note else []
    if other.verdict != row.first.verdict:
        remarks.insert(0, other.verdict)
    return shown(other.seconds) + (f" ({': '.join(remarks)})" if remarks else "")


def in_words(found: Compared) -> str:
    """One sentence about one tool and one group of questions."""
    rows = counted(found.rows, "row")
    if found.stopped:
        rows += f", {found.stopped} stopped"
    silent = found.rows - found.answered - found.stopped
    if silent:
        rows += f", {silent} without an answer"
    about = f"{found.peer}, {IN_WORDS[found.group]} ({rows}):"
    if found.first is None or found.again is None:
        return f"{about} nothing to compare."
    first, again = _spread(found.first), _spread(found.again)
    return f"{about} {first} as long as soid from nothing, {again} as long as soid loaded."


def _spread(found: PeerSpread) -> str:
    if found.least == found.most:
        return f"{found.least} times"
    return f"{found.least} to {found.most} times (median {found.median})"
