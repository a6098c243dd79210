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

from soid.formula.softfloat import Rounding
from soid.formula.sorts import FLOAT32, FLOAT64, BitVec, Bool, Float, Sort
from soid.formula.term import Term
from soid.solver.native import UnsupportedTerm
from soid.solver.protocol import Cancellation, Reason, Unknown

_PLAIN: Final[dict[str, Any]] = {
    "not": Kind.NOT,
    "and": Kind.AND,
    "or": Kind.OR,
    "=": Kind.EQUAL,
    "ite": Kind.ITE,
    "bvnot": Kind.BITVECTOR_NOT,
    "bvneg": Kind.BITVECTOR_NEG,
    "bvand": Kind.BITVECTOR_AND,
    "bvor": Kind.BITVECTOR_OR,
    "bvxor": Kind.BITVECTOR_XOR,
    "bvadd": Kind.BITVECTOR_ADD,
    "bvsub": Kind.BITVECTOR_SUB,
    "bvmul": Kind.BITVECTOR_MULT,
    "bvudiv": Kind.BITVECTOR_UDIV,
    "bvurem": Kind.BITVECTOR_UREM,
    "bvsdiv": Kind.BITVECTOR_SDIV,
    "bvsrem": Kind.BITVECTOR_SREM,
    "bvshl": Kind.BITVECTOR_SHL,
    "bvlshr": Kind.BITVECTOR_LSHR,
    "bvashr": Kind.BITVECTOR_ASHR,
    "bvult": Kind.BITVECTOR_ULT,
    "bvule": Kind.BITVECTOR_ULE,
    "bvslt": Kind.BITVECTOR_SLT,
    "bvsle": Kind.BITVECTOR_SLE,
    "concat": Kind.BITVECTOR_CONCAT,
    "fp.abs": Kind.FLOATINGPOINT_ABS,
    "fp.neg": Kind.FLOATINGPOINT_NEG,
    "fp.rem": Kind.FLOATINGPOINT_REM,
    "fp.lt": Kind.FLOATINGPOINT_LT,
    "fp.leq": Kind.FLOATINGPOINT_LEQ,
    "fp.eq": Kind.FLOATINGPOINT_EQ,
    "fp.isNaN": Kind.FLOATINGPOINT_IS_NAN,
    "fp.isInfinite": Kind.FLOATINGPOINT_IS_INF,
    "fp.isZero": Kind.FLOATINGPOINT_IS_ZERO,
    "fp.isNormal": Kind.FLOATINGPOINT_IS_NORMAL,
    "fp.isSubnormal": Kind.FLOATINGPOINT_IS_SUBNORMAL,
    "fp.isNegative": Kind.FLOATINGPOINT_IS_NEG,
    "fp.isPositive": Kind.FLOATINGPOINT_IS_POS,
}

#: The parameters are the kind's indices.
_INDEXED: Final[dict[str, Any]] = {
    "extract": Kind.BITVECTOR_EXTRACT,
    "zero_extend": Kind.BITVECTOR_ZERO_EXTEND,
    "sign_extend": Kind.BITVECTOR_SIGN_EXTEND,
    "fp.from_bits": Kind.FLOATINGPOINT_TO_FP_FROM_IEEE_BV,
}

#: To nearest, ties to even.
_ROUNDED: Final[dict[str, Any]] = {
    "fp.add": Kind.FLOATINGPOINT_ADD,
    "fp.sub": Kind.FLOATINGPOINT_SUB,
    "fp.mul": Kind.FLOATINGPOINT_MULT,
    "fp.div": Kind.FLOATINGPOINT_DIV,
    "fp.fma": Kind.FLOATINGPOINT_FMA,
    "fp.sqrt": Kind.FLOATINGPOINT_SQRT,
}

#: To nearest, ties to even; the parameters are the kind's indices.
_CONVERTED: Final[dict[str, Any]] = {
    "fp.to_fp": Kind.FLOATINGPOINT_TO_FP_FROM_FP,
    "fp.from_sbv": Kind.FLOATINGPOINT_TO_FP_FROM_SBV,
    "fp.from_ubv": Kind.FLOATINGPOINT_TO_FP_FROM_UBV,
}

#: The first parameter is the rounding mode, the others are the kind's indices.
_MODED: Final[dict[str, Any]] = {
    "fp.to_sbv": Kind.FLOATINGPOINT_TO_SBV,
    "fp.to_ubv": Kind.FLOATINGPOINT_TO_UBV,
}

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

REFUSED: Final[frozenset[str]] = frozenset()
COVERED: Final = frozenset({*_PLAIN, *_INDEXED, *_ROUNDED, *_CONVERTED, *_MODED, "fp.roundToIntegral"})


@final
class Cvc5Native:
    """cvc5's side of a session."""

    errors: tuple[type[Exception], ...] = (RuntimeError,)

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
                _refuse_format(sort)
                return self._terms.mkFloatingPointSort(exponent, significand)

    def constant(self, sort: Sort, value: bool | int) -> Any:
        match sort:
            case Bool():
                return self._terms.mkBoolean(bool(value))
            case BitVec(width):
                return self._terms.mkBitVector(width, format(value, "b"), 2)
            case Float():
                _refuse_format(sort)
                bits = self._terms.mkBitVector(sort.width, format(value, "b"), 2)
                return self._terms.mkFloatingPoint(sort.exponent, sort.significand, bits)

    def variable(self, name: str, sort: Sort) -> Any:
        return self._terms.mkConst(self._sort(sort), name)

    def apply(self, term: Term, args: Sequence[Any]) -> Any:
        name, params, terms = term.op.name, term.params, self._terms
        if isinstance(term.sort, Float):
            _refuse_format(term.sort)
        nearest = self._modes[Rounding.RNE]
        if name in _PLAIN:
            return terms.mkTerm(_PLAIN[name], *args)
        if name in _INDEXED:
            return terms.mkTerm(terms.mkOp(_INDEXED[name], *params), *args)
        if name in _ROUNDED:
            return terms.mkTerm(_ROUNDED[name], nearest, *args)
        if name in _CONVERTED:
            return terms.mkTerm(terms.mkOp(_CONVERTED[name], *params), nearest, *args)
        if name in _MODED:
            return terms.mkTerm(terms.mkOp(_MODED[name], params[1]), self._modes[params[0]], *args)
        assert name == "fp.roundToIntegral", name
        return terms.mkTerm(Kind.FLOATINGPOINT_RTI, self._modes[params[0]], *args)

    def choose(self, condition: Any, then: Any, otherwise: Any) -> Any:
        return self._terms.mkTerm(Kind.ITE, condition, then, otherwise)

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


def _refuse_format(sort: Float) -> None:
    if sort not in (FLOAT32, FLOAT64):
        raise UnsupportedTerm(f"{sort.smtlib}, which it has only as an experiment")
