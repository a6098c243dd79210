"""Bitwuzla: first choice, because it leads on floats and bit-vectors and keeps its time limits.

It holds Python's global lock while it works. During the search it calls its terminator often enough to end within
milliseconds of the limit; rewriting and bit-blasting of a huge formula are not interrupted.

Float formats other than float16, float32, float64 and float128 are refused: it supports them only experimentally and
with known faults, and an answer here is a proof.
"""

from __future__ import annotations

import time
import weakref
from collections.abc import Callable, Sequence
from typing import Any, Final, final

import bitwuzla as bw
from bitwuzla import Kind

from soid.formula.operators import Operator
from soid.formula.softfloat import Rounding
from soid.formula.sorts import FLOAT16, FLOAT32, FLOAT64, FLOAT128, BitVec, Bool, Float, Sort
from soid.solver.native import SPELLINGS, mode_and_indices
from soid.solver.protocol import Cancellation, Reason, Unknown

#: Managers of terms that no session uses. None is ever freed: where Python collects terms in a cycle, it may free their
#: manager first, and freeing a term then would crash the process.
_IDLE: Final[list[bw.TermManager]] = []

_KINDS: Final[dict[str, Any]] = {name: getattr(Kind, spelling.bitwuzla) for name, spelling in SPELLINGS.items()}


@final
class BitwuzlaNative:
    """Bitwuzla's side of a session."""

    errors: tuple[type[Exception], ...] = (bw.BitwuzlaException,)
    formats: tuple[Float, ...] | None = (FLOAT16, FLOAT32, FLOAT64, FLOAT128)

    def __init__(self) -> None:
        self._terms = _IDLE.pop() if _IDLE else bw.TermManager()
        weakref.finalize(self, _IDLE.append, self._terms).atexit = False
        self.clear()
        self._modes = {mode: self._terms.mk_rm_value(getattr(bw.RoundingMode, mode.name)) for mode in Rounding}

    def _sort(self, sort: Sort) -> Any:
        match sort:
            case Bool():
                return self._terms.mk_bool_sort()
            case BitVec(width):
                return self._terms.mk_bv_sort(width)
            case Float(exponent, significand):
                return self._terms.mk_fp_sort(exponent, significand)

    def constant(self, sort: Sort, value: bool | int) -> Any:
        match sort:
            case Bool():
                return self._terms.mk_true() if value else self._terms.mk_false()
            case BitVec():
                return self._terms.mk_bv_value(self._sort(sort), int(value))
            case Float():
                bits = self._terms.mk_bv_value(self._terms.mk_bv_sort(sort.width), int(value))
                indices = [sort.exponent, sort.significand]
                return self._terms.mk_term(Kind.FP_TO_FP_FROM_BV, [bits], indices)

    def variable(self, name: str, sort: Sort) -> Any:
        return self._terms.mk_const(self._sort(sort), name)

    def apply(self, op: Operator, params: tuple[Any, ...], sort: Sort, args: Sequence[Any]) -> Any:
        mode, indices = mode_and_indices(op, params)
        first = [] if mode is None else [self._modes[mode]]
        return self._terms.mk_term(_KINDS[op.name], [*first, *args], indices)

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


def _terminator(seconds: float | None, cancel: Cancellation | None) -> Callable[[], bool]:
    end = None if seconds is None else time.monotonic() + seconds

    def over() -> bool:
        return (end is not None and time.monotonic() >= end) or (cancel is not None and cancel.cancelled)

    return over
