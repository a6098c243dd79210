"""The operator table: for each operator its sorts, its folding, its SMT-LIB name and how a person reads it.

All facts about operators stand here: the builder checks sorts and folds with this table, evaluation runs `fold`, the
SMT-LIB printer and reader use `smtlib`, and each solver back end translates exactly its names (a test checks that).

>>> from soid.formula.sorts import BitVec
>>> add = OPERATORS["bvadd"]
>>> add.fold((BitVec(8), BitVec(8)), (), (200, 100))
44
>>> add.reading
'{0} + {1}'

Floats round to nearest, ties to even, in every operator. Only rounding to an integral value and conversion to an
integer take a rounding mode: C's floor, ceil, trunc, round and casts differ only in that.

Partial operators of SMT-LIB are total here, so that evaluation and every solver agree. The conversion of a float that
does not fit its integer gives 0 (SMT-LIB leaves it open; the printer and the back ends guard it). A look-up outside of
the table gives 0. An engine for which these are failures adds a guard.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final, final

from msgspec import Struct

from soid.formula import softfloat as sf
from soid.formula.sorts import BOOL, BitVec, Bool, Float, Sort

Sorts = tuple[Sort, ...]
Params = tuple[Any, ...]
Values = tuple[Any, ...]
SortRule = Callable[[Sorts, Params], Sort]  # raises IllSorted
Fold = Callable[[Any, Params, Values], Any]  # the value, given argument sorts, parameters and values


class IllSorted(TypeError):
    """An operator does not take these arguments. This is a mistake in soid's code, not in the user's input."""


@final
class Operator(Struct, frozen=True, eq=False):
    """One row of the table. Operators are compared by identity."""

    name: str  # unique key; where two operators share an SMT-LIB name (to_fp), the keys differ
    arity: int | None  # number of arguments; None: two or more
    smtlib: str  # the head of the application, formatted with the parameters: "(_ extract {0} {1})"
    sort: SortRule  # sort of the result
    fold: Fold
    reading: str  # how a person reads it, formatted with the arguments

    def __repr__(self) -> str:
        return f"<operator {self.name}>"


OPERATORS: Final[dict[str, Operator]] = {}


def _row(
    name: str, arity: int | None, sort: SortRule, fold: Fold, reading: str, *, smtlib: str | None = None
) -> Operator:
    OPERATORS[name] = Operator(name, arity, smtlib or name, sort, fold, reading)
    return OPERATORS[name]


# --- sort rules -----------------------------------------------------------------------------------------------


def _need(condition: bool, sorts: Sorts) -> None:
    if not condition:
        raise IllSorted(", ".join(sort.smtlib for sort in sorts))


def _all_bool(sorts: Sorts, _: Params) -> Sort:
    for sort in sorts:
        _need(isinstance(sort, Bool), sorts)
    return BOOL


def _alike(kind: type[BitVec | Float], result: Sort | None = None) -> SortRule:
    """The arguments have one sort of this kind, and so has the result if none is given."""

    def rule(sorts: Sorts, _: Params) -> Sort:
        first = sorts[0]
        _need(isinstance(first, kind) and sorts.count(first) == len(sorts), sorts)
        return first if result is None else result

    return rule


_same_bv, _same_fp = _alike(BitVec), _alike(Float)
_bv_predicate, _fp_predicate = _alike(BitVec, BOOL), _alike(Float, BOOL)


def _eq(sorts: Sorts, _: Params) -> Sort:
    _need(sorts[0] == sorts[1], sorts)
    return BOOL


def _ite(sorts: Sorts, _: Params) -> Sort:
    _need(isinstance(sorts[0], Bool) and sorts[1] == sorts[2], sorts)
    return sorts[1]


def _concat(sorts: Sorts, _: Params) -> Sort:
    high, low = sorts
    if not (isinstance(high, BitVec) and isinstance(low, BitVec)):
        raise IllSorted(f"concat of {high.smtlib} and {low.smtlib}")
    return BitVec(high.width + low.width)


def _extract(sorts: Sorts, params: Params) -> Sort:
    high, low = params
    _need(isinstance(sorts[0], BitVec) and 0 <= low <= high < sorts[0].width, sorts)
    return BitVec(high - low + 1)


def _extend(sorts: Sorts, params: Params) -> Sort:
    if not isinstance(sorts[0], BitVec) or params[0] < 0:
        raise IllSorted(f"extension of {sorts[0].smtlib} by {params[0]}")
    return BitVec(sorts[0].width + params[0])


def _from_bits(sorts: Sorts, params: Params) -> Sort:
    target = _format(*params)
    _need(sorts[0] == BitVec(target.width), sorts)
    return target


@lru_cache(maxsize=256)
def _format(exponent: int, significand: int) -> Float:
    """The format of the parameters: made once, since whatever is computed in it needs it."""
    return Float(exponent, significand)


def _from(kind: type[BitVec | Float], result: Callable[[Params], Sort]) -> SortRule:
    """One argument of this kind; the parameters give the sort of the result."""

    def rule(sorts: Sorts, params: Params) -> Sort:
        _need(isinstance(sorts[0], kind), sorts)
        return result(params)

    return rule


_fp_to_fp = _from(Float, lambda params: _format(*params))
_bv_to_fp = _from(BitVec, lambda params: _format(*params))
_fp_to_bv = _from(Float, lambda params: BitVec(params[1]))
_lookup = _from(BitVec, lambda params: params[0].sort)


# --- folding --------------------------------------------------------------------------------------------------


def signed(value: int, width: int) -> int:
    """Read a bit pattern as a number in two's complement.

    >>> signed(0xFF, 8)
    -1
    """
    return value - (1 << width) if value >> (width - 1) else value


def _bv(function: Callable[[int, int, BitVec], int]) -> Fold:
    """Folds two bit-vectors of one width and reduces the result to that width."""
    return lambda s, p, v: function(v[0], v[1], s[0]) & s[0].mask


def truncated_quotient(x: int, y: int) -> int:
    """x / y, rounded toward zero."""
    quotient = abs(x) // abs(y)
    return quotient if (x < 0) == (y < 0) else -quotient


def _sdiv(a: int, b: int, sort: BitVec) -> int:
    x, y = signed(a, sort.width), signed(b, sort.width)
    if y == 0:
        return 1 if x < 0 else -1
    return truncated_quotient(x, y)


def _srem(a: int, b: int, sort: BitVec) -> int:
    x, y = signed(a, sort.width), signed(b, sort.width)
    return x - y * truncated_quotient(x, y) if y else a


def _signed_test(function: Callable[[int, int], bool]) -> Fold:
    return lambda s, p, v: function(signed(v[0], s[0].width), signed(v[1], s[0].width))


def _fp(function: Callable[..., Any]) -> Fold:
    """Folds with a softfloat function of the arguments' format, the parameters and the values."""
    return lambda s, p, v: function(s[0], *p, *v)


def _fold_extract(_: Any, params: Params, values: Values) -> int:
    high, low = params
    return int(values[0] >> low & (1 << (high - low + 1)) - 1)


def _fold_sign_extend(sorts: Any, params: Params, values: Values) -> int:
    return signed(values[0], sorts[0].width) & BitVec(sorts[0].width + int(params[0])).mask


def _fold_from_bits(_: Any, params: Params, values: Values) -> int:
    target, bits = _format(*params), int(values[0])
    return target.nan if sf.is_nan(target, bits) else bits


def _fold_fp_to_fp(sorts: Any, params: Params, values: Values) -> int:
    return sf.convert(sorts[0], _format(*params), values[0])


def _fold_signed_to_fp(sorts: Any, params: Params, values: Values) -> int:
    return sf.from_integer(_format(*params), signed(values[0], sorts[0].width))


def _fold_unsigned_to_fp(_: Any, params: Params, values: Values) -> int:
    return sf.from_integer(_format(*params), values[0])


def integer_fits(number: int | None, width: int, is_signed: bool) -> bool:
    """Whether a rounded float is a value of the integer type; None stands for NaN and infinities, which never are."""
    if number is None:
        return False
    if is_signed:
        return -(1 << (width - 1)) <= number < 1 << (width - 1)
    return 0 <= number < 1 << width


def _fold_fp_to_bv(is_signed: bool) -> Fold:
    def fold(sorts: Any, params: Params, values: Values) -> int:
        mode, width = params
        number = sf.to_integer(sorts[0], mode, values[0])
        if number is None or not integer_fits(number, width, is_signed):
            return 0
        return number & int((1 << width) - 1)

    return fold


def _no_fold(*_: Any) -> Any:
    raise AssertionError("leaves are not folded")


# --- the rows -------------------------------------------------------------------------------------------------
# leaves: the parameter is the value of a constant or the name of a variable

CONST: Final = Operator("const", 0, "", lambda s, p: BOOL, _no_fold, "{0}")
VAR: Final = Operator("var", 0, "", lambda s, p: BOOL, _no_fold, "{0}")

# truth
NOT: Final = _row("not", 1, _all_bool, lambda s, p, v: not v[0], "not {0}")
AND: Final = _row("and", None, _all_bool, lambda s, p, v: all(v), "{0} and {1}")
OR: Final = _row("or", None, _all_bool, lambda s, p, v: any(v), "{0} or {1}")
EQ: Final = _row("=", 2, _eq, lambda s, p, v: v[0] == v[1], "{0} is {1}")
ITE: Final = _row("ite", 3, _ite, lambda s, p, v: v[1] if v[0] else v[2], "{1} if {0} else {2}")

# bit-vectors
BVNOT: Final = _row("bvnot", 1, _same_bv, lambda s, p, v: s[0].mask ^ v[0], "~{0}")
BVNEG: Final = _row("bvneg", 1, _same_bv, lambda s, p, v: -v[0] & s[0].mask, "-{0}")
BVAND: Final = _row("bvand", 2, _same_bv, lambda s, p, v: v[0] & v[1], "{0} & {1}")
BVOR: Final = _row("bvor", 2, _same_bv, lambda s, p, v: v[0] | v[1], "{0} | {1}")
BVXOR: Final = _row("bvxor", 2, _same_bv, lambda s, p, v: v[0] ^ v[1], "{0} ^ {1}")
BVADD: Final = _row("bvadd", 2, _same_bv, _bv(lambda a, b, s: a + b), "{0} + {1}")
BVSUB: Final = _row("bvsub", 2, _same_bv, _bv(lambda a, b, s: a - b), "{0} - {1}")
BVMUL: Final = _row("bvmul", 2, _same_bv, _bv(lambda a, b, s: a * b), "{0} * {1}")
# SMT-LIB: division by zero gives all ones
BVUDIV: Final = _row("bvudiv", 2, _same_bv, _bv(lambda a, b, s: a // b if b else s.mask), "{0} / {1} (unsigned)")
BVUREM: Final = _row("bvurem", 2, _same_bv, _bv(lambda a, b, s: a % b if b else a), "{0} % {1} (unsigned)")
BVSDIV: Final = _row("bvsdiv", 2, _same_bv, _bv(_sdiv), "{0} / {1}")
BVSREM: Final = _row("bvsrem", 2, _same_bv, _bv(_srem), "{0} % {1}")
BVSHL: Final = _row("bvshl", 2, _same_bv, _bv(lambda a, b, s: a << b if b < s.width else 0), "{0} << {1}")
BVLSHR: Final = _row("bvlshr", 2, _same_bv, _bv(lambda a, b, s: a >> b if b < s.width else 0), "{0} >> {1} (unsigned)")
BVASHR: Final = _row("bvashr", 2, _same_bv, _bv(lambda a, b, s: signed(a, s.width) >> min(b, s.width)), "{0} >> {1}")
BVULT: Final = _row("bvult", 2, _bv_predicate, lambda s, p, v: v[0] < v[1], "{0} < {1} (unsigned)")
BVULE: Final = _row("bvule", 2, _bv_predicate, lambda s, p, v: v[0] <= v[1], "{0} <= {1} (unsigned)")
BVSLT: Final = _row("bvslt", 2, _bv_predicate, _signed_test(operator.lt), "{0} < {1}")
BVSLE: Final = _row("bvsle", 2, _bv_predicate, _signed_test(operator.le), "{0} <= {1}")
CONCAT: Final = _row("concat", 2, _concat, lambda s, p, v: v[0] << s[1].width | v[1], "{0} ++ {1}")
EXTRACT: Final = _row("extract", 1, _extract, _fold_extract, "bits of {0}", smtlib="(_ extract {0} {1})")
ZERO_EXTEND: Final = _row(
    "zero_extend", 1, _extend, lambda s, p, v: v[0], "{0} widened (unsigned)", smtlib="(_ zero_extend {0})"
)
SIGN_EXTEND: Final = _row("sign_extend", 1, _extend, _fold_sign_extend, "{0} widened", smtlib="(_ sign_extend {0})")
LOOKUP: Final = _row("lookup", 1, _lookup, lambda s, p, v: p[0].at(v[0]), "table[{0}]")

# floats
FP_ABS: Final = _row("fp.abs", 1, _same_fp, _fp(sf.absolute), "|{0}|")
FP_NEG: Final = _row("fp.neg", 1, _same_fp, _fp(sf.neg), "-{0}")
FP_ADD: Final = _row("fp.add", 2, _same_fp, _fp(sf.add), "{0} + {1}", smtlib="fp.add RNE")
FP_SUB: Final = _row("fp.sub", 2, _same_fp, _fp(sf.sub), "{0} - {1}", smtlib="fp.sub RNE")
FP_MUL: Final = _row("fp.mul", 2, _same_fp, _fp(sf.mul), "{0} * {1}", smtlib="fp.mul RNE")
FP_DIV: Final = _row("fp.div", 2, _same_fp, _fp(sf.div), "{0} / {1}", smtlib="fp.div RNE")
FP_FMA: Final = _row("fp.fma", 3, _same_fp, _fp(sf.fma), "fma({0}, {1}, {2})", smtlib="fp.fma RNE")
FP_SQRT: Final = _row("fp.sqrt", 1, _same_fp, _fp(sf.sqrt), "sqrt({0})", smtlib="fp.sqrt RNE")
FP_REM: Final = _row("fp.rem", 2, _same_fp, _fp(sf.remainder), "remainder({0}, {1})")
FP_ROUND: Final = _row(
    "fp.roundToIntegral", 1, _same_fp, _fp(sf.round_to_integral), "{0} rounded", smtlib="fp.roundToIntegral {0}"
)
FP_LT: Final = _row("fp.lt", 2, _fp_predicate, _fp(sf.lt), "{0} < {1}")
FP_LEQ: Final = _row("fp.leq", 2, _fp_predicate, _fp(sf.le), "{0} <= {1}")
FP_EQ: Final = _row("fp.eq", 2, _fp_predicate, _fp(sf.eq), "{0} == {1}")
FP_IS_NAN: Final = _row("fp.isNaN", 1, _fp_predicate, _fp(sf.is_nan), "{0} is not a number")
FP_IS_INF: Final = _row("fp.isInfinite", 1, _fp_predicate, _fp(sf.is_infinite), "{0} is infinite")
FP_IS_ZERO: Final = _row("fp.isZero", 1, _fp_predicate, _fp(sf.is_zero), "{0} is zero")
FP_IS_NORMAL: Final = _row("fp.isNormal", 1, _fp_predicate, _fp(sf.is_normal), "{0} is normal")
FP_IS_SUBNORMAL: Final = _row("fp.isSubnormal", 1, _fp_predicate, _fp(sf.is_subnormal), "{0} is subnormal")
FP_IS_NEGATIVE: Final = _row("fp.isNegative", 1, _fp_predicate, _fp(sf.is_negative), "{0} is negative")
FP_IS_POSITIVE: Final = _row("fp.isPositive", 1, _fp_predicate, _fp(sf.is_positive), "{0} is positive")
FP_FROM_BITS: Final = _row(
    "fp.from_bits", 1, _from_bits, _fold_from_bits, "{0} read as a float", smtlib="(_ to_fp {0} {1})"
)
FP_TO_FP: Final = _row("fp.to_fp", 1, _fp_to_fp, _fold_fp_to_fp, "{0} as a float", smtlib="(_ to_fp {0} {1}) RNE")
SBV_TO_FP: Final = _row(
    "fp.from_sbv", 1, _bv_to_fp, _fold_signed_to_fp, "{0} as a float", smtlib="(_ to_fp {0} {1}) RNE"
)
UBV_TO_FP: Final = _row(
    "fp.from_ubv", 1, _bv_to_fp, _fold_unsigned_to_fp, "{0} as a float", smtlib="(_ to_fp_unsigned {0} {1}) RNE"
)
FP_TO_SBV: Final = _row(
    "fp.to_sbv", 1, _fp_to_bv, _fold_fp_to_bv(True), "{0} as an integer", smtlib="(_ fp.to_sbv {1}) {0}"
)
FP_TO_UBV: Final = _row(
    "fp.to_ubv", 1, _fp_to_bv, _fold_fp_to_bv(False), "{0} as an unsigned integer", smtlib="(_ fp.to_ubv {1}) {0}"
)
