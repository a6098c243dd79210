"""Arithmetic and comparisons: on plain numbers if all operands are concrete, else on terms.

Every operation has obligations: pairs of what must hold and the name of the failure if it does not. In IR as the
front end wrote it, no pass has moved an operation yet, so a broken obligation is a failure of the program. In optimised
and ready-made IR the result is poison instead.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import cache
from typing import Final

from soid.engine.llvm.ir.ir_types import IntegerType, Type
from soid.engine.llvm.symbolic.paths.path_end import NotModelled
from soid.engine.llvm.symbolic.values.held_values import as_bits, format_of, lift, lower, plain
from soid.formula import build
from soid.formula import softfloat as sf
from soid.formula.operators import integer_fits, signed
from soid.formula.sorts import Bool, Float
from soid.formula.term import Term

Number = int | Term
Truth = bool | Term
Obligation = tuple[Truth, str]

OVERFLOW: Final = "signed overflow"
DIVISION: Final = "division by zero"
SHIFT: Final = "shift out of range"
CONVERSION: Final = "float-to-integer conversion out of range"
UNSIGNED_WRAP: Final = "unsigned overflow where the compiler was promised none"
LOST_BITS: Final = "bits are lost where the compiler was promised that none are"
SHARED_BITS: Final = "numbers share bits where the compiler was promised that they do not"
NEGATIVE: Final = "negative number where the compiler was promised none"
OTHER_SIGN: Final = "numbers of different signs where the compiler was promised the same"
REMAINDER: Final = "division with a remainder where the compiler was promised none"
NOT_FINITE: Final = "NaN or infinity where the compiler was promised none"


# --- integers -------------------------------------------------------------------------------------------------


def _sdiv(a: int, b: int, width: int) -> int:
    x, y = signed(a, width), signed(b, width)
    quotient = abs(x) // abs(y)
    return quotient if (x < 0) == (y < 0) else -quotient


def _srem(a: int, b: int, width: int) -> int:
    x, y = signed(a, width), signed(b, width)
    remainder = abs(x) % abs(y)
    return -remainder if x < 0 else remainder


Symbolic = Callable[[Term, Term], Term]

#: each operation on plain numbers of a width, on bit-vectors, and on single bits if it is modelled there
_INTEGERS: Final[dict[str, tuple[Callable[[int, int, int], int], Symbolic, Symbolic | None]]] = {
    "add": (lambda a, b, w: a + b, build.bvadd, build.xor),
    "sub": (lambda a, b, w: a - b, build.bvsub, build.xor),
    "mul": (lambda a, b, w: a * b, build.bvmul, build.and_),
    "udiv": (lambda a, b, w: a // b, build.bvudiv, None),
    "urem": (lambda a, b, w: a % b, build.bvurem, None),
    "sdiv": (_sdiv, build.bvsdiv, None),
    "srem": (_srem, build.bvsrem, None),
    "shl": (lambda a, b, w: a << b, build.bvshl, None),
    "lshr": (lambda a, b, w: a >> b, build.bvlshr, None),
    "ashr": (lambda a, b, w: signed(a, w) >> b, build.bvashr, None),
    "and": (lambda a, b, w: a & b, build.bvand, build.and_),
    "or": (lambda a, b, w: a | b, build.bvor, build.or_),
    "xor": (lambda a, b, w: a ^ b, build.bvxor, build.xor),
}


def integer(op: str, a: Number, b: Number, kind: IntegerType) -> Number:
    """An integer operation; its obligations must hold."""
    concrete, on_bits, on_bools = _INTEGERS[op]
    if isinstance(a, int) and isinstance(b, int):
        return concrete(a, b, kind.width) & (1 << kind.width) - 1
    symbolic = on_bools if kind.width == 1 else on_bits
    if symbolic is None:
        raise NotModelled(f"{op} of single bits")
    return lower(symbolic(lift(a, kind), lift(b, kind)))


def obligations(op: str, a: Number, b: Number, kind: IntegerType, flags: frozenset[str]) -> list[Obligation]:
    """The obligations of an integer operation, in the order in which they are checked."""
    if op in ("sdiv", "srem", "udiv", "urem"):
        return _division(op, a, b, kind)
    if op in ("shl", "lshr", "ashr"):
        return _shift(op, a, b, kind, flags)
    found: list[Obligation] = []
    if "nsw" in flags:
        found.append((fits(op, a, b, kind, is_signed=True), OVERFLOW))
    if "nuw" in flags:
        found.append((fits(op, a, b, kind, is_signed=False), UNSIGNED_WRAP))
    if "disjoint" in flags:
        found.append((is_zero(integer("and", a, b, kind)), SHARED_BITS))
    return found


def met(op: str, kind: IntegerType, flags: frozenset[str]) -> Callable[[int, int], Number | None]:
    """An integer operation on plain numbers that gives None where an obligation does not hold."""
    concrete, width, mask = _INTEGERS[op][0], kind.width, (1 << kind.width) - 1
    if not flags and op in ("add", "sub", "mul", "and", "or", "xor"):
        return lambda a, b: concrete(a, b, width) & mask
    if flags == {"nsw"} and op in ("add", "sub", "mul"):
        half = 1 << (width - 1)

        def without_overflow(a: int, b: int) -> int | None:
            found = concrete((a ^ half) - half, (b ^ half) - half, width)
            return found & mask if -half <= found < half else None

        return without_overflow

    def checked(a: int, b: int) -> Number | None:
        is_met = all(holds is True for holds, _ in obligations(op, a, b, kind, flags))
        return integer(op, a, b, kind) if is_met else None

    return checked


def is_zero(a: Number) -> Truth:
    if isinstance(a, int):
        return a == 0
    return truth(build.not_(a) if isinstance(a.sort, Bool) else build.eq(a, build.const(a.sort, 0)))


def same(a: Number, b: Number, kind: IntegerType) -> Truth:
    return bool(found) if isinstance(found := compare("eq", a, b, kind), int) else found


def fits(op: str, a: Number, b: Number, kind: IntegerType, *, is_signed: bool) -> Truth:
    """Whether add, sub or mul gives the mathematical result."""
    width, (concrete, symbolic, _) = kind.width, _INTEGERS[op]
    if isinstance(a, int) and isinstance(b, int):
        x, y = (signed(a, width), signed(b, width)) if is_signed else (a, b)
        return integer_fits(concrete(x, y, width), width, is_signed)
    extend = build.sign_extend if is_signed else build.zero_extend
    more = width if op == "mul" else 1
    wide = symbolic(extend(lift(a, kind), more), extend(lift(b, kind), more))
    # a comparison with constants, because intervals can settle it; an equality with the narrow result they cannot
    if not is_signed:
        return truth(build.bvule(wide, build.const(wide.sort, (1 << width) - 1)))
    least, greatest = -(1 << width - 1) % (1 << width + more), (1 << width - 1) - 1
    above = build.bvsle(build.const(wide.sort, least), wide)
    return truth(build.and_(above, build.bvsle(wide, build.const(wide.sort, greatest))))


def _division(op: str, a: Number, b: Number, kind: IntegerType) -> list[Obligation]:
    width = kind.width
    least, minus_one = 1 << (width - 1), (1 << width) - 1
    if isinstance(a, int) and isinstance(b, int):
        found: list[Obligation] = [(b != 0, DIVISION)]
        return [*found, (not (a == least and b == minus_one), OVERFLOW)] if op in ("sdiv", "srem") else found
    x, y = lift(a, kind), lift(b, kind)
    found = [(truth(build.not_(build.eq(y, build.const(y.sort, 0)))), DIVISION)]
    if op in ("sdiv", "srem"):
        overflows = build.and_(build.eq(x, build.const(x.sort, least)), build.eq(y, build.const(y.sort, minus_one)))
        found.append((truth(build.not_(overflows)), OVERFLOW))
    return found


def _shift(op: str, a: Number, b: Number, kind: IntegerType, flags: frozenset[str]) -> list[Obligation]:
    if isinstance(b, int):
        if b >= kind.width:
            return [(False, SHIFT)]
        found: list[Obligation] = []
    else:
        if isinstance(b.sort, Bool):
            raise NotModelled(f"{op} of single bits")
        found = [(truth(build.bvult(b, build.const(b.sort, kind.width))), SHIFT)]
    for flag, back in (("nsw", "ashr"), ("nuw", "lshr"), ("exact", "shl")):
        if flag in flags:
            what = LOST_BITS if op != "shl" else OVERFLOW if flag == "nsw" else UNSIGNED_WRAP
            found.append((same(integer(back, integer(op, a, b, kind), b, kind), a, kind), what))
    return found


def divides(op: str, a: Number, b: Number, kind: IntegerType) -> Truth:
    """Whether a division leaves no remainder, which the flag `exact` promises."""
    if op not in ("sdiv", "udiv"):
        raise NotModelled(f"{op} with exact")
    return is_zero(integer("srem" if op == "sdiv" else "urem", a, b, kind))


def same_sign(a: Number, b: Number, kind: IntegerType) -> Truth:
    """Whether two numbers have the same sign, which the flag `samesign` promises."""
    return is_zero(integer("lshr", integer("xor", a, b, kind), kind.width - 1, kind))


def finite(a: Number, kind: Type, flags: frozenset[str]) -> Truth:
    """Whether a float is neither NaN nor infinite, as far as the flags `nnan` and `ninf` promise it."""
    x = lift(a, kind)
    bad = [test(x) for flag, test in (("nnan", build.fp_is_nan), ("ninf", build.fp_is_inf)) if flag in flags]
    return truth(build.not_(build.any_of(bad)))


def within(a: Number, kind: IntegerType, ranges: tuple[tuple[int, int], ...]) -> Truth:
    """Whether a number lies in one of some half-open ranges; a range may wrap around."""
    width = kind.width
    x = lift(a, kind)
    if isinstance(x.sort, Bool):
        x = as_bits(x)
    inside = [
        build.bvult(build.bvsub(x, build.const(x.sort, low)), build.const(x.sort, (high - low) % (1 << width)))
        for low, high in ranges
    ]
    return truth(build.any_of(inside))


#: each order of plain numbers, of unsigned and of signed bit-vectors, and whether the terms are swapped
_ORDERS: Final[dict[str, tuple[Callable[[int, int], bool], Symbolic, Symbolic, bool]]] = {
    "lt": (operator.lt, build.bvult, build.bvslt, False),
    "le": (operator.le, build.bvule, build.bvsle, False),
    "gt": (operator.gt, build.bvult, build.bvslt, True),
    "ge": (operator.ge, build.bvule, build.bvsle, True),
}


@cache
def comparison(predicate: str, width: int) -> Callable[[int, int], bool]:
    """icmp of plain numbers."""
    if predicate in ("eq", "ne"):
        return operator.eq if predicate == "eq" else operator.ne
    holds = _ORDERS[predicate[1:]][0]
    if predicate[0] == "u":
        return holds
    top = 1 << (width - 1)  # with this bit flipped, signed numbers have the order of unsigned ones
    return lambda a, b: holds(a ^ top, b ^ top)


def compare(predicate: str, a: Number, b: Number, kind: IntegerType) -> Number:
    """icmp: 0 or 1, or a Bool term."""
    if isinstance(a, int) and isinstance(b, int):
        return int(comparison(predicate, kind.width)(a, b))
    x, y = lift(a, kind), lift(b, kind)
    if kind.width == 1:
        x, y = as_bits(x), as_bits(y)
    if predicate in ("eq", "ne"):
        same = build.eq(x, y)
        return lower(same if predicate == "eq" else build.not_(same))
    _, of_unsigned, of_signed, swapped = _ORDERS[predicate[1:]]
    make = of_signed if predicate[0] == "s" else of_unsigned
    return lower(make(y, x) if swapped else make(x, y))


def truth(term: Term) -> Truth:
    """A Bool term as a plain truth value where it is constant."""
    return bool(term.value) if term.is_const else term


# --- floats ---------------------------------------------------------------------------------------------------

_FLOATS: Final[dict[str, tuple[Symbolic, Callable[[Float, int, int], int]]]] = {
    "fadd": (build.fp_add, sf.add),
    "fsub": (build.fp_sub, sf.sub),
    "fmul": (build.fp_mul, sf.mul),
    "fdiv": (build.fp_div, sf.div),
}


def modulo(x: Term, y: Term) -> Term:
    """C's fmod from IEEE's remainder: the remainder of the magnitudes, made positive, with x's sign.

    A negative remainder becomes positive by adding |y|. The sum is fmod's result, which is always a float, so the
    addition is exact.
    """
    rest = build.fp_rem(build.fp_abs(x), build.fp_abs(y))
    lifted = build.ite(build.fp_is_negative(rest), build.fp_add(rest, build.fp_abs(y)), rest)
    positive = build.fp_abs(lifted)
    return build.ite(build.fp_is_negative(x), build.fp_neg(positive), positive)


def floating(op: str, a: Number, b: Number, kind: Type) -> Number:
    """fadd, fsub, fmul, fdiv, and frem, which is C's fmod."""
    if op == "frem":
        return lower(modulo(lift(a, kind), lift(b, kind)))
    symbolic, concrete = _FLOATS[op]
    if isinstance(a, int) and isinstance(b, int):
        return plain(format_of(kind), concrete(format_of(kind), a, b))
    return lower(symbolic(lift(a, kind), lift(b, kind)))


def negate(a: Number, kind: Type) -> Number:
    """fneg: it flips the sign bit, of NaN too."""
    if isinstance(a, int):
        return a ^ format_of(kind).sign_bit
    return lower(build.fp_neg(a))


def compare_floats(predicate: str, a: Number, b: Number, kind: Type) -> Number:
    """fcmp: o* is false and u* is true where one side is NaN."""
    if predicate in ("false", "true"):
        return int(predicate == "true")
    if isinstance(a, int) and isinstance(b, int):
        return int(_compare_plain(predicate, a, b, format_of(kind)))
    x, y = lift(a, kind), lift(b, kind)
    if predicate in ("oeq", "olt", "ole", "ogt", "oge", "une"):  # these treat NaN as the formula's comparisons do
        return lower(_ORDERED[predicate[1:]][0](x, y))
    unordered = build.or_(build.fp_is_nan(x), build.fp_is_nan(y))
    if predicate in ("ord", "uno"):
        return lower(unordered if predicate == "uno" else build.not_(unordered))
    ordered = _ORDERED[predicate[1:]][0](x, y)
    if predicate == "one":
        return lower(build.and_(ordered, build.not_(unordered)))
    return lower(build.or_(unordered, ordered))


def _compare_plain(predicate: str, a: int, b: int, format: Float) -> bool:
    if sf.is_nan(format, a) or sf.is_nan(format, b):
        return predicate[0] == "u"
    if predicate in ("ord", "uno"):
        return predicate == "ord"
    return _ORDERED[predicate[1:]][1](format, a, b)


_ORDERED: Final[dict[str, tuple[Symbolic, Callable[[Float, int, int], bool]]]] = {
    "eq": (build.fp_eq, sf.eq),
    # true for NaN; `one` excludes NaN itself
    "ne": (lambda x, y: build.not_(build.fp_eq(x, y)), lambda f, a, b: not sf.eq(f, a, b)),
    "lt": (build.fp_lt, sf.lt),
    "le": (build.fp_leq, sf.le),
    "gt": (lambda x, y: build.fp_lt(y, x), lambda f, a, b: sf.lt(f, b, a)),
    "ge": (lambda x, y: build.fp_leq(y, x), lambda f, a, b: sf.le(f, b, a)),
}
