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

from soid.formula.operators import AND, OR, Operator
from soid.formula.softfloat import Rounding
from soid.formula.sorts import BitVec, Bool, Float, Sort
from soid.solver.native import SPELLINGS, UnsupportedTerm, mode_and_indices
from soid.solver.protocol import Cancellation, Reason, Unknown

_FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    name: getattr(core, spelling.z3) for name, spelling in SPELLINGS.items() if spelling.z3 is not None
}


@final
class Z3Native:
    """Z3's side of a session."""

    errors: tuple[type[Exception], ...] = (z3.Z3Exception,)
    formats: tuple[Float, ...] | None = None

    def __init__(self) -> None:
        self._context = z3.Context()
        self._ref = self._context.ref()
        self._modes = {
            mode: self._keep(getattr(core, f"Z3_mk_fpa_{mode.name.lower()}")(self._ref)) for mode in Rounding
        }
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

    def apply(self, op: Operator, params: tuple[Any, ...], sort: Sort, args: Sequence[Any]) -> Any:
        function = _FUNCTIONS.get(op.name)
        if function is None:
            raise UnsupportedTerm(f"{op.name}, which it is known to have computed wrongly")
        asts = [arg.ast for arg in args]
        mode, indices = mode_and_indices(op, params)
        if op is AND or op is OR:
            ast = function(self._ref, len(asts), (z3.Ast * len(asts))(*asts))
        elif mode is not None or isinstance(sort, Float):
            first = [] if mode is None else [self._modes[mode].ast]
            last = [self._sort(sort).ast] if indices and isinstance(sort, Float) else indices
            ast = function(self._ref, *first, *asts, *last)
        else:
            ast = function(self._ref, *indices, *asts)
        return self._keep(ast)

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
    if "memory" in reason:  # z3 gives its reason as a sentence only, and words it differently from place to place
        return Unknown(Reason.MEMORY, f"z3: {reason}")
    return Unknown(Reason.SOLVER, f"z3: {reason}")
