"""A family covered by several processes: each cuts a box at a time, and whoever is done gets the largest that is open.

What is settled is proved, whoever proves it, and a state that shows the goal is evaluated here before it counts. So how
many there are changes how long it takes and nothing else. A worker that dies gives its box back, and is not replaced.
"""

from __future__ import annotations

import selectors
from collections.abc import Callable, Sequence
from typing import Final, final

from soid.formula import flat_terms
from soid.formula.build import var
from soid.formula.passes import evaluate_all
from soid.formula.term import Term
from soid.solver.box_cutter import CutBox, Cuts, ExclusionGoal
from soid.solver.box_cutter_worker import Done, Task
from soid.solver.paving import Paving
from soid.solver.solver_process import WorkerHandle
from soid.solver.solver_worker import READY, frame

_PAUSE: Final = 0.1  # seconds between two looks at the clock

#: whom they ask about single boxes: it keeps its time limit
_SOLVER: Final = "bitwuzla"


@final
class Crew:
    """Workers for one family."""

    def __init__(self, family: Sequence[Term], goal: ExclusionGoal, symbols: Sequence[Term], workers: int) -> None:
        self._family, self._goal = family, goal
        task = Task(flat_terms.dump([*family, goal.shows, goal.doubt, *symbols]), len(family))
        self._workers = [WorkerHandle(_SOLVER, None, "box_cutter_worker") for _ in range(workers)]
        self._at_work: dict[WorkerHandle, CutBox | None] = {}  # None: it is getting ready
        self._selector = selectors.DefaultSelector()
        for worker in self._workers:
            self._selector.register(worker.stdout, selectors.EVENT_READ, worker)
            self._post(worker, task, None)

    def pave(self, paving: Paving, is_over: Callable[[], bool], report: Callable[[Paving], None]) -> None:
        """Go on with a paving until it is done, or there is no more time; then every box is open or settled again."""
        try:
            while self._workers and not is_over():
                self._hand_out(paving)
                if paving.model is not None or not self._at_work:
                    return
                for key, events in self._selector.select(_PAUSE):
                    self._serve(key.data, events, paving)
                report(paving)
        finally:
            self.end()
            for piece in self._at_work.values():
                if piece is not None:
                    paving.add(piece)

    def _hand_out(self, paving: Paving) -> None:
        for worker in self._workers:
            if worker not in self._at_work and not paving.is_over:
                piece = paving.take()
                self._post(worker, piece, piece)

    def _post(self, worker: WorkerHandle, message: object, piece: CutBox | None) -> None:
        worker.outbox = frame(message)
        self._at_work[worker] = piece
        self._selector.register(worker.stdin, selectors.EVENT_WRITE, worker)

    def _serve(self, worker: WorkerHandle, events: int, paving: Paving) -> None:
        if worker not in self._at_work:
            return
        if events & selectors.EVENT_WRITE:
            worker.send()
            if not worker.outbox:
                self._selector.unregister(worker.stdin)
            return
        messages = worker.receive()
        if messages is None:
            self._lose(worker, paving)
        for message in messages or ():
            piece = self._at_work.pop(worker)
            if isinstance(message, Done) and piece is not None:
                paving.enter(self._cuts(message, piece))
            else:
                assert message == READY

    def _lose(self, worker: WorkerHandle, paving: Paving) -> None:
        """It died: somebody else gets its box."""
        piece = self._at_work.pop(worker)
        self._workers.remove(worker)
        self._selector.unregister(worker.stdout)
        if worker.outbox:
            self._selector.unregister(worker.stdin)
        worker.end()
        if piece is not None:
            paving.add(piece)

    def _cuts(self, done: Done, piece: CutBox) -> Cuts:
        """What a worker says came of a piece; a state that does not show the goal is not believed."""
        if done.model is None:
            return Cuts(done.settled, done.open)
        model = {var(name, sort): value for name, sort, value in done.model}
        if all(evaluate_all([*self._family, self._goal.shows], model)):
            return Cuts(done.settled, done.open, model)
        return Cuts(open=[piece])

    def end(self) -> None:
        """Kill them."""
        self._selector.close()
        for worker in self._workers:
            worker.end()
