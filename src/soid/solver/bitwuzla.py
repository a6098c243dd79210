"""Bitwuzla: first choice, because it leads on floats and bit-vectors and keeps its time limits.

It holds Python's global lock while it works. During the search it calls its terminator often enough to end within
milliseconds of the limit; rewriting and bit-blasting of a huge formula are not interrupted.

Float formats other than float16, float32, float64 and float128 are refused: it supports them only experimentally and
with known faults, and an answer here is a proof.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any, Final, final

import bitwuzla as bw
from bitwuzla import Kind

from soid.formula.softfloat import Rounding
from soid.formula.sorts import BitVec, Bool, Float, Sort
from soid.formula.term import Term
from soid.solver.native import UnsupportedTerm
from soid.solver.protocol import Cancellation, Reason, Unknown

_PLAIN: Final[dict[str, Any]] = {
    "not": Kind.NOT,
    "and": Kind.AND,
    "or": Kind.OR,
    "=": Kind.EQUAL,
    "ite": Kind.ITE,
    "bvnot": Kind.BV_NOT,
    "bvneg": Kind.BV_NEG,
    "bvand": Kind.BV_AND,
    "bvor": Kind.BV_OR,
    "bvxor": Kind.BV_XOR,
    "bvadd": Kind.BV_ADD,
    "bvsub": Kind.BV_SUB,
    "bvmul": Kind.BV_MUL,
    "bvudiv": Kind.BV_UDIV,
    "bvurem": Kind.BV_UREM,
    "bvsdiv": Kind.BV_SDIV,
    "bvsrem": Kind.BV_SREM,
    "bvshl": Kind.BV_SHL,
    "bvlshr": Kind.BV_SHR,
    "bvashr": Kind.BV_ASHR,
    "bvult": Kind.BV_ULT,
    "bvule": Kind.BV_ULE,
    "bvslt": Kind.BV_SLT,
    "bvsle": Kind.BV_SLE,
    "concat": Kind.BV_CONCAT,
    "fp.abs": Kind.FP_ABS,
    "fp.neg": Kind.FP_NEG,
    "fp.rem": Kind.FP_REM,
    "fp.lt": Kind.FP_LT,
    "fp.leq": Kind.FP_LEQ,
    "fp.eq": Kind.FP_EQUAL,
    "fp.isNaN": Kind.FP_IS_NAN,
    "fp.isInfinite": Kind.FP_IS_INF,
    "fp.isZero": Kind.FP_IS_ZERO,
    "fp.isNormal": Kind.FP_IS_NORMAL,
    "fp.isSubnormal": Kind.FP_IS_SUBNORMAL,
    "fp.isNegative": Kind.FP_IS_NEG,
    "fp.isPositive": Kind.FP_IS_POS,
}

#: The parameters are the kind's indices.
_INDEXED: Final[dict[str, Any]] = {
    "extract": Kind.BV_EXTRACT,
    "zero_extend": Kind.BV_ZERO_EXTEND,
    "sign_extend": Kind.BV_SIGN_EXTEND,
    "fp.from_bits": Kind.FP_TO_FP_FROM_BV,
}

#: To nearest, ties to even; the parameters, if any, are the kind's indices.
_ROUNDED: Final[dict[str, Any]] = {
    "fp.add": Kind.FP_ADD,
    "fp.sub": Kind.FP_SUB,
    "fp.mul": Kind.FP_MUL,
    "fp.div": Kind.FP_DIV,
    "fp.fma": Kind.FP_FMA,
    "fp.sqrt": Kind.FP_SQRT,
    "fp.to_fp": Kind.FP_TO_FP_FROM_FP,
    "fp.from_sbv": Kind.FP_TO_FP_FROM_SBV,
    "fp.from_ubv": Kind.FP_TO_FP_FROM_UBV,
}

#: The first parameter is the rounding mode, what follows are the kind's indices.
_MODED: Final[dict[str, Any]] = {
    "fp.roundToIntegral": Kind.FP_RTI,
    "fp.to_sbv": Kind.FP_TO_SBV,
    "fp.to_ubv": Kind.FP_TO_UBV,
}

_MODES: Final[dict[Rounding, Any]] = {mode: getattr(bw.RoundingMode, mode.name) for mode in Rounding}

REFUSED: Final[frozenset[str]] = frozenset()
_FORMATS: Final = {(5, 11), (8, 24), (11, 53), (15, 113)}
COVERED: Final = frozenset({*_PLAIN, *_INDEXED, *_ROUNDED, *_MODED})


@final
class BitwuzlaNative:
    """Bitwuzla's side of a session."""

    errors: tuple[type[Exception], ...] = (bw.BitwuzlaException,)

    def __init__(self) -> None:
        self._terms = bw.TermManager()
        self.clear()
        self._modes = {mode: self._terms.mk_rm_value(native) for mode, native in _MODES.items()}

    def _sort(self, sort: Sort) -> Any:
        match sort:
            case Bool():
                return self._terms.mk_bool_sort()
            case BitVec(width):
                return self._terms.mk_bv_sort(width)
            case Float(exponent, significand):
                _refuse_format(sort)
                return self._terms.mk_fp_sort(exponent, significand)

    def constant(self, sort: Sort, value: bool | int) -> Any:
        match sort:
            case Bool():
                return self._terms.mk_true() if value else self._terms.mk_false()
            case BitVec():
                return self._terms.mk_bv_value(self._sort(sort), int(value))
            case Float():
                _refuse_format(sort)
                bits = self._terms.mk_bv_value(self._terms.mk_bv_sort(sort.width), int(value))
                indices = [sort.exponent, sort.significand]
                return self._terms.mk_term(Kind.FP_TO_FP_FROM_BV, [bits], indices)

    def variable(self, name: str, sort: Sort) -> Any:
        return self._terms.mk_const(self._sort(sort), name)

    def apply(self, term: Term, args: Sequence[Any]) -> Any:
        name, params = term.op.name, list(term.params)
        if isinstance(term.sort, Float):
            _refuse_format(term.sort)
        if name in _PLAIN:
            return self._terms.mk_term(_PLAIN[name], args)
        if name in _INDEXED:
            return self._terms.mk_term(_INDEXED[name], args, params)
        if name in _ROUNDED:
            return self._terms.mk_term(_ROUNDED[name], [self._modes[Rounding.RNE], *args], params)
        return self._terms.mk_term(_MODED[name], [self._modes[params[0]], *args], params[1:])

    def choose(self, condition: Any, then: Any, otherwise: Any) -> Any:
        return self._terms.mk_term(Kind.ITE, [condition, then, otherwise])

    def push(self) -> None:
        self._solver.push(1)

    def pop(self) -> None:
        self._solver.pop(1)

    def clear(self) -> None:
        options = bw.Options()
        options.set(bw.Option.PRODUCE_MODELS, True)
        self._solver = bw.Bitwuzla(self._terms, options)

    def add(self, formula: Any) -> None:
        self._solver.assert_formula(formula)

    def solve(self, seconds: float | None, cancel: Cancellation | None) -> bool | Unknown:
        self._solver.configure_terminator(_terminator(seconds, cancel))
        result = self._solver.check_sat()
        if result == bw.Result.SAT:
            return True
        if result == bw.Result.UNSAT:
            return False
        if cancel is not None and cancel.cancelled:
            return Unknown(Reason.CANCELLED, "bitwuzla was told to stop")
        if seconds is not None:
            return Unknown(Reason.TIME, f"bitwuzla found nothing in {seconds:.3g} s")
        return Unknown(Reason.SOLVER, "bitwuzla gave up")

    def value(self, variable: Any, sort: Sort) -> bool | int:
        value = self._solver.get_value(variable)
        return bool(value.value()) if isinstance(sort, Bool) else int(value.value(2, False), 2)


def _refuse_format(sort: Float) -> None:
    if (sort.exponent, sort.significand) not in _FORMATS:
        raise UnsupportedTerm(f"{sort.smtlib}, which it has only as an experiment")


def _terminator(seconds: float | None, cancel: Cancellation | None) -> Callable[[], bool]:
    end = None if seconds is None else time.monotonic() + seconds

    def over() -> bool:
        return (end is not None and time.monotonic() >= end) or (cancel is not None and cancel.cancelled)

    return over
