"""The other side of `crew.py`: pieces of one family, cut one after the other until the pipe closes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import BinaryIO, Final, final

from msgspec import Struct

from soid.formula import flat_terms
from soid.formula.checker import Impossible, Open, Possibility, Possible
from soid.formula.sorts import Sort
from soid.formula.term import Term
from soid.solver.back_ends import in_process
from soid.solver.box_cutter import BoxCutter, CutBox, ExclusionGoal
from soid.solver.protocol import Budget, Sat, Unsat
from soid.solver.solver_worker import READY, die_with_parent, receive, send, stay
from soid.solver.state_count import Count

#: seconds of a solver for one piece
GLANCE: Final = 0.25


@final
class Task(Struct, frozen=True):
    """What goes to a worker first: the family, what shows the goal and what is in doubt, and what varies."""

    terms: flat_terms.Flat  # the family's conditions, the two, and the symbols
    family: int  # how many of them are the family's


@final
class Done(Struct, frozen=True):
    """What came of a piece, without pointers."""

    settled: Count
    open: list[CutBox]
    model: list[tuple[str, Sort, bool | int]] | None


def serve(name: str, memory: int | None) -> None:
    """Cut until standard input closes; `name` is the solver that is asked about pieces."""
    stay(memory, lambda pieces, results: _loop(name, pieces, results))


def _loop(name: str, pieces: BinaryIO, results: BinaryIO) -> None:
    solver = in_process(name)

    def check(conjuncts: Sequence[Term], /) -> Possibility:
        result = solver.check(conjuncts, (), Budget(GLANCE))
        if isinstance(result, Sat):
            return Possible(result.model)
        return Impossible() if isinstance(result, Unsat) else Open(result.detail)

    task = receive(pieces)
    if task is None:
        return
    terms = flat_terms.load(task.terms)
    family, (shows, doubt, *symbols) = terms[: task.family], terms[task.family :]
    cutter = BoxCutter.of(family, ExclusionGoal(shows, doubt), symbols)
    assert cutter is not None, "who gives the task has laid it out"
    send(results, READY)
    while (piece := receive(pieces)) is not None:
        die_with_parent(True)
        cuts = cutter.cut(piece, check)
        die_with_parent(False)
        model = None if cuts.model is None else [(term.name, term.sort, value) for term, value in cuts.model.items()]
        send(results, Done(cuts.settled, cuts.open, model))
