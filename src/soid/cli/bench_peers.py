"""`soid bench peers`: the same questions in the same run put to others."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from soid.bench.paper_picture import shown
from soid.bench.peers import Peer, Row, Timed, cbmc, measure
from soid.budget import Cancellation
from soid.cli.terminal import Terminal
from soid.cli.watching import Report, watched
from soid.examples import folder
from soid.oracle.asking import Progress

FIGURES: Final = (
    "Seconds on this machine, one run each. first is from nothing: compiled, read, linked, asked, replayed. again is "
    "the question alone, put to the loaded program with a solver that has answered nothing before. cbmc is given the "
    "fact as assignments, what varies as nondeterministic values, what is supposed as assumptions and the behavior as "
    "an assertion; it runs from nothing each time, checks nothing else, and replays nothing."
)


def bench_peers(given: Path | None, limit: float, *, as_json: bool) -> int:
    """Measure and show; 0 if nobody contradicts anybody."""
    peers = [cbmc(given)]
    rows: list[Row] = []

    def do(cancel: Cancellation, report: Report) -> None:
        measure(folder("crash"), peers, limit, rows, cancel, lambda words: report(Progress(words)))

    try:
        watched(do)
    finally:
        if rows and as_json:
            missing = [peer.name for peer in peers if not peer.is_here]
            told = {"bench": "peers", "limit": limit, "missing": missing, "rows": [row.to_json() for row in rows]}
            print(json.dumps(told), flush=True)
        elif rows:
            _show(peers, rows, limit)
    return 0 if all(row.agrees for row in rows) else 1


def _show(peers: Sequence[Peer], rows: Sequence[Row], limit: float) -> None:
    terminal = Terminal.stdout()
    here = [peer.name for peer in peers if peer.is_here]
    terminal.rule("The same questions, put to others")
    headers = ("question, driver", "verdict", "first", "again", *(word for name in here for word in (name, "times")))
    terminal.table(headers, list(_lines(rows, here)), wraps=("question, driver",))
    terminal.blank()
    for peer in peers:
        if not peer.is_here:
            terminal.prose(f"{peer.name} is not here, so nothing is said of it. {peer.remedy}", style="bold")
    terminal.prose(f"{FIGURES} After {limit:g} s a tool is stopped (>).", style="dim")


def _lines(rows: Sequence[Row], here: Sequence[str]) -> Iterator[list[str]]:
    questions = dict.fromkeys(row.question for row in rows)
    for question in questions:
        yield [question, *("" for _ in range(3 + 2 * len(here)))]
        for row in rows:
            if row.question == question:
                others = [cell for name in here for cell in _beside(row, row.peers[name])]
                yield [
                    f"  {row.driver}",
                    row.first.verdict,
                    shown(row.first.seconds),
                    shown(row.again.seconds),
                    *others,
                ]


def _beside(row: Row, other: Timed) -> tuple[str, str]:
    sign = "> " if other.ended else ""
    said = "" if other.verdict == row.first.verdict else f" ({other.verdict})"
    return f"{sign}{shown(other.seconds)}{said}", f"{sign}{other.seconds / row.first.seconds:.1f}"
