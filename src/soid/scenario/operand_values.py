"""What an expression means while it is lowered: a number, a choice or a truth, and where it has a value at all."""

from __future__ import annotations

from fractions import Fraction
from typing import final

from msgspec import Struct

from soid.errors import QueryError
from soid.formula import build
from soid.formula.build import TRUE
from soid.formula.sorts import Float
from soid.formula.term import Term
from soid.program.types import EnumType


@final
class Truth(Struct, frozen=True):
    """A truth in Kleene's sense: where neither term holds, there is no answer (the program came to no value)."""

    true: Term  # holds where the formula is true
    false: Term  # holds where it is false; never together with `true`


@final
class Exact(Struct, frozen=True):
    """A number that was written down, not yet rounded to a type."""

    value: Fraction | None  # None: an infinity or NaN
    text: str  # as written, or worked out from what was written

    @property
    def is_nan(self) -> bool:
        return self.text.lstrip("-") == "nan"


@final
class Whole(Struct, frozen=True):
    """A whole number: a bit-vector wide enough for its whole range."""

    term: Term
    signed: bool  # how the bits are read
    low: int  # the least that it can be
    high: int  # the most
    defined: Term = TRUE  # where it has a value


@final
class Real(Struct, frozen=True):
    """A float."""

    term: Term  # of a Float sort
    format: Float
    defined: Term = TRUE
    bits: Term | None = None  # its bit pattern, where there is one: a computed NaN has none


@final
class Choice(Struct, frozen=True):
    """A value of an enumeration."""

    term: Term
    type: EnumType
    defined: Term = TRUE


@final
class Word(Struct, frozen=True):
    """A name that is no variable: a label, if what it meets is an enumeration that has it."""

    text: str
    error: QueryError  # what is wrong if it is none


Number = Exact | Whole | Real
Value = Exact | Whole | Real | Choice | Word | Truth


# --- truths ---------------------------------------------------------------------------------------------------


def known(term: Term, defined: Term = TRUE) -> Truth:
    """The truth of a term where it is defined."""
    return Truth(build.and_(defined, term), build.and_(defined, build.not_(term)))


def opposite(truth: Truth) -> Truth:
    return Truth(truth.false, truth.true)


def both(truths: list[Truth]) -> Truth:
    return Truth(build.all_of(t.true for t in truths), build.any_of(t.false for t in truths))


def either(truths: list[Truth]) -> Truth:
    return Truth(build.any_of(t.true for t in truths), build.all_of(t.false for t in truths))


def same(a: Truth, b: Truth) -> Truth:
    return either([both([a, b]), both([opposite(a), opposite(b)])])
