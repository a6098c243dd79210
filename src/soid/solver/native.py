"""The interface to a solver's library that each back end implements, and the operators' names in each library.

A native makes one library call for each method: terms, assertion stack, answers; `incremental_solver.py` does the rest.
It gets no look-ups, which `translation.py` expands, and translates conversions to integers as its library defines them:
`translation.py` adds the guard that makes them total, and refuses the float formats that a native does not list.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple, Protocol

from soid.formula.operators import OPERATORS, Operator
from soid.formula.softfloat import Rounding
from soid.formula.sorts import Float, Sort
from soid.solver.protocol import Cancellation, Unknown


class UnsupportedTerm(Exception):
    """This solver does not support something, or is known to get it wrong; the message says what."""


class Native(Protocol):
    """One solver's library. Its own terms have the type `Any` here."""

    errors: tuple[type[Exception], ...]  # of its library
    formats: tuple[Float, ...] | None  # the float formats that it supports; None: all

    def constant(self, sort: Sort, value: bool | int) -> Any:
        """A constant; the value is as in constant terms."""

    def variable(self, name: str, sort: Sort) -> Any:
        """A new variable; called once for each variable term."""

    def apply(self, op: Operator, params: tuple[Any, ...], sort: Sort, args: Sequence[Any]) -> Any:
        """An operator on translated arguments, with a result of this sort. Raises UnsupportedTerm."""

    def push(self) -> None: ...

    def pop(self) -> None: ...

    def clear(self) -> None:
        """Start a fresh, empty stack; the terms stay."""

    def add(self, formula: Any) -> None:
        """Assert on the top of the stack."""

    def solve(self, seconds: float | None, cancel: Cancellation | None) -> bool | Unknown:
        """Whether the stack is satisfiable."""

    def value(self, variable: Any, sort: Sort) -> bool | int:
        """Its value in the model, after `solve` gave True; a NaN may have any bits."""


# --- operators ------------------------------------------------------------------------------------------------


class Spelling(NamedTuple):
    """An operator's name in each library; None: the back end refuses it, because its solver is wrong about it."""

    bitwuzla: str  # a Kind
    cvc5: str  # a Kind
    z3: str | None  # a function of the C interface


#: all operators but look-ups, which `translation.py` expands
SPELLINGS: Final[dict[str, Spelling]] = {
    "not": Spelling("NOT", "NOT", "Z3_mk_not"),
    "and": Spelling("AND", "AND", "Z3_mk_and"),
    "or": Spelling("OR", "OR", "Z3_mk_or"),
    "=": Spelling("EQUAL", "EQUAL", "Z3_mk_eq"),
    "ite": Spelling("ITE", "ITE", "Z3_mk_ite"),
    "bvnot": Spelling("BV_NOT", "BITVECTOR_NOT", "Z3_mk_bvnot"),
    "bvneg": Spelling("BV_NEG", "BITVECTOR_NEG", "Z3_mk_bvneg"),
    "bvand": Spelling("BV_AND", "BITVECTOR_AND", "Z3_mk_bvand"),
    "bvor": Spelling("BV_OR", "BITVECTOR_OR", "Z3_mk_bvor"),
    "bvxor": Spelling("BV_XOR", "BITVECTOR_XOR", "Z3_mk_bvxor"),
    "bvadd": Spelling("BV_ADD", "BITVECTOR_ADD", "Z3_mk_bvadd"),
    "bvsub": Spelling("BV_SUB", "BITVECTOR_SUB", "Z3_mk_bvsub"),
    "bvmul": Spelling("BV_MUL", "BITVECTOR_MULT", "Z3_mk_bvmul"),
    "bvudiv": Spelling("BV_UDIV", "BITVECTOR_UDIV", "Z3_mk_bvudiv"),
    "bvurem": Spelling("BV_UREM", "BITVECTOR_UREM", "Z3_mk_bvurem"),
    "bvsdiv": Spelling("BV_SDIV", "BITVECTOR_SDIV", "Z3_mk_bvsdiv"),
    "bvsrem": Spelling("BV_SREM", "BITVECTOR_SREM", "Z3_mk_bvsrem"),
    "bvshl": Spelling("BV_SHL", "BITVECTOR_SHL", "Z3_mk_bvshl"),
    "bvlshr": Spelling("BV_SHR", "BITVECTOR_LSHR", "Z3_mk_bvlshr"),
    "bvashr": Spelling("BV_ASHR", "BITVECTOR_ASHR", "Z3_mk_bvashr"),
    "bvult": Spelling("BV_ULT", "BITVECTOR_ULT", "Z3_mk_bvult"),
    "bvule": Spelling("BV_ULE", "BITVECTOR_ULE", "Z3_mk_bvule"),
    "bvslt": Spelling("BV_SLT", "BITVECTOR_SLT", "Z3_mk_bvslt"),
    "bvsle": Spelling("BV_SLE", "BITVECTOR_SLE", "Z3_mk_bvsle"),
    "concat": Spelling("BV_CONCAT", "BITVECTOR_CONCAT", "Z3_mk_concat"),
    "extract": Spelling("BV_EXTRACT", "BITVECTOR_EXTRACT", "Z3_mk_extract"),
    "zero_extend": Spelling("BV_ZERO_EXTEND", "BITVECTOR_ZERO_EXTEND", "Z3_mk_zero_ext"),
    "sign_extend": Spelling("BV_SIGN_EXTEND", "BITVECTOR_SIGN_EXTEND", "Z3_mk_sign_ext"),
    "fp.abs": Spelling("FP_ABS", "FLOATINGPOINT_ABS", "Z3_mk_fpa_abs"),
    "fp.neg": Spelling("FP_NEG", "FLOATINGPOINT_NEG", "Z3_mk_fpa_neg"),
    "fp.add": Spelling("FP_ADD", "FLOATINGPOINT_ADD", "Z3_mk_fpa_add"),
    "fp.sub": Spelling("FP_SUB", "FLOATINGPOINT_SUB", "Z3_mk_fpa_sub"),
    "fp.mul": Spelling("FP_MUL", "FLOATINGPOINT_MULT", "Z3_mk_fpa_mul"),
    "fp.div": Spelling("FP_DIV", "FLOATINGPOINT_DIV", "Z3_mk_fpa_div"),
    "fp.fma": Spelling("FP_FMA", "FLOATINGPOINT_FMA", "Z3_mk_fpa_fma"),
    "fp.sqrt": Spelling("FP_SQRT", "FLOATINGPOINT_SQRT", "Z3_mk_fpa_sqrt"),
    "fp.rem": Spelling("FP_REM", "FLOATINGPOINT_REM", None),
    "fp.roundToIntegral": Spelling("FP_RTI", "FLOATINGPOINT_RTI", "Z3_mk_fpa_round_to_integral"),
    "fp.lt": Spelling("FP_LT", "FLOATINGPOINT_LT", "Z3_mk_fpa_lt"),
    "fp.leq": Spelling("FP_LEQ", "FLOATINGPOINT_LEQ", "Z3_mk_fpa_leq"),
    "fp.eq": Spelling("FP_EQUAL", "FLOATINGPOINT_EQ", "Z3_mk_fpa_eq"),
    "fp.isNaN": Spelling("FP_IS_NAN", "FLOATINGPOINT_IS_NAN", "Z3_mk_fpa_is_nan"),
    "fp.isInfinite": Spelling("FP_IS_INF", "FLOATINGPOINT_IS_INF", "Z3_mk_fpa_is_infinite"),
    "fp.isZero": Spelling("FP_IS_ZERO", "FLOATINGPOINT_IS_ZERO", "Z3_mk_fpa_is_zero"),
    "fp.isNormal": Spelling("FP_IS_NORMAL", "FLOATINGPOINT_IS_NORMAL", "Z3_mk_fpa_is_normal"),
    "fp.isSubnormal": Spelling("FP_IS_SUBNORMAL", "FLOATINGPOINT_IS_SUBNORMAL", "Z3_mk_fpa_is_subnormal"),
    "fp.isNegative": Spelling("FP_IS_NEG", "FLOATINGPOINT_IS_NEG", "Z3_mk_fpa_is_negative"),
    "fp.isPositive": Spelling("FP_IS_POS", "FLOATINGPOINT_IS_POS", "Z3_mk_fpa_is_positive"),
    "fp.from_bits": Spelling("FP_TO_FP_FROM_BV", "FLOATINGPOINT_TO_FP_FROM_IEEE_BV", "Z3_mk_fpa_to_fp_bv"),
    "fp.to_fp": Spelling("FP_TO_FP_FROM_FP", "FLOATINGPOINT_TO_FP_FROM_FP", "Z3_mk_fpa_to_fp_float"),
    "fp.from_sbv": Spelling("FP_TO_FP_FROM_SBV", "FLOATINGPOINT_TO_FP_FROM_SBV", "Z3_mk_fpa_to_fp_signed"),
    "fp.from_ubv": Spelling("FP_TO_FP_FROM_UBV", "FLOATINGPOINT_TO_FP_FROM_UBV", "Z3_mk_fpa_to_fp_unsigned"),
    "fp.to_sbv": Spelling("FP_TO_SBV", "FLOATINGPOINT_TO_SBV", "Z3_mk_fpa_to_sbv"),
    "fp.to_ubv": Spelling("FP_TO_UBV", "FLOATINGPOINT_TO_UBV", "Z3_mk_fpa_to_ubv"),
}

#: operators that round to nearest, ties to even
_NEAREST: Final = frozenset(op.name for op in OPERATORS.values() if op.smtlib.endswith(" RNE"))


def mode_and_indices(op: Operator, params: tuple[Any, ...]) -> tuple[Rounding | None, list[int]]:
    """The rounding mode that comes before the arguments, if any, and the numbers that belong to the operator."""
    if op.name in _NEAREST:
        return Rounding.RNE, list(params)
    if params and isinstance(params[0], Rounding):
        return params[0], list(params[1:])
    return None, list(params)
