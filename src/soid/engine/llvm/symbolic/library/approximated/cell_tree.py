"""Boxes of floats, divided into cells by a tree of cuts: few comparisons find the cell of an argument.

Spans are kept as ordinals: floats numbered in their order, -0.0 at -1 and +0.0 at 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from typing import TypeAlias, final

from msgspec import Struct
from msgspec.structs import replace

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


def constant(format: Float, ordinal: int) -> Term:
    """The float at a place, as a term."""
    return build.const(format, sf.from_ordinal(format, ordinal))


def below(argument: Term, cut: int) -> Term:
    """Whether a float that is no NaN lies before a place."""
    format = argument.sort
    assert isinstance(format, Float)
    if cut == 0:
        return build.fp_is_negative(argument)  # comparing floats does not tell zeros apart
    return build.fp_lt(argument, build.const(format, 0) if cut == -1 else constant(format, cut))


def lies(argument: Term, format: Float, span: Span) -> Term:
    """Whether a float lies in a span."""
    low, high = span
    at_least = build.fp_is_positive(argument) if low == 0 else build.fp_leq(constant(format, low), argument)
    at_most = build.fp_is_negative(argument) if high == -1 else build.fp_leq(argument, constant(format, high))
    return build.and_(at_least, at_most)


# --- the tree ---------------------------------------------------------------------------------------------------


@final
class Leaf(Struct, frozen=True):
    """A cell."""

    box: Box


@final
class Cut(Struct, frozen=True):
    """A box in two parts."""

    box: Box
    argument: int  # which argument is cut
    at: int  # the first ordinal of the upper part
    lower: Tree
    upper: Tree


Tree: TypeAlias = Leaf | Cut


def grown(box: Box, cuts: Sequence[Sequence[int]]) -> Tree:
    """The tree of a box with ordered cuts for each argument; it starts in the middle of the argument with the most."""
    argument = max(range(len(box)), key=lambda i: len(cuts[i]))
    if not cuts[argument]:
        return Leaf(box)
    middle = len(cuts[argument]) // 2
    at = cuts[argument][middle]
    low, high = box[argument]

    def part(span: tuple[int, int], kept: Sequence[int]) -> Tree:
        inner = (*box[:argument], span, *box[argument + 1 :])
        return grown(inner, [*cuts[:argument], kept, *cuts[argument + 1 :]])

    below, above = cuts[argument][:middle], cuts[argument][middle + 1 :]
    return Cut(box, argument, at, part((low, at - 1), below), part((at, high), above))


def leaves(tree: Tree) -> Iterator[Box]:
    if isinstance(tree, Leaf):
        yield tree.box
    else:
        yield from leaves(tree.lower)
        yield from leaves(tree.upper)


def parted(tree: Tree, place: Sequence[int], finer: Callable[[Box], Tree]) -> Tree:
    """The tree with the cell of a point replaced; a point outside the box changes nothing."""
    if not all(low <= at <= high for at, (low, high) in zip(place, tree.box, strict=True)):
        return tree
    if isinstance(tree, Leaf):
        return finer(tree.box)
    if place[tree.argument] < tree.at:
        return replace(tree, lower=parted(tree.lower, place, finer))
    return replace(tree, upper=parted(tree.upper, place, finer))


def read(tree: Tree, arguments: Sequence[Term], of: Callable[[Box], Term]) -> Term:
    """One term that selects the term of the cell in which the arguments lie."""
    if isinstance(tree, Leaf):
        return of(tree.box)
    lower, upper = read(tree.lower, arguments, of), read(tree.upper, arguments, of)
    return build.ite(below(arguments[tree.argument], tree.at), lower, upper)
