"""Spans of floats, kept as ordinals: floats numbered in their order, -0.0 at -1 and +0.0 at 0."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from soid.formula import build
from soid.formula import softfloat as sf
from soid.formula.sorts import FLOAT32, Float
from soid.formula.term import Term

Span = tuple[int, int]  # the first and the last ordinal
Box = tuple[Span, ...]  # one span for each argument


def number(format: Float, ordinal: int) -> float:
    """The float at a place."""
    bits = sf.from_ordinal(format, ordinal)
    return sf.bits32_to_float(bits) if format == FLOAT32 else sf.bits64_to_float(bits)


def nearest(format: Float, value: float) -> int:
    """The place of the float nearest to a number."""
    return sf.ordinal(format, sf.float_to_bits32(value) if format == FLOAT32 else sf.float_to_bits64(value))


def cuts(format: Float, span: Span, parts: int, marks: Iterable[float]) -> list[int]:
    """Where to cut a span of finite floats, as the first ordinals of the parts that begin there.

    Into equal parts by value, which suits narrow spans, and by ordinal, which suits wide ones; at marks; and the zeros
    apart from the rest and from each other.
    """
    low, high = span
    bottom, top = Fraction(number(format, low)), Fraction(number(format, high))
    found = {-1, 0, 1, *(nearest(format, mark) for mark in marks)}
    found |= {
        sf.ordinal(format, sf.from_fraction(format, bottom + (top - bottom) * k / parts)) for k in range(1, parts)
    }
    found |= {low + (high - low) * k // 4 for k in range(1, 4)}
    return sorted(cut for cut in found if low < cut <= high)


def below(argument: Term, cut: int) -> Term:
    """Whether a float that is no NaN lies before a place."""
    format = argument.sort
    assert isinstance(format, Float)
    if cut == 0:
        return build.fp_is_negative(argument)  # comparing floats does not tell zeros apart
    if cut == -1:
        return build.fp_lt(argument, build.const(format, 0))
    return build.fp_lt(argument, build.const(format, sf.from_ordinal(format, cut)))


def lies(argument: Term, format: Float, span: Span) -> Term:
    """Whether a float lies in a span."""
    low, high = span
    at_least = build.fp_is_positive(argument) if low == 0 else build.fp_leq(_constant(format, low), argument)
    at_most = build.fp_is_negative(argument) if high == -1 else build.fp_leq(argument, _constant(format, high))
    return build.and_(at_least, at_most)


def _constant(format: Float, ordinal: int) -> Term:
    return build.const(format, sf.from_ordinal(format, ordinal))
