"""cvc5, the third back end. It holds Python's global lock, cannot be interrupted and overshoots its own time limit, so
a hard budget needs a process of its own.

Float formats other than float32 and float64 are refused: cvc5 supports them only experimentally and with known faults
(option fp-exp), and an answer here is a proof.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, final

import cvc5
from cvc5 import Kind

from soid.formula.operators import Operator
from soid.formula.softfloat import Rounding
from soid.formula.sorts import FLOAT32, FLOAT64, BitVec, Bool, Float, Sort
from soid.solver.native import SPELLINGS, mode_and_indices
from soid.solver.protocol import Cancellation, Reason, Unknown

_KINDS: Final[dict[str, Any]] = {name: getattr(Kind, spelling.cvc5) for name, spelling in SPELLINGS.items()}

_MODES: Final[dict[Rounding, Any]] = {
    Rounding.RNE: cvc5.RoundingMode.ROUND_NEAREST_TIES_TO_EVEN,
    Rounding.RNA: cvc5.RoundingMode.ROUND_NEAREST_TIES_TO_AWAY,
    Rounding.RTP: cvc5.RoundingMode.ROUND_TOWARD_POSITIVE,
    Rounding.RTN: cvc5.RoundingMode.ROUND_TOWARD_NEGATIVE,
    Rounding.RTZ: cvc5.RoundingMode.ROUND_TOWARD_ZERO,
}

_NO_LIMIT: Final = "0"
_REASONS: Final[dict[Any, Reason]] = {
    cvc5.UnknownExplanation.TIMEOUT: Reason.TIME,
    cvc5.UnknownExplanation.MEMOUT: Reason.MEMORY,
}


@final
class Cvc5Native:
    """cvc5's side of a session."""

    errors: tuple[type[Exception], ...] = (RuntimeError,)
    formats: tuple[Float, ...] | None = (FLOAT32, FLOAT64)

    def __init__(self) -> None:
        self._terms = cvc5.TermManager()
        self.clear()
        self._modes = {mode: self._terms.mkRoundingMode(native) for mode, native in _MODES.items()}

    def _sort(self, sort: Sort) -> Any:
        match sort:
            case Bool():
                return self._terms.getBooleanSort()
            case BitVec(width):
                return self._terms.mkBitVectorSort(width)
            case Float(exponent, significand):
                return self._terms.mkFloatingPointSort(exponent, significand)

    def constant(self, sort: Sort, value: bool | int) -> Any:
        match sort:
            case Bool():
                return self._terms.mkBoolean(bool(value))
            case BitVec(width):
                return self._terms.mkBitVector(width, format(value, "b"), 2)
            case Float():
                bits = self._terms.mkBitVector(sort.width, format(value, "b"), 2)
                return self._terms.mkFloatingPoint(sort.exponent, sort.significand, bits)

    def variable(self, name: str, sort: Sort) -> Any:
        return self._terms.mkConst(self._sort(sort), name)

    def apply(self, op: Operator, params: tuple[Any, ...], sort: Sort, args: Sequence[Any]) -> Any:
        mode, indices = mode_and_indices(op, params)
        first = [] if mode is None else [self._modes[mode]]
        return self._terms.mkTerm(self._terms.mkOp(_KINDS[op.name], *indices), *first, *args)

    def push(self) -> None:
        self._solver.push(1)

    def pop(self) -> None:
        self._solver.pop(1)

    def clear(self) -> None:
        self._solver = cvc5.Solver(self._terms)
        self._solver.setLogic("QF_BVFP")
        for option in ("produce-models", "incremental"):
            self._solver.setOption(option, "true")

    def add(self, formula: Any) -> None:
        self._solver.assertFormula(formula)

    def solve(self, seconds: float | None, cancel: Cancellation | None) -> bool | Unknown:
        limit = _NO_LIMIT if seconds is None else str(max(1, int(seconds * 1000)))
        self._solver.setOption("tlimit-per", limit)
        result = self._solver.checkSat()
        if result.isSat():
            return True
        if result.isUnsat():
            return False
        why = result.getUnknownExplanation()
        return Unknown(_REASONS.get(why, Reason.SOLVER), f"cvc5: {why.name.lower()}")

    def value(self, variable: Any, sort: Sort) -> bool | int:
        value = self._solver.getValue(variable)
        match sort:
            case Bool():
                return bool(value.getBooleanValue())
            case BitVec():
                return int(value.getBitVectorValue(2), 2)
            case Float():
                return int(value.getFloatingPointValue()[2].getBitVectorValue(2), 2)
