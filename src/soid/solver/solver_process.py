"""A solver in a process of its own, which is killed when its budget is over: no other limit always holds.

The worker stays for the next question, with the state of its back end; a worker that was killed or crashed is replaced
at the next question. A crash of a solver is an `Unknown`.

Several solvers race, because the quickest for a hard question is not known beforehand. Sat or unsat does not depend on
the winner. The model does, so `witness/settlement.py` settles it before a person sees it. `first_answer` waits for all
of them at once, in one thread; asking one solver is a race with one runner.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Final, final

from soid.formula.term_rows import model_from_rows, to_rows
from soid.solver.back_ends import require
from soid.solver.protocol import UNLIMITED, Budget, Cancellation, Conjuncts, Reason, Result, Sat, Unknown, Unsat
from soid.solver.solver_worker import Question, Reply, SatReply, UnsatReply
from soid.workers.worker_process import WorkerProcess, heard, waking

#: At its limit a worker stops by itself if its library can, and keeps its state; this much later it is killed.
_GRACE_SHARE: Final = 0.05
_GRACE_SECONDS: Final = 0.1
#: A worker's start does not count against its first question, up to this much.
_START_SECONDS: Final = 0.5

#: The messages of C++, the C library and Python.
_OUT_OF_MEMORY: Final = ("bad_alloc", "cannot allocate memory", "MemoryError")

Answered = tuple[SatReply | UnsatReply, str]  # with the solver's name


@final
class SolverProcess:
    """A back end behind a pipe."""

    def __init__(self, name: str, *, memory: int | None = None, of_scripts: bool = False) -> None:
        """`of_scripts`: it is asked texts, which may be a stranger's, so it is jailed."""
        require(name)
        self.name = name
        self._memory = memory  # bytes of address space; None: no limit
        self._of_scripts = of_scripts
        self._worker: WorkerProcess[Reply] | None = None

    @property
    def pid(self) -> int | None:
        """The worker's process id, if there is a worker."""
        return None if self._worker is None else self._worker.pid

    def running(self) -> WorkerProcess[Reply]:
        """The worker, started if need be; does not wait until it is ready."""
        if self._worker is not None and not self._worker.is_alive:
            self.close()  # it died between two questions
        if self._worker is None:
            module = "soid.solver.script_worker" if self._of_scripts else "soid.solver.solver_worker"
            packages = [self.name] if self._of_scripts else None
            self._worker = WorkerProcess(module, [self.name], Reply, memory=self._memory or 0, packages=packages)
        return self._worker

    def check(self, conjuncts: Conjuncts, budget: Budget = UNLIMITED, cancel: Cancellation | None = None) -> Result:
        return Race([self]).check(conjuncts, budget, cancel)

    def close(self) -> None:
        """Kill the worker."""
        if self._worker is not None:
            self._worker.end()
            self._worker = None


@final
class Race:
    """Asks the first solver, a little later all of them; after the first answer the others are killed."""

    def __init__(self, processes: Sequence[SolverProcess], head_start: float = 0.0) -> None:
        self._processes = tuple(processes)
        self._head_start = head_start  # seconds; it avoids starting processes that are not needed
        names = ", ".join(process.name for process in processes)
        self.name = f"race({names})" if len(processes) > 1 else names

    def check(self, conjuncts: Conjuncts, budget: Budget = UNLIMITED, cancel: Cancellation | None = None) -> Result:
        rows, roots = to_rows(conjuncts)
        answer = first_answer(
            self._processes, lambda left: Question(rows, roots, left), budget, cancel, self._head_start
        )
        match answer:
            case SatReply(model), by:
                return Sat(model_from_rows(model), by)
            case UnsatReply(), by:
                return Unsat(by)
            case Unknown():
                return answer

    def close(self) -> None:
        for process in self._processes:
            process.close()


def first_answer(
    processes: Sequence[SolverProcess],
    question: Callable[[float | None], object],
    budget: Budget,
    cancel: Cancellation | None,
    head_start: float,
) -> Answered | Unknown:
    """The first sat or unsat of any process; processes that are still at work in the end are killed.

    The first process begins `head_start` seconds before the others; if it answers in time they are not started.
    `question` makes the message to a worker from the seconds that are left.
    """
    if cancel is not None and cancel.cancelled:
        return Unknown(Reason.CANCELLED, "before it began")
    if budget.seconds is not None and budget.seconds <= 0:  # starting processes takes time too
        return Unknown(Reason.TIME, f"{', '.join(process.name for process in processes)}: over before it began")
    run = _Run(processes, question, budget, head_start)
    try:
        with waking(cancel) as wake:
            return run.until_answered(wake, cancel or Cancellation())
    finally:
        run.end()


@final
class _Run:
    """One question to several workers."""

    def __init__(
        self,
        processes: Sequence[SolverProcess],
        question: Callable[[float | None], object],
        budget: Budget,
        head_start: float,
    ) -> None:
        self._began = time.monotonic()
        self._seconds = budget.seconds
        self._question = question
        self._kill_at: float | None = None
        self._runners: dict[WorkerProcess[Reply], SolverProcess] = {}  # at work
        self._unknown: dict[SolverProcess, Unknown] = {}
        first = 1 if head_start > 0 else len(processes)
        self._waiting, self._others_at = list(processes[first:]), self._began + head_start
        self._enter(processes[:first])

    def _enter(self, processes: Sequence[SolverProcess]) -> None:
        """Send the question to these workers; the start of the first one is added to the time."""
        left = None if self._seconds is None else max(0.0, self._began + self._seconds - time.monotonic())
        for process in processes:
            worker = process.running()
            self._runners[worker] = process
            worker.send(self._question(left))
            if self._seconds is not None and self._kill_at is None:
                start = 0.0 if worker.is_ready else _START_SECONDS
                self._kill_at = self._began + start + self._seconds * (1 + _GRACE_SHARE) + _GRACE_SECONDS

    def until_answered(self, wake: int | None, cancel: Cancellation) -> Answered | Unknown:
        while True:
            now = time.monotonic()
            if cancel.cancelled:
                return Unknown(Reason.CANCELLED, f"{self._names()}: killed")
            if self._kill_at is not None and now >= self._kill_at:
                return Unknown(Reason.TIME, f"{self._names()}: killed after {self._seconds:.3g} s")
            if self._waiting and (now >= self._others_at or not self._runners):
                self._enter(self._waiting)
                self._waiting = []
            if not self._runners:
                return _summary(self._unknown)
            moments = (self._others_at if self._waiting else None, self._kill_at)
            until = min((moment for moment in moments if moment is not None), default=None)
            for worker in heard(self._runners, until, wake):
                process = self._runners.pop(worker)
                for reply in worker.take():
                    if not isinstance(reply, Unknown):
                        return reply, process.name
                    self._unknown[process] = reply
                if worker.has_ended:
                    self._bury(process, worker)

    def _bury(self, process: SolverProcess, worker: WorkerProcess[Reply]) -> None:
        """Handle a worker that has ended. If it had not read the question, a new worker gets it."""
        if not worker.died_idle:
            detail, printed = f"its process ended with {worker.ending()}", worker.printed()
            reason = Reason.MEMORY if any(words in printed for words in _OUT_OF_MEMORY) else Reason.SOLVER
            self._unknown.setdefault(process, Unknown(reason, detail))
        process.close()
        if worker.died_idle:
            self._enter([process])

    def _names(self) -> str:
        return ", ".join(process.name for process in self._runners.values())

    def end(self) -> None:
        """Kill the workers that are still at work."""
        for process in self._runners.values():
            process.close()


#: The order in which one of several reasons is chosen: those that more budget may help come first.
_WEIGHT: Final = [Reason.CANCELLED, Reason.TIME, Reason.MEMORY, Reason.SOLVER, Reason.UNSUPPORTED]


def _summary(unknown: dict[SolverProcess, Unknown]) -> Unknown:
    reason = min((result.reason for result in unknown.values()), key=_WEIGHT.index)
    details = "; ".join(
        result.detail if result.detail.startswith(process.name) else f"{process.name}: {result.detail}"
        for process, result in unknown.items()
    )
    return Unknown(reason, details)
