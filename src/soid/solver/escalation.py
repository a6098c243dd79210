"""Escalation: a solver in this process with a short limit first, then one in a process that can be killed.

Most questions are easy, and sending them through a pipe costs more than solving them. A question that is too large for
the first solver goes to the second one at once: bitwuzla may crash on it, and cannot be interrupted while it turns
terms into clauses. `milliseconds` estimates that time to an order of magnitude, from measurements with chains of twenty
operations each; 300 divisions of float64 took 27 s under a limit of half a second.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final, final

from soid.formula import operators as ops
from soid.formula.sorts import Bool, Float, Sort
from soid.formula.term import Term, postorder
from soid.solver.protocol import UNLIMITED, Budget, Cancellation, Conjuncts, Reason, Result, Solver, Unknown

#: With a larger estimate the first solver would exceed its limit by far.
_EASY_MILLISECONDS: Final = 250


@final
class EscalatingSolver:
    """Asks the first solver briefly, then the second one with the time that is left."""

    def __init__(
        self,
        easy: Solver,
        hard: Solver,
        easy_seconds: float,
        is_hard: Callable[[Sequence[Term]], bool] = lambda _: False,
    ) -> None:
        self._easy = easy
        self._hard = hard
        self._easy_seconds = easy_seconds
        self._is_hard = is_hard  # whether to skip the first solver
        self.name = f"{easy.name}, then {hard.name}"

    def check(self, conjuncts: Conjuncts, budget: Budget = UNLIMITED, cancel: Cancellation | None = None) -> Result:
        deadline = budget.started()
        if milliseconds(conjuncts) <= _EASY_MILLISECONDS and not self._is_hard(conjuncts):
            seconds = self._easy_seconds if budget.seconds is None else min(self._easy_seconds, budget.seconds)
            result = self._easy.check(conjuncts, Budget(seconds), cancel)
            if not isinstance(result, Unknown) or result.reason is Reason.CANCELLED or deadline.is_over:
                return result
        return self._hard.check(conjuncts, deadline.left(), cancel)

    def close(self) -> None:
        self._easy.close()
        self._hard.close()


# --- estimates ------------------------------------------------------------------------------------------------


def _digits(sort: Sort) -> int:
    """The width of the numbers in a circuit for the sort, at most."""
    if isinstance(sort, Bool):
        return 1
    return sort.significand if isinstance(sort, Float) else sort.width


def _linear(milliseconds: float) -> Callable[[Sort], float]:
    return lambda sort: milliseconds * _digits(sort) / 64


def _quadratic(milliseconds: float) -> Callable[[Sort], float]:
    return lambda sort: milliseconds * (_digits(sort) / 64) ** 2


def _remainder(sort: Sort) -> float:
    """One subtraction for each power of two between the operands."""
    assert isinstance(sort, Float)
    return (1 << sort.exponent) * sort.significand / 64


#: Milliseconds, given the sort of the first argument.
_COSTS: Final[dict[str, Callable[[Sort], float]]] = {
    **dict.fromkeys(("bvmul", "bvudiv", "bvurem", "bvsdiv", "bvsrem"), _quadratic(30)),
    **dict.fromkeys(("bvshl", "bvlshr", "bvashr"), _linear(0.5)),
    **dict.fromkeys(("fp.mul", "fp.div", "fp.fma", "fp.sqrt"), _quadratic(40)),
    **dict.fromkeys(("fp.add", "fp.sub"), _linear(8)),
    **dict.fromkeys(("fp.roundToIntegral", "fp.to_fp", "fp.from_sbv", "fp.from_ubv"), _linear(5)),
    **dict.fromkeys(("fp.to_sbv", "fp.to_ubv"), _linear(10)),
    "fp.rem": _remainder,
}
_OTHER: Final = _linear(0.2)


def milliseconds(terms: Iterable[Term]) -> float:
    """The estimated time to turn terms into clauses; shared terms count once."""
    total = 0.0
    for term in postorder(terms):
        if term.args:
            rows = len(term.params[0].rows) if term.op.name == "lookup" else 1
            total += rows * _COSTS.get(term.op.name, _OTHER)(term.args[0].sort)
    return total


#: operators on floats that make a search slow if no argument is a constant
_ENTANGLING: Final = (ops.FP_MUL, ops.FP_DIV, ops.FP_SQRT, ops.FP_FMA, ops.FP_REM)


def entangles(terms: Iterable[Term]) -> bool:
    """Whether varying floats are multiplied, divided, or under a root: boxes often settle such questions sooner."""
    return any(term.op in _ENTANGLING and not any(arg.is_const for arg in term.args) for term in postorder(terms))
