"""Paving with several processes: each cuts one box at a time, and a free one gets the largest open box.

Workers prove what they settle, and a state that shows the goal is evaluated here before it counts. So the number of
workers changes only the time. If a worker dies, its box is open again, and the worker is not replaced.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Final, final

from soid.formula.passes import evaluate_all
from soid.formula.term import Term
from soid.formula.term_rows import model_from_rows, to_rows
from soid.solver.box_cutter import CutBox, Cuts, ExclusionGoal
from soid.solver.box_cutter_worker import Done, Task
from soid.solver.paving import Paving
from soid.workers.worker_process import WorkerProcess, heard

_PAUSE: Final = 0.1  # seconds between two looks at the clock

#: the solver that workers use for single boxes: it keeps its time limit
_SOLVER: Final = "bitwuzla"


@final
class Crew:
    """Workers for one family."""

    def __init__(self, family: Sequence[Term], goal: ExclusionGoal, symbols: Sequence[Term], workers: int) -> None:
        self._family, self._goal = family, goal
        task = Task(*to_rows([*family, goal.shows, goal.doubt, *symbols]), len(family))
        self._at_work: dict[WorkerProcess[Done], CutBox] = {}
        self._workers: list[WorkerProcess[Done]] = []
        for _ in range(workers):
            worker: WorkerProcess[Done] = WorkerProcess("soid.solver.box_cutter_worker", [_SOLVER], Done)
            worker.send(task)
            self._workers.append(worker)

    def pave(self, paving: Paving, is_over: Callable[[], bool], report: Callable[[Paving], None]) -> None:
        """Continue a paving until it is over or `is_over`; in the end every box is open or settled."""
        try:
            while self._workers and not is_over():
                self._hand_out(paving)
                if paving.model is not None or not self._at_work:
                    return
                for worker in heard(self._workers, time.monotonic() + _PAUSE):
                    self._serve(worker, paving)
                report(paving)
        finally:
            self.end()
            for piece in self._at_work.values():
                paving.add(piece)

    def _hand_out(self, paving: Paving) -> None:
        for worker in self._workers:
            if worker not in self._at_work and not paving.is_over:
                self._at_work[worker] = paving.take()
                worker.send(self._at_work[worker])

    def _serve(self, worker: WorkerProcess[Done], paving: Paving) -> None:
        for done in worker.take():
            paving.enter(self._cuts(done, self._at_work.pop(worker)))
        if worker.has_ended:
            self._workers.remove(worker)
            worker.end()
            if worker in self._at_work:
                paving.add(self._at_work.pop(worker))  # another worker gets its box

    def _cuts(self, done: Done, piece: CutBox) -> Cuts:
        """A worker's result; one with a state that does not show the goal is dropped."""
        if done.model is None:
            return Cuts(done.settled, done.open)
        model = model_from_rows(done.model)
        if all(evaluate_all([*self._family, self._goal.shows], model)):
            return Cuts(done.settled, done.open, model)
        return Cuts(open=[piece])

    def end(self) -> None:
        """Kill all workers."""
        for worker in self._workers:
            worker.end()
