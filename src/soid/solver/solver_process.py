"""A solver in a process of its own, which is killed when its budget is over: the only limit that always holds.

The worker is kept for the next question, with what its back end remembers; one that was killed, or crashed, is
replaced when it is needed. A crash is an `Unknown`, never a crash of ours.

Several solvers race: for hard questions nothing tells beforehand which of them is the quickest. Sat or unsat does not
depend on which one wins, because all of them are right. The model does, so it is settled before a person sees it.
`first_answer` waits for all of them at once, in one thread; asking one solver is a race with one runner.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Final, final

from soid.formula.term import Term
from soid.formula.term_rows import model_from_rows, to_rows
from soid.solver.back_ends import require
from soid.solver.protocol import UNLIMITED, Budget, Cancellation, Reason, Result, Sat, Unknown, Unsat
from soid.solver.solver_worker import Question, Reply, SatReply, UnsatReply
from soid.workers.worker_process import WorkerProcess, heard, waking

#: A worker ends itself when its time is over, if its library lets it, and stays warm; this much later it is killed.
_GRACE_SHARE: Final = 0.05
_GRACE_SECONDS: Final = 0.1
#: The time a worker takes to start does not count against its first question, up to this much.
_START_SECONDS: Final = 0.5

#: What C++, the C library and Python say when there is none left.
_OUT_OF_MEMORY: Final = ("bad_alloc", "cannot allocate memory", "MemoryError")

Answered = tuple[SatReply | UnsatReply, str]  # and the name of the solver whose reply it is


@final
class SolverProcess:
    """A back end behind a pipe."""

    def __init__(self, name: str, *, memory: int | None = None, module: str = "soid.solver.solver_worker") -> None:
        require(name)
        self.name = name
        self._memory = memory  # bytes of address space; None: no limit
        self._module = module  # what its worker runs
        self._worker: WorkerProcess[Reply] | None = None

    @property
    def pid(self) -> int | None:
        """The worker's process id, if there is a worker."""
        return None if self._worker is None else self._worker.pid

    def start(self) -> None:
        """Start the worker now rather than at the first question; does not wait for it."""
        self.running()

    def running(self) -> WorkerProcess[Reply]:
        if self._worker is not None and not self._worker.is_alive:
            self.close()  # it died between two questions
        if self._worker is None:
            self._worker = WorkerProcess(self._module, [self.name], Reply, memory=self._memory or 0)
        return self._worker

    def check(
        self,
        conjuncts: Sequence[Term],
        assumptions: Sequence[Term] = (),
        budget: Budget = UNLIMITED,
        cancel: Cancellation | None = None,
    ) -> Result:
        return Race([self]).check(conjuncts, assumptions, budget, cancel)

    def close(self) -> None:
        """Kill the worker."""
        if self._worker is not None:
            self._worker.end()
            self._worker = None


@final
class Race:
    """Asks the first, a little later all; when one knows, the others are killed."""

    def __init__(self, processes: Sequence[SolverProcess], head_start: float = 0.0) -> None:
        self._processes = tuple(processes)
        self._head_start = head_start  # seconds; starting processes that are not needed is waste
        names = ", ".join(process.name for process in processes)
        self.name = f"race({names})" if len(processes) > 1 else names

    def check(
        self,
        conjuncts: Sequence[Term],
        assumptions: Sequence[Term] = (),
        budget: Budget = UNLIMITED,
        cancel: Cancellation | None = None,
    ) -> Result:
        rows, roots = to_rows([*conjuncts, *assumptions])
        asked, assumed = roots[: len(conjuncts)], roots[len(conjuncts) :]
        answer = first_answer(
            self._processes, lambda left: Question(rows, asked, assumed, left), budget, cancel, self._head_start
        )
        match answer:
            case SatReply(model), by:
                return Sat(model_from_rows(model), by)
            case UnsatReply(core), by:
                return Unsat(tuple(assumptions[place] for place in core), by)
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
    """The first sat or unsat of any of them; those still at work then, or in the end, are killed.

    The first process begins `head_start` seconds before the others, which need not be started if that is enough.
    `question` makes the message to a worker, given the seconds that are left.
    """
    if cancel is not None and cancel.cancelled:
        return Unknown(Reason.CANCELLED, "before it began")
    if budget.seconds is not None and budget.seconds <= 0:  # starting processes takes time too
        return Unknown(Reason.TIME, f"{', '.join(process.name for process in processes)}: over before it began")
    run = _Run(processes, question, budget, head_start)
    try:
        with waking(cancel) as wake:
            return run.until_one_knows(wake, cancel or Cancellation())
    finally:
        run.end()


@final
class _Run:
    """One question, put to several workers."""

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
        self._runners: dict[WorkerProcess[Reply], SolverProcess] = {}  # those at work
        self._unknown: dict[SolverProcess, Unknown] = {}
        first = 1 if head_start > 0 else len(processes)
        self._waiting, self._others_at = list(processes[first:]), self._began + head_start
        self._enter(processes[:first])

    def _enter(self, processes: Sequence[SolverProcess]) -> None:
        """Put the question to these workers; what one needs to start is added to the time, within reason."""
        left = None if self._seconds is None else max(0.0, self._began + self._seconds - time.monotonic())
        for process in processes:
            worker = process.running()
            self._runners[worker] = process
            worker.send(self._question(left))
            if self._seconds is not None and self._kill_at is None:
                start = 0.0 if worker.is_ready else _START_SECONDS
                self._kill_at = self._began + start + self._seconds * (1 + _GRACE_SHARE) + _GRACE_SECONDS

    def until_one_knows(self, wake: int | None, cancel: Cancellation) -> Answered | Unknown:
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
        """A worker has ended: of one that had not taken the question, another one takes it."""
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
        """Kill those still at work."""
        for process in self._runners.values():
            process.close()


#: Which of several reasons to name: what more budget would help comes first.
_WEIGHT: Final = [Reason.CANCELLED, Reason.TIME, Reason.MEMORY, Reason.SOLVER, Reason.UNSUPPORTED]


def _summary(unknown: dict[SolverProcess, Unknown]) -> Unknown:
    reason = min((result.reason for result in unknown.values()), key=_WEIGHT.index)
    details = "; ".join(
        result.detail if result.detail.startswith(process.name) else f"{process.name}: {result.detail}"
        for process, result in unknown.items()
    )
    return Unknown(reason, details)
