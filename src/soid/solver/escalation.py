"""Easy, then hard: a solver in this process with a short limit first; whoever can be killed, with what is left, after.

Most questions are easy, and a pipe costs more than they do. What is too large for the first solver to be punctual, or
to be trusted not to crash, goes to the second at once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, final

from soid.formula.term import Term
from soid.solver.clause_weight import milliseconds
from soid.solver.protocol import UNLIMITED, Budget, Cancellation, Reason, Result, Solver, Unknown

#: Past this much preparation the first solver would keep us waiting for long after its limit.
_EASY_MILLISECONDS: Final = 250


@final
class EscalatingSolver:
    """Asks the first solver briefly, then the second for as long as there is time."""

    def __init__(
        self,
        easy: Solver,
        hard: Solver,
        easy_seconds: float,
        is_for_the_second: Callable[[Sequence[Term]], bool] = lambda _: False,
    ) -> None:
        self._easy = easy
        self._hard = hard
        self._easy_seconds = easy_seconds
        self._is_for_the_second = is_for_the_second  # whether asking the first would be in vain

    @property
    def name(self) -> str:
        return f"{self._easy.name}, then {self._hard.name}"

    def check(
        self,
        conjuncts: Sequence[Term],
        assumptions: Sequence[Term] = (),
        budget: Budget = UNLIMITED,
        cancel: Cancellation | None = None,
    ) -> Result:
        deadline = budget.started()
        terms = [*conjuncts, *assumptions]
        if milliseconds(terms) <= _EASY_MILLISECONDS and not self._is_for_the_second(terms):
            seconds = self._easy_seconds if budget.seconds is None else min(self._easy_seconds, budget.seconds)
            result = self._easy.check(conjuncts, assumptions, Budget(seconds), cancel)
            if not isinstance(result, Unknown) or result.reason is Reason.CANCELLED or deadline.is_over:
                return result
        return self._hard.check(conjuncts, assumptions, deadline.left(), cancel)

    def close(self) -> None:
        self._easy.close()
        self._hard.close()
