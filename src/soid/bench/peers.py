"""The same questions in the same run put to others: cbmc, a bounded model checker, with assumptions and an assertion.

soid is measured as cbmc is, from nothing: the program compiled, read and linked for replay, and the answer replayed.
The question alone, put to the loaded program, stands beside that. Where the other cannot be had, that is said.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, final

from msgspec.structs import replace

from soid.bench.harness import PROPERTY, Entry, harness, verdict
from soid.budget import Budget, Cancellation
from soid.case.case import Case
from soid.errors import InputError
from soid.oracle.asking import Settings
from soid.program.program import CSource
from soid.query.query import Kind
from soid.scenario.family import Family
from soid.solver.chain import chain

DRIVERS: Final = ("standard", "impatient", "pathological")

#: of the crash example's questions: those about what might have been
QUESTIONS: Final = range(1, 7)

_CROSSING: Final = ("struct world world; struct memory memory;", "drive(&world, &memory);")

#: every loop of the program goes round no more often; that it does not is checked along
_UNWIND: Final = 12

_POLL: Final = 0.05

Tell = Callable[[str], None]


@final
@dataclass(frozen=True, slots=True)
class Peer:
    """Another tool, and what it takes to run it."""

    name: str
    command: str | None  # None: it is not here
    remedy: str = ""

    @property
    def is_here(self) -> bool:
        return self.command is not None


@final
@dataclass(frozen=True, slots=True)
class Timed:
    """What one tool made of a question."""

    verdict: str  # unknown where it was stopped, or its answer is none
    seconds: float
    ended: bool = False  # its time limit ended it

    def to_json(self) -> dict[str, Any]:
        return {"verdict": self.verdict, "seconds": self.seconds, "ended": self.ended}


@final
@dataclass(frozen=True, slots=True)
class Row:
    """One question to one driver."""

    driver: str
    question: str
    first: Timed  # soid, from nothing
    again: Timed  # soid, the program being loaded
    peers: dict[str, Timed]

    @property
    def agrees(self) -> bool:
        """Whether nobody who answered said anything else."""
        given = {timed.verdict for timed in (self.first, self.again, *self.peers.values())} - {"unknown"}
        return len(given) < 2

    def to_json(self) -> dict[str, Any]:
        return {
            "driver": self.driver,
            "question": self.question,
            "first": self.first.to_json(),
            "again": self.again.to_json(),
            "peers": {name: timed.to_json() for name, timed in self.peers.items()},
        }


def cbmc(given: Path | None = None) -> Peer:
    """The model checker: as given, else as found."""
    if given is not None and not given.is_file():
        raise InputError(f"there is no {given}", "Name the cbmc to be measured against.")
    found = str(given.resolve()) if given is not None else shutil.which("cbmc")
    return Peer("cbmc", found, "Install it from your distribution, or name it: --cbmc FILE.")


def measure(
    crash: Path,
    peers: Sequence[Peer],
    limit: float,
    found: list[Row],
    cancel: Cancellation,
    tell: Tell = lambda _: None,
    questions: Sequence[int] = QUESTIONS,
) -> None:
    """Row by row; each is in `found` when it is done."""
    with tempfile.TemporaryDirectory(prefix="soid-bench-") as scratch:
        for driver in DRIVERS:
            for number in questions:
                if cancel.cancelled:
                    return
                tell(f"{driver}, question {number}: soid")
                folder = Path(tempfile.mkdtemp(dir=scratch))
                case, first, again = _soid(crash / driver, number, limit, folder, cancel)
                others = {}
                for peer in peers:
                    if peer.command is not None:
                        tell(f"{driver}, question {number}: {peer.name}")
                        others[peer.name] = _checked(peer.command, case, crash / driver, number, limit, folder, cancel)
                if not cancel.cancelled:
                    assert case.manifest is not None
                    found.append(Row(driver, case.manifest.questions[number], first, again, others))


def _soid(project: Path, number: int, limit: float, folder: Path, cancel: Cancellation) -> tuple[Case, Timed, Timed]:
    before = os.environ.get("SOID_CACHE")
    os.environ["SOID_CACHE"] = str(folder / "cache")
    try:
        began = time.perf_counter()
        case = Case.open(project, settings=Settings(seconds=limit))
        assert case.manifest is not None
        question = case.manifest.questions[number]
        answer = replace(case, summaries=None).ask(question, cancel=cancel)
        first = Timed(answer.verdict.value, time.perf_counter() - began)
        solver = chain()
        answer = replace(case, summaries=None, solver=solver).ask(question, cancel=cancel)
        solver.close()
        return case, first, Timed(answer.verdict.value, answer.seconds["total"])
    finally:
        if before is None:
            del os.environ["SOID_CACHE"]
        else:
            os.environ["SOID_CACHE"] = before


def _checked(
    command: str, case: Case, project: Path, number: int, limit: float, folder: Path, cancel: Cancellation
) -> Timed:
    assert case.manifest is not None
    query = case.query(case.manifest.questions[number])
    source = case.manifest.program.source
    assert isinstance(source, CSource)
    family = Family(case.program.interface, case.keyframe.inputs, query.suppositions, pinning=False)
    entry = Entry(str((project / source.sources[0]).resolve()), *_CROSSING)
    file = folder / "harness.c"
    file.write_text(harness(query, family, entry), encoding="utf-8")
    defines = [f"-D{each}" for each in source.defines]
    began = time.perf_counter()
    said = run([command, *_options(command), *defines, str(file)], limit, cancel)
    taken = time.perf_counter() - began
    if said is None:
        return Timed("unknown", taken, ended=not cancel.cancelled)
    return Timed(judged(query.kind, said), taken)


def _options(command: str) -> list[str]:
    """No checks but the assertion's, and that loops were followed to their ends."""
    said = subprocess.run([command, "--version"], capture_output=True, text=True, check=False).stdout
    major = int(said.split(".")[0]) if said.split(".")[0].isdigit() else 0
    quiet = ["--no-standard-checks"] if major >= 6 else []  # before, these were off
    return [*quiet, "--unwind", str(_UNWIND), "--unwinding-assertions", "--json-ui"]


def run(command: Sequence[str], limit: float, cancel: Cancellation) -> str | None:
    """What it says; None if it was stopped."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    deadline = Budget(limit).started()
    try:
        while not deadline.is_over and not cancel.cancelled:
            try:
                return process.communicate(timeout=_POLL)[0]
            except subprocess.TimeoutExpired:
                continue
        return None
    finally:
        process.kill()
        process.communicate()


def judged(kind: Kind, said: str) -> str:
    """The verdict in cbmc's report; unknown where a loop was cut short, or nothing is said of the behavior."""
    try:
        results = list(_results(json.loads(said)))
    except ValueError:
        return "unknown"
    behaviors = [each["status"] for each in results if each.get("description") == PROPERTY]
    if behaviors == ["FAILURE"]:
        return verdict(kind, holds=False)
    if behaviors == ["SUCCESS"] and all(each["status"] == "SUCCESS" for each in results):
        return verdict(kind, holds=True)
    return "unknown"


def _results(report: Any) -> Iterator[dict[str, Any]]:
    for message in report if isinstance(report, list) else ():
        if isinstance(message, dict):
            yield from message.get("result", ())
