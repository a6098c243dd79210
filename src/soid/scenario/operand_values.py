"""The values of expressions during lowering: a number, a choice or a truth, and the condition that it is defined."""

from __future__ import annotations

from fractions import Fraction
from typing import final

from msgspec import Struct
from msgspec.structs import replace

from soid.errors import QueryError
from soid.formula import build
from soid.formula.build import TRUE
from soid.formula.sorts import Float
from soid.formula.term import Term
from soid.program.types import EnumType


@final
class Truth(Struct, frozen=True):
    """A truth value of Kleene's logic. Where neither term holds it is undefined: the program computed no value."""

    true: Term  # holds where the formula is true
    false: Term  # holds where it is false; never together with `true`


@final
class Exact(Struct, frozen=True):
    """A number from the text of a question, not yet rounded to a type."""

    value: Fraction | None  # None: an infinity or NaN
    text: str  # as written, or "numerator/denominator" if it was computed
    is_computed: bool = False

    @property
    def is_nan(self) -> bool:
        return self.text.lstrip("-") == "nan"


@final
class Whole(Struct, frozen=True):
    """A whole number: a bit-vector that is wide enough for its range."""

    term: Term
    signed: bool  # how the bits are read
    low: int  # the least possible value
    high: int  # the greatest possible value
    defined: Term = TRUE  # where it has a value


@final
class Ratio(Struct, frozen=True):
    """A fraction of two whole numbers: exact, like a whole number."""

    over: Whole
    under: Whole  # positive wherever the fraction is defined
    defined: Term = TRUE


@final
class Real(Struct, frozen=True):
    """A float."""

    term: Term  # of a Float sort
    format: Float
    defined: Term = TRUE
    bits: Term | None = None  # its bit pattern; None if computed: the bits of a computed NaN are not known
    upper: Term | None = None  # of a number that is not known exactly: it lies from `term` to this

    @property
    def ends(self) -> tuple[Real, ...]:
        """The least and the greatest number that it may be; itself if it is known."""
        if self.upper is None:
            return (self,)
        return replace(self, upper=None), replace(self, term=self.upper, upper=None)

    @property
    def certain(self) -> Real:
        """The number where it is known exactly, and nothing elsewhere."""
        if self.upper is None:
            return self
        return replace(self, upper=None, defined=build.and_(self.defined, build.eq(self.term, self.upper)))


@final
class Choice(Struct, frozen=True):
    """A value of an enumeration."""

    term: Term
    type: EnumType
    defined: Term = TRUE
    cases: tuple[tuple[int, Truth], ...] = ()  # whether it is each of its values; none: that follows from the term
    is_wide: bool = False  # of the cases: one may be false without another one being true


@final
class Word(Struct, frozen=True):
    """A name that is no variable, or a text. Compared with an enumeration, it may be one of its labels."""

    text: str
    error: QueryError  # raised if it is no label
    numbers: tuple[tuple[str, int], ...] = ()  # as an enumerator: the enumerations that have it, and its numbers there


@final
class Chars(Struct, frozen=True):
    """The first elements of an array of characters."""

    path: str  # of the array
    elements: tuple[Whole, ...]
    whole: bool  # whether there are no more


Number = Exact | Whole | Ratio | Real
Value = Exact | Whole | Ratio | Real | Choice | Word | Chars | Truth


def known(term: Term, defined: Term = TRUE) -> Truth:
    """The truth of a term where it is defined."""
    if defined is TRUE:
        return Truth(term, build.not_(term))
    return Truth(build.and_(defined, term), build.and_(defined, build.not_(term)))


def opposite(truth: Truth) -> Truth:
    return Truth(truth.false, truth.true)


def both(truths: list[Truth]) -> Truth:
    return Truth(build.all_of(t.true for t in truths), build.any_of(t.false for t in truths))


def either(truths: list[Truth]) -> Truth:
    return Truth(build.any_of(t.true for t in truths), build.all_of(t.false for t in truths))


def same(a: Truth, b: Truth) -> Truth:
    return either([both([a, b]), both([opposite(a), opposite(b)])])
