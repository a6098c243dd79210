"""The same questions in the same run put to others: cbmc, a bounded model checker, and angr, which follows paths.

soid is measured as they are, from nothing: the program compiled, read and linked for replay, and the answer replayed.
The question alone, put to the loaded program, stands beside that. Where one of the others cannot be had, that is said.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from enum import Enum
from pathlib import Path
from typing import Any, Final, final

from msgspec import Struct
from msgspec.structs import replace

from soid.bench.harness import Entry, harness
from soid.budget import Budget, Cancellation
from soid.case.case import Case
from soid.oracle.asking import Settings
from soid.program.program import CSource
from soid.query.query import Kind
from soid.scenario.family import Family
from soid.solver.chain import chain

DRIVERS: Final = ("standard", "impatient", "pathological")

_CROSSING: Final = ("struct world world; struct memory memory;", "drive(&world, &memory);")

_POLL: Final = 0.05

Tell = Callable[[str], None]


class Group(Enum):
    """What a question leaves free."""

    SIGNAL = "any signal"
    RANGE = "any signal, and x in a range"
    FRONTIER = "any signal, and x, z and angle over the whole approach"


@final
class Asked(Struct, frozen=True):
    """A question about what might have been."""

    group: Group
    at: int | None = None  # its place among the crash example's questions
    words: str = ""  # else, itself

    def text(self, case: Case) -> str:
        assert case.manifest is not None
        return self.words if self.at is None else case.manifest.questions[self.at]


_WHOLE_APPROACH: Final = " and ".join(f"world.agents[1].{each} is anything" for each in ("signal", "x", "z", "angle"))

QUESTIONS: Final = (
    Asked(Group.SIGNAL, 1),
    Asked(Group.SIGNAL, 2),
    Asked(Group.RANGE, 3),
    Asked(Group.RANGE, 4),
    Asked(Group.SIGNAL, 5),
    Asked(Group.SIGNAL, 6),
    Asked(Group.FRONTIER, words=f"would move if {_WHOLE_APPROACH}"),
    Asked(Group.FRONTIER, words=f"might move if {_WHOLE_APPROACH}"),
)


@final
class Put(Struct, frozen=True):
    """A question as it is put to others."""

    kind: Kind
    harness: str  # in C, with the program in it
    source: CSource  # of the program: how it is compiled
    folder: Path  # for what is made along the way


@final
class Timed(Struct, frozen=True):
    """What one tool made of a question."""

    verdict: str  # unknown where it was stopped, or its answer is none
    seconds: float
    ended: bool = False  # its time limit ended it
    note: str = ""  # what else it said

    @property
    def is_answer(self) -> bool:
        return self.verdict != "unknown"

    def to_json(self) -> dict[str, Any]:
        return {"verdict": self.verdict, "seconds": self.seconds, "ended": self.ended, "note": self.note}


Ask = Callable[[Put, float, Cancellation], Timed]


@final
class Peer(Struct, frozen=True):
    """Another tool, and how it is asked."""

    name: str
    ask: Ask | None  # None: it is not here
    remedy: str = ""
    why: str = ""  # it is not here, where more is known than that

    @property
    def is_here(self) -> bool:
        return self.ask is not None


@final
class Row(Struct, frozen=True):
    """One question to one driver."""

    driver: str
    question: str
    group: Group
    first: Timed  # soid, from nothing
    again: Timed  # soid, the program being loaded
    peers: Mapping[str, Timed]

    @property
    def agrees(self) -> bool:
        """Whether nobody who answered said anything else."""
        return len({each.verdict for each in (self.first, self.again, *self.peers.values()) if each.is_answer}) < 2

    def to_json(self) -> dict[str, Any]:
        return {
            "driver": self.driver,
            "question": self.question,
            "group": self.group.name.lower(),
            "first": self.first.to_json(),
            "again": self.again.to_json(),
            "peers": {name: timed.to_json() for name, timed in self.peers.items()},
        }


def measure(
    crash: Path,
    peers: Sequence[Peer],
    limit: float,
    found: list[Row],
    cancel: Cancellation,
    tell: Tell = lambda _: None,
    questions: Sequence[Asked] = QUESTIONS,
) -> None:
    """Row by row; each is in `found` when it is done."""
    with tempfile.TemporaryDirectory(prefix="soid-bench-") as scratch:
        for driver in DRIVERS:
            for number, asked in enumerate(questions, start=1):
                if cancel.cancelled:
                    return
                where = f"{driver}, question {number} of {len(questions)}"
                tell(f"{where}: soid")
                folder = Path(tempfile.mkdtemp(dir=scratch))
                with _own_cache(folder):
                    case, first, again = _soid(crash / driver, asked, limit, cancel)
                    put = put_to_others(case, crash / driver, asked.text(case), folder)
                    others = {}
                    for peer in peers:
                        if peer.ask is not None and not cancel.cancelled:
                            tell(f"{where}: {peer.name}")
                            others[peer.name] = peer.ask(put, limit, cancel)
                if not cancel.cancelled:
                    found.append(Row(driver, asked.text(case), asked.group, first, again, others))


@contextmanager
def _own_cache(folder: Path) -> Iterator[None]:
    """Nothing is remembered from before, nor for later."""
    before = os.environ.get("SOID_CACHE")
    os.environ["SOID_CACHE"] = str(folder / "cache")
    try:
        yield
    finally:
        if before is None:
            del os.environ["SOID_CACHE"]
        else:
            os.environ["SOID_CACHE"] = before


def _soid(project: Path, asked: Asked, limit: float, cancel: Cancellation) -> tuple[Case, Timed, Timed]:
    began = time.perf_counter()
    case = Case.open(project, settings=Settings(seconds=limit))
    question = asked.text(case)
    answer = replace(case, summaries=None).ask(question, cancel=cancel)
    first = Timed(answer.verdict.value, time.perf_counter() - began)
    solver = chain()
    answer = replace(case, summaries=None, solver=solver).ask(question, cancel=cancel)
    solver.close()
    return case, first, Timed(answer.verdict.value, answer.seconds["total"])


def put_to_others(case: Case, project: Path, question: str, folder: Path) -> Put:
    """The question as a harness, in C."""
    assert case.manifest is not None
    query = case.query(question)
    source = case.manifest.program.source
    assert isinstance(source, CSource)
    family = Family(case.program.interface, case.keyframe.inputs, query.suppositions)
    entry = Entry(str((project / source.sources[0]).resolve()), *_CROSSING)
    return Put(query.kind, harness(query, family, entry), source, folder)


def run(
    command: Sequence[str], limit: float, cancel: Cancellation, given: str = "", folder: Path | None = None
) -> tuple[str, str] | None:
    """What it says, on both streams; None if it was stopped."""
    process = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        cwd=folder,
        start_new_session=True,  # Ctrl-C is for us, who end it
    )
    deadline = Budget(limit).started()
    unsent: str | None = given
    try:
        while not deadline.is_over and not cancel.cancelled:
            try:
                return process.communicate(unsent, timeout=_POLL)
            except subprocess.TimeoutExpired:
                unsent = None  # it has been sent, or is being sent
        return None
    finally:
        process.kill()
        process.communicate()
