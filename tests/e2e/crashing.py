"""A case worked on by processes that are killed at random moments, and what must be true after each kill.

    python -m tests.e2e.crashing CASE KILLS SEED

One process has imported everything and forks the workers: each opens the case, goes on where the last one was stopped,
and says each answer when it has it. Some kill themselves at a certain point of a question; the others are killed with
SIGKILL after a random time. The last one runs to the end.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn, TextIO

from sqlalchemy import Connection

from soid.case import case as investigation
from soid.case.case import Case
from soid.case.project import Project
from soid.case.record import record
from soid.case.record.entry import Entry, EntryKind
from soid.case.record.record import Record
from soid.engine.manifest_reader import load
from soid.examples import folder

READY = "ready\n"
QUESTIONS = [(question, step) for step in (3, 4) for question in load(folder("microwave")).questions]


def work(file: Path, out: TextIO) -> None:
    """Ask what has no answer yet; an answer is said when `ask` gives it."""
    with Case.open(file, who="worker") as case:
        out.write(READY)
        answered = {(entry.question, entry.step) for entry in case.entries if entry.kind is EntryKind.ANSWERED}
        for question, step in QUESTIONS:
            if (question, step) not in answered:
                entry = case.ask(question, step=step).entry
                out.write(f"{entry.number} {entry.hash}\n")


def worker(file: Path, prepare: Callable[[], None] = lambda: None) -> tuple[int, int]:
    """A process that works on the case, and the end of a pipe that it talks into."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        status = 1
        try:
            prepare()
            work(file, os.fdopen(writing, "w", buffering=1))
            status = 0
        finally:
            os._exit(status)  # not a second interpreter that goes on with what the first was about to do
    os.close(writing)
    return child, reading


# --- points at which a worker dies ----------------------------------------------------------------------------


def die(*_: object, **__: object) -> NoReturn:
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError


def before_looking_for_the_answer() -> None:
    Project.ask = die  # type: ignore[method-assign]


def before_committing_the_answer() -> None:
    vars(investigation)["fact_of"] = die


def while_committing_the_answer() -> None:
    add = record.add_entry

    def added(connection: Connection, entry: Entry) -> None:
        add(connection, entry)
        if entry.kind is EntryKind.ANSWERED:
            die()

    record.add_entry = added


def after_committing_the_answer() -> None:
    append = Record.append

    def appended(self: Record, kind: EntryKind, *given: Any, **more: Any) -> Entry:
        entry = append(self, kind, *given, **more)
        if kind is EntryKind.ANSWERED:
            die()
        return entry

    Record.append = appended  # type: ignore[method-assign]


#: and how many more entries the case has then
POINTS = {
    before_looking_for_the_answer: 1,
    before_committing_the_answer: 1,
    while_committing_the_answer: 1,
    after_committing_the_answer: 2,
}


def at_every_point(file: Path, hashes: list[str]) -> list[str]:
    """A worker that dies at each point of a question, one after the other."""
    for prepare, more in POINTS.items():
        status, said = ended(*worker(file, prepare))
        assert (status, said) == (-signal.SIGKILL, [])
        before, hashes = hashes, check(file, [], hashes)
        assert len(hashes) == len(before) + more, prepare.__name__
    return hashes


# --- what must be true ----------------------------------------------------------------------------------------


def listen(reading: int, lines: int) -> bytes:
    """Wait for so many lines: that the case is open, and answers; or until there are no more."""
    heard = b""
    while heard.count(b"\n") < lines and (more := os.read(reading, 4096)):
        heard += more
    return heard


def ended(child: int, reading: int, heard: bytes = b"") -> tuple[int, list[str]]:
    """The status of a worker that has ended or was killed, and what it has said before."""
    with os.fdopen(reading, "rb") as pipe:
        said = (heard + pipe.read()).decode().splitlines()
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return status, [line for line in said if line != READY.strip()]


def check(file: Path, said: list[str], before: list[str]) -> list[str]:
    """After a kill: the chain holds, nothing that was there or was said is missing; gives the hashes of all entries."""
    kept = Record(file)
    kept.verify()
    hashes = [entry.hash for entry in kept.entries]
    assert hashes[: len(before)] == before, "an entry that was there has gone"
    for line in said:
        number, told = line.split()
        entry = kept.entries[int(number) - 1]
        assert (entry.kind, entry.hash) == (EntryKind.ANSWERED, told), f"an answer that was shown is not there: {line}"
    with Case.open(file) as case:
        assert len(case.unanswered) <= 1
        assert len(case.warnings) == len(case.unanswered), "opening the case says what was left open"
    return hashes


def seconds_an_answer(case: Path) -> float:
    """How long a worker takes for one answer on this machine, and as busy as it is."""
    trial = Path(shutil.copy(case, case.with_name("trial.case")))
    with Case.open(trial) as warming:
        warming.ask("did action == CANCEL")  # what is loaded now, the workers need not load
    started = time.monotonic()
    status, _ = ended(*worker(trial))
    assert status == 0
    return (time.monotonic() - started) / len(QUESTIONS)


def main(case: Path, kills: int, seed: int) -> None:
    """Kill workers so often; whatever is not as it must be is raised."""
    moments = random.Random(seed)
    pace = seconds_an_answer(case)
    new = shutil.copy(case, case.with_name("new.case"))
    file, told = case, {"kills": 0, "said": 0, "open": 0, "cases": 1}
    hashes = at_every_point(file, check(file, [], []))
    while told["kills"] < kills:
        child, reading = worker(file)
        heard = listen(reading, moments.randrange(5))
        time.sleep(moments.uniform(0.0, 2 * pace))
        os.kill(child, signal.SIGKILL)
        status, said = ended(child, reading, heard)
        assert status in (0, -signal.SIGKILL), f"a worker failed: {status}"
        told["said"] += len(said)
        hashes = check(file, said, hashes)
        if status == 0:  # it was done before it was killed: the next one has a case of its own
            file = Path(shutil.copy(new, case.with_name(f"{told['cases']}.case")))
            told["cases"] += 1
            hashes = check(file, [], [])
            continue
        told["kills"] += 1
        told["open"] += len(Case.open(file).unanswered)
    status, said = ended(*worker(file))
    assert status == 0
    check(file, said, hashes)
    entries = Record(file).entries
    answered = [(entry.question, entry.step) for entry in entries if entry.kind is EntryKind.ANSWERED]
    assert answered == QUESTIONS, "resumed, it has every answer once, and in order"
    sys.stdout.write(json.dumps(told))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
