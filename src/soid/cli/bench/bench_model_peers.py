"""`soid bench peers --models`: questions about learned models, put to soid, Veritas and treecf in the same run."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence
from typing import Final, final

from msgspec import Struct
from msgspec.structs import replace

from soid.bench.model_peer_tools import TREECF, VERITAS, peer
from soid.bench.model_peers import ModelPeer, ModelQuestion, ModelRow, ModelTimed, measure
from soid.bench.paper_picture import shown
from soid.cli.bench.missing_peers import MissingPeerDocument, tell_missing
from soid.cli.command_line.bench_options import BenchPeersOptions
from soid.cli.output import print_json
from soid.cli.terminal.progress import watched, worded
from soid.cli.terminal.terminal import Terminal
from soid.query.words import counted

FIGURES: Final = (
    "CPU seconds of one thread after the model was read, of five runs the median (of fewer if they take long): "
    "XGBoost, depth 6, 15 features, trained here. A question is whether the decision stays what it is; free features "
    "have any value from -4 to 4. soid's seconds include reading the question, checking the log and confirming the row "
    "by its own evaluation; the others are given a box and search, so soid's search stands beside. For the nearest row "
    "soid returns one feature after the other to the fact, then moves the others near to it; treecf makes the sum of "
    "the changes least, Veritas the greatest change, by halving 20 times. treecf has only this question, so it is put "
    "to it every time. Every row was run on XGBoost itself. The base score is 0.5, since Veritas misreads any other."
)


@final
class ComparedModels(Struct, frozen=True):
    """One tool compared with soid, over the rows of a question."""

    peer: str
    question: ModelQuestion
    rows: int
    answered: int  # by the tool
    soid_answered: int
    soid_first: int  # rows in which soid was at least as fast, or alone answered
    search_first: int  # the same of soid's search alone
    median: float | None  # of the tool's seconds divided by soid's, where both answered


@final
class ModelPeersBenchDocument(Struct, frozen=True, tag_field="bench", tag="peers of models"):
    """What each tool made of the questions, as JSON."""

    limit: float
    missing: list[MissingPeerDocument]
    rows: list[ModelRow]
    summary: list[ComparedModels]


def bench_model_peers(options: BenchPeersOptions) -> int:
    """Measure and show; the exit status is 0 if no two tools contradict each other."""
    peers = [peer(VERITAS, options.veritas), peer(TREECF, options.treecf)]
    rows: list[ModelRow] = []
    try:
        watched(lambda cancel, report: measure(peers, options.limit, rows, cancel, worded(report)))
    finally:
        if rows and options.as_json:
            missing = [MissingPeerDocument(each.name, each.why, each.remedy) for each in peers if each.ask is None]
            print_json(ModelPeersBenchDocument(options.limit, missing, rows, list(compared(peers, rows))))
        elif rows:
            _show(peers, rows, options.limit)
    return 0 if not any(row.contradicts for row in rows) else 1


def compared(peers: Sequence[ModelPeer], rows: Sequence[ModelRow]) -> Iterator[ComparedModels]:
    """Each tool that has rows, question by question."""
    for each in peers:
        for question in ModelQuestion:
            here = [row for row in rows if row.question is question and each.name in row.peers]
            if here:
                yield _compared(each.name, question, here)


def _compared(name: str, question: ModelQuestion, rows: Sequence[ModelRow]) -> ComparedModels:
    pairs = [(row.soid, row.peers[name]) for row in rows]
    both = [other.cpu / soid.cpu for soid, other in pairs if soid.is_answer and other.is_answer]
    return ComparedModels(
        name,
        question,
        len(rows),
        sum(other.is_answer for _, other in pairs),
        sum(soid.is_answer for soid, _ in pairs),
        sum(is_first(soid, other) for soid, other in pairs),
        sum(is_first(replace(soid, cpu=soid.search or soid.cpu), other) for soid, other in pairs),
        statistics.median(both) if both else None,
    )


def is_first(soid: ModelTimed, other: ModelTimed) -> bool:
    """Whether soid answered, and the other tool did not or took at least as long."""
    return soid.is_answer and (not other.is_answer or other.cpu >= soid.cpu)


def _show(peers: Sequence[ModelPeer], rows: Sequence[ModelRow], limit: float) -> None:
    terminal = Terminal.stdout()
    here = [each.name for each in peers if each.ask is not None]
    terminal.rule("Questions about models, put to others: seconds")
    lines = [
        [f"{row.trees:,}", f"{row.margin:+.2f}", row.question.value, row.soid.verdict, _cell(row, row.soid)]
        + [shown(row.soid.search or row.soid.cpu)]
        + [_cell(row, row.peers[name]) for name in here]
        for row in rows
    ]
    terminal.table(("trees", "score", "question", "stays", "soid", "its search", *here), lines, wraps=here)
    terminal.blank()
    for found in compared(peers, rows):
        terminal.prose(in_words(found))
    for name in here:
        terminal.prose(over_all(name, [each for each in compared(peers, rows) if each.peer == name]))
    for row in rows:
        for words in (*row.contradicts, *row.explained):
            terminal.prose(f"{row.trees:,} trees, {row.margin:+.2f}, {row.question.value}: {words}.")
    tell_missing(terminal, [(each.name, each.why, each.remedy) for each in peers if each.ask is None])
    terminal.blank()
    terminal.prose(f"{FIGURES} After {limit:g} s a tool is stopped.", style="dim")


def _cell(row: ModelRow, timed: ModelTimed) -> str:
    remarks = [timed.verdict] if timed is not row.soid and timed.verdict != row.soid.verdict else []
    if row.question.is_nearest and timed.verdict == "no" and not (timed.is_nearest or timed.none_below is not None):
        remarks.append("not proved nearest")
    if timed.note:
        remarks.append(timed.note)
    return shown(timed.cpu) + (f" ({', '.join(remarks)})" if remarks else "")


def in_words(found: ComparedModels) -> str:
    """One sentence about one tool and one question."""
    about = f"{found.peer}, {found.question.value} ({counted(found.rows, 'row')}, {found.answered} answered):"
    said = f"soid answered {found.soid_answered}, and was at least as fast in {found.soid_first}"
    alone = f" (its search alone in {found.search_first})" if found.search_first != found.soid_first else ""
    median = f"; where both answered, {found.median:.2g} times as long as soid (median)" if found.median else ""
    return f"{about} {said}{alone}{median}."


def over_all(peer: str, found: Sequence[ComparedModels]) -> str:
    """One sentence about one tool and all questions."""
    rows, first = sum(each.rows for each in found), sum(each.soid_first for each in found)
    search = sum(each.search_first for each in found)
    return f"{peer}, all {rows} rows: soid was at least as fast in {first}, its search alone in {search}."
