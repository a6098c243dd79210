"""The workers, at most one process for each core, and the queue of their tasks.

A thread for each process sends it a task, reads its messages until the task is done, and takes the next task. Users
take turns, so one with much work does not keep the others waiting. To cancel a task the pool first sends a message; a
worker that does not stop in time is killed and replaced. If a worker dies, only its own task fails.

A task is killed as soon as it is seen that the token with which it was asked for was revoked: nothing more is recorded.

Tasks with a limit of time are about files of strangers, and may last for all of it. They never take the last of several
workers: questions would wait for them.
"""

from __future__ import annotations

import threading
import time
from collections import Counter, deque
from collections.abc import Callable
from pathlib import Path
from typing import Final, final

import msgspec
from msgspec import Struct

from soid.errors import DeskBusy
from soid.oracle.inquiry import Settings
from soid.web.work.job import Job, JobProgress, JobState, Trouble
from soid.web.work.tasks import DeskTask, TaskEvent, TaskReply, WorkOrder
from soid.workers.worker_process import WorkerProcess, heard, waking

_GRACE: Final = 3.0  # seconds that a worker has to stop when its task is cancelled
_WAITING: Final = 200  # tasks of one user that may be queued
_LOOK: Final = 0.2  # seconds between two looks whether a token was revoked

_NO_PROCESS: Final = Trouble("NoProcess", "no process could be started for it", "Close other programs; ask again.")
_CALLED_OFF: Final = Trouble("CalledOff", "it was called off", "Ask again to go on. The record has what was begun.")
_NEVER_BEGUN: Final = Trouble("CalledOff", "it was called off before it was begun", "Ask again to go on.")
_REVOKED: Final = Trouble(
    "CalledOff", "the token with which it was asked for was revoked", "Ask with one that is valid."
)
_NO_TEXT: Final = Trouble("InputError", "there is half a character in it, which is no text", "Write it anew.")


_Worker = WorkerProcess[TaskReply]


@final
class _Item(Struct, frozen=True):
    """A task in the queue."""

    job: Job
    task: DeskTask
    seconds: float | None  # until its worker is killed
    file: Path | None  # that it writes


@final
class Pool:
    """Workers and their queue."""

    def __init__(
        self,
        cores: int,
        settings: Settings,
        *,
        waiting: int = _WAITING,
        may_work: Callable[[str], bool] = lambda _: True,
    ) -> None:
        """`may_work` says whether there may still be work for an author."""
        self._cores = cores
        self._settings = msgspec.json.encode(settings).decode()
        self._most = waiting
        self._may_work = may_work
        self._queue: deque[_Item] = deque()
        self._change = threading.Condition()
        self._closed = False
        self._idle = 0
        self._limited = 0  # tasks with a limit of time that are under way
        self._threads: list[threading.Thread] = []
        self._workers: set[_Worker] = set()

    def put(self, job: Job, task: DeskTask, *, seconds: float | None = None, file: Path | None = None) -> None:
        """Queue a task; its worker is killed `seconds` after the task began."""
        item = _Item(job, task, seconds, file)
        with self._change:
            own = sum(each.job.who == job.who for each in self._queue)
            if self._closed or own >= self._most:
                raise DeskBusy(f"{own} pieces of work are waiting already", "Try again in a while.")
            self._queue.insert(self._turn(own), item)
            if self._idle < len(self._queue) and len(self._threads) < self._cores:
                self._start()
            self._change.notify()
        job.subscribe(self._heard)
        self._places()

    def _turn(self, own: int) -> int:
        """The place in the queue of a user's next item, with so many of their own before it.

        Users take turns: one with many questions does not keep the others waiting until all of these are answered.
        """
        before: Counter[str] = Counter()
        for place, item in enumerate(self._queue):
            if before[item.job.who] > own:
                return place
            before[item.job.who] += 1
        return len(self._queue)

    def warm_up(self) -> None:
        """Start a worker, if there is none, before the first task."""
        with self._change:
            if not self._threads and not self._closed:
                self._start()

    def _start(self) -> None:
        thread = threading.Thread(target=self._serve, name=f"worker-{len(self._threads)}", daemon=True)
        self._threads.append(thread)
        thread.start()

    def close(self) -> None:
        """Cancel all jobs and end the workers."""
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
        """Remove a cancelled job from the queue."""
        if job.state is not JobState.QUEUED or not job.called_off.cancelled:
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
            while not item.job.state.is_final:
                if worker is None or not worker.is_alive:
                    worker = self._started(worker)
                if worker is None:
                    item.job.end(JobState.FAILED, error=_NO_PROCESS)
                else:
                    self._do(item, worker)
            with self._change:
                self._limited -= item.seconds is not None
        if worker is not None:
            self._end(worker)

    def _next(self) -> _Item | None:
        with self._change:
            self._idle += 1
            while (item := self._ready()) is None and not self._closed:
                self._change.wait()
            self._idle -= 1
            if item is None or self._closed:
                return None
            self._queue.remove(item)
            self._limited += item.seconds is not None
            return item

    def _ready(self) -> _Item | None:
        """The first item that may begin."""
        has_room = self._limited < max(1, self._cores - 1)
        return next((item for item in self._queue if has_room or item.seconds is None), None)

    def _started(self, old: _Worker | None) -> _Worker | None:
        """A new worker; None if the system cannot start a process."""
        if old is not None:
            self._end(old)
        try:
            worker: _Worker = WorkerProcess("soid.web.work.worker", [self._settings], TaskReply, leads_session=True)
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

    def _do(self, item: _Item, worker: _Worker) -> None:
        """Run one task; its job stays unfinished if the worker died before it began, and another can be tried."""
        job, killed_at = item.job, None
        if not self._may_work(job.who):
            return job.end(JobState.CANCELLED, error=_REVOKED)
        over = None if item.seconds is None else time.monotonic() + item.seconds
        try:
            worker.send(WorkOrder(job.id, item.task))
        except UnicodeEncodeError:
            return job.end(JobState.FAILED, error=_NO_TEXT)
        with waking(job.called_off) as wake:
            while True:
                now = time.monotonic()
                if job.called_off.cancelled and killed_at is None:
                    worker.send(WorkOrder(job.id))
                    killed_at, wake = now + _GRACE, None
                if killed_at is not None and now >= killed_at:
                    worker.kill()
                    return job.end(JobState.CANCELLED, error=_CALLED_OFF)
                if over is not None and now >= over:
                    worker.kill()
                    return job.end(JobState.FAILED, error=_took_too_long(item.seconds))
                if not self._may_work(job.who):  # to call it off is too little: its answer might still be recorded
                    worker.kill()
                    return job.end(JobState.CANCELLED, error=_REVOKED)
                until = min(moment for moment in (over, killed_at, now + _LOOK) if moment is not None)
                if heard([worker], until, wake) and self._heed(item, worker):
                    return None

    def _heed(self, item: _Item, worker: _Worker) -> bool:
        """Handle the messages of a worker; returns whether it is done with its task."""
        job = item.job
        for reply in worker.take():
            if isinstance(reply, JobProgress):
                job.report(reply)
                continue
            if isinstance(reply, TaskEvent):
                job.happen(reply.event)
                continue
            if reply.state is JobState.DONE:
                job.file = item.file
            job.end(reply.state, result=reply.result, error=reply.error)
            return True
        if not worker.has_ended:
            return False
        if job.called_off.cancelled or self._closed:
            job.end(JobState.CANCELLED, error=_CALLED_OFF)
        elif not worker.died_idle:
            job.end(JobState.FAILED, error=_died(worker.ending()))
        return True


def _took_too_long(seconds: float | None) -> Trouble:
    return Trouble("TooLong", f"it took longer than {seconds:.0f} s, and was stopped", "Give it less to do.")


def _died(how: str) -> Trouble:
    remedy = "Ask again. If it happens again, the machine may have too little memory for the question."
    return Trouble("WorkerDied", f"the process that was at work on it ended with {how}", remedy)
