"""The worker of `solver_process.py`: one back end, which answers one question after the other."""

from __future__ import annotations

from typing import final

from msgspec import Struct

from soid.formula.term_rows import Row, from_rows, model_to_rows
from soid.solver.back_ends import in_process
from soid.solver.protocol import Budget, Result, Sat, Unknown, Unsat
from soid.workers.worker_main import WorkerPort


@final
class Question(Struct, frozen=True):
    """A message to a worker."""

    rows: list[Row]
    conjuncts: list[int]  # their rows
    seconds: float | None


@final
class SatReply(Struct, frozen=True, tag="sat"):
    """The conjuncts are satisfiable."""

    model: list[Row]


@final
class UnsatReply(Struct, frozen=True, tag="unsat"):
    """The conjuncts are unsatisfiable."""


Reply = SatReply | UnsatReply | Unknown


def serve(port: WorkerPort, name: str) -> None:
    """Answer questions with the back end of this name."""
    solver = in_process(name, large_stack=True)
    solver.check([])  # loads the library
    port.ready()
    while (question := port.receive(Question)) is not None:
        terms = from_rows(question.rows)
        conjuncts = [terms[row] for row in question.conjuncts]
        port.send(_reply(solver.check(conjuncts, Budget(question.seconds))))


def _reply(result: Result) -> Reply:
    match result:
        case Sat(model):
            return SatReply(model_to_rows(model))
        case Unsat():
            return UnsatReply()
        case Unknown():
            return result
