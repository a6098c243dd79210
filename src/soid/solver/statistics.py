"""How often each solver was asked, what it said, and how long that took."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import final

from msgspec import Struct, field

from soid.formula.term import Term
from soid.solver.protocol import UNLIMITED, Budget, Cancellation, Result, Sat, Solver, SolverLayer, Unknown, Unsat


@final
class Tally(Struct):
    """One solver's record."""

    calls: int = 0
    sat: int = 0
    unsat: int = 0
    unknown: int = 0
    seconds: float = 0.0

    def add(self, result: Result, seconds: float) -> None:
        """Enter one answer, and what it took."""
        self.calls += 1
        self.seconds += seconds
        match result:
            case Sat():
                self.sat += 1
            case Unsat():
                self.unsat += 1
            case Unknown():
                self.unknown += 1


@final
class Statistics(Struct):
    """The record of a chain."""

    questions: Tally = field(default_factory=Tally)  # all that were asked, with or without a solver
    boxes: Tally = field(default_factory=Tally)  # what boxes settled
    solvers: dict[str, Tally] = field(default_factory=dict)  # what reached a solver, by its name

    def of(self, name: str) -> Tally:
        return self.solvers.setdefault(name, Tally())


@final
class CountingSolver(SolverLayer):
    """Keeps a tally of what passes through."""

    def __init__(self, inner: Solver, tally: Tally) -> None:
        super().__init__(inner)
        self._tally = tally

    def check(
        self,
        conjuncts: Sequence[Term],
        assumptions: Sequence[Term] = (),
        budget: Budget = UNLIMITED,
        cancel: Cancellation | None = None,
    ) -> Result:
        began = time.perf_counter()
        result = self._inner.check(conjuncts, assumptions, budget, cancel)
        self._tally.add(result, time.perf_counter() - began)
        return result
