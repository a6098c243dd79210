"""How often each solver was asked, what it said, and how long that took."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import final

from soid.formula.term import Term
from soid.solver.protocol import UNLIMITED, Budget, Cancellation, Result, Sat, Solver, Unsat


@final
@dataclass(slots=True)
class Tally:
    """One solver's record."""

    calls: int = 0
    sat: int = 0
    unsat: int = 0
    unknown: int = 0
    seconds: float = 0.0


@final
@dataclass(slots=True)
class Statistics:
    """The record of a chain."""

    questions: Tally = field(default_factory=Tally)  # all that were asked, with or without a solver
    solvers: dict[str, Tally] = field(default_factory=dict)  # what reached a solver, by its name

    @property
    def solver_calls(self) -> int:
        return sum(tally.calls for tally in self.solvers.values())

    @property
    def solver_seconds(self) -> float:
        return sum(tally.seconds for tally in self.solvers.values())

    def of(self, name: str) -> Tally:
        return self.solvers.setdefault(name, Tally())


@final
class Counting:
    """Keeps a tally of what passes through."""

    def __init__(self, inner: Solver, tally: Tally) -> None:
        self._inner = inner
        self._tally = tally

    @property
    def name(self) -> str:
        return self._inner.name

    def check(
        self,
        conjuncts: Sequence[Term],
        assumptions: Sequence[Term] = (),
        budget: Budget = UNLIMITED,
        cancel: Cancellation | None = None,
    ) -> Result:
        tally = self._tally
        tally.calls += 1
        began = time.perf_counter()
        try:
            result = self._inner.check(conjuncts, assumptions, budget, cancel)
        finally:
            tally.seconds += time.perf_counter() - began
        if isinstance(result, Sat):
            tally.sat += 1
        elif isinstance(result, Unsat):
            tally.unsat += 1
        else:
            tally.unknown += 1
        return result

    def close(self) -> None:
        self._inner.close()
