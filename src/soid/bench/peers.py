"""The same questions asked of other tools in the same run: cbmc, a bounded model checker, and angr, a path explorer.

soid is measured like them, from nothing, in a process of its own: it starts Python, compiles, reads and links the
program, and replays the answer. The question alone, asked of the loaded program, is measured as well. A tool that is
not installed is reported as missing.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from pathlib import Path
from typing import Final, final

from msgspec import Struct

from soid.bench.measurement import Tell, asked_anew, environment_variable, last_line, opened, run
from soid.bench.paper_starts import ask_command, unseen, verdict_in
from soid.bench.peer_harness import harness
from soid.budget import Cancellation
from soid.case.project import Project
from soid.engine.llvm.c_source import CSource, c_source
from soid.query.query import QueryKind
from soid.scenario.family import Family

DRIVERS: Final = ("standard", "impatient", "pathological")

_CROSSING: Final = ("struct world world; struct memory memory;", "drive(&world, &memory);")


class FreedGroup(Enum):
    """What a question leaves free."""

    SIGNAL = "signal"
    RANGE = "range"
    FRONTIER = "frontier"


IN_WORDS: Final = {
    FreedGroup.SIGNAL: "any signal",
    FreedGroup.RANGE: "any signal, and x in a range",
    FreedGroup.FRONTIER: "any signal, and x, z and angle over the whole approach",
}


_WHOLE_APPROACH: Final = " and ".join(f"world.agents[1].{each} is anything" for each in ("signal", "x", "z", "angle"))

#: counterfactual questions: each is a place among those of the crash example, or the question itself
QUESTIONS: Final[tuple[tuple[FreedGroup, int | str], ...]] = (
    (FreedGroup.SIGNAL, 1),
    (FreedGroup.SIGNAL, 2),
    (FreedGroup.RANGE, 3),
    (FreedGroup.RANGE, 4),
    (FreedGroup.SIGNAL, 5),
    (FreedGroup.SIGNAL, 6),
    (FreedGroup.FRONTIER, f"would move if {_WHOLE_APPROACH}"),
    (FreedGroup.FRONTIER, f"might move if {_WHOLE_APPROACH}"),
)


@final
class PeerTask(Struct, frozen=True):
    """A question for other tools."""

    kind: QueryKind
    harness: str  # in C, with the program in it
    source: CSource  # how the program is compiled
    folder: Path  # for temporary files


@final
class Timed(Struct, frozen=True):
    """The result of one tool for a question."""

    verdict: str  # unknown if it was stopped, or gave no answer
    seconds: float
    ended: bool = False  # by its time limit
    note: str = ""  # further output

    @property
    def is_answer(self) -> bool:
        return self.verdict != "unknown"


Ask = Callable[[PeerTask, float, Cancellation], Timed]


@final
class Peer(Struct, frozen=True):
    """Another tool, and how it is asked."""

    name: str
    ask: Ask | None  # None: it is not available
    remedy: str = ""
    why: str = ""  # why it is not available, if that is known

    @property
    def is_here(self) -> bool:
        return self.ask is not None


@final
class PeerRow(Struct, frozen=True):
    """One question to one driver."""

    driver: str
    question: str
    group: FreedGroup
    first: Timed  # soid, from nothing
    again: Timed  # soid, the program being loaded
    peers: Mapping[str, Timed]

    @property
    def agrees(self) -> bool:
        """Whether all answers have the same verdict."""
        return len({each.verdict for each in (self.first, self.again, *self.peers.values()) if each.is_answer}) < 2


def measure(
    crash: Path,
    peers: Sequence[Peer],
    limit: float,
    found: list[PeerRow],
    cancel: Cancellation,
    tell: Tell = lambda _: None,
    questions: Sequence[tuple[FreedGroup, int | str]] = QUESTIONS,
) -> None:
    """Measure row by row; each finished row is added to `found`."""
    with tempfile.TemporaryDirectory(prefix="soid-bench-") as scratch:
        for driver in DRIVERS:
            for number, (group, asked) in enumerate(questions, start=1):
                if cancel.cancelled:
                    return
                where = f"{driver}, question {number} of {len(questions)}"
                tell(f"{where}: soid")
                folder = Path(tempfile.mkdtemp(dir=scratch))
                with environment_variable("SOID_CACHE", folder / "cache"), unseen(folder):
                    project = opened(crash / driver, limit)  # no thread of it compiles in `folder` any more
                    assert project.manifest is not None
                    listed = project.manifest.questions
                    question = asked if isinstance(asked, str) else listed[asked]
                    asked_anew(project, listed[0], cancel)  # loads the program
                    answer = asked_anew(project, question, cancel)
                    again = Timed(answer.verdict.value, answer.seconds["total"])
                    first = _from_nothing(crash / driver, question, limit, folder, cancel)
                    put = put_to_others(project, crash / driver, question, folder)
                    others = {}
                    for peer in peers:
                        if peer.ask is not None and not cancel.cancelled:
                            tell(f"{where}: {peer.name}")
                            others[peer.name] = peer.ask(put, limit, cancel)
                if not cancel.cancelled:
                    found.append(PeerRow(driver, question, group, first, again, others))


def _from_nothing(project: Path, question: str, limit: float, folder: Path, cancel: Cancellation) -> Timed:
    """A new process with empty caches."""
    with unseen(folder):
        command, environment = ask_command(project, question, folder / "first")
        return timed([*command, "--seconds", f"{limit:g}"], limit, cancel, _answered, environment)


def _answered(output: str, errors: str) -> tuple[str, str]:
    verdict = verdict_in(output)
    return (verdict, "") if verdict else ("unknown", last_line(errors))


def put_to_others(case: Project, project: Path, question: str, folder: Path) -> PeerTask:
    assert case.manifest is not None
    query = case.checked(question).query
    source = c_source(case.program)
    assert not case.keyframe.assumed, "the other tools have no unknown inputs"
    family = Family(case.program.interface, case.keyframe.inputs, query.suppositions)
    file = str((project / source.sources[0]).resolve())
    return PeerTask(query.kind, harness(query, family, file, *_CROSSING), source, folder)


def timed(
    command: Sequence[str],
    limit: float,
    cancel: Cancellation,
    judge: Callable[[str, str], tuple[str, str]],
    environment: Mapping[str, str] | None = None,
) -> Timed:
    """Time one process from start to end; `judge` makes a verdict and a note from its output and its errors."""
    began = time.perf_counter()
    streams = run(command, limit, cancel, environment)
    taken = time.perf_counter() - began
    if streams is None:
        return Timed("unknown", taken, ended=not cancel.cancelled)
    verdict, note = judge(*streams)
    return Timed(verdict, taken, note=note)
