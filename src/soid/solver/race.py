"""Several solvers, each in its own process, and the first who knows: for hard questions, where nobody can tell who it
will be.

Sat or unsat does not depend on who wins, because all of them are right; the model does, so whoever shows one to a
person settles it first.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

from soid.formula.term import Term
from soid.solver.protocol import UNLIMITED, Budget, Cancellation, Reason, Result, Unknown
from soid.solver.solver_process import SolverProcess, first_answer


@final
class RacingSolver:
    """Asks the first, a little later all; when one knows, the others are killed."""

    def __init__(self, processes: Sequence[SolverProcess], head_start: float = 0.0) -> None:
        self._processes = tuple(processes)
        self._head_start = head_start  # seconds; starting processes that are not needed is waste

    @property
    def name(self) -> str:
        names = ", ".join(process.name for process in self._processes)
        return f"race({names})" if len(self._processes) > 1 else names

    def check(
        self,
        conjuncts: Sequence[Term],
        assumptions: Sequence[Term] = (),
        budget: Budget = UNLIMITED,
        cancel: Cancellation | None = None,
    ) -> Result:
        if budget.seconds is not None and budget.seconds <= 0:
            return Unknown(Reason.TIME, f"{self.name}: over before it began")  # starting processes takes time too
        return first_answer(self._processes, conjuncts, assumptions, budget, cancel, self._head_start)

    def close(self) -> None:
        for process in self._processes:
            process.close()
