"""Shadow bits: which bits of a number were never set, followed through operations, as MemorySanitizer does.

A program may copy a number with unset bits and mask them out without using them: C compilers do so for every
bit-field. So each operation computes the mask of unset bits of its result, exactly where it can. Where it cannot, the
result is marked as not exact, and a path that uses it counts as unexplored instead of failed.
"""

from __future__ import annotations

from soid.engine.llvm.symbolic.values.held_values import Held, Partial, number
from soid.formula import operators as ops
from soid.formula.sorts import BitVec
from soid.formula.term import Term


def parts(value: Held) -> tuple[int | Term, int, bool]:
    """The value of a number, its unset bits, and whether they are exact."""
    if isinstance(value, Partial):
        return value.value, value.unset, value.exact
    return number(value), 0, True


def binary(op: str, a: Held, b: Held, result: int | Term, width: int) -> Held:
    """The result of an integer operation; bits that depend on unset bits are marked as unset."""
    full = (1 << width) - 1
    x, x_unset, x_exact = parts(a)
    y, y_unset, y_exact = parts(b)
    exact, why = x_exact and y_exact, _why(a, b)
    if op in ("and", "or"):
        # A set bit that decides the result (0 for and, 1 for or) makes the other side's bit irrelevant.
        unset = (x_unset & ~_decided(op, y, y_unset, width)) | (y_unset & ~_decided(op, x, x_unset, width))
        unsure = (x_unset & ~_known(y, y_unset, width)) | (y_unset & ~_known(x, x_unset, width))
        return marked(result, unset, exact and not unset & unsure, why)
    if op == "xor":
        return marked(result, x_unset | y_unset, exact, why)
    if op in ("shl", "lshr", "ashr") and isinstance(y, int):
        return marked(result, _shifted(op, x_unset, y, width), exact, why)
    whole = x_unset in (0, full) and y_unset in (0, full)
    return marked(result, full, exact and whole and op in ("add", "sub"), why)


def _shifted(op: str, unset: int, by: int, width: int) -> int:
    full = (1 << width) - 1
    if op == "shl":
        return unset << by & full
    copied = full ^ full >> by if op == "ashr" and unset >> (width - 1) else 0
    return unset >> by | copied


def zeros(term: Term, width: int, depth: int = 12) -> int:
    """Bits of a term that are 0 for every input, as far as the top `depth` levels of the term show."""
    full, found = (1 << width) - 1, 0
    if depth == 0:
        return 0
    match term.op:
        case ops.CONST:
            return ~int(term.value) & full
        case ops.BVAND:
            for arg in term.args:
                found |= zeros(arg, width, depth - 1)
        case ops.BVOR:
            found = full
            for arg in term.args:
                found &= zeros(arg, width, depth - 1)
        case ops.ZERO_EXTEND:
            inner = width - int(term.params[0])
            found = full ^ (1 << inner) - 1 | zeros(term.args[0], inner, depth - 1)
        case ops.BVSHL if term.args[1].is_const:
            by = min(int(term.args[1].value), width)
            found = (zeros(term.args[0], width, depth - 1) << by | (1 << by) - 1) & full
        case ops.BVLSHR if term.args[1].is_const:
            by = min(int(term.args[1].value), width)
            found = zeros(term.args[0], width, depth - 1) >> by | full ^ full >> by
        case ops.CONCAT:
            above, below = term.args
            assert isinstance(below.sort, BitVec)
            low = below.sort.width
            found = zeros(above, width - low, depth - 1) << low | zeros(below, low, depth - 1)
        case ops.ITE:
            found = zeros(term.args[1], width, depth - 1) & zeros(term.args[2], width, depth - 1)
    return found


def _known(value: int | Term, unset: int, width: int) -> int:
    """Bits that are set and the same for every input."""
    full = (1 << width) - 1
    return (full if isinstance(value, int) else zeros(value, width)) & ~unset


def _decided(op: str, value: int | Term, unset: int, width: int) -> int:
    """Bits that alone decide the result of `and` (a 0) or `or` (a 1)."""
    full = (1 << width) - 1
    if isinstance(value, int):
        return (~value & full if op == "and" else value) & ~unset
    return zeros(value, width) & ~unset if op == "and" else 0


def compared(predicate: str, a: Held, b: Held, result: int | Term, width: int) -> Held:
    """The result of a comparison; it is set where the set bits alone decide it."""
    x, x_unset, x_exact = parts(a)
    y, y_unset, y_exact = parts(b)
    full = (1 << width) - 1
    exact, why = x_exact and y_exact, _why(a, b)
    x, y = _number(x, x_unset, width), _number(y, y_unset, width)
    if not isinstance(x, int) or not isinstance(y, int):
        # If one side has no set bit at all, its result is unset whatever the other side is.
        return Partial(result, 1, exact and full in (x_unset, y_unset), why=why)
    if predicate in ("eq", "ne"):
        if (x ^ y) & ~(x_unset | y_unset):
            return int(predicate == "ne")
        return Partial(result, 1, exact, why=why)
    # with this bit flipped, signed numbers have the order of unsigned ones
    flip = 1 << (width - 1) if predicate[0] == "s" else 0
    low_x, high_x = (x ^ flip) & ~x_unset, (x ^ flip) | x_unset
    low_y, high_y = (y ^ flip) & ~y_unset, (y ^ flip) | y_unset
    if predicate[1:] in ("gt", "ge"):
        (low_x, high_x), (low_y, high_y) = (low_y, high_y), (low_x, high_x)
    strict = predicate[1:] in ("lt", "gt")
    if high_x < low_y or (not strict and high_x == low_y):
        return 1
    if low_x > high_y or (strict and low_x == high_y):
        return 0
    return Partial(result, 1, exact, why=why)


def _number(value: int | Term, unset: int, width: int) -> int | Term:
    """The number 0 for a term of which every set bit is 0, else the value itself."""
    if isinstance(value, Term) and zeros(value, width) | unset == (1 << width) - 1:
        return 0
    return value


def converted(op: str, value: Partial, result: int | Term, source: int, target: int) -> Held:
    """The result of trunc, zext, sext or bitcast."""
    unset = value.unset & (1 << target) - 1
    if op == "sext" and value.unset >> (source - 1) & 1:
        unset |= ((1 << target) - 1) ^ ((1 << source) - 1)
    return marked(result, unset, value.exact, value.why)


def _why(*operands: Held) -> str:
    return next((each.why for each in operands if isinstance(each, Partial) and each.why), "")


def marked(value: int | Term, unset: int, exact: bool, why: str = "") -> Held:
    return Partial(value, unset, exact, why=why) if unset else value
