"""The worker of `solver_process.py`: one back end, which answers one question after the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

from msgspec import Struct

from soid.formula.term import Term
from soid.formula.term_rows import Row, from_rows, model_to_rows
from soid.solver.back_ends import in_process
from soid.solver.protocol import Budget, Result, Sat, Unknown, Unsat
from soid.workers.worker_main import WorkerPort


@final
class Question(Struct, frozen=True):
    """A message to a worker."""

    rows: list[Row]
    conjuncts: list[int]  # their rows
    assumptions: list[int]
    seconds: float | None


@final
class SatReply(Struct, frozen=True, tag="sat"):
    """The conjuncts and assumptions are satisfiable."""

    model: list[Row]


@final
class UnsatReply(Struct, frozen=True, tag="unsat"):
    """The conjuncts and assumptions are unsatisfiable."""

    core: list[int]  # places among the assumptions


Reply = SatReply | UnsatReply | Unknown


def serve(port: WorkerPort, name: str) -> None:
    """Answer questions with the back end of this name."""
    solver = in_process(name, large_stack=True)
    solver.check([])  # loads the library
    port.ready()
    while (question := port.receive(Question)) is not None:
        terms = from_rows(question.rows)
        conjuncts, assumptions = ([terms[row] for row in rows] for rows in (question.conjuncts, question.assumptions))
        port.send(_reply(solver.check(conjuncts, assumptions, Budget(question.seconds)), assumptions))


def _reply(result: Result, assumptions: Sequence[Term]) -> Reply:
    match result:
        case Sat(model):
            return SatReply(model_to_rows(model))
        case Unsat(core):
            return UnsatReply([place for place, term in enumerate(assumptions) if term in core])
        case Unknown():
            return result
