"""Numbers with bits that were never set, and what operations make of them.

A program may carry such a number around, mask the unset bits out and never look at them: C compilers do it for every
bit-field. So the mask of unset bits goes through the operations as far as it can be followed exactly; where it cannot,
the result says so, and a path that looks at it counts as unexplored instead of failed.
"""

from __future__ import annotations

from soid.engine.llvm.exploring.runtime import Held, Partial
from soid.formula.term import Term


def parts(value: Held, width: int) -> tuple[int | Term, int, bool]:
    """Value, unset bits, and whether they are exact, of any number."""
    if isinstance(value, Partial):
        return value.value, value.unset, value.exact
    assert isinstance(value, int | Term)
    return value, 0, True


def binary(op: str, a: Held, b: Held, result: int | Term, width: int) -> Held:
    """The result of an integer operation, with the bits that depend on unset ones marked."""
    full = (1 << width) - 1
    x, x_unset, x_exact = parts(a, width)
    y, y_unset, y_exact = parts(b, width)
    exact = x_exact and y_exact
    if op in ("and", "or"):
        # A set bit that decides the result (0 for and, 1 for or) makes the other side's bit irrelevant.
        known_x = _deciding(op, x, full) & ~x_unset
        known_y = _deciding(op, y, full) & ~y_unset
        unset = (x_unset | y_unset) & ~known_x & ~known_y
        return marked(result, unset, exact and isinstance(x, int) and isinstance(y, int))
    if op == "xor":
        return marked(result, x_unset | y_unset, exact)
    if op in ("shl", "lshr") and isinstance(y, int) and not y_unset:
        unset = x_unset << y & full if op == "shl" else x_unset >> y
        return marked(result, unset, exact)
    return marked(result, full, exact and x_unset in (0, full) and y_unset in (0, full) and op in ("add", "sub"))


def _deciding(op: str, value: int | Term, full: int) -> int:
    """Bits of a concrete number that settle the result alone; of a term none are known."""
    if not isinstance(value, int):
        return 0
    return ~value & full if op == "and" else value


def compared(predicate: str, a: Held, b: Held, result: int | Term, width: int) -> Held:
    """The result of a comparison; numbers that differ in set bits differ, whatever the others are."""
    x, x_unset, x_exact = parts(a, width)
    y, y_unset, y_exact = parts(b, width)
    seen = ~(x_unset | y_unset)
    if predicate in ("eq", "ne") and isinstance(x, int) and isinstance(y, int) and (x ^ y) & seen:
        return int(predicate == "ne")
    exact = x_exact and y_exact and predicate in ("eq", "ne")
    return Partial(result, 1, exact)


def converted(op: str, value: Partial, result: int | Term, source: int, target: int) -> Held:
    """The result of trunc, zext, sext or bitcast."""
    unset = value.unset & (1 << target) - 1
    if op == "sext" and value.unset >> (source - 1) & 1:
        unset |= ((1 << target) - 1) ^ ((1 << source) - 1)
    return marked(result, unset, value.exact)


def marked(value: int | Term, unset: int, exact: bool) -> Held:
    return Partial(value, unset, exact) if unset else value
