"""A model cache: a recent model often satisfies the next question too, such as a path condition with one more conjunct.

Each model remembers the values of the terms evaluated so far, so only the new terms of a question cost time.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Any, Final, final

from soid.formula import operators as ops
from soid.formula.build import reduced
from soid.formula.passes import free_variables
from soid.formula.term import Term
from soid.solver.protocol import UNLIMITED, Budget, Cancellation, Conjuncts, Model, Result, Sat, Solver, SolverLayer

_BY: Final = "model_reuse"
_MODELS: Final = 6
_MEMO_LIMIT: Final = 100_000  # terms whose values one model remembers


@final
class ModelCache(SolverLayer):
    """Evaluates the question in the latest models before it asks the solver."""

    def __init__(self, inner: Solver, models: int = _MODELS) -> None:
        super().__init__(inner)
        self._recent: deque[_Trial] = deque(maxlen=models)

    def check(self, conjuncts: Conjuncts, budget: Budget = UNLIMITED, cancel: Cancellation | None = None) -> Result:
        for trial in self._recent:
            if trial.satisfies(conjuncts):
                return Sat({variable: trial.value(variable) for variable in free_variables(conjuncts)}, _BY)
        result = self._inner.check(conjuncts, budget, cancel)
        if isinstance(result, Sat) and result.model:
            self._recent.appendleft(_Trial(result.model))
        return result

    def close(self) -> None:
        self._recent.clear()
        super().close()


@final
class _Trial:
    """A model with the values of the terms seen so far. Variables without a value are zero."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._known: dict[Term, Any] = {}

    def satisfies(self, terms: Sequence[Term]) -> bool:
        if len(self._known) > _MEMO_LIMIT:
            self._known.clear()
        return all(self.value(term) for term in reversed(terms))  # the new conjuncts, most often false, are at the end

    def value(self, root: Term) -> Any:
        known, stack = self._known, [root]
        while stack:
            term = stack[-1]
            missing = [arg for arg in term.args if arg not in known]
            if missing:
                stack.extend(missing)
                continue
            stack.pop()
            if term not in known:
                known[term] = self._compute(term)
        return known[root]

    def _compute(self, term: Term) -> Any:
        if term.op is ops.CONST:
            return term.params[0]
        if term.op is ops.VAR:
            return reduced(term.sort, self._model.get(term, 0))
        values = tuple(self._known[arg] for arg in term.args)
        return term.op.fold(tuple(arg.sort for arg in term.args), term.params, values)
