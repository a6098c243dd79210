"""The operations that C leaves undefined for some operands: guarded, unless a FAULTY program leaves the guard out.

overflow    a + b        ->  (int32_t)((uint32_t)a + (uint32_t)b), or in 64 bits, or of reduced operands
division    a / b        ->  (b != 0 ? a / b : a), a / ((b & 7) + 1)
shift       a >> b       ->  a >> (b & 31)
bounds      xs[i]        ->  xs[i & 3], xs[i % 5u], xs[i >= 0 && i < 5 ? i : 0]
float_cast  (int8_t)x    ->  (x >= -128.0 && x < 128.0 ? (int8_t)x : 0)

What the compiler resolves before it writes IR cannot be seen there, although the trapping build traps: see `folds` and
`shift`, and the gaps by name in tests/differential/gaps.py.
"""

from __future__ import annotations

import re

from .draft import ArrayPlace, Body, Expr
from .scalars import INT32, INT64, UINT32, UINT64, CType, TypeKind, arithmetic_type, promoted, unsigned_of

__all__ = [
    "arithmetic",
    "cast",
    "converted",
    "divide",
    "element",
    "float_to_int",
    "folds",
    "index",
    "negate",
    "pointer_index",
    "shift",
]

_MATH = ("sqrt", "fabs", "floor", "ceil", "trunc", "rint", "round", "fmod", "copysign", "fmin", "fmax", "fma")
_FOLDED = frozenset({*_MATH, *(f"{name}f" for name in _MATH), "float", "double", "bool", "char", "_Float16", "isnan"})


def converted(value: Expr, ctype: CType) -> tuple[int, int]:
    """The interval of an integer expression after conversion to an integer type."""
    if ctype.low <= value.low and value.high <= ctype.high:
        return value.low, value.high
    return ctype.low, ctype.high


def cast(value: Expr, ctype: CType) -> Expr:
    """An explicit conversion that is always defined: not from float to integer, not to an enum."""
    if ctype.is_float or ctype.kind is TypeKind.BOOL:
        return Expr(f"({ctype.name}){value.text}", ctype, 0, 0 if ctype.is_float else 1)
    return Expr(f"({ctype.name}){value.text}", ctype, *converted(value, ctype))


def _corners(op: str, left: Expr, right: Expr) -> tuple[int, int]:
    if op == "+":
        return left.low + right.low, left.high + right.high
    if op == "-":
        return left.low - right.high, left.high - right.low
    products = [a * b for a in (left.low, left.high) for b in (right.low, right.high)]
    return min(products), max(products)


def arithmetic(body: Body, op: str, left: Expr, right: Expr) -> Expr:
    """`left op right` for + - * on integers."""
    ctype = arithmetic_type(left.ctype, right.ctype)
    operands = [Expr(e.text, ctype, *converted(e, ctype)) for e in (left, right)]
    low, high = _corners(op, *operands)
    text = f"({left.text} {op} {right.text})"
    if ctype.low <= low and high <= ctype.high:
        return Expr(text, ctype, low, high)
    if not ctype.signed or body.draft.drops_guard("overflow", 0.6):
        return Expr(text, ctype, ctype.low, ctype.high)
    return _without_overflow(body, op, left, right, ctype)


def _without_overflow(body: Body, op: str, left: Expr, right: Expr, ctype: CType) -> Expr:
    style = body.draft.between(0, 2)
    if style == 0 and ctype is INT32:
        low, high = _corners(op, left, right)
        return Expr(f"((int64_t){left.text} {op} {right.text})", INT64, low, high)
    if style == 1:
        small = [_reduced(body, e) for e in (left, right)]
        return Expr(f"({small[0].text} {op} {small[1].text})", ctype, *_corners(op, *small))
    wide = unsigned_of(ctype).name
    body.draft.note("wrap_in_unsigned")
    return Expr(f"({ctype.name})(({wide}){left.text} {op} ({wide}){right.text})", ctype, ctype.low, ctype.high)


def _reduced(body: Body, value: Expr) -> Expr:
    """The value brought into -999 .. 999 by a remainder, which no signed operand makes undefined."""
    if value.low > -1000 and value.high < 1000:
        return value
    modulus = body.draft.pick((10, 100, 1000))
    return Expr(f"({value.text} % {modulus})", promoted(value.ctype), -modulus if value.low < 0 else 0, modulus)


def negate(body: Body, value: Expr) -> Expr:
    """`-value` of an integer."""
    ctype = promoted(value.ctype)
    if not ctype.signed:
        return Expr(f"(-{value.text})", ctype, ctype.low, ctype.high)
    if value.low > ctype.low or body.draft.drops_guard("overflow", 0.6):
        low, high = max(-value.high, ctype.low), min(-value.low, ctype.high)
        return Expr(f"(-{value.text})", ctype, low, high)
    return Expr(f"({ctype.name})(0u - ({unsigned_of(ctype).name}){value.text})", ctype, ctype.low, ctype.high)


def divide(body: Body, op: str, left: Expr, right: Expr) -> Expr:
    """`left op right` for / and % on integers."""
    if right.constant and right.low == 0:  # would fail on every input, or tell the compiler to complain
        right = Expr("3", INT32, 3, 3, constant=True)
    ctype = arithmetic_type(left.ctype, right.ctype)
    result = ctype.low, ctype.high
    plain = f"({left.text} {op} {right.text})"
    minus_one = ctype.signed and converted(left, ctype)[0] == ctype.low and right.low <= -1 <= right.high
    if not right.low <= 0 <= right.high and not minus_one:
        return Expr(plain, ctype, *result)
    if body.draft.drops_guard("division"):
        return Expr(plain, ctype, *result)
    if body.draft.chance(0.4):
        mask = body.draft.pick((1, 3, 7, 15))
        return Expr(f"({left.text} {op} (({right.text} & {mask}) + 1))", *_like(left, right, ctype))
    divisor = body.temporary(right, "den")
    checks = f"{divisor.text} != 0" + (f" && {divisor.text} != -1" if minus_one else "")
    return Expr(f"({checks} ? {left.text} {op} {divisor.text} : {left.text})", ctype, *result)


def _like(left: Expr, right: Expr, ctype: CType) -> tuple[CType, int, int]:
    """Type and interval of a quotient by `(right & mask) + 1`, which keeps right's promoted type."""
    assert arithmetic_type(left.ctype, promoted(right.ctype)) == ctype
    return ctype, ctype.low, ctype.high


def shift(body: Body, op: str, left: Expr, right: Expr) -> Expr:
    """`left op right` for << and >>. To the left only unsigned values go: the engine's IR has no signed `shl`."""
    if op == "<<" and promoted(left.ctype).signed:
        left = cast(left, UINT32 if promoted(left.ctype).bits == 32 else UINT64)
    ctype = promoted(left.ctype)
    count = right.text
    if not (right.low >= 0 and right.high < ctype.bits):
        if not body.draft.drops_guard("shift"):
            count = f"({right.text} & {body.draft.pick((ctype.bits - 1, 7, 3))})"
        elif right.ctype.bits > ctype.bits:
            count = f"({ctype.name})({right.text})"  # gap: shift count wider than what is shifted
    interval = (0, left.high) if op == ">>" and left.low >= 0 else (ctype.low, ctype.high)
    return Expr(f"({left.text} {op} {count})", ctype, *interval)


def index(body: Body, value: Expr, length: int, kind: str | None = "bounds") -> Expr:
    """`value` made an index into `length` elements; kind names the fault of a guard left out, None keeps it."""
    if value.low >= 0 and value.high < length:
        return value
    if kind is not None and not value.constant and body.draft.drops_guard(kind, 0.2 if kind == "bounds" else 0.6):
        return _stray_index(body, value, length)
    style = body.draft.between(0, 2)
    if style == 0 and length & (length - 1) == 0:
        return Expr(f"({value.text} & {length - 1})", promoted(value.ctype), 0, length - 1)
    if style == 1:
        bound = value if value.low >= 0 else cast(value, unsigned_of(promoted(value.ctype)))
        return Expr(f"({bound.text} % {length}u)", arithmetic_type(bound.ctype, UINT32), 0, length - 1)
    bound = body.temporary(value, "at")
    checks = f"{bound.text} < {length}" if bound.low >= 0 else f"{bound.text} >= 0 && {bound.text} < {length}"
    return Expr(f"({checks} ? {bound.text} : 0)", promoted(value.ctype), 0, length - 1)


def _stray_index(body: Body, value: Expr, length: int) -> Expr:
    """An index that leaves the array for some inputs: by a little, or by any distance."""
    if body.draft.chance(0.3):
        return value
    above = length + body.draft.between(1, 3)
    return Expr(f"({value.text} % {above})", promoted(value.ctype), -above if value.low < 0 else 0, above)


def element(body: Body, array: ArrayPlace, value: Expr) -> str:
    """The lvalue of an element, by index or by pointer arithmetic.

    A stray access through a bare pointer is invisible to the compiler's bounds trap, so the trapping build is told
    by TRAP_UNLESS, which is nothing in every other build.
    """
    draft = body.draft
    if not array.is_pointer and draft.chance(0.8):
        return f"{array.text}[{index(body, value, array.length).text}]"
    draft.note("pointer_arithmetic")
    at, check = pointer_index(body, array, value)
    if check is not None:
        return f"*({check}, {array.text} + {at.text})"
    return f"*({array.text} + {at.text})" if draft.chance(0.5) else f"{array.text}[{at.text}]"


def pointer_index(body: Body, array: ArrayPlace, value: Expr) -> tuple[Expr, str | None]:
    """An index to add to a pointer and, where it may stray, the TRAP_UNLESS to evaluate before.

    It never strays from an array inside a struct, where no tool agrees on what a pointer may still reach, nor as an
    unsigned 64-bit number, which wraps round to small negative distances.
    """
    strays = array.alone and (value.ctype.signed or value.ctype.bits < 64)
    at = index(body, value, array.length, "pointer_bounds" if strays else None)
    if at.low >= 0 and at.high < array.length:
        return at, None
    at = body.temporary(at, "at")
    least = "" if at.low >= 0 else f"{at.text} >= {-array.before} && "
    return at, f"TRAP_UNLESS({least}{at.text} < {array.length})"


def folds(text: str) -> bool:
    """Whether an expression names nothing but types and library functions: the compiler computes it itself.

    Gap: undefined behaviour in a constant expression.
    """
    names = re.findall(r"[A-Za-z_]\w*", _digits(text))
    return all(name in _FOLDED or re.fullmatch(r"u?int\d+_t", name) for name in names)


def _digits(text: str) -> str:
    """The text without its number literals, whose suffixes and exponents look like names."""
    return re.sub(r"(?<![\w.])[\d.]+(?:e[-+]?\d+)?\w*", "", text)


def float_to_int(body: Body, value: Expr, ctype: CType) -> Expr:
    """`(ctype)value`: within range the conversion truncates, outside the guard answers with a constant."""
    if ctype.kind is TypeKind.BOOL:
        return Expr(f"(bool){value.text}", ctype, 0, 1)
    whole = Expr(f"({ctype.name}){value.text}", ctype, ctype.low, ctype.high)
    if not folds(value.text) and body.draft.drops_guard("float_cast"):
        return whole
    bound = body.temporary(value, "real")
    # Powers of two are exact in every float format, and so are these comparisons, done in double.
    least = f"{bound.text} >= {float(ctype.low)!r}" if ctype.signed else f"{bound.text} > -1.0"
    other = body.draft.between(0, 9)
    text = f"({least} && {bound.text} < {float(ctype.high + 1)!r} ? ({ctype.name}){bound.text} : {other})"
    return Expr(text, promoted(ctype), ctype.low, ctype.high)
