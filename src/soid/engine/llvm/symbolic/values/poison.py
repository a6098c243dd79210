"""LLVM's poison as a value.

    %sum = add nsw i32 %a, 1              Poisoned(a + 1, flaw: a = 2147483647, signed overflow at car.c:7)
    %r = select i1 %c, i32 %sum, i32 0    poison only where c holds as well

An optimiser moves computations before branches, so that a program may never use their results. In optimised and in
ready-made IR an operation without a value is therefore no failure yet: its result is poison, and so is everything
computed from it. The program fails where it branches on poison, uses it as an address, divides by it, passes it to a
call that needs a value, or decides by it. The failure is named after the operation that had no value.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from soid.engine.llvm.symbolic.values.held_values import FOLDED, Flaw, Held, Poisoned
from soid.formula import build
from soid.formula.build import FALSE, TRUE
from soid.formula.term import Term

#: a poison constant in the IR
NOTHING: Final = Poisoned(0, (Flaw(TRUE, FOLDED, None),))

#: above this number, the flaws of a value are joined into one
_MOST: Final = 24


class WithoutValue(Exception):
    """An operation that has no value for any input."""

    def __init__(self, flaw: Flaw) -> None:
        super().__init__(flaw.what)
        self.flaw = flaw


def stripped(held: Held) -> tuple[Held, tuple[Flaw, ...]]:
    """A value without its flaws, and the flaws."""
    return (held.value, held.flaws) if isinstance(held, Poisoned) else (held, ())


def hopeless(flaws: Sequence[Flaw]) -> Flaw | None:
    """A flaw that holds for every input."""
    return next((flaw for flaw in flaws if flaw.holds is TRUE), None)


def poisoned(held: Held, flaws: Sequence[Flaw]) -> Held:
    """A value with flaws added; every part of an aggregate gets them."""
    if not flaws:
        return held
    if isinstance(held, tuple):
        return tuple(poisoned(part, flaws) for part in held)
    inner, own = stripped(held)
    found = tuple({flaw: None for flaw in (*own, *flaws) if flaw.holds is not FALSE})
    always = hopeless(found)
    if always is not None:
        return Poisoned(0, (always,))
    return Poisoned(inner, _few(found)) if found else inner


def _few(flaws: tuple[Flaw, ...]) -> tuple[Flaw, ...]:
    if len(flaws) <= _MOST:
        return flaws
    last = flaws[-1]
    return (Flaw(build.any_of(flaw.holds for flaw in flaws), last.what, last.where),)


def guarded(flaws: Sequence[Flaw], condition: Term) -> tuple[Flaw, ...]:
    """The flaws of a value that counts only where a condition holds."""
    return tuple(Flaw(build.and_(condition, flaw.holds), flaw.what, flaw.where) for flaw in flaws)
