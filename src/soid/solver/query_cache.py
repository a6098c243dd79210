"""A query cache. Terms are hash-consed, so their set is the key, in any order.

As in KLEE's counterexample cache, a superset of an unsatisfiable set is unsatisfiable. Unknown is never kept: more time
may help.
"""

from __future__ import annotations

import itertools
from collections import OrderedDict
from dataclasses import replace
from typing import Final, final

from soid.formula.term import Term
from soid.solver.protocol import UNLIMITED, Budget, Cancellation, Conjuncts, Result, Sat, Solver, SolverLayer, Unsat

_BY: Final = "cache"
_SIZE: Final = 1024  # answers kept, for sat and for unsat each
_SCANNED: Final = 64  # the latest unsatisfiable sets, which are tried as subsets


@final
class QueryCache(SolverLayer):
    """Keeps the latest answers."""

    def __init__(self, inner: Solver, size: int = _SIZE) -> None:
        super().__init__(inner)
        self._size = size
        self._sat: OrderedDict[frozenset[Term], Sat] = OrderedDict()
        self._unsat: OrderedDict[frozenset[Term], None] = OrderedDict()

    def check(self, conjuncts: Conjuncts, budget: Budget = UNLIMITED, cancel: Cancellation | None = None) -> Result:
        key = frozenset(conjuncts)
        known = self._recall(key)
        if known is not None:
            return known
        result = self._inner.check(conjuncts, budget, cancel)
        if isinstance(result, Sat):
            self._sat[key] = result
            self._trim(self._sat)
        elif isinstance(result, Unsat):
            self._unsat[key] = None
            self._trim(self._unsat)
        return result

    def _recall(self, key: frozenset[Term]) -> Result | None:
        if key in self._sat:
            self._sat.move_to_end(key)
            return replace(self._sat[key], by=_BY)
        for known in itertools.islice(reversed(self._unsat), _SCANNED):
            if known <= key:
                self._unsat.move_to_end(known)
                return Unsat(_BY)
        return Unsat(_BY) if key in self._unsat else None

    def _trim(self, answers: OrderedDict[frozenset[Term], Sat] | OrderedDict[frozenset[Term], None]) -> None:
        while len(answers) > self._size:
            answers.popitem(last=False)

    def close(self) -> None:
        self._sat.clear()
        self._unsat.clear()
        super().close()
