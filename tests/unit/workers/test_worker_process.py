"""Workers carry records both ways, end when they are told to, and leave nothing behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from soid.allowance import MORE_TIME
from soid.budget import Cancellation
from soid.surface import Surface, using
from soid.workers.worker_process import WorkerProcess, heard, waking
from tests.unit.workers.echo import Parcel
from tests.waiting import is_running, stop, until

ECHO = "tests.unit.workers.echo"


@pytest.fixture
def worker() -> Iterator[WorkerProcess[Parcel]]:
    made: WorkerProcess[Parcel] = WorkerProcess(ECHO, ["hello"], Parcel)
    yield made
    made.end()


def answer(worker: WorkerProcess[Parcel], text: str, number: int = 0, path: Path = Path()) -> Parcel:
    worker.send(Parcel(text, number, path))
    assert heard([worker]) == [worker]
    (said,) = worker.take()
    return said


def test_records_are_carried_both_ways(worker: WorkerProcess[Parcel]) -> None:
    assert answer(worker, "greet") == Parcel("hello")
    assert answer(worker, "x" * 1_000_000, 1 << 200, Path("no\udc80text")).number == 1 << 200
    assert answer(worker, "", 0, Path("no\udc80text")).path == Path("no\udc80text")
    assert worker.is_ready and worker.is_alive and worker.sent == worker.taken == 3


def test_it_speaks_as_its_parent_did_when_it_started() -> None:
    """Errors of a worker are told as they are: on a page, with no advice for a notebook."""
    for surface in Surface:
        with using(surface):
            worker: WorkerProcess[Parcel] = WorkerProcess(ECHO, ["hello"], Parcel)
            advised = str(MORE_TIME)
        assert answer(worker, "advise").text == advised
        worker.end()


def test_what_it_printed_and_how_it_failed_are_told(worker: WorkerProcess[Parcel]) -> None:
    worker.send(Parcel("fail"))
    assert heard([worker]) == [worker] and worker.take() == []
    assert worker.has_ended and not worker.died_idle and not worker.is_alive
    assert worker.ending() == "exit status 1: ValueError: as it was told"
    assert "what is printed is no message" in worker.printed()


def test_one_that_ends_before_it_reads_died_idle(worker: WorkerProcess[Parcel]) -> None:
    answer(worker, "greet")
    stop(worker.pid)
    worker.send(Parcel("greet"))
    worker.kill()
    assert not worker.is_alive  # though it counts as running until its last thread has ended
    assert heard([worker]) == [worker] and worker.died_idle
    assert worker.ending().startswith("SIGKILL")


def test_waiting_ends_with_the_time_or_when_it_is_called_off(worker: WorkerProcess[Parcel]) -> None:
    answer(worker, "greet")
    stop(worker.pid)
    worker.send(Parcel("x" * 1_000_000))  # more than a pipe takes
    assert heard([worker], time.monotonic() + 0.05) == []
    cancel = Cancellation()
    with waking(cancel) as wake:
        threading.Thread(target=cancel.cancel).start()
        assert heard([worker], None, wake) == []
    assert cancel.cancelled


def test_what_a_leader_of_a_group_has_started_is_killed_with_it() -> None:
    worker: WorkerProcess[Parcel] = WorkerProcess(ECHO, ["hello"], Parcel, leads_session=True)
    started = answer(worker, "start").number
    assert is_running(started)
    worker.end()
    until(lambda: not is_running(started))
    assert not Path(f"/proc/{worker.pid}").exists()


def taken_over(trick: str) -> WorkerProcess[Parcel]:
    """A jailed worker sees its own folder, where this module lies."""
    return WorkerProcess("taken_over", [trick], Parcel, packages=["tests.unit.workers.taken_over"])


def test_one_that_talks_without_end_does_not_hold_its_parent() -> None:
    with Path("/dev/zero").open("rb") as zeros:
        worker = cast("WorkerProcess[Parcel]", SimpleNamespace(output=zeros.fileno(), outbox=b"", read=lambda: False))
        assert heard([worker], time.monotonic() + 0.05) == []


@pytest.mark.parametrize(
    ("trick", "ending"),
    [
        ("long", "it sent a message of 1152921504606846976 bytes"),
        ("garbage", "it sent what is no message (Expected `object`, got `array`)"),
        ("crash", "SIGSEGV"),
    ],
)
def test_a_jailed_worker_that_was_taken_over_is_ended(trick: str, ending: str) -> None:
    worker = taken_over(trick)
    assert heard([worker]) == [worker] and worker.take() == []
    assert worker.has_ended and not worker.is_alive and worker.ending() == ending
    worker.end()


def test_a_jailed_worker_outlives_the_thread_that_asked_for_it() -> None:
    made: list[WorkerProcess[Parcel]] = []

    def start() -> None:
        made.append(taken_over("reads"))
        made[0].send("begin")
        until(lambda: heard(made, time.monotonic() + 0.01) == [] and made[0].taken == 1)

    thread = threading.Thread(target=start)
    thread.start()
    thread.join()
    made[0].send("end")
    assert heard(made) == made and made[0].ending() == "exit status 0"
    made[0].end()


PARENT = """
import os, sys, time
os.close(0)  # as a daemon may
sys.path[:] = {path!r}
from soid.workers.worker_process import WorkerProcess, heard
from tests.unit.workers.echo import Parcel
worker = WorkerProcess({echo!r}, ["hello"], Parcel, leads_session=True)
worker.send(Parcel("greet"))
heard([worker])
print(worker.pid, flush=True)
time.sleep(1000)
"""


def test_an_idle_worker_dies_with_its_parent_which_has_no_standard_input() -> None:
    program = PARENT.format(path=sys.path, echo=ECHO)
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        worker = int(parent.stdout.readline())
        os.kill(parent.pid, signal.SIGKILL)
        until(lambda: not is_running(worker))
