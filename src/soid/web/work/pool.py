"""The workers: as many processes as there are cores to use, and the queue of what they have yet to do.

A thread for each process gives it a task, listens until it is done, and takes the next. What is called off is first
told so; a worker that does not stop in time is killed, and another one takes its place. One that dies takes only its
own task with it.
"""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Mapping
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Final, final

from msgspec import Struct

from soid.errors import DeskBusy
from soid.oracle.inquiry import Settings
from soid.web.work.job import Job, JobProgress, JobState, Trouble
from soid.web.work.messages import receive, send, settings_json

GRACE: Final = 3.0  # seconds that a worker has to stop when its task is called off
WAITING: Final = 200  # tasks that may be queued
_LOOK: Final = 0.05  # seconds between two looks whether a task was called off

_NO_PROCESS: Final = Trouble("NoProcess", "no process could be started for it", "Close other programs; ask again.")
_CALLED_OFF: Final = Trouble("CalledOff", "it was called off", "Ask again to go on. The record has what was begun.")
_NEVER_BEGUN: Final = Trouble("CalledOff", "it was called off before it was begun", "Ask again to go on.")


@final
class _Item(Struct, frozen=True):
    """A task in the queue."""

    job: Job
    task: Mapping[str, Any]
    seconds: float | None  # after which its worker is killed
    file: Path | None  # what it writes


@final
class Pool:
    """Workers and their queue."""

    def __init__(self, cores: int, settings: Settings, *, grace: float = GRACE, waiting: int = WAITING) -> None:
        self._cores = cores
        self._settings = settings
        self._grace = grace
        self._most = waiting
        self._queue: deque[_Item] = deque()
        self._change = threading.Condition()
        self._closed = False
        self._idle = 0
        self._threads: list[threading.Thread] = []
        self._workers: set[_Worker] = set()

    def put(self, job: Job, task: Mapping[str, Any], *, seconds: float | None = None, file: Path | None = None) -> None:
        """Have a task done as soon as a worker is free; `seconds` after it was begun its worker is killed."""
        item = _Item(job, {**task, "kind": job.kind, "job": job.id}, seconds, file)
        with self._change:
            if self._closed or len(self._queue) >= self._most:
                raise DeskBusy(f"{len(self._queue)} pieces of work are waiting already", "Try again in a while.")
            self._queue.append(item)
            if self._idle < len(self._queue) and len(self._threads) < self._cores:
                self._start()
            self._change.notify()
        job.subscribe(self._heard)
        self._places()

    def warm_up(self) -> None:
        """Start a worker, if there is none, before there is anything to do."""
        with self._change:
            if not self._threads and not self._closed:
                self._start()

    def _start(self) -> None:
        thread = threading.Thread(target=self._serve, name=f"worker-{len(self._threads)}", daemon=True)
        self._threads.append(thread)
        thread.start()

    def close(self) -> None:
        """Call everything off and end the workers."""
        with self._change:
            self._closed = True
            left = list(self._queue)
            self._queue.clear()
            self._change.notify_all()
        for item in left:
            item.job.end(JobState.CANCELLED, error=_NEVER_BEGUN)
        for worker in list(self._workers):
            worker.kill()
        for thread in self._threads:
            thread.join()

    def _heard(self, job: Job) -> None:
        """A job that is called off while it waits leaves the queue."""
        if job.state is not JobState.QUEUED or not job.called_off.is_set():
            return
        with self._change:
            item = next((each for each in self._queue if each.job is job), None)
            if item is None:
                return
            self._queue.remove(item)
        job.end(JobState.CANCELLED, error=_NEVER_BEGUN)
        self._places()

    def _places(self) -> None:
        with self._change:
            jobs = [item.job for item in self._queue]
        for place, job in enumerate(jobs):
            job.queue(place)

    def _serve(self) -> None:
        worker = self._started(None)
        while (item := self._next()) is not None:
            self._places()
            item.job.begin()
            for is_last in (False, True):
                if worker is None or not worker.alive:
                    worker = self._started(worker)
                if worker is None:
                    item.job.end(JobState.FAILED, error=_NO_PROCESS)
                else:
                    self._do(item, worker, is_last=is_last)
                if item.job.state.is_final:
                    break
        if worker is not None:
            self._end(worker)

    def _next(self) -> _Item | None:
        with self._change:
            self._idle += 1
            while not self._queue and not self._closed:
                self._change.wait()
            self._idle -= 1
            return None if self._closed else self._queue.popleft()

    def _started(self, old: _Worker | None) -> _Worker | None:
        """A new worker; None where the system has no process left for it."""
        if old is not None:
            self._end(old)
        try:
            worker = _Worker(self._settings)
        except OSError:
            return None
        with self._change:
            self._workers.add(worker)
            if self._closed:
                worker.kill()
        return worker

    def _end(self, worker: _Worker) -> None:
        worker.end()
        with self._change:
            self._workers.discard(worker)

    def _do(self, item: _Item, worker: _Worker, *, is_last: bool) -> None:
        """One task from its beginning to its end, whichever that is.

        Its end is left open only where the worker died before it took the task, and another one may be asked: a process
        counts as alive until its last thread has ended, so this one may have been dying when it was asked.
        """
        job, is_taken = item.job, False
        over = None if item.seconds is None else time.monotonic() + item.seconds
        killed_at: float | None = None  # if it was called off: when its worker's patience ends
        worker.send({"task": item.task})
        while True:
            if job.called_off.is_set() and killed_at is None:
                worker.send({"cancel": job.id})
                killed_at = time.monotonic() + self._grace
            now = time.monotonic()
            if killed_at is not None and now >= killed_at:
                worker.kill()
                return job.end(JobState.CANCELLED, error=_CALLED_OFF)
            if over is not None and now >= over:
                worker.kill()
                return job.end(JobState.FAILED, error=_took_too_long(item.seconds))
            if not worker.has_said(_LOOK):
                continue
            said = worker.hear()
            if said is None:
                why, stopped = worker.post_mortem(), job.called_off.is_set() or self._closed
                if not (is_taken or is_last or stopped):
                    return None
                return job.end(
                    JobState.CANCELLED if stopped else JobState.FAILED, error=_CALLED_OFF if stopped else why
                )
            if "taken" in said:
                is_taken = True
            elif "progress" in said:
                job.report(JobProgress(**said["progress"]))
            elif "result" in said:
                return job.end(JobState.DONE, result=said["result"], file=item.file)
            elif "cancelled" in said:
                return job.end(JobState.CANCELLED, error=Trouble.from_json(said["cancelled"]))
            else:
                return job.end(JobState.FAILED, error=Trouble.from_json(said["error"]))


def _took_too_long(seconds: float | None) -> Trouble:
    return Trouble("TooLong", f"it took longer than {seconds:.0f} s, and was stopped", "Give it less to do.")


@final
class _Worker:
    """One process, with all that it starts, and our end of the pipe to it."""

    def __init__(self, settings: Settings) -> None:
        ours, theirs = socket.socketpair()
        with ours, theirs:
            command = [sys.executable, "-m", "soid.web.work.worker", str(theirs.fileno())]
            self._popen = subprocess.Popen(
                command,
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                start_new_session=True,  # compilers and solvers that it starts are killed with it
            )
            self._connection = Connection(ours.detach())
        self._killed = False
        self.send({"settings": settings_json(settings)})

    @property
    def pid(self) -> int:
        return self._popen.pid

    @property
    def alive(self) -> bool:
        """Whether it may be given a task; one that was killed counts as running until its last thread has ended."""
        return not self._killed and self._popen.poll() is None

    def send(self, message: Mapping[str, Any]) -> None:
        with contextlib.suppress(OSError):  # it is dead: the next `hear` says so
            send(self._connection, message)

    def has_said(self, seconds: float) -> bool:
        return self._connection.poll(seconds)

    def hear(self) -> dict[str, Any] | None:
        return receive(self._connection)

    def kill(self) -> None:
        self._killed = True
        with contextlib.suppress(ProcessLookupError):  # it has ended by itself
            os.killpg(self._popen.pid, signal.SIGKILL)

    def end(self) -> None:
        """Kill it and put everything of it away."""
        self.kill()
        self._popen.wait()
        self._connection.close()

    def post_mortem(self) -> Trouble:
        """Why it died, as far as that can be told."""
        status = self._popen.wait()
        how = f"was killed by signal {-status}" if status < 0 else f"ended with status {status}"
        remedy = "Ask again. If it happens again, the machine may have too little memory for the question."
        return Trouble("WorkerDied", f"the process that was at work on it {how}", remedy)
