"""Answers questions that need no solver: a conjunct is false, two contradict, or equalities fix every variable.

    x = 3,  x + 1 < 9                ->  sat, x = 3
    p,  q,  not p                    ->  unsat
    true,  x < 5                     ->  x < 5, for the solver

Other questions go to the solver without constants and repetitions, and with conjunctions flattened.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, final

from soid.formula import operators as ops
from soid.formula.build import FALSE
from soid.formula.passes import evaluate_all, flatten_and, mentions_only
from soid.formula.sorts import Bool
from soid.formula.term import Term
from soid.solver.protocol import UNLIMITED, Budget, Cancellation, Conjuncts, Result, Sat, SolverLayer, Unsat

_BY: Final = "folding"


@final
class ConstantFolder(SolverLayer):
    """Answers questions by constant folding."""

    def check(self, conjuncts: Conjuncts, budget: Budget = UNLIMITED, cancel: Cancellation | None = None) -> Result:
        flat = flatten_and(conjuncts)
        seen = set(flat)
        if FALSE in seen or any(term.op is ops.NOT and term.args[0] in seen for term in flat):
            return Unsat(_BY)
        settled = _evaluated(flat)
        return self._inner.check(flat, budget, cancel) if settled is None else settled


def _evaluated(terms: Sequence[Term]) -> Sat | Unsat | None:
    """The answer if equalities fix every variable, else None."""
    values: dict[Term, bool | int] = {}
    for term in terms:
        binding = _binding(term)
        if binding is not None:
            values[binding[0]] = binding[1]
    if (terms and not values) or not mentions_only(terms, values):
        return None
    return Sat(values, _BY) if all(evaluate_all(terms, values)) else Unsat(_BY)


def _binding(term: Term) -> tuple[Term, bool | int] | None:
    """The variable that the term fixes, with its value."""
    if term.op is ops.VAR:
        return term, True
    if term.op is ops.NOT and term.args[0].op is ops.VAR:
        return term.args[0], False
    if term.op is ops.EQ:
        for one, other in (term.args, term.args[::-1]):
            if one.op is ops.VAR and other.op is ops.CONST and not isinstance(one.sort, Bool):
                return one, other.value
    return None
