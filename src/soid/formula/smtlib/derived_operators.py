"""Operators of SMT-LIB that soid's table does not have, built from those that it has.

>>> from soid.formula.build import const
>>> LOWERED["bvsmod"].build(const(BitVec(8), 0xF9), const(BitVec(8), 4)).value  # -7 mod 4
1
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from itertools import combinations, pairwise
from typing import Final, Literal, final

from msgspec import Struct

from soid.formula import build as b
from soid.formula import operators as ops
from soid.formula.operators import OPERATORS, IllSorted, Operator
from soid.formula.sorts import BitVec
from soid.formula.term import Term

Many = Literal["exactly", "left", "right", "chain", "pairwise"]


@final
class DerivedOperators(Struct, frozen=True):
    """How an application is built, and what more arguments than `arity` mean."""

    arity: int
    build: Callable[..., Term]
    many: Many = "exactly"

    def __call__(self, args: list[Term]) -> Term:
        match self.many:
            case "exactly":
                return self.build(*args)
            case "left":
                return reduce(self.build, args)
            case "right":
                return reduce(lambda right, left: self.build(left, right), reversed(args))
            case "chain":
                return b.all_of([self.build(x, y) for x, y in pairwise(args)])
            case "pairwise":
                return b.all_of([self.build(x, y) for x, y in combinations(args, 2)])


def bit_width(a: Term) -> int:
    if not isinstance(a.sort, BitVec):
        raise IllSorted(a.sort.smtlib)
    return a.sort.width


def _bit(condition: Term) -> Term:
    return b.ite(condition, b.const(BitVec(1), 1), b.const(BitVec(1), 0))


def _zero(a: Term) -> Term:
    return b.const(BitVec(bit_width(a)), 0)


def _negative(a: Term) -> Term:
    return b.bvslt(a, _zero(a))


def _smod(a: Term, n: Term) -> Term:
    """The remainder with the sign of the divisor; a if the divisor is 0."""
    rest = b.bvsrem(a, n)
    other_side = b.not_(b.eq(_negative(rest), _negative(n)))
    moves = b.and_(b.not_(b.eq(rest, _zero(a))), b.not_(b.eq(n, _zero(a))), other_side)
    return b.ite(moves, b.bvadd(rest, n), rest)


def _overflows(operate: Callable[[Term, Term], Term], signed: bool) -> Callable[[Term, Term], Term]:
    """Whether the result needs more bits: compares the result in twice the width with the truncated one."""

    def overflow(x: Term, y: Term) -> Term:
        width = bit_width(x)
        extend = b.sign_extend if signed else b.zero_extend
        wide = operate(extend(x, width), extend(y, width))
        return b.not_(b.eq(wide, extend(b.extract(wide, width - 1, 0), width)))

    return overflow


def _lowest(a: Term) -> Term:
    return b.const(BitVec(bit_width(a)), 1 << (bit_width(a) - 1))


def _sdiv_overflows(x: Term, y: Term) -> Term:
    return b.and_(b.eq(x, _lowest(x)), b.eq(y, b.bvnot(_zero(y))))


def rotate_left(a: Term, by: int) -> Term:
    """
    >>> rotate_left(b.const(BitVec(8), 0b10010000), 1).value == 0b00100001
    True
    """
    width = bit_width(a)
    by %= width
    return b.concat(b.extract(a, width - by - 1, 0), b.extract(a, width - 1, width - by)) if by else a


LOWERED: Final[dict[str, DerivedOperators]] = {
    "=>": DerivedOperators(2, b.implies, "right"),
    "xor": DerivedOperators(2, b.xor, "left"),
    "=": DerivedOperators(2, b.eq, "chain"),
    "distinct": DerivedOperators(2, lambda x, y: b.not_(b.eq(x, y)), "pairwise"),
    "bvand": DerivedOperators(2, b.bvand, "left"),
    "bvor": DerivedOperators(2, b.bvor, "left"),
    "bvxor": DerivedOperators(2, b.bvxor, "left"),
    "bvadd": DerivedOperators(2, b.bvadd, "left"),
    "bvmul": DerivedOperators(2, b.bvmul, "left"),
    "concat": DerivedOperators(2, b.concat, "left"),
    "bvnand": DerivedOperators(2, lambda x, y: b.bvnot(b.bvand(x, y))),
    "bvnor": DerivedOperators(2, lambda x, y: b.bvnot(b.bvor(x, y))),
    "bvxnor": DerivedOperators(2, lambda x, y: b.bvnot(b.bvxor(x, y)), "left"),
    "bvcomp": DerivedOperators(2, lambda x, y: _bit(b.eq(x, y)) if bit_width(x) else x),
    "bvsmod": DerivedOperators(2, _smod),
    "bvugt": DerivedOperators(2, lambda x, y: b.bvult(y, x)),
    "bvuge": DerivedOperators(2, lambda x, y: b.bvule(y, x)),
    "bvsgt": DerivedOperators(2, lambda x, y: b.bvslt(y, x)),
    "bvsge": DerivedOperators(2, lambda x, y: b.bvsle(y, x)),
    "bvredor": DerivedOperators(1, lambda x: _bit(b.not_(b.eq(x, _zero(x))))),
    "bvredand": DerivedOperators(1, lambda x: _bit(b.eq(x, b.bvnot(_zero(x))))),
    "bvnego": DerivedOperators(1, lambda x: b.eq(x, _lowest(x))),
    "bvuaddo": DerivedOperators(2, _overflows(b.bvadd, signed=False)),
    "bvsaddo": DerivedOperators(2, _overflows(b.bvadd, signed=True)),
    "bvumulo": DerivedOperators(2, _overflows(b.bvmul, signed=False)),
    "bvsmulo": DerivedOperators(2, _overflows(b.bvmul, signed=True)),
    "bvusubo": DerivedOperators(2, lambda x, y: b.bvult(x, y)),
    "bvssubo": DerivedOperators(2, _overflows(b.bvsub, signed=True)),
    "bvsdivo": DerivedOperators(2, _sdiv_overflows),
    "fp.lt": DerivedOperators(2, b.fp_lt, "chain"),
    "fp.leq": DerivedOperators(2, b.fp_leq, "chain"),
    "fp.eq": DerivedOperators(2, b.fp_eq, "chain"),
    "fp.gt": DerivedOperators(2, lambda x, y: b.fp_lt(y, x), "chain"),
    "fp.geq": DerivedOperators(2, lambda x, y: b.fp_leq(y, x), "chain"),
}


def _direct(op: Operator) -> DerivedOperators:
    return DerivedOperators(op.arity or 1, lambda *args: b.apply(op, args))


#: operators without parameters: those of the table, and those above
PLAIN: Final[dict[str, DerivedOperators]] = {
    op.smtlib: _direct(op)
    for op in OPERATORS.values()
    if op is not ops.LOOKUP and "{" not in op.smtlib and " " not in op.smtlib
} | LOWERED

#: float arithmetic, which takes a rounding mode first; the table's operators have only RNE
ROUNDED: Final[dict[str, Operator]] = {
    op.smtlib.removesuffix(" RNE"): op
    for op in OPERATORS.values()
    if op.smtlib.endswith(" RNE") and "{" not in op.smtlib
}

_REALS: Final = "soid computes with the floats that programs have, never with reals."
_ZEROS: Final = "SMT-LIB leaves the minimum and maximum of opposite zeros open; write it with fp.lt and ite."

#: operators that the reader knows but refuses, with the reason
REFUSED: Final[dict[str, str]] = {
    "fp.min": _ZEROS,
    "fp.max": _ZEROS,
    "fp.to_real": _REALS,
    "fp.to_ieee_bv": "It is no operator of SMT-LIB: which bits a NaN has is open. Declare the bits and use to_fp.",
    "forall": "Quantifiers are outside the fragment: give each case as a path.",
    "exists": "Quantifiers are outside the fragment: declare the variable instead.",
    "lambda": "Functions as values are outside the fragment.",
    "match": "Datatypes are outside the fragment.",
} | dict.fromkeys(
    ["+", "*", "<", "<=", ">", ">=", "div", "mod", "abs", "to_real", "to_int", "is_int", "bv2nat", "int2bv"], _REALS
)
