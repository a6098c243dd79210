"""Model validation: every model is evaluated in the question, with soid's own arithmetic.

A model that fails means that the solver, or soid, is wrong about an operator. That is an error, never an answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

from soid.errors import ModelMismatchError
from soid.formula.passes import evaluate_all
from soid.formula.term import Term
from soid.solver.protocol import UNLIMITED, Budget, Cancellation, Conjuncts, Model, Result, Sat, SolverLayer


@final
class ValidatingSolver(SolverLayer):
    """Raises a ModelMismatchError for a model that does not satisfy the question."""

    def check(self, conjuncts: Conjuncts, budget: Budget = UNLIMITED, cancel: Cancellation | None = None) -> Result:
        result = self._inner.check(conjuncts, budget, cancel)
        if isinstance(result, Sat):
            self._validate(conjuncts, result.model)
        return result

    def _validate(self, terms: Sequence[Term], model: Model) -> None:
        try:
            values = evaluate_all(terms, model)
        except KeyError as error:
            raise self._mismatch(f"it has no value for {error.args[0]!r}") from error
        for place, value in enumerate(values):
            if not value:
                raise self._mismatch(f"condition {place + 1} of {len(values)} is false in it: {terms[place]!r}")

    def _mismatch(self, what: str) -> ModelMismatchError:
        return ModelMismatchError(
            f"The model of {self._inner.name} is wrong: {what}.",
            "Please report this, with the query's .smt2 file (log the queries to get it).",
        )
