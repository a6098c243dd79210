"""The worker of `crew.py`: it cuts boxes of one family, one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, final

from msgspec import Struct

from soid.formula.checker import Impossible, Open, Possibility, Possible
from soid.formula.term import Term
from soid.formula.term_rows import Row, from_rows, model_to_rows
from soid.solver.back_ends import in_process
from soid.solver.box_cutter import BoxCutter, CutBox, ExclusionGoal
from soid.solver.protocol import Budget, Sat, Unsat
from soid.solver.state_count import Count
from soid.workers.worker_main import WorkerPort

#: seconds of a solver for one box
GLANCE: Final = 0.25


@final
class Task(Struct, frozen=True):
    """The first message to a worker: the family, the goal and the variables."""

    rows: list[Row]
    terms: list[int]  # rows of the family's conditions, of the goal's `shows` and `doubt`, and of the symbols
    family: int  # how many of these are the family's conditions


@final
class Done(Struct, frozen=True):
    """The result of cutting a box: `Cuts` with the model as rows."""

    settled: Count
    open: list[CutBox]
    model: list[Row] | None


def serve(port: WorkerPort, name: str) -> None:
    """Cut boxes; `name` is the solver that checks them."""
    task = port.receive(Task)
    if task is None:
        return
    solver = in_process(name)

    def check(conjuncts: Sequence[Term], /) -> Possibility:
        result = solver.check(conjuncts, Budget(GLANCE))
        if isinstance(result, Sat):
            return Possible(result.model)
        return Impossible() if isinstance(result, Unsat) else Open(result.detail)

    every = from_rows(task.rows)
    terms = [every[row] for row in task.terms]
    family, (shows, doubt, *symbols) = terms[: task.family], terms[task.family :]
    cutter = BoxCutter.of(family, ExclusionGoal(shows, doubt), symbols)
    assert cutter is not None, "the parent has made the same one"
    while (piece := port.receive(CutBox)) is not None:
        cuts = cutter.cut(piece, check)
        port.send(Done(cuts.settled, cuts.open, None if cuts.model is None else model_to_rows(cuts.model)))
