"""Domains: the values of a free variable.

The default domain has the usual values of the type: every finite float, the declared enumerators, both bools, all
integers. A manifest may narrow it to a range or to a set of values, or widen it to `any bits` (with NaN, infinities
and numbers without a label).

>>> from soid.formula.sorts import FLOAT32
>>> from soid.program.types import FloatType, parse
>>> kind = FloatType(FLOAT32)
>>> describe(kind, Range(parse(kind, "0"), parse(kind, "1.5")))
'0.0 to 1.5'
>>> contains(kind, Default(), kind.format.nan), contains(kind, AnyBitsDomain(), kind.format.nan)
(False, True)
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final, assert_never, final

from msgspec import Struct

from soid.formula import build
from soid.formula import softfloat as sf
from soid.formula.term import Term
from soid.program.types import BoolType, EnumType, FloatType, IntType, VariableType, constant, number, reading, show


@final
class Default(Struct, frozen=True):
    """The usual values of the type."""


@final
class AnyBitsDomain(Struct, frozen=True):
    """Every bit pattern of the type."""


@final
class Range(Struct, frozen=True):
    """The values from one to another, both included, as the program compares them; without NaN."""

    low: int  # bits
    high: int  # bits


@final
class Values(Struct, frozen=True):
    """A set of values, compared by their bits."""

    values: tuple[int, ...]  # bits


@final
class LoggedValue(Struct, frozen=True):
    """A value of the log, and what it may stand for if it is rounded."""

    bits: int
    rounded: Range | None = None

    def may_be(self, kind: VariableType, bits: int) -> bool:
        return bits == self.bits if self.rounded is None else contains(kind, self.rounded, bits)


@final
class OrMissing(Struct, frozen=True):
    """The values of a domain, and the one that stands for a missing value."""

    domain: Default | AnyBitsDomain | Range | Values
    missing: int  # bits


Domain = Default | AnyBitsDomain | Range | Values | OrMissing

DEFAULT: Final = Default()


def at_most(kind: VariableType, a: Term, b: Term) -> Term:
    """a <= b between readings of the type, as the program compares them."""
    match kind:
        case FloatType():
            return build.fp_leq(a, b)
        case IntType() | EnumType():
            return build.bvsle(a, b) if kind.signed else build.bvule(a, b)
        case BoolType():
            return build.implies(a, b)
        case _:
            assert_never(kind)


@lru_cache(maxsize=1024)  # of the variables of a program, in one question several times
def formula(kind: VariableType, domain: Domain, symbol: Term) -> Term:
    """The condition that the variable with this symbol lies in the domain."""
    match domain:
        case AnyBitsDomain():
            return build.TRUE
        case Values(values):
            return build.any_of(build.eq(symbol, build.const(symbol.sort, bits)) for bits in values)
        case Range(low, high):
            value = reading(kind, symbol)
            return build.and_(at_most(kind, constant(kind, low), value), at_most(kind, value, constant(kind, high)))
        case Default():
            return _default_formula(kind, symbol)
        case OrMissing(inner, missing):
            return build.or_(formula(kind, inner, symbol), build.eq(symbol, build.const(symbol.sort, missing)))
        case _:
            assert_never(domain)


def _default_formula(kind: VariableType, symbol: Term) -> Term:
    if isinstance(kind, FloatType):
        value = reading(kind, symbol)
        return build.not_(build.or_(build.fp_is_nan(value), build.fp_is_inf(value)))
    if isinstance(kind, EnumType) and kind.flags:
        return build.eq(build.bvand(symbol, build.const(symbol.sort, ~kind.flags)), build.const(symbol.sort, 0))
    if isinstance(kind, EnumType):
        return formula(kind, Values(tuple(known & (1 << kind.width) - 1 for _, known in kind.labels)), symbol)
    return build.TRUE


def contains(kind: VariableType, domain: Domain, bits: int) -> bool:
    """Whether a value lies in the domain: the same as `formula`, without a term."""
    match domain:
        case AnyBitsDomain():
            return True
        case Values(values):
            return bits in values
        case Range(low, high):
            return _between(kind, low, bits, high)
        case Default():
            if isinstance(kind, FloatType):
                return sf.is_finite(kind.format, bits)
            if isinstance(kind, EnumType) and kind.flags:
                return not bits & ~kind.flags
            return not isinstance(kind, EnumType) or any(number(kind, bits) == known for _, known in kind.labels)
        case OrMissing(inner, missing):
            return bits == missing or contains(kind, inner, bits)
        case _:
            assert_never(domain)


def every_value(kind: VariableType, domain: Domain, most: int) -> list[int] | None:
    """The bits of every value of the domain; None if there are more than so many, or they are floats in a range.

    >>> every_value(IntType(8, True), Range(0xFE, 1), 10)
    [254, 255, 0, 1]
    """
    if isinstance(domain, OrMissing):
        inner = every_value(kind, domain.domain, most - 1)
        return None if inner is None else [*inner, domain.missing]
    if isinstance(domain, Values):
        return list(domain.values) if len(domain.values) <= most else None
    if isinstance(kind, FloatType):
        return None
    least, greatest = (0, 1) if isinstance(kind, BoolType) else _ends(kind, domain)
    if greatest - least >= most:
        return None
    mask = (1 << kind.width) - 1
    bits = (each & mask for each in range(least, greatest + 1))
    return [each for each in bits if contains(kind, domain, each)]


def _ends(kind: IntType | EnumType, domain: Domain) -> tuple[int, int]:
    """The numbers between which those of a domain lie."""
    if isinstance(domain, Range):
        return number(kind, domain.low), number(kind, domain.high)
    if isinstance(kind, EnumType) and isinstance(domain, Default) and not kind.flags:
        return min(each for _, each in kind.labels), max(each for _, each in kind.labels)
    return (-(1 << kind.width - 1), (1 << kind.width - 1) - 1) if kind.signed else (0, (1 << kind.width) - 1)


def some_value(kind: VariableType, domain: Domain) -> int:
    """The bits of some value of the domain: zero if it has that.

    >>> some_value(IntType(8, signed=True), Range(5, 9)), some_value(BoolType(), DEFAULT)
    (5, 0)
    """
    if contains(kind, domain, 0):
        return 0
    match domain:
        case Values(values):
            return values[0]
        case Range(low, _):
            return low
        case Default() | AnyBitsDomain():
            assert isinstance(kind, EnumType), "every other type has zero"
            return kind.labels[0][1] & (1 << kind.width) - 1
        case OrMissing(inner, _):
            return some_value(kind, inner)
        case _:
            assert_never(domain)


def _between(kind: VariableType, low: int, bits: int, high: int) -> bool:
    if isinstance(kind, FloatType):
        return sf.le(kind.format, low, bits) and sf.le(kind.format, bits, high)
    if isinstance(kind, BoolType):
        return low <= bits <= high
    return number(kind, low) <= number(kind, bits) <= number(kind, high)


def describe(kind: VariableType, domain: Domain) -> str:
    match domain:
        case AnyBitsDomain():
            return "any bits"
        case Values(values):
            return ", ".join(show(kind, bits) for bits in values)
        case Range(low, high):
            return f"{show(kind, low)} to {show(kind, high)}"
        case Default():
            return _describe_default(kind)
        case OrMissing(inner, _):
            return f"missing, or {describe(kind, inner)}"
        case _:
            assert_never(domain)


def described(kind: VariableType, domain: Domain, unit: str) -> str:
    """The domain with a unit in words, which stands beside numbers alone."""
    text = describe(kind, domain)
    if not unit:
        return text
    return f"{text} {unit}" if text[-1].isdigit() else f"{text}, in {unit}"


def _describe_default(kind: VariableType) -> str:
    match kind:
        case BoolType():
            return "false, true"
        case IntType():
            return f"{kind.least} to {kind.greatest}"
        case FloatType():
            return "every finite number"
        case EnumType():
            labels = ", ".join(label for label, _ in kind.labels)
            return f"any combination of {labels}, or 0" if kind.flags else labels
        case _:
            assert_never(kind)
