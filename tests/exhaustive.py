"""A checker and a solver that try every state: slow, small, and beyond doubt."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import final

from soid.formula import build
from soid.formula.checker import Impossible, Possibility, Possible
from soid.formula.passes import evaluate, free_variables
from soid.formula.sorts import BitVec
from soid.formula.term import Term
from soid.solver.protocol import UNLIMITED, Budget, Cancellation, Result, Sat, Unsat


@final
class Exhaustive:
    """A checker over some symbols."""

    def __init__(self, symbols: Sequence[Term] = ()) -> None:
        self.symbols = symbols
        self.calls = 0

    def __call__(self, conjuncts: Sequence[Term], /) -> Possibility:
        self.calls += 1
        goal = build.all_of(conjuncts)
        symbols = sorted({*self.symbols, *free_variables([goal])}, key=lambda term: term.name)
        for values in itertools.product(*(_values(symbol) for symbol in symbols)):
            state = dict(zip(symbols, values, strict=True))
            if evaluate(goal, state):
                return Possible(state)
        return Impossible()


@final
class ExhaustiveSolver:
    """The same as a solver."""

    name = "exhaustive"

    def __init__(self) -> None:
        self.check_all = Exhaustive()

    def check(
        self, conjuncts: Sequence[Term], budget: Budget = UNLIMITED, cancel: Cancellation | None = None
    ) -> Result:
        answer = self.check_all(conjuncts)
        return Sat(answer.model) if isinstance(answer, Possible) else Unsat()

    def close(self) -> None:
        pass


def _values(symbol: Term) -> Sequence[bool | int]:
    if isinstance(symbol.sort, BitVec):
        assert symbol.sort.width <= 10, "too many states to try"
        return range(1 << symbol.sort.width)
    return (False, True)
