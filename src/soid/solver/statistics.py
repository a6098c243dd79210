"""How often each solver was asked, its answers, and the time they took."""

from __future__ import annotations

import time
from typing import final

from msgspec import Struct, field

from soid.budget import UNLIMITED, Budget, Cancellation
from soid.solver.protocol import Conjuncts, Result, Sat, Solver, SolverLayer, Unknown, Unsat


@final
class Tally(Struct):
    """The statistics of one solver."""

    calls: int = 0
    sat: int = 0
    unsat: int = 0
    unknown: int = 0
    seconds: float = 0.0

    def add(self, result: Result, seconds: float) -> None:
        """Count one answer and its time."""
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
    """The statistics of a chain."""

    questions: Tally = field(default_factory=Tally)  # all questions, also those that no solver saw
    boxes: Tally = field(default_factory=Tally)  # questions that boxes settled
    solvers: dict[str, Tally] = field(default_factory=dict)  # questions that reached a solver, by its name

    def of(self, name: str) -> Tally:
        return self.solvers.setdefault(name, Tally())


class CountingSolver(SolverLayer):
    """Counts the answers of the inner solver."""

    def __init__(self, inner: Solver, tally: Tally) -> None:
        super().__init__(inner)
        self._tally = tally

    def check(self, conjuncts: Conjuncts, budget: Budget = UNLIMITED, cancel: Cancellation | None = None) -> Result:
        began = time.perf_counter()
        result = self._inner.check(conjuncts, budget, cancel)
        self._tally.add(result, time.perf_counter() - began)
        return result
