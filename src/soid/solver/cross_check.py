"""Cross-checking: several solvers must agree. An unknown of one solver leaves the answer to the others.

Each solver gets an equal share of the remaining budget. The first answer in the order of the solvers is returned, so
that the model does not depend on their speed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

from soid.errors import InternalError
from soid.solver.protocol import UNLIMITED, Budget, Cancellation, Conjuncts, Reason, Result, Sat, Solver, Unknown


@final
class CrossCheckingSolver:
    """Asks all solvers; a disagreement is an InternalError."""

    def __init__(self, solvers: Sequence[Solver]) -> None:
        self._solvers = tuple(solvers)
        self.name = " & ".join(solver.name for solver in solvers)

    def check(self, conjuncts: Conjuncts, budget: Budget = UNLIMITED, cancel: Cancellation | None = None) -> Result:
        deadline = budget.started()
        answers: list[tuple[Solver, Result]] = []
        unknown: list[Unknown] = []
        for place, solver in enumerate(self._solvers):
            left = deadline.seconds_left
            share = Budget(None if left is None else left / (len(self._solvers) - place))
            result = solver.check(conjuncts, share, cancel)
            if isinstance(result, Unknown):
                unknown.append(result)
                if result.reason is Reason.CANCELLED:
                    return result
                continue
            for other, answer in answers:
                if type(answer) is not type(result):
                    raise _disagreement(other, answer, solver, result)
            answers.append((solver, result))
        return answers[0][1] if answers else unknown[0]

    def close(self) -> None:
        for solver in self._solvers:
            solver.close()


def _disagreement(one: Solver, its: Result, other: Solver, others: Result) -> InternalError:
    def word(result: Result) -> str:
        return "sat" if isinstance(result, Sat) else "unsat"

    return InternalError(
        f"{one.name} says {word(its)}, {other.name} says {word(others)}, to the same question.",
        "One of them is wrong. Please report this, with the query's .smt2 file (log the queries to get it).",
    )
