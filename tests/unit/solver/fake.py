"""A solver that says what it is told to, and remembers what it was asked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import final

from soid.formula.term import Term
from soid.solver.protocol import UNLIMITED, Budget, Cancellation, Result


@final
class Fake:
    """Gives its answers in turn, the last one for ever; an answer may be a function of the conjuncts."""

    def __init__(self, *answers: Result | Callable[[Sequence[Term]], Result], name: str = "fake") -> None:
        self._answers = list(answers)
        self._name = name
        self.asked: list[tuple[Term, ...]] = []
        self.budgets: list[Budget] = []
        self.closed = 0

    @property
    def name(self) -> str:
        return self._name

    def check(
        self, conjuncts: Sequence[Term], budget: Budget = UNLIMITED, cancel: Cancellation | None = None
    ) -> Result:
        self.asked.append(tuple(conjuncts))
        self.budgets.append(budget)
        answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        return answer(conjuncts) if callable(answer) else answer

    def close(self) -> None:
        self.closed += 1
