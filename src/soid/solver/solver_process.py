"""A solver in a process of its own, which is killed when its budget is over: the only limit that always holds.

The worker is kept for the next question, with what its back end remembers; one that was killed, or crashed, is
replaced when it is needed. A crash is an `Unknown`, never a crash of ours.

`first_answer` waits for any number of workers at once, in one thread: asking one solver is a race with one runner.
"""

from __future__ import annotations

import json
import os
import pickle
import selectors
import signal
import subprocess
import sys
import tempfile
import time
import weakref
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any, Final, final

import soid.solver
from soid.formula import flat_terms
from soid.formula.build import var
from soid.formula.term import Term
from soid.solver.back_ends import require
from soid.solver.protocol import UNLIMITED, Budget, Cancellation, Reason, Result, Sat, Unknown, Unsat
from soid.solver.solver_worker import HEADER, READY, TAKEN, Question, Reply, frame

# A bare package stands in for soid, so that a worker does not load the whole public API; and no `site`, because the
# parent's module path is handed over as it is.
_BOOT: Final = """
import json, sys, types
sys.path[:] = json.loads(sys.argv[1])
package = types.ModuleType("soid")
package.__path__ = [sys.argv[2]]
sys.modules["soid"] = package
from soid.solver.{module} import serve
serve(sys.argv[3], int(sys.argv[4]) or None)
"""

#: A worker ends itself when its time is over, if its library lets it, and stays warm; this much later it is killed.
_GRACE_SHARE: Final = 0.05
_GRACE_SECONDS: Final = 0.1
#: The time a worker takes to start does not count against its first question, up to this much.
_START_SECONDS: Final = 0.5

#: What C++, the C library and Python say when there is none left.
_OUT_OF_MEMORY: Final = ("bad_alloc", "cannot allocate memory", "MemoryError")


@final
class SolverProcess:
    """A back end behind a pipe."""

    def __init__(self, name: str, *, memory: int | None = None) -> None:
        require(name)
        self._name = name
        self._memory = memory  # bytes of address space; None: no limit
        self._worker: WorkerHandle | None = None

    @property
    def name(self) -> str:
        return self._name

    @property
    def pid(self) -> int | None:
        """The worker's process id, if there is a worker."""
        return None if self._worker is None else self._worker.popen.pid

    def start(self) -> None:
        """Start the worker now rather than at the first question; does not wait for it."""
        self.running()

    def running(self) -> WorkerHandle:
        if self._worker is not None and self._worker.popen.poll() is not None:
            self.close()  # it died between two questions
        if self._worker is None:
            self._worker = WorkerHandle(self._name, self._memory)
        return self._worker

    def check(
        self,
        conjuncts: Sequence[Term],
        assumptions: Sequence[Term] = (),
        budget: Budget = UNLIMITED,
        cancel: Cancellation | None = None,
    ) -> Result:
        return first_answer([self], conjuncts, assumptions, budget, cancel)

    def close(self) -> None:
        """Kill the worker."""
        if self._worker is not None:
            self._worker.end()
            self._worker = None


@final
class WorkerHandle:
    """One child process and what has gone to it and come from it."""

    def __init__(self, name: str, memory: int | None, module: str = "solver_worker") -> None:
        """`module` of this package has what it runs."""
        self.errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115  # closed with the worker
        package = str(Path(soid.solver.__file__).parents[1])
        boot = _BOOT.format(module=module)
        command = [sys.executable, "-S", "-c", boot, json.dumps(sys.path), package, name, str(memory or 0)]
        self.popen = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors, bufsize=0
        )
        assert self.popen.stdin is not None and self.popen.stdout is not None
        self.stdin, self.stdout = self.popen.stdin.fileno(), self.popen.stdout.fileno()
        os.set_blocking(self.stdin, False)
        os.set_blocking(self.stdout, False)
        self.ready = False
        self.taken = False  # whether it has the question that was put to it last
        self.outbox = b""
        self.inbox = bytearray()
        self.end = weakref.finalize(self, _end, self.popen, self.errors)  # also when forgotten, and at exit

    def send(self) -> None:
        """Write what the pipe takes."""
        try:
            self.outbox = self.outbox[os.write(self.stdin, self.outbox) :]
        except BlockingIOError:
            pass
        except BrokenPipeError:
            self.outbox = b""  # it died; reading will show that

    def receive(self) -> list[Any] | None:
        """The messages that are complete; None if the worker is gone."""
        try:
            chunk = os.read(self.stdout, 1 << 20)
        except BlockingIOError:
            return []
        if not chunk:
            return None
        self.inbox += chunk
        messages = []
        while len(self.inbox) >= HEADER.size:
            (length,) = HEADER.unpack_from(self.inbox)
            end = HEADER.size + length
            if len(self.inbox) < end:
                break
            messages.append(pickle.loads(self.inbox[HEADER.size : end]))
            del self.inbox[:end]
        return messages

    def post_mortem(self) -> Unknown:
        """How it died, after `receive` said so."""
        status = self.popen.wait()
        self.errors.seek(0)
        said = self.errors.read()[-2000:].decode(errors="replace").strip()
        how = signal.Signals(-status).name if status < 0 else f"exit status {status}"
        reason = Reason.MEMORY if any(words in said for words in _OUT_OF_MEMORY) else Reason.SOLVER
        return Unknown(reason, f"its process ended with {how}" + (f": {said.splitlines()[-1]}" if said else ""))


def _end(popen: subprocess.Popen[bytes], errors: IO[bytes]) -> None:
    popen.kill()
    popen.wait()
    for stream in (popen.stdin, popen.stdout, errors):
        if stream is not None:
            stream.close()


def first_answer(
    processes: Sequence[SolverProcess],
    conjuncts: Sequence[Term],
    assumptions: Sequence[Term],
    budget: Budget,
    cancel: Cancellation | None,
    head_start: float = 0.0,
) -> Result:
    """The first sat or unsat of any of them; who is still at work then, or when the time is over, is killed.

    The first of them begins `head_start` seconds before the others, who need not be started if that is enough.
    """
    if cancel is not None and cancel.cancelled:
        return Unknown(Reason.CANCELLED, "before it began")
    race = _Race(processes, conjuncts, assumptions, budget, head_start)
    try:
        if cancel is None:
            return race.run(None)
        wake_read, wake_write = os.pipe()
        try:
            with cancel.calling(lambda: _wake(wake_write)):
                return race.run(wake_read)
        finally:
            os.close(wake_read)
            os.close(wake_write)
    finally:
        race.end()


def _wake(fd: int) -> None:
    os.write(fd, b"!")


@final
class _Race:
    """One question, put to several workers."""

    def __init__(
        self,
        processes: Sequence[SolverProcess],
        conjuncts: Sequence[Term],
        assumptions: Sequence[Term],
        budget: Budget,
        head_start: float,
    ) -> None:
        self._began = time.monotonic()
        self._seconds = budget.seconds
        self._terms = flat_terms.dump([*conjuncts, *assumptions])
        self._conjuncts = len(conjuncts)
        self._assumptions = assumptions
        self._kill_at: float | None = None
        self._runners: dict[SolverProcess, WorkerHandle] = {}  # those who are at work
        self._unknown: dict[SolverProcess, Unknown] = {}
        self._selector = selectors.DefaultSelector()
        first = 1 if head_start > 0 else len(processes)
        self._waiting, self._others_at = list(processes[first:]), self._began + head_start
        self._enter(processes[:first])

    def _enter(self, processes: Sequence[SolverProcess]) -> None:
        """Put the question to these workers; what one needs to start is added to the time, within reason."""
        left = None if self._seconds is None else max(0.0, self._began + self._seconds - time.monotonic())
        message = frame(Question(self._terms, self._conjuncts, left))
        for process in processes:
            worker = self._runners[process] = process.running()
            worker.outbox, worker.taken = message, False
            self._selector.register(worker.stdout, selectors.EVENT_READ, process)
            self._selector.register(worker.stdin, selectors.EVENT_WRITE, process)
            if self._seconds is not None and self._kill_at is None:
                start = 0.0 if worker.ready else _START_SECONDS
                self._kill_at = self._began + start + self._seconds * (1 + _GRACE_SHARE) + _GRACE_SECONDS

    def run(self, wake: int | None) -> Result:
        if wake is not None:
            self._selector.register(wake, selectors.EVENT_READ, None)
        while True:
            now = time.monotonic()
            if self._kill_at is not None and now >= self._kill_at:
                return Unknown(Reason.TIME, f"{self._names()}: killed after {self._seconds:.3g} s")
            if self._waiting and (now >= self._others_at or not self._runners):
                self._enter(self._waiting)
                self._waiting = []
            if not self._runners:
                return _summary(self._unknown)
            for key, events in self._selector.select(self._pause(now)):
                if key.data is None:
                    return Unknown(Reason.CANCELLED, f"{self._names()}: killed")
                result = self._serve(key.data, events)
                if result is not None:
                    return result

    def _pause(self, now: float) -> float | None:
        """How long nothing needs to be done unless somebody answers."""
        times = [self._others_at] if self._waiting else []
        if self._kill_at is not None:
            times.append(self._kill_at)
        return max(0.0, min(times) - now) if times else None

    def _serve(self, process: SolverProcess, events: int) -> Result | None:
        """Move bytes; the answer, if this made a definite one complete."""
        worker = self._runners.get(process)
        if worker is None:
            return None
        if events & selectors.EVENT_WRITE:
            worker.send()
            if not worker.outbox:
                self._selector.unregister(worker.stdin)
            return None
        messages = worker.receive()
        if messages is None:
            # A process counts as alive until its last thread has ended: this one was dying before it was asked.
            asleep = worker.ready and not worker.taken
            self._leave(process, worker.post_mortem())
            process.close()
            if asleep:
                del self._unknown[process]
                self._enter([process])
            return None
        for message in messages:
            if message in (READY, TAKEN):
                worker.ready, worker.taken = True, message == TAKEN
                continue
            result = _result(message, self._assumptions, process.name)
            if not isinstance(result, Unknown):
                del self._runners[process]
                return result
            self._leave(process, result)
        return None

    def _leave(self, process: SolverProcess, why: Unknown) -> None:
        worker = self._runners.pop(process)
        self._selector.unregister(worker.stdout)
        if worker.outbox:
            self._selector.unregister(worker.stdin)
        self._unknown[process] = why

    def _names(self) -> str:
        return ", ".join(process.name for process in self._runners)

    def end(self) -> None:
        """Kill who is still at work."""
        self._selector.close()
        for process in self._runners:
            process.close()


def _result(reply: Reply, assumptions: Sequence[Term], by: str) -> Result:
    if reply.model is not None:
        return Sat({var(name, sort): value for name, sort, value in reply.model}, by)
    if reply.core is not None:
        return Unsat(tuple(assumptions[place] for place in reply.core), by)
    assert reply.unknown is not None
    return Unknown(*reply.unknown)


#: Which of several reasons to name: what more budget would help comes first.
_WEIGHT: Final = [Reason.CANCELLED, Reason.TIME, Reason.MEMORY, Reason.SOLVER, Reason.UNSUPPORTED]


def _summary(unknown: dict[SolverProcess, Unknown]) -> Unknown:
    reason = min((result.reason for result in unknown.values()), key=_WEIGHT.index)
    details = "; ".join(
        result.detail if result.detail.startswith(process.name) else f"{process.name}: {result.detail}"
        for process, result in unknown.items()
    )
    return Unknown(reason, details)
