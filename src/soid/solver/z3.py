"""Z3: each question gets a fresh solver; only the translated terms are kept.

Z3's incremental mode is a different solver. It handles floats lazily, which is orders of magnitude slower
(github.com/Z3Prover/z3/issues/1459), and it was unsound for some years (issues 8345, 9022). The one-shot solver
bit-blasts.

fp.rem is refused: wrong remainders are reported (issue 2381, open). Release 5.4 computed all that were tried correctly,
but older releases may be installed, and a wrong unsat cannot be detected.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable, Sequence
from typing import Any, Final, final

import z3
from z3 import z3core as core

from soid.formula.softfloat import Rounding
from soid.formula.sorts import BitVec, Bool, Float, Sort
from soid.formula.term import Term
from soid.solver.native import UnsupportedTerm
from soid.solver.protocol import Cancellation, Reason, Unknown

_PLAIN: Final[dict[str, Callable[..., Any]]] = {
    "not": core.Z3_mk_not,
    "=": core.Z3_mk_eq,
    "ite": core.Z3_mk_ite,
    "bvnot": core.Z3_mk_bvnot,
    "bvneg": core.Z3_mk_bvneg,
    "bvand": core.Z3_mk_bvand,
    "bvor": core.Z3_mk_bvor,
    "bvxor": core.Z3_mk_bvxor,
    "bvadd": core.Z3_mk_bvadd,
    "bvsub": core.Z3_mk_bvsub,
    "bvmul": core.Z3_mk_bvmul,
    "bvudiv": core.Z3_mk_bvudiv,
    "bvurem": core.Z3_mk_bvurem,
    "bvsdiv": core.Z3_mk_bvsdiv,
    "bvsrem": core.Z3_mk_bvsrem,
    "bvshl": core.Z3_mk_bvshl,
    "bvlshr": core.Z3_mk_bvlshr,
    "bvashr": core.Z3_mk_bvashr,
    "bvult": core.Z3_mk_bvult,
    "bvule": core.Z3_mk_bvule,
    "bvslt": core.Z3_mk_bvslt,
    "bvsle": core.Z3_mk_bvsle,
    "concat": core.Z3_mk_concat,
    "fp.abs": core.Z3_mk_fpa_abs,
    "fp.neg": core.Z3_mk_fpa_neg,
    "fp.lt": core.Z3_mk_fpa_lt,
    "fp.leq": core.Z3_mk_fpa_leq,
    "fp.eq": core.Z3_mk_fpa_eq,
    "fp.isNaN": core.Z3_mk_fpa_is_nan,
    "fp.isInfinite": core.Z3_mk_fpa_is_infinite,
    "fp.isZero": core.Z3_mk_fpa_is_zero,
    "fp.isNormal": core.Z3_mk_fpa_is_normal,
    "fp.isSubnormal": core.Z3_mk_fpa_is_subnormal,
    "fp.isNegative": core.Z3_mk_fpa_is_negative,
    "fp.isPositive": core.Z3_mk_fpa_is_positive,
}

#: Any number of arguments.
_NARY: Final[dict[str, Callable[..., Any]]] = {"and": core.Z3_mk_and, "or": core.Z3_mk_or}

#: The parameters come before the arguments.
_INDEXED: Final[dict[str, Callable[..., Any]]] = {
    "extract": core.Z3_mk_extract,
    "zero_extend": core.Z3_mk_zero_ext,
    "sign_extend": core.Z3_mk_sign_ext,
}

#: To nearest, ties to even.
_ROUNDED: Final[dict[str, Callable[..., Any]]] = {
    "fp.add": core.Z3_mk_fpa_add,
    "fp.sub": core.Z3_mk_fpa_sub,
    "fp.mul": core.Z3_mk_fpa_mul,
    "fp.div": core.Z3_mk_fpa_div,
    "fp.fma": core.Z3_mk_fpa_fma,
    "fp.sqrt": core.Z3_mk_fpa_sqrt,
}

#: To nearest, ties to even; the parameters are the format.
_CONVERTED: Final[dict[str, Callable[..., Any]]] = {
    "fp.to_fp": core.Z3_mk_fpa_to_fp_float,
    "fp.from_sbv": core.Z3_mk_fpa_to_fp_signed,
    "fp.from_ubv": core.Z3_mk_fpa_to_fp_unsigned,
}

#: The first parameter is the rounding mode.
_MODED: Final[dict[str, Callable[..., Any]]] = {
    "fp.roundToIntegral": core.Z3_mk_fpa_round_to_integral,
    "fp.to_sbv": core.Z3_mk_fpa_to_sbv,
    "fp.to_ubv": core.Z3_mk_fpa_to_ubv,
}

_MODES: Final[dict[Rounding, Callable[..., Any]]] = {
    Rounding.RNE: core.Z3_mk_fpa_rne,
    Rounding.RNA: core.Z3_mk_fpa_rna,
    Rounding.RTP: core.Z3_mk_fpa_rtp,
    Rounding.RTN: core.Z3_mk_fpa_rtn,
    Rounding.RTZ: core.Z3_mk_fpa_rtz,
}

REFUSED: Final = frozenset({"fp.rem"})
COVERED: Final = frozenset({*_PLAIN, *_NARY, *_INDEXED, *_ROUNDED, *_CONVERTED, *_MODED, "fp.from_bits"})


@final
class Z3Native:
    """Z3's side of a session."""

    errors: tuple[type[Exception], ...] = (z3.Z3Exception,)

    def __init__(self) -> None:
        self._context = z3.Context()
        self._ref = self._context.ref()
        self._modes = {mode: self._keep(make(self._ref)) for mode, make in _MODES.items()}
        self._model: Any = None
        self.clear()

    def _keep(self, ast: Any) -> Any:
        return z3.ExprRef(ast, self._context)  # counts the reference

    def _sort(self, sort: Sort) -> Any:
        match sort:
            case Bool():
                return z3.BoolSort(self._context)
            case BitVec(width):
                return z3.BitVecSort(width, self._context)
            case Float(exponent, significand):
                return z3.FPSort(exponent, significand, self._context)

    def constant(self, sort: Sort, value: bool | int) -> Any:
        match sort:
            case Bool():
                return z3.BoolVal(bool(value), self._context)
            case BitVec():
                return z3.BitVecVal(int(value), sort.width, self._context)
            case Float():
                bits = z3.BitVecVal(int(value), sort.width, self._context)
                return z3.simplify(self._keep(core.Z3_mk_fpa_to_fp_bv(self._ref, bits.ast, self._sort(sort).ast)))

    def variable(self, name: str, sort: Sort) -> Any:
        return z3.Const(name, self._sort(sort))

    def apply(self, term: Term, args: Sequence[Any]) -> Any:
        name, params = term.op.name, term.params
        asts = [arg.ast for arg in args]
        if name in _PLAIN:
            return self._keep(_PLAIN[name](self._ref, *asts))
        if name in _NARY:
            return self._keep(_NARY[name](self._ref, len(asts), (z3.Ast * len(asts))(*asts)))
        if name in _INDEXED:
            return self._keep(_INDEXED[name](self._ref, *params, *asts))
        return self._keep(self._apply_float(name, params, term.sort, asts))

    def _apply_float(self, name: str, params: tuple[Any, ...], sort: Sort, asts: list[Any]) -> Any:
        nearest = self._modes[Rounding.RNE].ast
        if name in _ROUNDED:
            return _ROUNDED[name](self._ref, nearest, *asts)
        if name in _CONVERTED:
            return _CONVERTED[name](self._ref, nearest, *asts, self._sort(sort).ast)
        if name in _MODED:
            return _MODED[name](self._ref, self._modes[params[0]].ast, *asts, *params[1:])
        if name == "fp.from_bits":
            return core.Z3_mk_fpa_to_fp_bv(self._ref, *asts, self._sort(sort).ast)
        raise UnsupportedTerm(f"{name}, which it is known to have computed wrongly")

    def choose(self, condition: Any, then: Any, otherwise: Any) -> Any:
        return self._keep(core.Z3_mk_ite(self._ref, condition.ast, then.ast, otherwise.ast))

    def push(self) -> None:
        self._levels.append([])

    def pop(self) -> None:
        self._levels.pop()

    def clear(self) -> None:
        self._levels: list[list[Any]] = [[]]

    def add(self, formula: Any) -> None:
        self._levels[-1].append(formula)

    def solve(self, seconds: float | None, cancel: Cancellation | None) -> bool | Unknown:
        solver = z3.SolverFor("QF_FPBV", self._context)
        if seconds is not None:
            solver.set("timeout", max(1, int(seconds * 1000)))
        for formula in itertools.chain.from_iterable(self._levels):
            core.Z3_solver_assert(self._ref, solver.solver, formula.ast)
        interrupting = cancel.calling(self._context.interrupt) if cancel else contextlib.nullcontext()
        with interrupting:
            result = solver.check()
        if result == z3.sat:
            self._model = solver.model()
            return True
        if result == z3.unsat:
            return False
        return _unknown(solver.reason_unknown(), cancel)

    def value(self, variable: Any, sort: Sort) -> bool | int:
        value = self._model.eval(variable, model_completion=True)
        if isinstance(sort, Float):
            if core.Z3_fpa_is_numeral_nan(self._ref, value.ast):
                return sort.nan  # Z3 would choose any bits of a NaN
            value = self._keep(core.Z3_mk_fpa_to_ieee_bv(self._ref, value.ast))
        value = z3.simplify(value)
        if isinstance(sort, Bool):
            return bool(core.Z3_get_bool_value(self._ref, value.ast) == 1)
        return int(core.Z3_get_numeral_string(self._ref, value.ast))


def _unknown(reason: str, cancel: Cancellation | None) -> Unknown:
    if cancel is not None and cancel.cancelled:
        return Unknown(Reason.CANCELLED, "z3 was told to stop")
    if reason in {"timeout", "canceled", "interrupted from keyboard"}:
        return Unknown(Reason.TIME, f"z3: {reason}")
    if "memory" in reason:
        return Unknown(Reason.MEMORY, f"z3: {reason}")
    return Unknown(Reason.SOLVER, f"z3: {reason}")
