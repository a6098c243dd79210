"""Constructors of terms. Each checks sorts, folds constants and applies a few local rewrites.

>>> x = var("x", BitVec(8))
>>> bvadd(const(BitVec(8), 250), const(BitVec(8), 10)).value
4
>>> bvadd(x, const(BitVec(8), 0)) is x
True

The rewrites keep terms small while they are built (units, zeros, `x = x`, bytes taken apart and put together again).
Each is an identity of the operators' total semantics, and a test checks it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final

from soid.formula import operators as ops
from soid.formula import softfloat as sf
from soid.formula.constant_table import ConstantTable
from soid.formula.operators import CONST, VAR, IllSorted, Operator
from soid.formula.sorts import BOOL, BitVec, Bool, Float, Sort
from soid.formula.term import Term, intern

# --- leaves ---------------------------------------------------------------------------------------------------


def const(sort: Sort, value: Any) -> Term:
    """A constant. Numbers are reduced to the sort's width; every NaN becomes `Float.nan`."""
    if isinstance(sort, Bool):
        return TRUE if value else FALSE
    return intern(CONST, (reduced(sort, value),), (), sort)


def reduced(sort: Sort, value: Any) -> Any:
    """A value as constants of its sort hold it."""
    if isinstance(sort, Bool):
        return bool(value)
    value = int(value) & sort.mask
    return sort.nan if isinstance(sort, Float) and sf.is_nan(sort, value) else value


def var(name: str, sort: Sort) -> Term:
    """A variable; two variables of one name and sort are the same term."""
    return intern(VAR, (name,), (), sort)


TRUE: Final = intern(CONST, (True,), (), BOOL)
FALSE: Final = intern(CONST, (False,), (), BOOL)


# --- applications ---------------------------------------------------------------------------------------------


def apply(op: Operator, args: tuple[Term, ...], params: tuple[Any, ...] = ()) -> Term:
    """The operator applied: sorts checked, constants folded, local rewrites tried."""
    if op.arity is not None and len(args) != op.arity:
        raise IllSorted(f"{op.name} takes {op.arity} arguments, not {len(args)}")
    sorts = tuple([arg.sort for arg in args])
    sort = op.sort(sorts, params)
    for arg in args:
        if arg.op is not CONST:
            break
    else:
        return const(sort, op.fold(sorts, params, tuple([arg.params[0] for arg in args])))
    rewrite = REWRITES.get(op)
    if rewrite is not None:
        simpler = rewrite(args, params)
        if simpler is not None:
            return simpler
    return intern(op, params, args, sort)


def not_(a: Term) -> Term:
    return apply(ops.NOT, (a,))


def and_(*terms: Term) -> Term:
    return _junction(ops.AND, terms, unit=TRUE, zero=FALSE)


def or_(*terms: Term) -> Term:
    return _junction(ops.OR, terms, unit=FALSE, zero=TRUE)


def all_of(terms: Iterable[Term]) -> Term:
    return and_(*terms)


def any_of(terms: Iterable[Term]) -> Term:
    return or_(*terms)


def implies(a: Term, b: Term) -> Term:
    return or_(not_(a), b)


def xor(a: Term, b: Term) -> Term:
    return not_(eq(a, b))


def eq(a: Term, b: Term) -> Term:
    """Identity of values: for floats NaN = NaN and -0.0 != 0.0. `fp_eq` is the comparison that programs make."""
    return apply(ops.EQ, (a, b))


def ite(condition: Term, then: Term, otherwise: Term) -> Term:
    return apply(ops.ITE, (condition, then, otherwise))


def _junction(op: Operator, terms: Iterable[Term], unit: Term, zero: Term) -> Term:
    """And/or without units and repetitions. A zero, or a term and its negation, decides it."""
    kept: dict[Term, None] = {}
    negated: set[Term] = set()  # terms whose negation is in `kept`
    for term in terms:
        if not isinstance(term.sort, Bool):
            raise IllSorted(f"{op.name} of {term.sort.smtlib}")
        if term is zero or term in negated:
            return zero
        if term.op is ops.NOT:
            if term.args[0] in kept:
                return zero
            negated.add(term.args[0])
        if term is not unit:
            kept[term] = None
    if not kept:
        return unit
    if len(kept) == 1:
        return next(iter(kept))
    return intern(op, (), tuple(kept), BOOL)


def _binary(op: Operator) -> Callable[[Term, Term], Term]:
    def build(a: Term, b: Term) -> Term:
        return apply(op, (a, b))

    build.__name__ = build.__qualname__ = op.name
    return build


def _unary(op: Operator) -> Callable[[Term], Term]:
    def build(a: Term) -> Term:
        return apply(op, (a,))

    build.__name__ = build.__qualname__ = op.name
    return build


bvnot, bvneg = _unary(ops.BVNOT), _unary(ops.BVNEG)
bvand, bvor, bvxor = _binary(ops.BVAND), _binary(ops.BVOR), _binary(ops.BVXOR)
bvadd, bvsub, bvmul = _binary(ops.BVADD), _binary(ops.BVSUB), _binary(ops.BVMUL)
bvudiv, bvurem = _binary(ops.BVUDIV), _binary(ops.BVUREM)
bvsdiv, bvsrem = _binary(ops.BVSDIV), _binary(ops.BVSREM)
bvshl, bvlshr, bvashr = _binary(ops.BVSHL), _binary(ops.BVLSHR), _binary(ops.BVASHR)
bvult, bvule, bvslt, bvsle = _binary(ops.BVULT), _binary(ops.BVULE), _binary(ops.BVSLT), _binary(ops.BVSLE)
concat = _binary(ops.CONCAT)
fp_abs, fp_neg, fp_sqrt = _unary(ops.FP_ABS), _unary(ops.FP_NEG), _unary(ops.FP_SQRT)
fp_add, fp_sub, fp_mul = _binary(ops.FP_ADD), _binary(ops.FP_SUB), _binary(ops.FP_MUL)
fp_div, fp_rem = _binary(ops.FP_DIV), _binary(ops.FP_REM)
fp_lt, fp_leq, fp_eq = _binary(ops.FP_LT), _binary(ops.FP_LEQ), _binary(ops.FP_EQ)
fp_is_nan, fp_is_inf, fp_is_zero = _unary(ops.FP_IS_NAN), _unary(ops.FP_IS_INF), _unary(ops.FP_IS_ZERO)
fp_is_normal, fp_is_subnormal = _unary(ops.FP_IS_NORMAL), _unary(ops.FP_IS_SUBNORMAL)
fp_is_negative, fp_is_positive = _unary(ops.FP_IS_NEGATIVE), _unary(ops.FP_IS_POSITIVE)


def extract(a: Term, high: int, low: int) -> Term:
    return apply(ops.EXTRACT, (a,), (high, low))


def zero_extend(a: Term, by: int) -> Term:
    return apply(ops.ZERO_EXTEND, (a,), (by,))


def sign_extend(a: Term, by: int) -> Term:
    return apply(ops.SIGN_EXTEND, (a,), (by,))


def lookup(table: ConstantTable, index: Term) -> Term:
    return apply(ops.LOOKUP, (index,), (table,))


def fp_fma(a: Term, b: Term, c: Term) -> Term:
    return apply(ops.FP_FMA, (a, b, c))


def fp_round(mode: sf.Rounding, a: Term) -> Term:
    return apply(ops.FP_ROUND, (a,), (mode,))


def _to_float(op: Operator) -> Callable[[Float, Term], Term]:
    def build(target: Float, a: Term) -> Term:
        return apply(op, (a,), (target.exponent, target.significand))

    build.__name__ = build.__qualname__ = op.name
    return build


fp_from_bits = _to_float(ops.FP_FROM_BITS)  # the float with this IEEE-754 bit pattern
fp_to_fp, fp_from_signed, fp_from_unsigned = map(_to_float, (ops.FP_TO_FP, ops.SBV_TO_FP, ops.UBV_TO_FP))


def fp_to_signed(mode: sf.Rounding, width: int, a: Term) -> Term:
    """The integer, or 0 if it does not fit; `fits_integer` is the guard that an engine needs."""
    return apply(ops.FP_TO_SBV, (a,), (mode, width))


def fp_to_unsigned(mode: sf.Rounding, width: int, a: Term) -> Term:
    return apply(ops.FP_TO_UBV, (a,), (mode, width))


def fits_integer(mode: sf.Rounding, width: int, a: Term, *, signed: bool) -> Term:
    """Whether the float, rounded by the mode, is a value of the integer type (never for NaN and infinities).

    Rounding to an integral value is monotone, so comparing the rounded float with the type's ends decides. The ends
    are powers of two. A format that cannot hold one has no finite value past it, and a float that rounds up to an
    infinity (in formats with more fraction bits than powers of two) stands for the power just past the largest.
    """
    sort = a.sort
    assert isinstance(sort, Float)
    rounded = fp_round(mode, a)
    power = width - 1 if signed else width
    low, high = (-(1 << power) if signed else 0), 1 << power
    at_least = fp_leq(const(sort, sf.from_integer(sort, low)), rounded)
    below = TRUE if power > sort.bias + 1 else fp_lt(rounded, const(sort, sf.from_integer(sort, high)))
    finite = not_(or_(fp_is_nan(a), fp_is_inf(a)))
    return and_(finite, at_least, below)


# --- local rewrites -------------------------------------------------------------------------------------------

Args = tuple[Term, ...]
Params = tuple[Any, ...]


def _rewrite_twice(op: Operator) -> Callable[[Args, Params], Term | None]:
    """For an operator that undoes itself."""
    return lambda args, _: args[0].args[0] if args[0].op is op else None


def _rewrite_eq(args: Args, _: Params) -> Term | None:
    a, b = args
    if a is b:
        return TRUE
    if isinstance(a.sort, Bool):
        for one, other in ((a, b), (b, a)):
            if one.op is CONST:
                return other if one.value else not_(other)
    for one, other in ((a, b), (b, a)):
        if one.op is CONST and _of_constants(other):  # at most one of its two constants is this one
            condition, then, otherwise = other.args
            return condition if then is one else not_(condition) if otherwise is one else FALSE
    return None


def _of_constants(term: Term) -> bool:
    """Whether a term is one of two constants, such as a truth value that was stored in memory."""
    return term.op is ops.ITE and term.args[1].op is CONST and term.args[2].op is CONST


def _on_each_side(op: Operator, term: Term, params: Params) -> Term:
    """The operator applied to both constants of a choice (`_of_constants`)."""
    condition, then, otherwise = term.args
    return ite(condition, apply(op, (then,), params), apply(op, (otherwise,), params))


def _rewrite_ite(args: Args, _: Params) -> Term | None:
    condition, then, otherwise = args
    if condition.op is CONST:
        return then if condition.value else otherwise
    if then is otherwise:
        return then
    if condition.op is ops.NOT:
        return ite(condition.args[0], otherwise, then)
    if isinstance(then.sort, Bool):
        if then.op is CONST:
            return or_(condition, otherwise) if then.value else and_(not_(condition), otherwise)
        if otherwise.op is CONST:
            return implies(condition, then) if otherwise.value else and_(condition, then)
    return None


def _is(term: Term, value: int) -> bool:
    return term.op is CONST and bool(term.params[0] == value)


def _rewrite_add(args: Args, _: Params) -> Term | None:
    a, b = args
    return a if _is(b, 0) else b if _is(a, 0) else None


def _rewrite_sub(args: Args, _: Params) -> Term | None:
    a, b = args
    return a if _is(b, 0) else const(a.sort, 0) if a is b else None


def _rewrite_unit(unit: int, zero: int, *, idempotent: bool) -> Callable[[Args, Params], Term | None]:
    """For a commutative operator on bit-vectors with a unit and a zero; -1 stands for all ones."""

    def rewrite(args: Args, _: Params) -> Term | None:
        a, b = args
        assert isinstance(a.sort, BitVec)
        for one, other in ((a, b), (b, a)):
            if _is(one, zero & a.sort.mask):
                return one
            if _is(one, unit & a.sort.mask) or (idempotent and one is other):
                return other
        return None

    return rewrite


def _rewrite_bvxor(args: Args, params: Params) -> Term | None:
    return const(args[0].sort, 0) if args[0] is args[1] else _rewrite_add(args, params)


def _rewrite_shift(args: Args, _: Params) -> Term | None:
    return args[0] if _is(args[1], 0) or _is(args[0], 0) else None


def _rewrite_same(result: Term) -> Callable[[Args, Params], Term | None]:
    return lambda args, _: result if args[0] is args[1] else None


def _rewrite_extend(op: Operator) -> Callable[[Args, Params], Term | None]:
    def rewrite(args: Args, params: Params) -> Term | None:
        (a,) = args
        if params[0] == 0:
            return a
        if a.op is op:
            return apply(op, a.args, (a.params[0] + params[0],))
        return _on_each_side(op, a, params) if _of_constants(a) else None

    return rewrite


def _rewrite_extract(args: Args, params: Params) -> Term | None:
    """Bytes of a concatenation of bytes: a memory read becomes the value that was written.

    It does not recurse, because a block of memory is a concat as deep as its number of bytes.
    """
    (a,) = args
    high, low = params
    while True:
        assert isinstance(a.sort, BitVec)
        if low == 0 and high == a.sort.width - 1:
            return a
        if a.op is ops.EXTRACT:
            a, high, low = a.args[0], high + a.params[1], low + a.params[1]
            continue
        if a.op is ops.CONCAT:
            left, right = a.args
            assert isinstance(right.sort, BitVec)
            width = right.sort.width
            if low >= width:
                a, high, low = left, high - width, low - width
                continue
            if high < width:
                a = right
                continue
        if a.op is ops.ZERO_EXTEND or a.op is ops.SIGN_EXTEND:
            inner = a.args[0]
            assert isinstance(inner.sort, BitVec)
            if high < inner.sort.width:
                a = inner
                continue
            if a.op is ops.ZERO_EXTEND and low >= inner.sort.width:
                return const(BitVec(high - low + 1), 0)
        if _of_constants(a):
            return _on_each_side(ops.EXTRACT, a, (high, low))
        return None if a is args[0] else extract(a, high, low)


def _rewrite_concat(args: Args, _: Params) -> Term | None:
    left, right = args
    assert isinstance(left.sort, BitVec)
    if left.op is ops.EXTRACT and right.op is ops.EXTRACT and left.args[0] is right.args[0]:
        if left.params[1] == right.params[0] + 1:
            return extract(left.args[0], left.params[0], right.params[1])
    if _is(left, 0):
        return zero_extend(right, left.sort.width)
    return None


def _rewrite_lookup(args: Args, params: Params) -> Term | None:
    """Drops rows that the index is too narrow to reach, so that equal look-ups are the same term."""
    (index,), (table,) = args, params
    assert isinstance(index.sort, BitVec)
    if not table.rows:
        return const(table.sort, 0)
    if (len(table.rows) - 1) >> index.sort.width:
        return lookup(ConstantTable.of(table.sort, table.rows[: 1 << index.sort.width]), index)
    return None


#: Operators that compute a float. A neutral operation is dropped of these alone: a float that was read from bits must
#: not lend them to what is computed from it, because the bits of a computed NaN are open.
_ROUNDED: Final = frozenset(
    (ops.FP_ADD, ops.FP_SUB, ops.FP_MUL, ops.FP_DIV, ops.FP_SQRT, ops.FP_FMA, ops.SBV_TO_FP, ops.UBV_TO_FP)
)


def _rewrite_rounded(op: Operator, unit: int, *, commutes: bool) -> Callable[[Args, Params], Term | None]:
    """For an operator on floats with a unit (0 stands for -0.0 where the operator commutes with it, else for +0.0).

    Nothing is left to round of a rounded float and the unit, and a choice of two numbers becomes one of two results.
    """

    def rewrite(args: Args, params: Params) -> Term | None:
        a, b = args
        assert isinstance(a.sort, Float)
        neutral = sf.from_integer(a.sort, unit) if unit or not commutes else sf.neg(a.sort, 0)
        for one, other in ((a, b), (b, a)) if commutes else ((a, b),):
            if _is(other, neutral) and one.op in _ROUNDED:
                return one
        for one, other in ((a, b), (b, a)):
            if _of_constants(one) and other.op is CONST:
                condition, *sides = one.args
                then, otherwise = [apply(op, (side, b) if one is a else (a, side), params) for side in sides]
                if a.sort.nan not in (then.value, otherwise.value):
                    return ite(condition, then, otherwise)
        return None

    return rewrite


REWRITES: Final[dict[Operator, Callable[[Args, Params], Term | None]]] = {
    ops.NOT: _rewrite_twice(ops.NOT),
    ops.AND: lambda args, _: and_(*args),
    ops.OR: lambda args, _: or_(*args),
    ops.EQ: _rewrite_eq,
    ops.ITE: _rewrite_ite,
    ops.BVADD: _rewrite_add,
    ops.BVSUB: _rewrite_sub,
    ops.BVMUL: _rewrite_unit(1, 0, idempotent=False),
    ops.BVAND: _rewrite_unit(-1, 0, idempotent=True),
    ops.BVOR: _rewrite_unit(0, -1, idempotent=True),
    ops.BVXOR: _rewrite_bvxor,
    ops.BVSHL: _rewrite_shift,
    ops.BVLSHR: _rewrite_shift,
    ops.BVASHR: _rewrite_shift,
    ops.BVULT: _rewrite_same(FALSE),
    ops.BVSLT: _rewrite_same(FALSE),
    ops.FP_LT: _rewrite_same(FALSE),
    ops.BVULE: _rewrite_same(TRUE),
    ops.BVSLE: _rewrite_same(TRUE),
    ops.CONCAT: _rewrite_concat,
    ops.EXTRACT: _rewrite_extract,
    ops.ZERO_EXTEND: _rewrite_extend(ops.ZERO_EXTEND),
    ops.SIGN_EXTEND: _rewrite_extend(ops.SIGN_EXTEND),
    ops.LOOKUP: _rewrite_lookup,
    ops.FP_NEG: _rewrite_twice(ops.FP_NEG),
    ops.FP_ADD: _rewrite_rounded(ops.FP_ADD, 0, commutes=True),
    ops.FP_SUB: _rewrite_rounded(ops.FP_SUB, 0, commutes=False),
    ops.FP_MUL: _rewrite_rounded(ops.FP_MUL, 1, commutes=True),
    ops.FP_DIV: _rewrite_rounded(ops.FP_DIV, 1, commutes=False),
}
